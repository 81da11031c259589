"""From text to input ids: words, characters, and byte-pair encoding.

In reading order:

- `protocol.py`: what every tokenizer can do;
- `words.py`: the two obvious ways, and what each loses;
- `bpe_steps.py`: byte-pair encoding in six plain steps;
- `bpe_train.py`: the same merges, learned quickly;
- `bpe_encode.py`: applying them to a word;
- `pretokenize.py`: cutting a text before merges apply;
- `byte_alphabet.py`: 256 symbols that spell every text;
- `bpe.py`: `BPETokenizer`, all of it together;
- `bpe_check.py`, `huggingface_files.py`, `openai_files.py`: what it refuses, and its files.
"""

from plainformer.inputs.tokenization.bpe import BPETokenizer
from plainformer.inputs.tokenization.bpe_encode import apply_merges, apply_merges_plainly
from plainformer.inputs.tokenization.bpe_steps import count_pairs, merge_pair, train_by_recounting
from plainformer.inputs.tokenization.bpe_train import train_merges
from plainformer.inputs.tokenization.byte_alphabet import (
    BYTE_ALPHABET,
    readable,
    spell,
    split_bytes,
    unspell,
)
from plainformer.inputs.tokenization.pretokenize import GPT2_PATTERN, count_words, pre_tokenize
from plainformer.inputs.tokenization.protocol import UNK, Tokenizer
from plainformer.inputs.tokenization.words import WORD_PATTERN, CharTokenizer, WordTokenizer

__all__ = [
    "BYTE_ALPHABET",
    "GPT2_PATTERN",
    "UNK",
    "WORD_PATTERN",
    "BPETokenizer",
    "CharTokenizer",
    "Tokenizer",
    "WordTokenizer",
    "apply_merges",
    "apply_merges_plainly",
    "count_pairs",
    "count_words",
    "merge_pair",
    "pre_tokenize",
    "readable",
    "spell",
    "split_bytes",
    "train_by_recounting",
    "train_merges",
    "unspell",
]

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

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

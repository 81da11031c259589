"""From text to input ids: words, characters, and byte-pair encoding.

In reading order:

- `protocol.py`: the interface of all tokenizers;
- `words.py`: splitting into words or characters, and what each of them loses;
- `bpe_steps.py`: byte-pair encoding in six simple steps;
- `bpe_train.py`: learning the same merges quickly;
- `bpe_encode.py`: applying them to a word;
- `pretokenize.py`: splitting a text before merges apply;
- `byte_alphabet.py`: 256 symbols that spell every text;
- `bpe.py`: `BPETokenizer`, which combines all of these, with its checks (`bpe_check.py`) and files
  (`huggingface_files.py`, `oniguruma.py`, `openai_files.py`).
"""

from plainformer._lazy import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)

"""Read the vocabulary files that OpenAI has published for GPT-2 and for `tiktoken`.

For GPT-2, `vocab.json` maps each token, written as in `byte_alphabet.py`, to its id, and
`merges.txt` lists one merge per line, in the order in which they are applied. A file for tiktoken
has one token per line: its bytes in base64, and its rank, which is also its id. It lists no merges,
because two adjacent tokens may merge whenever together they are a token, the lowest rank first.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

from plainformer.inputs.tokenization.byte_alphabet import BYTES, unicode_to_bytes
from plainformer.inputs.tokenization.huggingface_files import read_json
from plainformer.inputs.tokenization.special_tokens import ordinary_token

__all__ = ["read_gpt2_files", "read_tiktoken_file"]


def read_gpt2_files(
    vocab_json: str | os.PathLike[str], merges_txt: str | os.PathLike[str]
) -> dict[str, Any]:
    """The arguments of `BPETokenizer` that these two files describe."""
    merges = []
    lines = _read_lines(merges_txt)
    if lines and lines[0][1].startswith("#version"):
        del lines[0]
    for number, line in lines:
        parts = line.split(" ")
        if len(parts) != 2:
            raise ValueError(f"merges must have two tokens per line; line {number} is {line!r}")
        merges.append(tuple(map(unicode_to_bytes, parts)))

    made = {*BYTES, *(first + second for first, second in merges)}
    vocab, special_tokens = {}, {}
    for spelling, id_ in read_json(vocab_json).items():
        token = ordinary_token(spelling, byte_level=True)
        if token in made:
            vocab[token] = id_
        else:
            special_tokens[spelling] = id_
    return {"vocab": vocab, "merges": merges, "special_tokens": special_tokens}


def read_tiktoken_file(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The vocabulary and the merges that correspond to a file of ranks.

    Every way to split a token into two tokens is a merge with the token's rank, because `tiktoken`
    uses all of them. (GPT-2's list has only the split with which each token was learned.)
    """
    ranks: dict[bytes, int] = {}
    for number, line in _read_lines(path):
        try:
            encoded, rank = line.split(" ")
            token = base64.b64decode(encoded, validate=True)
            if not token or token in ranks:
                raise ValueError("empty, or given twice")
            ranks[token] = int(rank)
        except ValueError:
            raise ValueError(
                f"there must be a new token in base64 and its rank on each line; "
                f"line {number} is {line!r:.60}"
            ) from None
    missing = sum(byte not in ranks for byte in BYTES)
    if missing:
        raise ValueError(
            f"all 256 bytes must have a rank; {missing} have none. Is the file complete?"
        )
    splits = [
        (rank, ranks[token[:cut]], ranks[token[cut:]], (token[:cut], token[cut:]))
        for token, rank in ranks.items()
        for cut in range(1, len(token))
        if token[:cut] in ranks and token[cut:] in ranks
    ]
    return {"vocab": ranks, "merges": [pair for *_, pair in sorted(splits)]}


def _read_lines(path: str | os.PathLike[str]) -> list[tuple[int, str]]:
    """The nonempty lines of a text file with their numbers; only line feeds end a line."""
    text = Path(path).read_bytes().decode("utf-8")
    lines = enumerate(text.replace("\r\n", "\n").split("\n"), start=1)
    return [(number, line) for number, line in lines if line]

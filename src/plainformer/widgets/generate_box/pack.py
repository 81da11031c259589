"""What a page gets of an n-gram model: the texts that it was fitted on, as characters.

All counts follow from the texts, and the texts are smaller: the manual's 160,000 tokens are 135 KB
gzipped this way, and their table of runs of four is more than twice that.
"""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from plainformer.decoding import NGramModel

__all__ = ["ALPHABET", "pack_model", "pack_text"]

ALPHABET = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"\\<')
"""The digits that ids are written in: what JSON and HTML leave as it is."""


def pack_model(model: NGramModel, most: int) -> dict[str, Any]:
    """Return what ``formulas/ngram.js`` needs of a model.

    Each id is written in as many digits as the largest needs, the highest first; the id V, which
    is not a token, separates two texts.

    Args:
        model: a fitted one.
        most: how many bytes it may weigh, gzipped.

    Raises ValueError when the model was not fitted, or weighs more.

    >>> pack_model(NGramModel(2).fit([[0, 1, 2], [2, 2]]), most=1000)
    {'order': 2, 'size': 3, 'digits': 1, 'packed': '!#$%$$'}
    """
    packed = pack_text(model)
    weight = len(gzip.compress(packed.encode("ascii")))
    if weight > most:
        tokens = sum(map(len, model.sequences))
        fits = max(1, int(0.95 * tokens * most / weight) // 1000 * 1000)
        raise ValueError(
            f"model must fit into {most:,} bytes of a page; its {tokens:,} tokens take {weight:,}, "
            f"{weight - most:,} too many. Fit it on about {fits:,} of them, or give "
            "'lambda ids: model(ids)', which runs in Python alone, so in Jupyter"
        )
    size = model.vocab_size
    return {"order": model.order, "size": size, "digits": _digits(size), "packed": packed}


def pack_text(model: NGramModel) -> str:
    """Return the texts that a model was fitted on, as characters.

    >>> pack_text(NGramModel(2).fit([[0, 1, 2], [2, 2]]))
    '!#$%$$'
    """
    size, base = model.vocab_size, len(ALPHABET)
    gap = np.array([size])
    parts = [part for text in model.sequences for part in (gap, text)]
    ids = np.concatenate(parts[1:]).astype(np.int64)
    powers = base ** np.arange(_digits(size) - 1, -1, -1)
    letters = np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)
    return str(letters[ids[:, None] // powers % base].tobytes(), "ascii")


def _digits(size: int) -> int:
    """How many characters an id takes, from 0 to `size`."""
    digits = 1
    while len(ALPHABET) ** digits <= size:
        digits += 1
    return digits

"""What a page gets of an n-gram model: the texts that it was fitted on, as characters.

All counts follow from the texts, and the texts are smaller: the manual's 160,000 tokens are 135 KB
gzipped this way, and their table of runs of four is more than twice that.
"""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np

from plainformer.decoding.next_token import NGramModel

__all__ = ["ALPHABET", "pack_model"]

ALPHABET = "".join(chr(code) for code in range(33, 127) if chr(code) not in '"\\<')
"""The digits that ids are written in: what JSON and HTML leave as it is."""


def pack_model(model: NGramModel, most: int) -> dict[str, Any]:
    """Return what ``formulas/ngram.js`` needs of a model.

    Each id is written in as many digits as the largest needs, the highest first; the id V, which is
    none, stands between two texts.

    Args:
        model: a fitted one.
        most: how many bytes it may weigh, gzipped.

    Raises ValueError when the model was not fitted, or weighs more.

    >>> pack_model(NGramModel(2).fit([[0, 1, 2], [2, 2]]), most=1000)
    {'order': 2, 'size': 3, 'digits': 1, 'packed': '!#$%$$'}
    """
    size, base = model.vocab_size, len(ALPHABET)
    digits = 1
    while base**digits <= size:
        digits += 1
    gap = np.array([size])
    texts = model.sequences
    ids = np.concatenate([part for text in texts for part in (gap, text)][1:]).astype(np.int64)
    powers = base ** np.arange(digits - 1, -1, -1)
    letters = np.frombuffer(ALPHABET.encode("ascii"), dtype=np.uint8)
    packed = letters[ids[:, None] // powers % base].tobytes().decode("ascii")
    weight = len(gzip.compress(packed.encode("ascii")))
    if weight > most:
        tokens = sum(map(len, texts))
        fits = max(1, int(0.95 * tokens * most / weight) // 1000 * 1000)
        raise ValueError(
            f"model must fit into {most:,} bytes of a page; its {tokens:,} tokens take {weight:,}, "
            f"{weight - most:,} too many. Fit it on about {fits:,} of them, or give "
            "'lambda ids: model(ids)', which runs in Python alone, so in Jupyter"
        )
    return {"order": model.order, "size": size, "digits": digits, "packed": packed}

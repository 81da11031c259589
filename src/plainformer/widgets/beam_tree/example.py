"""A search small enough to follow with a pencil: how "your cat is" goes on.

The likeliest word is "a", and greedy search takes it. But what follows "a" is uncertain, while
after "lovely" the sentence is as good as over: "your cat is lovely" is the likelier text.

>>> round(0.5 * 0.4 * 0.9 * 0.9, 3), round(0.4 * 0.9, 3)  # greedy's text, and the better one
(0.162, 0.36)
"""

from __future__ import annotations

import numpy as np

from plainformer.arrays import Array

__all__ = ["END", "PROMPT", "WORDS", "logits"]

WORDS = ("your", "cat", "is", "a", "lovely", "<end>")
PROMPT = (0, 1, 2)
END = 5

NEXT: dict[tuple[str, str], dict[str, float]] = {
    ("cat", "is"): {"a": 0.5, "lovely": 0.4, "your": 0.1},
    ("is", "a"): {"lovely": 0.4, "cat": 0.35, "your": 0.25},
    ("is", "lovely"): {"<end>": 0.9, "a": 0.1},
    ("a", "lovely"): {"cat": 0.9, "<end>": 0.1},
    ("a", "cat"): {"<end>": 0.8, "is": 0.2},
    ("lovely", "cat"): {"<end>": 0.9, "is": 0.1},
}
"""What may follow two words, and how probable it is; whatever else they are, a text ends."""


def logits(ids: Array) -> Array:
    """(B, T) ids to (B, V) logits, the logarithms of the probabilities of `NEXT`.

    >>> np.exp(logits(np.array([[0, 1, 2]]))).round(2).tolist()
    [[0.1, 0.0, 0.0, 0.5, 0.4, 0.0]]
    """
    rows = []
    for row in ids:
        last = (WORDS[row[-2]], WORDS[row[-1]]) if len(row) > 1 else ("", "")
        following = NEXT.get(last, {"<end>": 1.0})
        rows.append([following.get(word, 0.0) for word in WORDS])
    with np.errstate(divide="ignore"):  # what is impossible has the logarithm of 0
        return np.log(np.array(rows))

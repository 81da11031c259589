"""Logits small enough to check by hand: what comes after "your cat is a".

Say that a hundred people finished the sentence. The counts of their answers are the example of all
chapters of this part, and their logarithms its logits. So at temperature 1 the probabilities are
the counts, in percent; and at 1/2 they are the squares of the counts, divided by their sum.

>>> float(np.exp(LOGITS).sum().round())
100.0
>>> dict(zip(WORDS, np.exp(LOGITS).round().astype(int).tolist()))["lovely"]
40
"""

from __future__ import annotations

import numpy as np

__all__ = ["CONTEXT", "COUNTS", "LOGITS", "WORDS"]

CONTEXT = "your cat is a"
WORDS = ("lovely", "good", "very", "small", "cat", "hungry", "your", "is")
COUNTS = (40, 20, 12, 10, 8, 5, 3, 2)

LOGITS = np.log(np.array(COUNTS, dtype=np.float64))
"""(V,) = (8,): the natural logarithm of each count. Read-only; `.copy()` gives one to change."""
LOGITS.flags.writeable = False

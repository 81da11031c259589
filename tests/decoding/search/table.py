"""A model of four words whose every text can be tried: for the tests of search."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st

from plainformer.decoding import log_softmax

V, EOS = 4, 3


class Table:
    """A model that looks at the last token and at how many there are: logits drawn once."""

    def __init__(self, seed: int, width: int = V):
        self.logits = np.random.default_rng(seed).normal(0, 1.5, (16, width, width))

    def __call__(self, ids: Any) -> Any:
        return self.logits[ids.shape[1], ids[:, -1]]

    def log_prob(self, prompt: list[int], tokens: tuple[int, ...]) -> float:
        total, ids = 0.0, list(prompt)
        for token in tokens:
            total += float(log_softmax(self(np.array([ids])))[0, token])
            ids.append(token)
        return total


def all_texts(length: int, eos_token_id: int | None, width: int = V) -> list[tuple[int, ...]]:
    """Every text of `length` tokens, or fewer if the end of text is its last."""
    texts = []
    for n in range(1, length + 1):
        for tokens in itertools.product(range(width), repeat=n):
            if eos_token_id in tokens[:-1] or (n < length and tokens[-1] != eos_token_id):
                continue
            texts.append(tokens)
    return texts


SEEDS = st.integers(0, 10**6)
ALPHAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0])

"""`NGramModel`, a language model that predicts whatever followed the same few tokens before.

It learns from a text in about a second, every number in it can be checked by counting, and it is a
`LogitsFn` like any other.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import Any, Self

import array_api_compat
import numpy as np

from plainformer.arrays import Array, check_size
from plainformer.decoding.ids import check_prompts
from plainformer.inputs.checks import as_ids
from plainformer.shapes import Float, Int, checked

__all__ = ["NGramModel", "witten_bell"]

History = tuple[int, ...]

MAX_CACHED = 2**21
"""The most probabilities to cache for short histories: 16 MiB."""


class NGramModel:
    """Predicts a token from the order - 1 tokens before it, by counting.

    The counts are interpolated with those of shorter and shorter histories, down to 1/V for every
    token (see `witten_bell`). A history that was never seen gets the probabilities of its longest
    suffix that was. A `vocab_size` of None means the largest id in `fit`, plus 1.

    >>> your, cat, a = 0, 1, 2
    >>> model = NGramModel(order=2).fit([your, cat, a, cat])
    >>> np.exp(model([[your]])).round(4).tolist()  # your, cat, a
    [[0.1429, 0.7143, 0.1429]]
    >>> [each.tolist() for each in model.followers([your])]
    [[1], [1]]
    """

    def __init__(self, order: int, *, vocab_size: int | None = None) -> None:
        self.order = check_size(order, "order")
        self._given_size = None if vocab_size is None else check_size(vocab_size, "vocab_size")
        self._vocab_size = 0
        self.sequences: list[Array] = []  # the texts that were counted, (N,) ids each
        self._counts: dict[History, dict[int, int]] = {}  # what followed each history, how often
        self._totals: dict[History, int] = {}  # how often anything followed it
        self._cached: dict[History, Array] = {}

    # Learning

    def fit(self, ids: Any) -> Self:
        """Count the n-grams of a text, or of several, and forget earlier counts.

        No history extends from one sequence to the next.
        """
        texts, _ = check_prompts(ids, "ids")
        size = self._given_size or 1 + max(map(max, texts))
        for text in texts:
            as_ids(text, size)
        n_grams: Counter[tuple[int, ...]] = Counter()
        for text in texts:
            for n in range(1, self.order + 1):
                n_grams.update(zip(*(text[i:] for i in range(n)), strict=False))
        counts: dict[History, dict[int, int]] = defaultdict(dict)
        for n_gram, count in n_grams.items():
            counts[n_gram[:-1]][n_gram[-1]] = count
        totals = {history: sum(followers.values()) for history, followers in counts.items()}
        self.sequences = [np.array(text) for text in texts]
        self._vocab_size, self._counts, self._totals, self._cached = size, dict(counts), totals, {}
        return self

    @property
    def vocab_size(self) -> int:
        """V, the number of tokens."""
        if not self.sequences:
            raise ValueError("the model must be fitted before it is used: call fit(ids) first")
        return self._vocab_size

    # Predicting

    def __call__(self, ids: Array) -> Array:
        """(B, V) log-probabilities of the token after each row of (B, T) ids, which serve as
        logits.
        """
        V = self.vocab_size
        ids = as_ids(ids, V)
        if ids.ndim != 2 or ids.shape[1] == 0:
            raise ValueError(
                f"ids must be (B, T), with T of at least 1; got shape {tuple(ids.shape)}"
            )
        probabilities = np.empty((len(ids), V))
        first = max(0, ids.shape[1] - self.order + 1)
        for row, history in enumerate(ids[:, first:].tolist()):
            probabilities[row] = self._probabilities(tuple(history))
        return np.log(probabilities)

    def _probabilities(self, history: History) -> Array:
        """(V,) probabilities after a history, interpolated from the shortest one up."""
        if history in self._cached:
            return self._cached[history]
        V = self._vocab_size
        shorter = np.full(V, 1 / V)
        if history:
            shorter = self._probabilities(history[1:])
        if history not in self._counts:
            return shorter
        followers = self._counts[history]
        counts = np.zeros(V, dtype=np.int64)
        counts[list(followers)] = list(followers.values())
        probabilities = witten_bell.unchecked(shorter, counts)
        # All longer histories start from these.
        if len(history) < 2 and len(self._cached) < MAX_CACHED // V:
            self._cached[history] = probabilities
        return probabilities

    def log_probs(self, ids: Array) -> Array:
        """log P of each token of a text, given those before it, (N,) in nats.

        The first tokens have shorter histories, or none.
        """
        V = self.vocab_size
        (text, *more), _ = check_prompts(ids, "ids")
        if more:
            raise ValueError(f"ids must be one text, (N,); got {1 + len(more)} rows")
        as_ids(text, V)
        probabilities = []
        for i, token in enumerate(text):
            p = 1 / V
            for length in range(min(self.order - 1, i) + 1):
                history = tuple(text[i - length : i])
                if history not in self._counts:
                    break
                followers, total = self._counts[history], self._totals[history]
                types = len(followers)
                p = (followers.get(token, 0) + types * p) / (total + types)
            probabilities.append(p)
        return np.log(probabilities)

    def perplexity(self, ids: Array) -> float:
        """How unpredictable a text is: like a choice among this many equally likely tokens.

        It is exp of the mean of -log P(token | those before it). The first tokens count too, with
        their shorter histories, so cutting a text in two changes its perplexity.
        """
        return math.exp(-float(self.log_probs(ids).mean()))

    # The counts, from which the probabilities can be computed elsewhere

    def followers(self, history: Any) -> tuple[Array, Array]:
        """Which tokens followed a history of at most order - 1 ids, and how often; [] counts all
        tokens.

        Returns (n,) ids in ascending order, and (n,) counts.
        """
        V = self.vocab_size
        tokens = tuple(as_ids(list(history), V, name="history").tolist())
        if len(tokens) >= self.order:
            raise ValueError(
                f"history must have fewer than order = {self.order} ids; got {len(tokens)}"
            )
        followers = sorted(self._counts.get(tokens, {}).items())
        table = np.array(followers, dtype=np.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]


@checked
def witten_bell(
    shorter: Float[Array, "... V"], counts: Int[Array, "... V"]
) -> Float[Array, "... V"]:
    """Probabilities of the next token, interpolated from counts and a model with a shorter history.

    A history that was followed by something new nearly every time will probably be followed by
    something new again. So the number of *different* tokens that followed it, which is the
    number of surprises, decides how much of the probability comes from the shorter history:
    P(w) = (count of w + types · shorter(w)) / (total + types), where total is the sum of the counts
    and types is the number of different tokens that were counted. Where all counts are 0, the
    result is `shorter`.

    Source: Bell, Cleary and Witten 1990; as an interpolation, Chen and Goodman 1999.

    >>> import numpy as np
    >>> witten_bell(np.full(4, 1 / 4), [5, 0, 1, 0]).tolist()
    [0.6875, 0.0625, 0.1875, 0.0625]
    """
    xp = array_api_compat.array_namespace(shorter)
    counts = xp.astype(counts, shorter.dtype)
    total = xp.sum(counts, axis=-1, keepdims=True)
    seen = xp.astype(counts > 0, shorter.dtype)
    types = xp.sum(seen, axis=-1, keepdims=True)
    # Without counts, the result is `shorter`.
    types = xp.where(total > 0, types, xp.ones_like(types))
    return (counts + types * shorter) / (total + types)

"""How the outputs of a causal model are compared: by their values, and by what they may depend
on."""

from __future__ import annotations

from typing import Any

from plainformer.arrays import as_numpy
from plainformer.exercises.compare import Arrays

__all__ = ["Causal"]


class Causal(Arrays):
    """Outputs of shape (B, T, D); texts that begin alike must have
    outputs that begin alike.

    >>> import numpy as np
    >>> right = np.array([[[1.0], [2.0]], [[1.0], [5.0]]])
    >>> leaky = np.array([[[1.5], [2.0]], [[3.0], [5.0]]])
    >>> print(Causal().difference(right, leaky))
    texts 0 and 1 of the batch are alike up to place 0, yet your outputs there differ: a token has
    seen what comes after it
    """

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if said := super().difference(expected, got, reveal=reveal):
            return self._leak(expected, got) or said
        return None

    def _leak(self, expected: Any, got: Any) -> str | None:
        """The first position at which two texts should have the same output and do not."""
        if tuple(getattr(got, "shape", ())) != tuple(expected.shape) or expected.ndim != 3:
            return None
        want, have = as_numpy(expected), as_numpy(got)
        for b in range(1, len(want)):
            for t in range(want.shape[1]):
                if not self._same(want[0, t], want[b, t]):
                    break
                if not self._same(have[0, t], have[b, t]):
                    return (
                        f"texts 0 and {b} of the batch are alike up to place {t}, yet your "
                        "outputs there differ: a token has seen what comes after it"
                    )
        return None

    def _same(self, one: Any, other: Any) -> bool:
        return bool((abs(one - other) <= self.atol + self.rtol * abs(other)).all())

"""A widget that turns a query and a key by their positions, pair by pair, as RoPE does.

One dial for each pair of dimensions: the query's two numbers are an arrow, the key's are another.
Moving a position turns its arrow; moving both positions by as much turns both arrows and leaves the
score alone. The front end (``view.js``) computes every angle; here the same numbers come
from `apply_rope`, and a browser test compares the two.

It shows one query and one key of one head, at whole positions up to `LAST`.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from plainformer.arrays import Array, check_base
from plainformer.inputs.relative_positions import apply_rope, rope_angles
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

from .picture import draw

__all__ = ["LARGEST", "LAST", "RotaryVectors"]

LAST = 64
"""The last position that a slider reaches."""

LARGEST = 100.0
"""The largest number, either side of zero, in a query or a key."""

# Eight numbers each, of about the same direction in every pair: at distance 0 they agree well.
QUERY = [0.9, 0.5, 0.2, 1.0, -0.7, 0.7, 0.8, 0.4]
KEY = [0.4, 0.7, 0.2, 0.7, -0.8, 0.2, 0.3, 0.7]


def _check_vector(name: str, value: Any) -> list[float]:
    """Return the numbers of a query or a key as floats."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if not isinstance(value, list | tuple):
        raise TypeError(f"{name} must be a list of numbers; got {type(value).__name__}")
    if not 2 <= len(value) <= 16 or len(value) % 2:
        raise ValueError(f"{name} must hold 2, 4, … or 16 numbers; got {len(value)}")
    numbers: list[float] = []
    for each in value:
        if isinstance(each, bool) or not isinstance(each, int | float | np.integer | np.floating):
            raise TypeError(f"{name} must hold numbers; got {each!r}")
        if not -LARGEST <= each <= LARGEST:  # nor is a NaN
            raise ValueError(
                f"{name} must hold numbers from {-LARGEST:.0f} to {LARGEST:.0f}; got {each}"
            )
        numbers.append(float(each))
    return numbers


def _check_width(name: str, value: list[float], other: str, width: int) -> list[float]:
    """Return a vector that is as wide as the other one."""
    if len(value) != width:
        raise ValueError(f"{name} must hold as many numbers as {other} ({width}); got {len(value)}")
    return value


def _check_query(widget: Any, value: Any) -> list[float]:
    return _check_width("query", _check_vector("query", value), "key", widget.width)


def _check_key(widget: Any, value: Any) -> list[float]:
    return _check_width("key", _check_vector("key", value), "query", widget.width)


def _check_pair(widget: Any, value: Any) -> int | None:
    if value is None:
        return None
    return check_whole(value, "pair", 0, len(widget.query) // 2 - 1, " or None")


class RotaryVectors(Widget):
    """Show how RoPE turns a query and a key, and that their score depends on the distance only.

    Arguments: ``query`` and ``key``, 2, 4, … or 16 numbers each, as many in both (None: eight
    numbers that look good); ``m`` and ``n``, the positions of the query and the key, from 0 to
    `LAST`; ``base``, of the ladder of wavelengths; ``pair``, which pair of dimensions is shown
    large, from 0 (None: all of them).

    In Jupyter all of these are live: what the reader moves can be read here, and what is set here
    is drawn. ``score`` is the dot product after turning, ``contributions`` each pair's part of it.

    >>> widget = RotaryVectors([1.0, 0.0], [1.0, 0.0], m=3, n=2)
    >>> round(widget.score, 6)  # the cosine of (3 - 2) · 1 radian
    0.540302
    >>> widget.m, widget.n = 13, 12
    >>> round(widget.score, 6)
    0.540302

    Raises TypeError or ValueError when an argument is not as above, or ``base`` is not above 1.
    """

    front_end: ClassVar[str] = "rotary_vectors"

    query = ValidatedTrait(QUERY, _check_query).tag(sync=True)
    key = ValidatedTrait(KEY, _check_key).tag(sync=True)
    m = ValidatedTrait(5, lambda _, value: check_whole(value, "m", 0, LAST)).tag(sync=True)
    n = ValidatedTrait(2, lambda _, value: check_whole(value, "n", 0, LAST)).tag(sync=True)
    base = ValidatedTrait(10000.0, lambda _, value: check_base(value)).tag(sync=True)
    pair = ValidatedTrait[int | None](0, _check_pair).tag(sync=True)

    def __init__(
        self,
        query: Any = None,
        key: Any = None,
        m: int = 5,
        n: int = 2,
        base: float = 10000.0,
        pair: int | None = 0,
        **options: Any,
    ) -> None:
        given = {
            "query": _check_vector("query", QUERY if query is None else query),
            "key": _check_vector("key", KEY if key is None else key),
        }
        self.width = len(given["query"])  # how many numbers both hold
        super().__init__(**given, m=m, n=n, base=base, **options)
        self.pair = pair

    @property
    def angles(self) -> tuple[Array, Array, Array]:
        """By how much each pair of query and key is turned, and the difference: (K/2,) each."""
        of_query, of_key, of_both = rope_angles(
            np.asarray([self.m, self.n, self.m - self.n]), self.width, rope_theta=self.base
        )
        return of_query, of_key, of_both

    @property
    def turned(self) -> tuple[Array, Array]:
        """The query and the key as RoPE turns them: (K,) each."""
        query, key = apply_rope(
            np.asarray([self.query, self.key]), np.asarray([self.m, self.n]), rope_theta=self.base
        )
        return query, key

    @property
    def contributions(self) -> Array:
        """The part of the score that each pair of dimensions adds: (K/2,)."""
        query, key = self.turned
        return (query * key).reshape(-1, 2).sum(-1)

    @property
    def score(self) -> float:
        """The dot product of the turned query and the turned key."""
        query, key = self.turned
        return float(query @ key)

    def contributions_at(self, distances: Any) -> Array:
        """Return each pair's contribution at every distance m - n: (K/2, number of distances)."""
        distances = np.asarray(distances, dtype=np.float64)
        query = np.broadcast_to(np.asarray(self.query), (len(distances), self.width))
        turned = apply_rope(query, distances, rope_theta=self.base)  # the key stays at position 0
        return (turned * np.asarray(self.key)).reshape(len(distances), -1, 2).sum(-1).T

    def description(self) -> str:
        """Return the positions, their distance and the score as a sentence."""
        parts = ", ".join(f"{part:+.2f}" for part in self.contributions)
        return (
            f"A query at position {self.m} and a key at position {self.n}, turned pair by pair. "
            f"Distance m - n: {self.m - self.n}. The pairs add {parts}: score {self.score:.3f}. "
            "The score depends on the distance only."
        )

    def picture(self) -> str:
        """Return a dial for every pair, and the score at every distance, as one drawing."""
        distances = np.linspace(-LAST, LAST, 4 * LAST + 1)
        return draw(
            query=np.asarray(self.query).reshape(-1, 2),
            key=np.asarray(self.key).reshape(-1, 2),
            angles=self.angles[:2],
            contributions=self.contributions,
            distances=distances,
            curves=self.contributions_at(distances),
            now=(self.m - self.n, self.score),
        )

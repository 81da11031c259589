"""A widget that turns a query among keys: hard, soft and sharp lookup.

Keys are arranged around a dial, each with a value. The reader turns the query by its tip, with a
slider or with arrow keys, and makes it longer or shorter; the answer is the best key's value or a
mixture of all. Below the dial is the answer for every direction: steps when the best key takes
all, a curve when all are mixed. The front end (``view.js``) computes it; here the same numbers
come from `plainformer.attention.lookup`, and a browser test compares the two.

How sharp a lookup is, is the length of the query: every score is that length times the cosine of an
angle, times the length of the key.

Keys have only two numbers, so that they can be drawn. In hundreds of dimensions most keys are
almost at right angles to a query, and the scores are much closer together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy, check_number
from plainformer.attention.soft_lookup import lookup
from plainformer.attention.stable_softmax import softmax
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag, check_strings

from .picture import draw, number, words_of

__all__ = ["LARGEST", "MOST_KEYS", "SHARPEST", "LookupDial"]

MOST_KEYS = 8
"""The most keys that find room round the dial."""

SHARPEST = 100.0
"""The longest query."""

LARGEST = 1e4
"""The largest number, either side of zero, in a key or a value."""

# A thermometer: cold words on the left, hot ones on the right, and the degrees that they stand for.
WORDS = ("icy", "cold", "mild", "warm", "hot")
DIRECTIONS = (160, 125, 90, 55, 20)
KEYS = [
    [round(math.cos(math.radians(a)), 4), round(math.sin(math.radians(a)), 4)] for a in DIRECTIONS
]
VALUES = [[-10.0], [5.0], [15.0], [25.0], [35.0]]


def _check_rows(name: str, value: Any, rows: int | None, columns: tuple[int, int]) -> Any:
    """Return a small matrix as lists of floats."""
    array = as_numpy(as_array(value, name))
    if name == "values" and array.ndim == 1:  # one number a key
        array = array[:, None]
    low, high = columns
    width = str(low) if low == high else f"{low} to {high}"
    count = f"2 to {MOST_KEYS}" if rows is None else str(rows)
    shape = tuple(array.shape)
    fits = len(shape) == 2 and low <= shape[1] <= high
    fits = fits and (2 <= shape[0] <= MOST_KEYS if rows is None else shape[0] == rows)
    if not fits:
        raise ValueError(f"{name} must have shape ({count}, {width}); got {shape}")
    found = [[float(each) for each in row] for row in array]
    for each in (each for row in found for each in row):
        if not -LARGEST <= each <= LARGEST:  # nor is a NaN
            raise ValueError(
                f"{name} must hold numbers from {-LARGEST:,.0f} to {LARGEST:,.0f}; got {each:g}"
            )
    return found


def _check_keys(widget: Any, value: Any) -> list[list[float]]:
    keys: list[list[float]] = _check_rows("keys", value, widget.rows, (2, 2))
    if not any(each for key in keys for each in key):
        raise ValueError("keys must not all be zero; got no direction at all")
    return keys


def _check_values(widget: Any, value: Any) -> list[list[float]]:
    low, high = (widget.width, widget.width) if widget.width else (1, 4)
    values: list[list[float]] = _check_rows("values", value, widget.rows, (low, high))
    return values


def _check_angle(_: Any, value: Any) -> float:
    return check_number(value, "angle") % 360


def _check_sharpness(_: Any, value: Any) -> float:
    found = check_number(value, "sharpness")
    if not 0 <= found <= SHARPEST:
        raise ValueError(f"sharpness must be from 0 to {SHARPEST:.0f}; got {value}")
    return found


class LookupDial(Widget):
    """Turn a query among keys, and see which value, or which mixture of values, comes back.

    Arguments: ``keys``, (S, 2), 2 to `MOST_KEYS` of them; ``values``, a number or up to four for
    each key; ``labels``, a name for each. None for all three is a thermometer: five words from
    "icy" to "hot", and the degrees that they stand for. ``parts``: a name for each number of a
    value, such as the words whose shares they are. ``angle``: where the query points, in degrees,
    counterclockwise from the right. ``sharpness``: how long the query is, from 0 (all keys count
    alike) to `SHARPEST`. ``hard``: whether the best key takes all. ``unit``: the unit after an
    answer, such as "°C".

    In Jupyter ``vectors`` (the keys), ``values`` (both of the same shapes), ``angle``,
    ``sharpness`` and ``hard`` are live: what the reader does can be read here, and what is set here
    is drawn. ``query``, ``scores``, ``weights`` and ``answer`` are what follows from them.

    >>> dial = LookupDial(angle=125, hard=True)  # it points at "cold"
    >>> dial.answer.tolist()
    [5.0]
    >>> dial.hard, dial.sharpness = False, 0
    >>> dial.answer.round(6).tolist()  # all alike: the mean
    [14.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "lookup_dial"
    rows: int | None = None  # how many keys, and numbers in a value, once there are some
    width: int | None = None

    data = traitlets.Dict().tag(sync=True)
    vectors = ValidatedTrait(KEYS, _check_keys).tag(sync=True)  # ipywidgets has `keys` for itself
    values = ValidatedTrait(VALUES, _check_values).tag(sync=True)
    angle = ValidatedTrait(112.0, _check_angle).tag(sync=True)
    sharpness = ValidatedTrait(8.0, _check_sharpness).tag(sync=True)
    hard = ValidatedTrait(False, lambda _, value: check_flag(value, "hard")).tag(sync=True)

    def __init__(
        self,
        keys: Any = None,
        values: Any = None,
        labels: Sequence[str] | None = None,
        *,
        parts: Sequence[str] | None = None,
        angle: float = 112.0,
        sharpness: float = 8.0,
        hard: bool = False,
        unit: str | None = None,
        **options: Any,
    ) -> None:
        if keys is None and values is None:
            labels = WORDS if labels is None else labels
            unit = "°C" if unit is None else unit
        elif values is None:
            raise TypeError("values must be given with keys; got None")
        if not isinstance(unit, str | None):
            raise TypeError(f"unit must be a string; got {unit!r}")
        (self.unit,) = check_strings([unit or ""], "unit", 1, 1)
        given = _check_keys(self, KEYS if keys is None else keys)
        if labels is None:
            labels = [f"key {i}" for i in range(len(given))]
        self.labels = check_strings(labels, "labels", len(given), len(given), "key")
        super().__init__(vectors=given, angle=angle, sharpness=sharpness, hard=hard, **options)
        self.rows = len(self.vectors)
        self.values = VALUES if values is None else values
        self.width = len(self.values[0])
        self.parts = []
        if parts is not None:
            width = self.width
            self.parts = check_strings(parts, "parts", width, width, "number of a value")
        self.data = {"labels": self.labels, "unit": self.unit, "parts": self.parts}

    @property
    def query(self) -> Array:
        """The query, (2,): ``sharpness`` long, and a right angle is one to the last digit."""
        turn = math.radians(self.angle)
        return self.sharpness * np.asarray([round(math.cos(turn), 12), round(math.sin(turn), 12)])

    @property
    def scores(self) -> Array:
        """The dot product of the query with each key: (S,)."""
        return np.asarray(self.vectors) @ self.query

    @property
    def weights(self) -> Array:
        """How much each value counts: (S,), together 1."""
        scores = self.scores
        return np.eye(len(scores))[scores.argmax()] if self.hard else softmax(scores)

    @property
    def answer(self) -> Array:
        """What the lookup returns: (Dv,)."""
        return lookup(self.query, self.vectors, self.values, hard=self.hard)

    def answers(self, angles: Sequence[float]) -> Array:
        """Return what it would return at other angles: (number of angles, Dv)."""
        radians = np.radians(np.asarray(angles, dtype=np.float64))
        queries = self.sharpness * np.stack([np.cos(radians), np.sin(radians)], axis=-1).round(12)
        return lookup(queries, self.vectors, self.values, hard=self.hard)

    def description(self) -> str:
        """Return in a few sentences where the query points and what comes back."""
        order = np.argsort(-self.weights, kind="stable")
        answer = words_of(self.answer, self.unit, parts=self.parts)
        where = f"A query at {self.angle:g}° among {len(self.vectors)} keys on a dial."
        if self.hard:
            best = self.labels[order[0]]
            return f"{where} Hard lookup: “{best}” fits best, and its value returns, {answer}."
        parts = ", ".join(f"{self.labels[i]} {number(self.weights[i])}" for i in order)
        return f"{where} Soft lookup, sharpness {self.sharpness:g}: {parts}. It returns {answer}."

    def picture(self) -> str:
        """Return the dial, the weights and the sum as one drawing."""
        return draw(
            keys=np.asarray(self.vectors),
            values=np.asarray(self.values),
            labels=self.labels,
            unit=self.unit,
            angle=self.angle,
            scores=self.scores,
            weights=self.weights,
            answer=self.answer,
        )

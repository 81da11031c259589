"""A widget that takes one vector of two numbers through a feed-forward layer, unit by unit.

The vector is a point on a plane. Each unit watches one side of a line and says how far beyond it
the point lies; the activation cuts that off, or lets a little through; and what is left multiplies
the unit's row of W_down. The reader moves the point, by hand, by sliders or by choosing a token,
and changes the activation. The front end (``view.js``) computes it; here the same numbers come from
`plainformer.blocks.feed_forward`, and a browser test compares the two.

Tokens have only two numbers, so that they can be drawn, and there are a handful of units. A layer
of GPT-2 has 768 and 3,072.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy, check_choice, check_number
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.blocks.feed_forward_network import feed_forward
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings

from .picture import bracket, draw, number

__all__ = ["CHOICES", "LARGEST", "MOST_POINTS", "MOST_UNITS", "FeedForwardLab"]

MOST_UNITS = 6
"""The most units that find room on the plane."""

MOST_POINTS = 12
"""The most points with a name."""

LARGEST = 1e3
"""The largest number, either side of zero, in a matrix, a bias or a point."""

CHOICES = ("relu", "gelu", "silu", "none")
"""The activations that a reader can choose; "none" leaves every number as it is."""

# A unit for both features together, and one for each without the other.
UNITS = ("both", "first alone", "second alone")
W_UP = [[1.0, 1.0, -2.0], [1.0, -2.0, 1.0]]
B_UP = [-3.0, -1.0, 0.0]
W_DOWN = [[1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]


def _floats(name: str, value: Any, shape: tuple[int, ...]) -> Array:
    """Return an array of that shape, of numbers that are not too large."""
    array = as_numpy(as_array(value, name)).astype(np.float64)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; got {array.shape}")
    if not (np.abs(array) <= LARGEST).all():  # nor is a NaN
        raise ValueError(
            f"{name} must hold numbers from {-LARGEST:,.0f} to {LARGEST:,.0f}; got {array.tolist()}"
        )
    return array


def _check_x(widget: Any, value: Any) -> list[float]:
    found = _floats("x", value, (2,))
    low, high = widget.span
    if found.min() < low or found.max() > high:
        raise ValueError(f"x must lie from {low:g} to {high:g}; got {found.tolist()}")
    return [float(each) for each in found]


def _check_activation(_: Any, value: Any) -> str:
    check_choice(value, "activation", list(CHOICES))
    return str(value)


class FeedForwardLab(Widget):
    """Drag a vector, and see which units are on and what the layer gives.

    Arguments: ``w_up``, (2, F), ``b_up``, (F,), and ``w_down``, (F, 2), of 1 to `MOST_UNITS`
    units; None for all three is a small layer whose units look for two features, together and
    alone. ``units``: a name for each unit. ``features``: names for the two numbers. ``points``:
    by name, up to `MOST_POINTS` vectors to choose from. ``x``: the vector. ``activation``: one of
    `CHOICES`. ``span``: the least and the largest number of the vector.

    In Jupyter ``x`` and ``activation`` are live: what the reader does can be read here, and what
    is set here is drawn. ``wide``, ``hidden`` and ``output`` are what follows from them.

    >>> lab = FeedForwardLab(x=(2, 3))
    >>> lab.wide.tolist(), lab.hidden.tolist()
    ([2.0, -5.0, -1.0], [2.0, 0.0, 0.0])
    >>> lab.output.tolist()
    [2.0, 2.0]
    >>> lab.activation = "none"  # without an activation, every unit counts
    >>> lab.output.tolist()
    [7.0, 3.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "feed_forward_lab"
    span: tuple[float, float] = (-1.0, 4.0)

    data = traitlets.Dict().tag(sync=True)
    x = ValidatedTrait([2.0, 3.0], _check_x).tag(sync=True)
    activation = ValidatedTrait("relu", _check_activation).tag(sync=True)

    def __init__(
        self,
        w_up: Any = None,
        w_down: Any = None,
        *,
        b_up: Any = None,
        units: Sequence[str] | None = None,
        features: Sequence[str] = ("first", "second"),
        points: Mapping[str, Any] | None = None,
        x: Any = (2.0, 3.0),
        activation: str = "relu",
        span: tuple[float, float] = (-1.0, 4.0),
        **options: Any,
    ) -> None:
        if (w_up is None) != (w_down is None):
            raise TypeError("w_up and w_down must be given together; got one of them")
        if w_up is None:
            w_up, w_down = W_UP, W_DOWN
            b_up = B_UP if b_up is None else b_up
            units = UNITS if units is None else units
        shape = tuple(as_numpy(as_array(w_up, "w_up")).shape)
        if len(shape) != 2 or shape[0] != 2 or not 1 <= shape[1] <= MOST_UNITS:
            raise ValueError(f"w_up must have shape (2, 1 to {MOST_UNITS}); got {shape}")
        F = shape[1]
        self.w_up = _floats("w_up", w_up, (2, F))
        self.w_down = _floats("w_down", w_down, (F, 2))
        self.b_up = _floats("b_up", np.zeros(F) if b_up is None else b_up, (F,))
        units = [f"unit {i + 1}" for i in range(F)] if units is None else units
        self.units = check_strings(units, "units", F, F, "unit")
        self.features = check_strings(features, "features", 2, 2)
        self.span = _check_span(span)
        named = {} if points is None else dict(points)
        self.names = check_strings(list(named), "points", 0, MOST_POINTS)
        self.points = [_check_x(self, each) for each in named.values()]
        super().__init__(x=x, activation=activation, **options)
        self.data = {
            "w_up": self.w_up.tolist(),
            "b_up": self.b_up.tolist(),
            "w_down": self.w_down.tolist(),
            "units": self.units,
            "features": self.features,
            "names": self.names,
            "points": self.points,
            "span": list(self.span),
        }

    @property
    def wide(self) -> Array:
        """What each unit says before the activation: (F,)."""
        return np.asarray(self.x) @ self.w_up + self.b_up

    @property
    def hidden(self) -> Array:
        """What is left of it after the activation: (F,)."""
        if self.activation == "none":
            return self.wide
        return ACTIVATIONS[self.activation].function(self.wide)

    @property
    def output(self) -> Array:
        """What the layer gives: (2,)."""
        if self.activation == "none":
            return np.asarray(self.wide @ self.w_down)
        weights = self.w_up, self.w_down
        return feed_forward(self.x, *weights, b_up=self.b_up, activation=self.activation)

    def description(self) -> str:
        """Return in a few sentences where the vector is, which units are on, and what it gets."""
        at = ", ".join(
            f"{name} {number(each)}" for name, each in zip(self.features, self.x, strict=True)
        )
        said = ", ".join(
            f"“{unit}” {number(before)}, after it {number(after)}"
            for unit, before, after in zip(self.units, self.wide, self.hidden, strict=True)
        )
        return (
            f"A vector on a plane: {at}. {len(self.units)} lines, each with a unit's side. Before "
            f"the activation ({self.activation}) the units say: {said}. The layer gives "
            f"{bracket(self.output)}."
        )

    def picture(self) -> str:
        """Return the plane and the units as one drawing."""
        return draw(
            w_up=self.w_up,
            b_up=self.b_up,
            w_down=self.w_down,
            units=self.units,
            features=self.features,
            named=dict(zip(self.names, self.points, strict=True)),
            span=self.span,
            x=np.asarray(self.x),
            wide=self.wide,
            hidden=self.hidden,
            output=self.output,
        )


def _check_span(value: Any) -> tuple[float, float]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise TypeError(f"span must be two numbers; got {value!r}")
    low, high = (check_number(each, "span") for each in value)
    if not -LARGEST <= low < high <= LARGEST or high - low < 1:
        raise ValueError(f"span must be two numbers, the first smaller by 1 or more; got {value}")
    return low, high

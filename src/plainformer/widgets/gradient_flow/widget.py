"""A widget that moves one number of attention, and shows which others move with it.

One token attends: its query, all keys, scores, weights, values, its output, and a loss. Forward,
the reader nudges one number and sees how far each of the others moves, computed anew. Backward,
each number shows its gradient: how fast the loss, or a number of the output, grows with it. The
front end (``view.js``) computes both; a browser test holds it against the functions of
`plainformer.attention`.

It shows one query of one head, with at most `MOST_TOKENS` tokens. Gradients are those at the
numbers as they were given, not at the nudged ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy
from plainformer.attention import example
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole

from .flow import NAMES, Nudge, backward, forward
from .picture import draw, name_of, number

__all__ = [
    "LARGEST", "MOST_FEATURES", "MOST_NUDGE", "MOST_TOKENS", "MOST_WIDTH", "VIEWS", "GradientFlow",
]  # fmt: skip

MOST_TOKENS = 8
"""The most tokens."""

MOST_FEATURES = 4
"""The most numbers that a token may come with."""

MOST_WIDTH = 2
"""The most numbers in a query, a key or a value."""

LARGEST = 10.0
"""The largest number that may be given, either side of zero."""

MOST_NUDGE = 1.0
"""The farthest that a number may be nudged, either way."""

VIEWS = ("numbers", "forward", "backward")
"""What the cells can show: the numbers, by how much they move, their gradients."""


def _matrix(name: str, value: Any, rows: int | None, columns: tuple[int, int]) -> Array:
    """Return one of the inputs as an array of floats with the given numbers of rows and
    columns."""
    array = as_numpy(as_array(value, name))
    least, most = columns
    fits = array.ndim == 2 and (rows is None or array.shape[0] == rows)
    if not fits or not least <= array.shape[1] <= most:
        count = "T" if rows is None else rows
        width = most if least == most else f"{least} to {most}"
        raise ValueError(f"{name} must have shape ({count}, {width}); got {tuple(array.shape)}")
    return _finite(name, array.astype(np.float64))


def _finite(name: str, array: Array) -> Array:
    largest = float(np.max(np.abs(array), initial=0))
    if not largest <= LARGEST:  # not >, because it may be nan
        raise ValueError(f"{name} must hold numbers from -{LARGEST:g} to {LARGEST:g}; got others")
    return array


def _check_of(name: str, options: Sequence[str]) -> Any:
    """A check for one of a few names."""

    def check(_: Any, value: Any) -> str:
        if value not in options:
            raise ValueError(f"{name} must be one of {', '.join(options)}; got {value!r}")
        return str(value)

    return check


def _check_row(widget: Any, value: Any) -> int:
    return check_whole(value, "row", 0, len(widget.numbers[widget.matrix]) - 1)


def _check_column(widget: Any, value: Any) -> int:
    return check_whole(value, "column", 0, widget.numbers[widget.matrix].shape[1] - 1)


def _check_nudge(_: Any, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"nudge must be a number; got {value!r}")
    if not -MOST_NUDGE <= value <= MOST_NUDGE:
        raise ValueError(f"nudge must be from -{MOST_NUDGE:g} to {MOST_NUDGE:g}; got {value!r}")
    return float(value)


def _check_target(widget: Any, value: Any) -> int | None:
    if value is None:
        return None
    return check_whole(value, "target", 0, len(widget.wanted) - 1, " or None, the loss")


class GradientFlow(Widget):
    """Nudge one number of attention forward, or follow the gradient of all backward.

    Arguments: ``tokens``, a list of strings; ``x``, (T, D), a row for each; ``w_q`` and ``w_k``,
    (D, K), and ``w_v``, (D, Dv); ``query``, the token that attends; ``wanted``, (Dv,), what its
    output should be: the loss is half the squared distance from there; ``features``, names for the
    D numbers of a token. Without them it shows the course's sentence and its first head.

    In Jupyter these are live: ``view``, one of `VIEWS`; ``matrix``, ``row`` and ``column``, the
    number that is chosen (scores and weights have one row); ``nudge``, how far it is moved;
    ``target``, the column of the output whose gradient is shown, or None, the loss. ``numbers``,
    ``changes`` and ``gradients`` hold what is shown, each matrix by its name.

    >>> widget = GradientFlow(matrix="weights", column=2, nudge=0.1)  # more weight on "is"
    >>> float(widget.changes["loss"][0, 0]) < 0  # would make the loss smaller,
    True
    >>> float(widget.gradients["scores"][0, 2]) > 0  # but a higher score would not
    True

    Raises TypeError when an argument has the wrong type; ValueError when there are too many
    tokens, a shape does not fit, or a number lies outside its range.
    """

    front_end: ClassVar[str] = "gradient_flow"

    data = traitlets.Dict().tag(sync=True)
    view = ValidatedTrait("forward", _check_of("view", VIEWS)).tag(sync=True)
    matrix = ValidatedTrait("w_q", _check_of("matrix", NAMES[:-1])).tag(sync=True)
    row = ValidatedTrait(0, _check_row).tag(sync=True)
    column = ValidatedTrait(0, _check_column).tag(sync=True)
    nudge = ValidatedTrait(0.0, _check_nudge).tag(sync=True)
    target = ValidatedTrait[int | None](None, _check_target).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str] = example.TOKENS,
        x: Any = example.X,
        w_q: Any = example.W_Q,
        w_k: Any = example.W_K,
        w_v: Any = example.W_V,
        query: int = 1,
        wanted: Any = (0.0, 4.0),
        features: Sequence[str] | None = None,
        view: str = "forward",
        matrix: str = "w_q",
        row: int = 0,
        column: int | None = None,
        nudge: float = 0.5,
        target: int | None = None,
        **options: Any,
    ) -> None:
        self.tokens = check_strings(tokens, "tokens", 1, MOST_TOKENS)
        rows = _matrix("x", x, len(self.tokens), (1, MOST_FEATURES))
        D = rows.shape[1]
        queries = _matrix("w_q", w_q, D, (1, MOST_WIDTH))
        K = queries.shape[1]
        self.inputs = {
            "x": rows,
            "w_q": queries,
            "w_k": _matrix("w_k", w_k, D, (K, K)),
            "w_v": _matrix("w_v", w_v, D, (1, MOST_WIDTH)),
        }
        self.query = check_whole(query, "query", 0, len(self.tokens) - 1)
        self.wanted = as_numpy(as_array(wanted, "wanted")).astype(np.float64)
        Dv = self.inputs["w_v"].shape[1]
        if self.wanted.shape != (Dv,):
            raise ValueError(
                f"wanted must have shape ({Dv},), a number for each column of w_v; "
                f"got {tuple(self.wanted.shape)}"
            )
        _finite("wanted", self.wanted)
        if features is None:
            own = np.array_equal(rows, example.X)
            features = example.KINDS if own else [str(d) for d in range(D)]
        self.features = check_strings(features, "features", D, D, "column of x")
        self.numbers = forward(self.inputs, self.query, self.wanted)
        data = {
            "tokens": self.tokens,
            "features": self.features,
            "query": self.query,
            "wanted": self.wanted.tolist(),
            **{name: array.tolist() for name, array in self.inputs.items()},
        }
        super().__init__(data=data, view=view, nudge=nudge, **options)
        self.matrix, self.row = matrix, row
        self.column = self.numbers[self.matrix].shape[1] - 1 if column is None else column
        self.target = target

    @traitlets.observe("matrix")
    def _stay_inside(self, change: Any) -> None:
        """A smaller matrix: the chosen number moves to the last that there is."""
        rows, columns = self.numbers[self.matrix].shape
        self.row = min(self.row, rows - 1)
        self.column = min(self.column, columns - 1)

    @property
    def nudged(self) -> dict[str, Array]:
        """Every matrix once the chosen number is moved."""
        nudge = Nudge(self.matrix, self.row, self.column, self.nudge)
        return forward(self.inputs, self.query, self.wanted, nudge)

    @property
    def changes(self) -> dict[str, Array]:
        """By how much each number moves."""
        nudged = self.nudged
        return {name: nudged[name] - self.numbers[name] for name in NAMES}

    @property
    def gradients(self) -> dict[str, Array]:
        """How fast the target grows with each number."""
        return backward(self.numbers, self.query, self.wanted, self.target)

    def description(self) -> str:
        """Return in two sentences what is nudged, and what follows."""
        cell = (self.row, self.column)
        chosen = name_of(self.matrix, cell, self.tokens, self.query, self.features)
        of = "the loss" if self.target is None else f"column {self.target} of the output"
        start = f"Attention of “{self.tokens[self.query]}” on {len(self.tokens)} tokens. "
        if self.view == "backward":
            slope = number(float(self.gradients[self.matrix][cell]), signed=True)
            return f"{start}Gradients of {of}; that of {chosen} is {slope}."
        before, after = (float(each["loss"][0, 0]) for each in (self.numbers, self.nudged))
        moved = sum(int(np.sum(np.abs(each) > 1e-12)) for each in self.changes.values())
        others = moved - (not math.isclose(self.nudge, 0, abs_tol=1e-12))
        return (
            f"{start}Nudge {chosen} by {number(self.nudge, signed=True)}, and {others} other "
            f"numbers move; the loss goes from {before:.3f} to {after:.3f}."
        )

    def picture(self) -> str:
        """Return the matrices as tables, filled as the view says."""
        shown = {"numbers": self.nudged, "forward": self.changes, "backward": self.gradients}
        return draw(
            shown[self.view],
            signed=self.view != "numbers",
            chosen=(self.matrix, self.row, self.column),
            tokens=self.tokens,
            features=self.features,
        )

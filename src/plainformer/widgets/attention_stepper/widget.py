"""A widget that computes attention one step at a time, on numbers that the reader can change.

Scores, scaled scores, masked scores (where there is a mask), weights, output: each step is a small
matrix, and each cell of it shows the sum that it came from, with the rows and columns that went
into it. The front end (``view.js``) computes all of it; here the same numbers come from
`plainformer.attention.attention`, and a browser test compares the two.

It shows one head, with matrices small enough to read, of at most `MOST_ROWS` rows and
`MOST_COLUMNS` columns. A cell shows two decimals and a sum as many as it needs to be true as
printed; it computes with all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array
from plainformer.attention import example
from plainformer.attention.masking import causal_mask
from plainformer.attention.self_attention import attention, attention_scores
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag, check_strings, check_whole

from .picture import draw, number

__all__ = ["LARGEST", "MOST_COLUMNS", "MOST_ROWS", "STEPS", "AttentionStepper"]

MOST_ROWS = 8
"""The most queries, and the most keys."""

MOST_COLUMNS = 4
"""The most numbers in a query, a key or a value."""

LARGEST = 100.0
"""The largest number, either side of zero, in a query, a key or a value."""

STEPS = ("scores", "scaled", "masked", "weights", "output")
"""The names of the steps, which are also properties of the widget."""


def _check_matrix(widget: Any, name: str, value: Any) -> list[list[float]]:
    """Return a query, key or value matrix as lists of floats."""
    array = as_array(value, name)
    if hasattr(array, "detach"):  # a torch tensor, perhaps one that is being trained
        array = array.detach()
    shape = tuple(array.shape)
    if widget.shapes:  # the page has drawn its grid
        if shape != widget.shapes[name]:
            raise ValueError(f"{name} must keep its shape {widget.shapes[name]}; got {shape}")
    elif len(shape) != 2 or not (1 <= shape[0] <= MOST_ROWS and 1 <= shape[1] <= MOST_COLUMNS):
        raise ValueError(
            f"{name} must have 1 to {MOST_ROWS} rows of 1 to {MOST_COLUMNS} numbers; "
            f"got shape {shape}"
        )
    rows = [[float(each) for each in row] for row in array]
    for each in (each for row in rows for each in row):
        if not -LARGEST <= each <= LARGEST:  # nor is a NaN
            raise ValueError(
                f"{name} must hold numbers from {-LARGEST:.0f} to {LARGEST:.0f}; got {each:g}"
            )
    return rows


def _check_causal(widget: Any, value: Any) -> bool:
    causal = check_flag(value, "causal")
    queries, keys = len(widget.q), len(widget.k)
    if causal and widget.shapes and keys < queries:
        raise ValueError(
            f"causal needs a key for every query, its own; got {queries} queries and {keys} keys"
        )
    return causal


def _names(name: str, names: Any, count: int, each: str) -> list[str]:
    if names is None:
        return [f"{each} {i}" for i in range(count)]
    return check_strings(names, name, count, count, each)


class AttentionStepper(Widget):
    """Compute attention step by step, and show of each number the sum that it came from.

    Arguments: ``q``, (T, K), ``k``, (S, K), and ``v``, (S, Dv), up to `MOST_ROWS` rows of up to
    `MOST_COLUMNS` numbers (None for all three: the running sentence in the first head);
    ``tokens``, a name for each query; ``keys``, a name for each key (None: the same, if there are
    as many); ``causal``, whether a query sees no key after its own, the queries being the last T of
    S; ``step``, which of `STEPS` is shown first, from 0 (without a mask there is not a separate
    step "masked", and "scaled" is shown); ``query``, ``key`` and ``column``, whose sum is shown
    first.

    In Jupyter ``q``, ``k``, ``v`` (of the same shapes), ``causal``, ``step``, ``query``, ``key``
    and ``column`` are live: what the reader does can be read here, and what is set here is drawn.
    ``scores``, ``scaled``, ``masked``, ``weights`` and ``output`` are the steps.

    >>> stepper = AttentionStepper()
    >>> stepper.scores[1].tolist()  # "cat" asks for a quality; "lovely" has one
    [0.0, 0.0, 0.0, 0.0, 4.0, 0.0]
    >>> stepper.weights[1].round(2).tolist()
    [0.05, 0.05, 0.05, 0.05, 0.77, 0.05]
    >>> stepper.causal = True  # "lovely" comes after the first "cat"
    >>> stepper.weights[1].round(2).tolist()
    [0.5, 0.5, 0.0, 0.0, 0.0, 0.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "attention_stepper"
    shapes: dict[str, tuple[int, int]] | None = None  # once it has its matrices

    data = traitlets.Dict().tag(sync=True)
    q = ValidatedTrait([[0.0]], lambda widget, value: _check_matrix(widget, "q", value)).tag(
        sync=True
    )
    k = ValidatedTrait([[0.0]], lambda widget, value: _check_matrix(widget, "k", value)).tag(
        sync=True
    )
    v = ValidatedTrait([[0.0]], lambda widget, value: _check_matrix(widget, "v", value)).tag(
        sync=True
    )
    causal = ValidatedTrait(False, _check_causal).tag(sync=True)
    step = ValidatedTrait(0, lambda _, i: check_whole(i, "step", 0, len(STEPS) - 1)).tag(sync=True)
    query = ValidatedTrait(0, lambda w, i: check_whole(i, "query", 0, len(w.q) - 1)).tag(sync=True)
    key = ValidatedTrait(0, lambda w, i: check_whole(i, "key", 0, len(w.k) - 1)).tag(sync=True)
    column = ValidatedTrait(0, lambda w, i: check_whole(i, "column", 0, len(w.v[0]) - 1)).tag(
        sync=True
    )

    def __init__(
        self,
        q: Any = None,
        k: Any = None,
        v: Any = None,
        *,
        tokens: Sequence[str] | None = None,
        keys: Sequence[str] | None = None,
        causal: bool = False,
        step: int = 0,
        query: int | None = None,
        key: int | None = None,
        column: int | None = None,
        **options: Any,
    ) -> None:
        given = {"q": q, "k": k, "v": v}
        missing = [name for name, value in given.items() if value is None]
        if len(missing) == 3:
            x = example.X
            given = {"q": x @ example.W_Q, "k": x @ example.W_K, "v": x @ example.W_V}
            tokens = example.TOKENS if tokens is None else tokens
            first = (1, 4, 1)  # "cat" at "lovely"
        elif missing:
            raise TypeError(f"q, k and v must be given together; got no {' and no '.join(missing)}")
        else:
            first = (0, 0, 0)
        given = {name: _check_matrix(self, name, value) for name, value in given.items()}
        (T, K), (S, of_k), (rows, Dv) = ((len(m), len(m[0])) for m in given.values())
        if of_k != K:
            raise ValueError(f"q and k must be of one width; got {K} and {of_k} columns")
        if rows != S:
            raise ValueError(f"v must have a row for each of {S} keys; got {rows}")
        self.tokens = _names("tokens", tokens, T, "query" if keys or S != T else "token")
        if keys is None and S == T:
            self.key_names = self.tokens
        else:
            self.key_names = _names("keys", keys, S, "key")
        data = {"tokens": self.tokens, "keys": self.key_names}
        super().__init__(data=data, **given, step=step, **options)
        self.shapes = {"q": (T, K), "k": (S, K), "v": (S, Dv)}
        self.causal = causal
        picks = zip((query, key, column), first, strict=True)
        self.query, self.key, self.column = (own if one is None else one for one, own in picks)

    @property
    def mask(self) -> Array:
        """Which keys each query may see: (T, S), boolean, True where it may."""
        if self.causal:
            T, S = len(self.q), len(self.k)
            return causal_mask(T, S, offset=S - T)
        return np.ones((len(self.q), len(self.k)), dtype=bool)

    @property
    def scores(self) -> Array:
        """The dot product of each query with each key: (T, S)."""
        return attention_scores(self.q, self.k, scale=1)

    @property
    def scaled(self) -> Array:
        """The scores divided by √K: (T, S)."""
        return attention_scores(self.q, self.k)

    @property
    def masked(self) -> Array:
        """The scaled scores, and -∞ where a query may not look: (T, S)."""
        return np.where(self.mask, self.scaled, -np.inf)

    @property
    def weights(self) -> Array:
        """The softmax of each row: (T, S)."""
        return attention(self.q, self.k, self.v, mask=self.mask)[1]

    @property
    def output(self) -> Array:
        """The weights times the values: (T, Dv)."""
        return attention(self.q, self.k, self.v, mask=self.mask)[0]

    def description(self) -> str:
        """Return in a few sentences which step it is, and what is in the chosen row."""
        step, place, count = self._shown()
        name = STEPS[step]
        rows = getattr(self, name)
        what = {
            "scores": "each query times each key",
            "scaled": f"the scores divided by √{len(self.q[0])}",
            "masked": "the scaled scores, −∞ for what comes later",
            "weights": "the softmax of each row",
            "output": "the weights times the values",
        }[name]
        row = ", ".join(number(each) for each in rows[self.query])
        return (
            f"Attention step by step, on {len(self.q)} queries and {len(self.k)} keys. Step "
            f"{place} of {count}, {name}: {what}. The row of "
            f"“{self.tokens[self.query]}”: {row}."
        )

    def picture(self) -> str:
        """Return queries, keys and values, and the matrix of this step."""
        step, place, _ = self._shown()
        return draw(
            matrices={"q": self.q, "k": self.k, "v": self.v},
            tokens=self.tokens,
            keys=self.key_names,
            place=place,
            name=STEPS[step],
            result=getattr(self, STEPS[step]),
            cell=(self.query, self.column if step == 4 else self.key),
        )

    def _shown(self) -> tuple[int, int, int]:
        """The step that is shown, which one that is, from 1, and how many there are."""
        steps = [i for i, name in enumerate(STEPS) if self.causal or name != "masked"]
        step = self.step if self.step in steps else self.step - 1
        return step, steps.index(step) + 1, len(steps)

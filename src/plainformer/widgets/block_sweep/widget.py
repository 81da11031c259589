"""A widget that reads scores block by block and keeps the softmax up to date.

One query, its scores for S keys, and what is kept: two numbers, the top and the total, and a row,
the output. Each step reads one block of keys and shows what is kept before and after it, and the
factor by which the old sums fade when the top rises. The last step divides. The front end
(``view.js``) does the sweep; a browser test holds it against `online_attention` and against
plain attention.

It shows one query at a time, whereas the function takes a block of queries, each with its own top,
total and output. It also shows the weight of every key read so far, which the function does not
keep.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import as_array
from plainformer.attention import attention_scores
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole

__all__ = ["MAX_COLUMNS", "MAX_KEYS", "MAX_LIFT", "BlockSweep"]

MAX_KEYS = 16
"""The most keys, and the most queries."""

MAX_COLUMNS = 4
"""The most columns of the values."""

MAX_LIFT = 10.0
"""The most that may be added to the last score."""

MAX_SIZE = 1e6  # scores and values are smaller than this, with or without their sign


def _check_query(widget: Any, value: Any) -> int:
    return check_whole(value, "query", 0, len(widget.data["scores"]) - 1)


def _check_block_size(widget: Any, value: Any) -> int:
    return check_whole(value, "block_size", 1, len(widget.data["keys"]))


def _check_step(widget: Any, value: Any) -> int:
    # Against what no other trait moves: a page's changes may arrive in any order, the step before
    # the block size that it goes with. `_keep_step_within` does the rest.
    return check_whole(value, "step", 0, len(widget.data["keys"]) + 1)


def _check_causal(widget: Any, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"causal must be True or False; got {value!r}")
    T, S = len(widget.data["scores"]), len(widget.data["keys"])
    if value and T > S:
        raise ValueError(
            "causal needs as many keys as queries or more, for the queries are the last T of S "
            f"positions; got T = {T}, S = {S}"
        )
    return bool(value)


def _check_lift(widget: Any, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise TypeError(f"lift must be a number; got {type(value).__name__}")
    if not 0 <= value <= MAX_LIFT:
        raise ValueError(f"lift must be from 0 to {MAX_LIFT:g}; got {value}")
    return float(value)


class BlockSweep(Widget):
    """Show the online softmax: scores read block by block, three numbers kept.

    Arguments: ``q`` (T, K), ``k`` (S, K) and ``v`` (S, Dv); ``tokens``, a string for each key;
    ``query``, whose scores are shown first; ``block_size``, how many keys a step reads (None: 2,
    or 1 of 1); ``step``, how many steps are done at first (the last of them divides, and none comes
    after it); ``causal``, no query sees a later key, the queries being the last T of S; ``lift``,
    what is added to the last score that the query sees; ``scale``, what scores are multiplied by
    (None: 1/√K).

    In Jupyter ``query``, ``block_size``, ``step``, ``causal`` and ``lift`` are live. ``kept`` is
    what is kept after ``step`` steps: top, total and the output before the division; ``result`` is
    the final output, divided by the total.

    >>> q, k = [[1.0]], [[0.0], [0.0], [math.log(3)]]
    >>> widget = BlockSweep(q, k, [[1.0], [3.0], [4.0]], block_size=2, step=1)
    >>> widget.kept
    (0.0, 2.0, [4.0])
    >>> widget.step = 2
    >>> [round(number, 6) for number in widget.result]
    [3.2]

    Raises TypeError or ValueError when arrays do not fit or are too large to look at, or when
    another argument has the wrong type or lies outside.
    """

    front_end: ClassVar[str] = "block_sweep"

    data: Any = traitlets.Dict().tag(sync=True)
    query = ValidatedTrait(0, _check_query).tag(sync=True)
    block_size = ValidatedTrait(1, _check_block_size).tag(sync=True)
    step = ValidatedTrait(0, _check_step).tag(sync=True)
    causal = ValidatedTrait(False, _check_causal).tag(sync=True)
    lift = ValidatedTrait(0.0, _check_lift).tag(sync=True)

    def __init__(
        self,
        q: Any,
        k: Any,
        v: Any,
        *,
        tokens: Sequence[str] | None = None,
        query: int = 0,
        block_size: int | None = None,
        step: int = 0,
        causal: bool = False,
        lift: float = 0.0,
        scale: float | None = None,
        **options: Any,
    ) -> None:
        super().__init__(data=_pack(q, k, v, tokens, scale), **options)
        self.query = query
        self.block_size = min(2, len(self.data["keys"])) if block_size is None else block_size
        self.causal, self.lift = causal, lift
        self.step = step

    @property
    def seen(self) -> int:
        """How many keys the query sees."""
        T, S = len(self.data["scores"]), len(self.data["keys"])
        return S - T + self.query + 1 if self.causal else S

    @property
    def last_step(self) -> int:
        """One step for each block of keys, and one to divide."""
        return math.ceil(self.seen / self.block_size) + 1

    @property
    def scores(self) -> list[float]:
        """The scores of the query for the keys that it sees, the last one lifted."""
        row = list(self.data["scores"][self.query][: self.seen])
        row[-1] += self.lift
        return row

    @property
    def kept(self) -> tuple[float, float, list[float]]:
        """Top, total and output after ``step`` steps; the last one, which divides, adds nothing."""
        return self._kept(self.step)

    @property
    def result(self) -> list[float]:
        """The output of the query when all blocks are read, divided by the total."""
        _, total, output = self._kept(self.last_step - 1)
        return [number / total for number in output]

    def _kept(self, blocks: int) -> tuple[float, float, list[float]]:
        """What is kept after the given number of blocks."""
        values = self.data["values"]
        top, total, output = -math.inf, 0.0, [0.0] * len(values[0])
        for start in range(0, min(blocks * self.block_size, self.seen), self.block_size):
            block = self.scores[start : start + self.block_size]
            old, top = top, max(top, *block)
            fade = math.exp(old - top)
            e = [math.exp(score - top) for score in block]
            total = fade * total + sum(e)
            rows = values[start : start + len(block)]
            output = [
                fade * kept + sum(w * row[c] for w, row in zip(e, rows, strict=True))
                for c, kept in enumerate(output)
            ]
        return top, total, output

    @traitlets.observe("query", "block_size", "causal", "step")
    def _keep_step_within(self, change: Any) -> None:
        """Go to the last step from any beyond it: there may be fewer blocks now."""
        if self.step > self.last_step:
            self.step = self.last_step

    def description(self) -> str:
        """Return as sentences what has been read and what is kept."""
        top, total, output = self.kept
        blocks, done = self.last_step - 1, min(self.step, self.last_step - 1)
        keys = min(done * self.block_size, self.seen)
        who = f"“{self.data['queries'][self.query]}” (query {self.query})"
        if self.step == 0:
            return f"{who} has {self.seen} scores in {blocks} blocks; nothing is read yet."
        numbers = ", ".join(map(_number, output))
        divided = f"; output / total {', '.join(map(_number, self.result))}"
        return (
            f"{who} has read {done} of {blocks} blocks, {keys} of {self.seen} scores: "
            f"top {_number(top)}, total {_number(total)}, output {numbers}"
            f"{divided if self.step == self.last_step else ''}."
        )

    def picture(self) -> str:
        """Return the keys with their scores and weights so far, and what is kept."""
        top, total, output = self.kept
        read = min(self.step * self.block_size, self.seen)
        cells = []
        for j, token in enumerate(self.data["keys"]):
            weight = math.exp(self.scores[j] - top) if j < read else None
            bar, shown = (0, "–") if weight is None else (weight, _number(weight))
            score = _number(self.scores[j]) if j < self.seen else "hidden"
            cells.append(
                f'<div class="bs-key"><span class="bs-token">{html.escape(token)}</span>'
                f'<span class="bs-score">{score}</span>'
                f'<span class="bs-bar"><i style="transform: scaleY({bar:.4f})"></i></span>'
                f'<span class="bs-weight">{shown}</span></div>'
            )
        rows = [("top", top), ("total", total)]
        rows += [(f"output {c}", x) for c, x in enumerate(output)]
        if self.step == self.last_step:
            rows += [(f"output {c} / total", x) for c, x in enumerate(self.result)]
        ledger = "".join(
            f'<span class="bs-name">{name}</span><span class="bs-cell bs-now">{_number(x)}</span>'
            for name, x in rows
        )
        return (
            f'<div class="bs-keys">{"".join(cells)}</div>'
            f'<div class="bs-kept">{ledger}</div>'
            f'<p class="pf-note">{html.escape(self.description())} '
            "Under each key: its score, and exp(score − top) where it is read.</p>"
        )


def _number(value: float) -> str:
    """A number with three decimals and a minus sign that is one; never −0.000."""
    if math.isinf(value):
        return "−∞"
    return f"{0.0 if abs(value) < 0.0005 else value:,.3f}".replace("-", "−")


def _pack(q: Any, k: Any, v: Any, tokens: Any, scale: Any) -> dict[str, Any]:
    """What the front end needs: scores, values, and a name for each key and query."""
    q, k, v = (_matrix(x, name) for x, name in ((q, "q"), (k, "k"), (v, "v")))
    T, S = len(q), len(k)
    if len(v) != S:
        raise ValueError(f"v must have one row for each row of k; got {len(v)} and {S}")
    for name, size, most in (
        ("q", T, MAX_KEYS),
        ("k", S, MAX_KEYS),
        ("the columns of v", v.shape[1], MAX_COLUMNS),
    ):
        if not 1 <= size <= most:
            what = "rows" if len(name) == 1 else "in number"
            raise ValueError(f"{name} must be 1 to {most} {what}; got {size}")
    scores = attention_scores(q, k, scale=scale)
    for name, array in (("scores", scores), ("v", v)):
        bad = array[~(np.abs(array) < MAX_SIZE)]  # a NaN is not below it either
        if bad.size:
            raise ValueError(
                f"{name} must be finite numbers below {MAX_SIZE:,.0f} in size; got {bad[0]:,g}"
            )
    names = [f"k{j}" for j in range(S)]
    if tokens is not None:
        names = check_strings(tokens, "tokens", S, S, "key")
    own = names[S - T :] if T <= S else [f"q{i}" for i in range(T)]
    return {"keys": names, "queries": own, "scores": scores.tolist(), "values": v.tolist()}


def _matrix(value: Any, name: str) -> np.ndarray:
    array = as_array(value, name)
    if hasattr(array, "detach"):  # a torch tensor, perhaps one that is being trained
        array = array.detach().cpu().double()  # NumPy has no bfloat16
    if array.ndim != 2:
        shape = tuple(array.shape)
        raise ValueError(f"{name} must have two axes, rows and columns; got shape {shape}")
    return np.asarray(array, dtype=np.float64)

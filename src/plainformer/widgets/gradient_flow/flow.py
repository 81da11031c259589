"""All numbers of one token's attention, from its inputs to a loss, and the gradients of all.

One query is judged: the numbers of the other queries are left out, for nothing here depends on
them. `forward` can hold one number somewhere else than where the others would put it: that is a
nudge, and every number after it is computed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from plainformer.arrays import Array
from plainformer.attention import (
    attention_backward,
    attention_scores,
    projection_backward,
    softmax,
)

__all__ = ["NAMES", "Nudge", "backward", "forward"]

NAMES = ("x", "w_q", "q", "w_k", "k", "scores", "weights", "w_v", "v", "output", "loss")
"""The matrices, each after those that it is made of."""


class Nudge(NamedTuple):
    """One number of one matrix, and how far it is moved."""

    matrix: str
    row: int
    column: int
    by: float


def forward(
    inputs: dict[str, Array], query: int, wanted: Array, nudge: Nudge | None = None
) -> dict[str, Array]:
    """Return every matrix by its name.

    Args:
        inputs: x, (T, D); w_q and w_k, (D, K); w_v, (D, Dv).
        query: the token that is judged.
        wanted: (Dv,), what its output should be.
        nudge: what is moved by hand.

    Returns:
        The inputs; q, (1, K); k, (T, K); scores and weights, (1, T); v, (T, Dv); output, (1, Dv);
        and loss, (1, 1), half the squared distance of the output from what is wanted.
    """
    found: dict[str, Array] = {}

    def keep(name: str, rows: Array) -> Array:
        found[name] = np.array(rows, dtype=np.float64)
        if nudge is not None and nudge.matrix == name:
            found[name][nudge.row, nudge.column] += nudge.by
        return found[name]

    x = keep("x", inputs["x"])
    q = keep("q", x[query : query + 1] @ keep("w_q", inputs["w_q"]))
    k = keep("k", x @ keep("w_k", inputs["w_k"]))
    weights = keep("weights", softmax(keep("scores", attention_scores(q, k))))
    v = keep("v", x @ keep("w_v", inputs["w_v"]))
    output = keep("output", weights @ v)
    keep("loss", ((output - wanted) ** 2).sum(axis=1, keepdims=True) / 2)
    return {name: found[name] for name in NAMES}


def backward(
    numbers: dict[str, Array], query: int, wanted: Array, target: int | None
) -> dict[str, Array]:
    """Return the gradient of the loss, or of one number of the output, for every number.

    Args:
        numbers: what `forward` returned.
        query, wanted: what it was given.
        target: a column of the output; None: the loss.

    Returns:
        For each name an array of the shape that its numbers have. Where the target is a number of
        the output, the loss comes after it and has the gradient 0.
    """
    if target is None:
        grad_output = numbers["output"] - wanted
    else:
        grad_output = np.zeros_like(numbers["output"])
        grad_output[0, target] = 1.0
    grads = attention_backward(grad_output, numbers["q"], numbers["k"], numbers["v"])
    grad_queries = np.zeros_like(numbers["k"])  # a row for each token; only one query is judged
    grad_queries[query] = grads.q[0]
    matrices = {name: numbers[name] for name in ("x", "w_q", "w_k", "w_v")}
    inputs = projection_backward(grad_queries, grads.k, grads.v, **matrices)
    return {
        "x": inputs.x, "w_q": inputs.w_q, "q": grads.q, "w_k": inputs.w_k, "k": grads.k,
        "scores": grads.scores, "weights": grads.weights, "w_v": inputs.w_v, "v": grads.v,
        "output": grad_output, "loss": np.array([[1.0 if target is None else 0.0]]),
    }  # fmt: skip

"""Exercise 1: rows and columns of a matrix of weights."""

from typing import Any

import numpy as np

from plainformer.exercises.spec import Array, Case, Exercise


def read_weights(weights: np.ndarray) -> tuple[list[int], int]:
    """Which token does each one look at, and which is looked at most?

    weights: (T, T), the weights of self-attention.
    Returns (looks_at, popular):
    looks_at, a list of T numbers: the token that token 0 looks at most,
    the one that token 1 looks at most, and so on;
    popular, a number: the token that gets the most weight in total. If
    several are equal, take the first.

    >>> read_weights(np.array([[0.2, 0.8], [0.1, 0.9]]))
    ([1, 1], 1)
    """
    looks_at = weights.argmax(axis=1)  # along each row
    received = weights.sum(axis=0)  # of each column
    return looks_at.tolist(), int(received.argmax())


def _draw(rng: np.random.Generator) -> tuple[Array]:
    # Eighths: a reader can add them up, and so can a computer, without rounding.
    n = int(rng.integers(2, 6))
    parts = rng.multinomial(8, rng.dirichlet(np.full(n, 0.6)), size=n)
    some = rng.permutation(n)[: n // 2]  # half of the tokens have their own favourite
    parts[some] = rng.multinomial(8, rng.dirichlet(np.full(n, 0.6)), size=len(some))
    return (parts / 8,)


EXERCISE = Exercise(
    id="attention.self_attention.1",
    title="Read the weights",
    reference=read_weights,
    cases=(
        Case((np.array([[0.5, 0.3, 0.2], [0, 0.6, 0.4], [0, 0.8, 0.2]]),), ([0, 1, 1], 1)),
        Case((np.array([[0.2, 0.8], [0.1, 0.9]]),), ([1, 1], 1)),
        # Token 0 is the favourite only of itself, and the largest single weight does not decide.
        Case((np.array([[0.4, 0.3, 0.3], [0.4, 0.0, 0.6], [0.4, 0.6, 0.0]]),), ([0, 2, 1], 0)),
        Case(
            (np.array([[0.5, 0.5, 0, 0], [0, 0.4, 0, 0.6], [1, 0, 0, 0], [0, 0.9, 0.1, 0]]),),
            ([0, 3, 0, 1], 1),
        ),
        Case((np.array([[1.0]]),), ([0], 0)),
    ),
    generate=_draw,
    hints=(
        "Row i belongs to the token that looks: its weights sum to 1. Column j belongs to the "
        "token that is looked at.",
        "The first question is asked once for each row. For the second, add up each column.",
        "argmax(axis=1) goes along the rows, sum(axis=0) down the columns; tolist() makes a list.",
    ),
    mutants={
        "You have taken rows for columns, both times. Row i is how token i distributes its "
        "attention, so each row sums to 1; the columns need not.": (
            "argmax(axis=1) -> argmax(axis=0); sum(axis=0) -> sum(axis=1).round(9)"
        ),
        "Your list answers another question: who looks at token 0 most? Token 0's own weights "
        "are row 0.": "argmax(axis=1) -> argmax(axis=0)",
        "You add up the rows, and each of them sums to 1, because all tokens give the same "
        "amount. What a token receives is in its column.": "sum(axis=0) -> sum(axis=1).round(9)",
        "You count how often a token comes first. The task asks for its total weight: many "
        "small weights may add up to more than one large one.": (
            "received.argmax() -> np.bincount(looks_at).argmax()"
        ),
        "You look for the single largest weight. The task asks which token gets the most from "
        "all tokens together.": "sum(axis=0) -> max(axis=0)",
        "You leave out the diagonal. In self-attention a token may look at itself, and that "
        "counts like any other look.": (
            "weights.argmax(axis=1) -> np.where(np.eye(len(weights)), -1.0, weights).argmax(axis=1)"
        ),
        "Tokens are counted from 0.": (
            "looks_at.tolist(), int(received.argmax()) -> (looks_at + 1).tolist(), "
            "int(received.argmax()) + 1"
        ),
        "That is the token that is looked at least. Which one "
        "gets the largest weight?": "argmax(axis=1) -> argmin(axis=1)",
        "These are the weights. The task asks for the number of the token they belong to, not "
        "for how much it gets.": (
            "weights.argmax(axis=1) -> weights.max(axis=1); "
            "int(received.argmax()) -> float(received.max())"
        ),
    },
    alternates=[
        lambda weights: ([int(row.argmax()) for row in weights], weights.T.mean(axis=1).argmax()),
    ],
)


@EXERCISE.alternate
def _number_by_number(weights: Array) -> tuple[Any, Any]:
    n = len(weights)
    looks_at = [max(range(n), key=lambda j: weights[i][j]) for i in range(n)]
    return looks_at, max(range(n), key=lambda j: sum(weights[i][j] for i in range(n)))

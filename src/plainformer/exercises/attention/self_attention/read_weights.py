"""Exercise 1: rows and columns of a matrix of weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plainformer.exercises.spec import Case, Exercise, Mutant


def read_weights(weights: np.ndarray) -> tuple[list[int], int]:
    """Who looks at whom, and who is looked at most?

    weights: (T, T), the weights of self-attention.
    Returns (looks_at, popular):
    looks_at, a list of T numbers: the token that token 0 looks at
    most, that token 1 looks at most, and so on;
    popular, a number: the token that gets the most weight in all.
    Of several that are equal, take the first.

    >>> read_weights(np.array([[0.2, 0.8], [0.1, 0.9]]))
    ([1, 1], 1)
    """
    looks_at = weights.argmax(axis=1)  # along each row
    received = weights.sum(axis=0)  # of each column
    return looks_at.tolist(), int(received.argmax())


Read = tuple[Any, Any]


def _number_by_number(weights: np.ndarray) -> Read:
    n = len(weights)
    looks_at = [max(range(n), key=lambda j: weights[i][j]) for i in range(n)]
    return looks_at, max(range(n), key=lambda j: sum(weights[i][j] for i in range(n)))


def _by_the_mean(weights: np.ndarray) -> Read:
    return [int(row.argmax()) for row in weights], weights.T.mean(axis=1).argmax()


def _reader(
    looks: Callable[[np.ndarray], np.ndarray] = lambda w: w.argmax(axis=1),
    popular: Callable[[np.ndarray], Any] = lambda w: w.sum(axis=0).argmax(),
) -> Callable[[np.ndarray], Read]:
    """An answer that reads the one or the other in another way."""

    def read(weights: np.ndarray) -> Read:
        return looks(weights).tolist(), int(popular(weights))

    return read


def _most_often_first(weights: np.ndarray) -> Any:
    return np.bincount(weights.argmax(axis=1)).argmax()


def _without_itself(weights: np.ndarray) -> np.ndarray:
    return np.where(np.eye(len(weights)), -1.0, weights)


_both_axes_wrong = _reader(lambda w: w.argmax(axis=0), lambda w: w.sum(axis=1).round(9).argmax())
_looks_by_columns = _reader(lambda w: w.argmax(axis=0))
_popular_by_rows = _reader(popular=lambda w: w.sum(axis=1).round(9).argmax())
_most_often = _reader(popular=_most_often_first)
_largest_single = _reader(popular=lambda w: w.max(axis=0).argmax())
_others_only = _reader(lambda w: _without_itself(w).argmax(axis=1))
_from_one = _reader(lambda w: w.argmax(axis=1) + 1, lambda w: w.sum(axis=0).argmax() + 1)
_least = _reader(lambda w: w.argmin(axis=1))


def _the_weights_themselves(weights: np.ndarray) -> Read:
    return weights.max(axis=1).tolist(), float(weights.sum(axis=0).max())


def _draw(rng: np.random.Generator) -> tuple[np.ndarray]:
    # Eighths: a reader can add them up, and so can a computer, without rounding.
    n = int(rng.integers(2, 6))
    parts = rng.multinomial(8, rng.dirichlet(np.full(n, 0.6)), size=n)
    some = rng.permutation(n)[: n // 2]  # half of the tokens have a favourite of their own
    parts[some] = rng.multinomial(8, rng.dirichlet(np.full(n, 0.6)), size=len(some))
    return (parts / 8,)


EXERCISE = Exercise(
    id="attention.self_attention.1",
    title="Read the weights",
    reference=read_weights,
    points=1,
    cases=(
        Case((np.array([[0.5, 0.3, 0.2], [0, 0.6, 0.4], [0, 0.8, 0.2]]),), ([0, 1, 1], 1)),
        Case((np.array([[0.2, 0.8], [0.1, 0.9]]),), ([1, 1], 1)),
        # Token 0 is looked at most by nobody but itself; nor does the largest weight decide.
        Case(
            (np.array([[0.4, 0.3, 0.3], [0.4, 0.0, 0.6], [0.4, 0.6, 0.0]]),),
            ([0, 2, 1], 0),
        ),
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
    mutants=(
        Mutant(
            _both_axes_wrong,
            "You have taken rows for columns, both times. Row i is how token i shares out its own "
            "attention, so each row sums to 1; the columns need not.",
        ),
        Mutant(
            _looks_by_columns,
            "Your list answers another question: who looks at token 0 most? Token 0's own weights "
            "are row 0.",
        ),
        Mutant(
            _popular_by_rows,
            "You add up the rows, and each of them sums to 1: all tokens give the same. What a "
            "token gets stands in its column.",
        ),
        Mutant(
            _most_often,
            "You count how often a token comes first. Asked is its weight in all: many small "
            "weights may be more than one large one.",
        ),
        Mutant(
            _largest_single,
            "You look for the one largest weight. Asked is who gets the most in all, from every "
            "token together.",
        ),
        Mutant(
            _others_only,
            "You leave out the diagonal. In self-attention a token may look at itself, and that "
            "counts like any other look.",
        ),
        Mutant(_from_one, "Tokens are counted from 0."),
        Mutant(_least, "That is the token looked at least. Which one gets the largest weight?"),
        Mutant(
            _the_weights_themselves,
            "These are the weights. Asked is which token they belong to: its number, not how much "
            "it gets.",
        ),
    ),
    alternates=(_number_by_number, _by_the_mean),
)

"""Exercise 3: the likeliest two tokens, which greed does not always find."""

from __future__ import annotations

import math

import numpy as np

from plainformer.exercises.compare import Exact
from plainformer.exercises.spec import Case, Exercise, Mutant


def likeliest_pair(
    first: np.ndarray,
    second: np.ndarray,
) -> tuple[int, int]:
    """The two tokens (i, j) that are together the likeliest.

    first: (V,), log-probabilities of the first token, i.
    second: (V, V), row i: those of the second, j, after i.
    An impossible token has -inf. One pair is the likeliest.

    >>> first = np.log(np.array([0.6, 0.4]))
    >>> second = np.log([[0.55, 0.45], [0.1, 0.9]])
    >>> likeliest_pair(first, second)  # 0.36 > 0.33
    (1, 1)
    """
    both = first[:, None] + second  # (V, V)
    i, j = divmod(int(both.argmax()), len(first))
    return i, j


def _with_loops(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    V = len(first)
    pairs = [(i, j) for i in range(V) for j in range(V)]
    return max(pairs, key=lambda pair: first[pair[0]] + second[pair])


def _best_second_for_each(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i = int((first + second.max(axis=1)).argmax())
    return i, int(second[i].argmax())


def _by_probabilities(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    both = np.exp(first)[:, None] * np.exp(second)
    i, j = np.unravel_index(both.argmax(), both.shape)
    return int(i), int(j)


def _step_by_step(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i = int(first.argmax())
    return i, int(second[i].argmax())


def _swapped(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i, j = likeliest_pair(first, second)
    return j, i


def _second_alone(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i, j = divmod(int(second.argmax()), len(first))
    return i, j


def _added_to_columns(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i, j = divmod(int((first + second).argmax()), len(first))
    return i, j


def _logs_multiplied(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    with np.errstate(invalid="ignore"):
        both = np.nan_to_num(first[:, None] * second, nan=np.inf, posinf=np.inf)
    i, j = divmod(int(both.argmax()), len(first))
    return i, j


def _probabilities_added(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    both = np.exp(first)[:, None] + np.exp(second)
    i, j = divmod(int(both.argmax()), len(first))
    return i, j


def _each_alone(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    whole = np.exp(first) @ np.exp(second)  # (V,), the second token whatever the first was
    return int(first.argmax()), int(whole.argmax())


def _flat(first: np.ndarray, second: np.ndarray) -> int:
    return int((first[:, None] + second).argmax())


def _least(first: np.ndarray, second: np.ndarray) -> tuple[int, int]:
    i, j = divmod(int((first[:, None] + second).argmin()), len(first))
    return i, j


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    V = int(rng.integers(2, 5))
    while True:
        z = rng.normal(size=(V + 1, V)) * rng.choice([0.5, 1.0, 3.0])
        p = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
        if rng.random() < 0.3:  # an impossible token
            p[int(rng.integers(V + 1)), int(rng.integers(V))] = 0.0
            p /= p.sum(axis=1, keepdims=True)
        with np.errstate(divide="ignore"):
            log_p = np.log(p).round(2)
        first, second = log_p[0], log_p[1:]
        best = np.sort((first[:, None] + second).ravel())
        if best[-1] - best[-2] > 1e-3:
            return first, second


def _logs(rows: list[list[float]]) -> np.ndarray:
    return np.array([[math.log(x) if x else -math.inf for x in row] for row in rows])


EXERCISE = Exercise(
    id="decoding.next_token.3",
    title="The likeliest pair",
    reference=likeliest_pair,
    points=2,
    compare=Exact(),
    cases=(
        Case((_logs([[0.6, 0.4]])[0], _logs([[0.55, 0.45], [0.1, 0.9]])), (1, 1)),
        Case((_logs([[0.9, 0.1]])[0], _logs([[0.4, 0.6], [0.01, 0.99]])), (0, 1)),
        Case((_logs([[0.5, 0.5]])[0], _logs([[0.3, 0.7], [0.8, 0.2]])), (1, 0)),
        Case(
            (
                _logs([[0.4, 0.35, 0.25]])[0],
                _logs([[0.4, 0.3, 0.3], [0.1, 0.3, 0.6], [0.7, 0.2, 0.1]]),
            ),
            (1, 2),
        ),
        Case((_logs([[0.0, 1.0]])[0], _logs([[1.0, 0.0], [0.4, 0.6]])), (1, 1)),
    ),
    generate=_draw,
    hints=(
        "P(i, j) = P(i) · P(j after i). What is its logarithm? Write a table of it, row i, "
        "column j.",
        "first[:, None] is a column: added to (V, V), it adds first[i] to all of row i.",
        "argmax of a table counts through it row by row. divmod(n, V), or np.unravel_index, makes "
        "a row and a column of it.",
    ),
    mutants=(
        Mutant(
            _step_by_step,
            "You take the likeliest first token, then the likeliest after it. A first token that "
            "is less likely may be followed by something nearly certain: compare all pairs.",
        ),
        Mutant(_swapped, "You return (j, i). The first token comes first."),
        Mutant(
            _second_alone,
            "You look only at the second step. How likely the first token is counts as well.",
        ),
        Mutant(
            _added_to_columns,
            "first + second adds first[j] to *column* j. It belongs to the row: first[:, None].",
        ),
        Mutant(
            _logs_multiplied,
            "You multiply logarithms. A product of probabilities is a sum of logarithms.",
        ),
        Mutant(
            _probabilities_added,
            "You add probabilities. That both happen has the product as its probability: add the "
            "logarithms as they are.",
        ),
        Mutant(
            _each_alone,
            "You choose the likeliest second token whatever the first one was. It must be likely "
            "after *your* first token.",
        ),
        Mutant(
            _flat,
            "You return one number, the place in the table counted row by row. divmod(n, V) makes "
            "(row, column) of it.",
        ),
        Mutant(
            _least,
            "You return the least likely pair. All logarithms are below 0, but the likeliest is "
            "still the largest.",
        ),
    ),
    alternates=(_with_loops, _best_second_for_each, _by_probabilities),
)

"""Exercise 3: the likeliest two tokens, which greedy decoding does not always find."""

import math

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


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


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
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


def _logs(rows: list[list[float]]) -> Array:
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
        Case(  # 0.5 · 0.5 is more than 0.05 · 1, though 0.5 + 0.5 is less than 0.05 + 1
            (
                _logs([[0.5, 0.45, 0.05]])[0],
                _logs([[0.5, 0.3, 0.2], [0.34, 0.33, 0.33], [0.0, 0.0, 1.0]]),
            ),
            (0, 0),
        ),
    ),
    generate=_draw,
    hints=(
        "P(i, j) = P(i) · P(j after i). What is its logarithm? Write a table of it, row i, "
        "column j.",
        "first[:, None] is a column: added to (V, V), it adds first[i] to all of row i.",
        "argmax of a table counts through it row by row. divmod(n, V), or np.unravel_index, "
        "turns it into a row and a column.",
    ),
    mutants={
        "You take the likeliest first token, then the likeliest after it. A first token that "
        "is less likely may be followed by something nearly certain: "
        "compare all pairs.": lambda first, second: (
            int(first.argmax()),
            int(second[first.argmax()].argmax()),
        ),
        "You return (j, i). The first token comes first.": "return i, j -> return j, i",
        "You look only at the second step. How likely the first token is "
        "counts as well.": "first[:, None] + second -> second",
        "first + second adds first[j] to *column* j. It belongs to the row: "
        "first[:, None].": "first[:, None] + second -> first + second",
        "You multiply logarithms. A product of probabilities is a sum of logarithms.": (
            "first[:, None] + second -> np.nan_to_num(first[:, None] * second, nan=np.inf)"
        ),
        "You add probabilities. The probability that both happen is the product, so add the "
        "logarithms.": ("first[:, None] + second -> np.exp(first)[:, None] + np.exp(second)"),
        "You choose the likeliest second token whatever the first one was. It must be likely "
        "after *your* first token.": lambda first, second: (
            int(first.argmax()),
            int((np.exp(first) @ np.exp(second)).argmax()),
        ),
        "You return one number, the index in the table counted row by row. divmod(n, V) turns "
        "it into (row, column).": lambda first, second: int((first[:, None] + second).argmax()),
        "You return the least likely pair. All logarithms are below 0, but the likeliest is "
        "still the largest.": "both.argmax() -> both.argmin()",
    },
)


@EXERCISE.alternate
def _with_loops(first: Array, second: Array) -> tuple[int, int]:
    V = len(first)
    pairs = [(i, j) for i in range(V) for j in range(V)]
    return max(pairs, key=lambda pair: first[pair[0]] + second[pair])


@EXERCISE.alternate
def _best_second_for_each(first: Array, second: Array) -> tuple[int, int]:
    i = int((first + second.max(axis=1)).argmax())
    return i, int(second[i].argmax())


@EXERCISE.alternate
def _by_probabilities(first: Array, second: Array) -> tuple[int, int]:
    both = np.exp(first)[:, None] * np.exp(second)
    i, j = np.unravel_index(both.argmax(), both.shape)
    return int(i), int(j)

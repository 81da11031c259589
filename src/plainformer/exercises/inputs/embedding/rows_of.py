"""Exercise 1, a warm-up: fetch the vector of every token."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def rows_of(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Fetch the vector of every token.

    ids: (B, T), whole numbers: B sentences of T tokens each.
    table: (V, D), one row for each entry of the vocabulary.
    Returns (B, T, D): at [b, t] stands the row of the table that
    ids[b, t] names.

    >>> table = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> rows_of(np.array([[2, 0, 2]]), table).tolist()
    [[[4.0, 5.0], [0.0, 1.0], [4.0, 5.0]]]
    """
    return table[ids]


def _in_loops(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.array([[table[i] for i in sentence] for sentence in ids])


def _one_hot_times_table(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.eye(len(table))[ids] @ table  # (B, T, V) @ (V, D)


def _taken(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.take(table, ids, axis=0)


def _columns(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[:, ids]


def _by_place(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.array([[table[t] for t in range(len(sentence))] for sentence in ids])


def _from_one(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids - 1]


def _one_hot_alone(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return np.eye(len(table))[ids]


def _one_long_sentence(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids.ravel()]


def _first_sentence(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids[0]]


def _summed(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids].sum(axis=1)


def _each_once(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[np.unique(ids)]


def _scaled(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    return table[ids] * np.sqrt(table.shape[1])


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    vocab_size, d_model = rng.integers(2, 6), rng.integers(1, 4)
    table = rng.integers(-9, 10, size=(vocab_size, d_model)) / 2
    ids = rng.integers(vocab_size, size=(rng.integers(1, 4), rng.integers(1, 6)))
    return ids, table


_TABLE = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])

EXERCISE = Exercise(
    id="inputs.embedding.1",
    title="Fetch the rows",
    reference=rows_of,
    points=1,
    compare=Arrays(),
    cases=(
        Case((np.array([[2]]), _TABLE), np.array([[[4.0, 5.0]]])),
        Case((np.array([[2, 0, 2]]), _TABLE), np.array([[[4.0, 5.0], [0.0, 1.0], [4.0, 5.0]]])),
        Case(
            (np.array([[3, 1], [0, 1]]), _TABLE),
            np.array([[[6.0, 7.0], [2.0, 3.0]], [[0.0, 1.0], [2.0, 3.0]]]),
        ),
        Case((np.array([[1], [1]]), np.array([[0.5], [-0.5]])), np.array([[[-0.5]], [[-0.5]]])),
    ),
    generate=_draw,
    hints=(
        "Take a pencil: for ids [[2, 0, 2]], which rows of the table do you write down, and in "
        "which order?",
        "For one token it is the row table[i]. For one sentence it is a list of such rows, and for "
        "a batch a list of those lists.",
        "Two loops and np.array do it. NumPy can also do it alone: an array of whole numbers may "
        "stand between the square brackets, whatever its shape.",
    ),
    mutants=(
        Mutant(
            _columns,
            "You fetch columns. Tokens are rows: an ID picks along the first axis of the table.",
        ),
        Mutant(
            _by_place,
            "You fetch row 0 for the first token, row 1 for the second, whatever they are. Not the "
            "place of a token picks its row, but its ID.",
        ),
        Mutant(
            _from_one,
            "You fetch the row before the right one. IDs count from 0, as Python does; and index "
            "-1 would be the last row, without an error.",
        ),
        Mutant(
            _one_hot_alone,
            "These are one-hot vectors, V numbers for each token. They still have to be multiplied "
            "by the table; or leave them out and look the rows up.",
        ),
        Mutant(
            _one_long_sentence,
            "The vectors are right, but all sentences have become one. Keep the axis of the "
            "sentences: (B, T, D).",
        ),
        Mutant(_first_sentence, "You have looked up the first sentence only; there are B of them."),
        Mutant(
            _summed,
            "You add up the vectors of a sentence. Then nobody can say any more who stood where: "
            "each token keeps a vector of its own.",
        ),
        Mutant(
            _each_once,
            "A word that stands there twice gets its row twice, at both places. Do not sort the "
            "IDs and do not drop any.",
        ),
        Mutant(
            _scaled,
            "Your rows are longer than those of the table by the factor √D. A transformer does "
            "multiply by it, but that is a step of its own, after the lookup.",
        ),
    ),
    alternates=(_in_loops, _one_hot_times_table, _taken),
)

"""Exercise 2: the gradient of a lookup, where a token that stands there twice counts twice."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def table_gradient(
    ids: np.ndarray,
    grad_output: np.ndarray,
    vocab_size: int,
) -> np.ndarray:
    """Return the gradient of an embedding table: which rows move.

    In the forward pass, token t of one sentence got row ids[t] of the
    table. Now the gradient of the loss comes back for that vector.

    ids: (T,), whole numbers from 0 to V - 1.
    grad_output: (T, D), the gradient for the vector of each token.
    vocab_size: V, the number of rows of the table.
    Returns (V, D): for each row of the table, the sum of the
    gradients of all places that used it.

    >>> grad_output = np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
    >>> table_gradient(np.array([1, 3, 1]), grad_output, 4).tolist()
    [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0], [3.0, 4.0]]
    """
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    for t, row in enumerate(ids):
        gradient[row] += grad_output[t]  # add: a row may come twice
    return gradient


def _added_at(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    np.add.at(gradient, ids, grad_output)
    return gradient


def _one_hot_transposed(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    one_hot = np.eye(vocab_size)[ids]  # (T, V): the lookup is one_hot @ table
    return one_hot.T @ grad_output


def _row_by_row(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return np.array([grad_output[ids == row].sum(axis=0) for row in range(vocab_size)])


def _overwritten(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    gradient[ids] += grad_output
    return gradient


def _averaged(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    count = np.bincount(ids, minlength=vocab_size)
    return _added_at(ids, grad_output, vocab_size) / np.maximum(count, 1)[:, None]


def _first_time_only(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return _overwritten(ids[::-1], grad_output[::-1], vocab_size)


def _last_times_count(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    count = np.bincount(ids, minlength=vocab_size)
    return _overwritten(ids, grad_output, vocab_size) * count[:, None]


def _every_row(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return np.zeros((vocab_size, 1)) + grad_output.sum(axis=0)


def _for_each_token(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return grad_output.copy()


def _by_place(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    for t in range(len(ids)):
        gradient[t] += grad_output[t]
    return gradient


def _downhill(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return -_added_at(ids, grad_output, vocab_size)


def _used_rows_only(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return _added_at(ids, grad_output, vocab_size)[np.unique(ids)]


def _in_columns(ids: np.ndarray, grad_output: np.ndarray, vocab_size: int) -> np.ndarray:
    return _added_at(ids, grad_output, vocab_size).T


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, int]:
    vocab_size, length = int(rng.integers(2, 7)), rng.integers(1, 7)
    ids = rng.integers(vocab_size, size=length)
    return ids, rng.integers(-9, 10, size=(length, rng.integers(1, 4))) / 2, vocab_size


EXERCISE = Exercise(
    id="inputs.embedding.2",
    title="Which rows move",
    reference=table_gradient,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([2, 0]), np.array([[1.0, 2.0], [3.0, 4.0]]), 3),
            np.array([[3.0, 4.0], [0.0, 0.0], [1.0, 2.0]]),
        ),
        Case(
            (np.array([1, 3, 1]), np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]]), 4),
            np.array([[0.0, 0.0], [11.0, 22.0], [0.0, 0.0], [3.0, 4.0]]),
        ),
        Case(
            # your cat is a lovely cat
            (np.array([4, 1, 2, 0, 3, 1]), np.array([[1.0], [2], [4], [8], [16], [32]]), 5),
            np.array([[8.0], [34.0], [4.0], [16.0], [1.0]]),
        ),
        Case((np.array([0, 0]), np.array([[0.5], [-0.5]]), 2), np.array([[0.0], [0.0]])),
        Case((np.array([1, 1, 1]), np.array([[1.0], [1.0], [1.0]]), 2), np.array([[0.0], [3.0]])),
    ),
    generate=_draw,
    hints=(
        "How many rows has the gradient? As many as the table, not as the sentence. Which of them "
        "does a sentence leave at zero?",
        "If a row of the table grows by a little, then every place that shows this row grows by "
        "as much. What the places do to the loss adds up.",
        "Start from zeros of shape (V, D). Walk along the sentence, and at place t add to the row "
        "of the token that stands there, whatever it already holds.",
    ),
    mutants=(
        Mutant(
            _overwritten,
            "Where an ID stands twice, only its last gradient is left. Do you assign instead of "
            "adding? Or is it gradient[ids] += …? That reads, adds and writes all rows at once, "
            "so a row that is named twice is written twice, and the second write wins.",
        ),
        Mutant(
            _averaged,
            "You take the mean over the places that use a row. The gradient is their sum: a word "
            "that stands there twice is pulled twice.",
        ),
        Mutant(
            _first_time_only,
            "Where an ID stands twice, only its first gradient is left. The later ones count too.",
        ),
        Mutant(
            _last_times_count,
            "You multiply one gradient by the number of places. Each place has a gradient of its "
            "own: add them up.",
        ),
        Mutant(
            _every_row,
            "All rows get the same gradient. A row that the sentence did not use had no part in "
            "the loss: its gradient is zero.",
        ),
        Mutant(
            _for_each_token,
            "That is the gradient of each token's vector, one row for each place. Asked is the "
            "gradient of the table, one row for each entry of the vocabulary.",
        ),
        Mutant(
            _by_place,
            "You add place t to row t. It belongs to the row that was looked up at place t.",
        ),
        Mutant(
            _downhill,
            "The numbers are right, but for the sign. An optimizer goes against the gradient; the "
            "gradient itself is asked for here.",
        ),
        Mutant(
            _used_rows_only,
            "You leave out the rows that were not used. They belong there, as rows of zeros: the "
            "gradient has the shape of the table.",
        ),
        Mutant(_in_columns, "Rows and columns are swapped: (V, D) is asked for, as in the table."),
    ),
    alternates=(_added_at, _one_hot_transposed, _row_by_row),
)

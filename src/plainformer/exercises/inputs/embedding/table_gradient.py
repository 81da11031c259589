"""Exercise 2: the gradient of a lookup, where a token that occurs twice counts twice."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def table_gradient(
    ids: np.ndarray,
    grad_output: np.ndarray,
    vocab_size: int,
) -> np.ndarray:
    """Return the gradient of an embedding table: which rows move.

    In the forward pass, token t of one sentence got row ids[t] of the
    table. Now you are given the gradient of the loss for that vector.

    ids: (T,), whole numbers from 0 to V - 1.
    grad_output: (T, D), the gradient for the vector of each token.
    vocab_size: V, the number of rows of the table.
    Returns (V, D): for each row of the table, the sum of the gradients
    of all positions that used it.

    >>> grad_output = np.array([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]])
    >>> table_gradient(np.array([1, 3, 1]), grad_output, 4).tolist()
    [[0.0, 0.0], [11.0, 22.0], [0.0, 0.0], [3.0, 4.0]]
    """
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    for t, row in enumerate(ids):
        gradient[row] += grad_output[t]  # add: a row may come twice
    return gradient


def _draw(rng: np.random.Generator) -> tuple[Array, Array, int]:
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
        "If a row of the table grows by a little, then the vector at every position that uses "
        "this row grows by as much. Their effects on the loss add up.",
        "Start from zeros of shape (V, D). Walk along the sentence, and at position t add the "
        "gradient to the row of the token there, on top of what the row already holds.",
    ),
    mutants={
        "Where an ID occurs twice, only its last gradient is left. Do you assign instead of "
        "adding? Or is it gradient[ids] += …? That reads, adds and writes all rows at once, so "
        "a row that is named twice is written twice, and the "
        "second write wins.": "gradient[row] += grad_output[t] -> gradient[row] = grad_output[t]",
        "You take the mean over the positions that use a row. The gradient is their sum: a "
        "word that occurs twice gets both gradients.": (
            "return gradient -> return gradient / np.maximum(np.bincount(ids, "
            "minlength=vocab_size), 1)[:, None]"
        ),
        "Where an ID occurs twice, only its first gradient is left. "
        "The later ones also count.": lambda ids, grad_output, vocab_size: np.array(
            [grad_output[ids == row][:1].sum(axis=0) for row in range(vocab_size)]
        ),
        "You multiply one gradient by the number of positions. Each position has its own "
        "gradient: add them up.": (
            "gradient[row] += grad_output[t] -> gradient[row] = grad_output[t]; "
            "return gradient -> return gradient * np.bincount(ids, minlength=vocab_size)[:, None]"
        ),
        "All rows get the same gradient. A row that the sentence did not use did not affect "
        "the loss, so its gradient is zero.": lambda ids, grad_output, vocab_size: (
            np.zeros((vocab_size, 1)) + grad_output.sum(axis=0)
        ),
        "That is the gradient of each token's vector, with one row for each position. The task "
        "asks for the gradient of the table, with one row for each "
        "entry of the vocabulary.": lambda ids, grad_output, vocab_size: grad_output.copy(),
        "You add gradient t to row t. It belongs to the row that was "
        "looked up at position t.": "gradient[row] += -> gradient[t] +=",
        "The numbers are right except for the sign. An optimizer moves against the gradient, "
        "but the task asks for the gradient itself.": "return gradient -> return -gradient",
        "You leave out the rows that were not used. They belong there, as rows of zeros: the "
        "gradient has the shape of the table.": (
            "return gradient -> return gradient[np.unique(ids)]"
        ),
        "Rows and columns are swapped: the task asks for "
        "(V, D), as in the table.": "return gradient -> return gradient.T",
    },
    alternates=[
        lambda ids, grad_output, vocab_size: np.eye(vocab_size)[ids].T @ grad_output,
        lambda ids, grad_output, vocab_size: np.array(
            [grad_output[ids == row].sum(axis=0) for row in range(vocab_size)]
        ),
    ],
)


@EXERCISE.alternate
def _added_at(ids: Array, grad_output: Array, vocab_size: int) -> Array:
    gradient = np.zeros((vocab_size, grad_output.shape[1]))
    np.add.at(gradient, ids, grad_output)
    return gradient

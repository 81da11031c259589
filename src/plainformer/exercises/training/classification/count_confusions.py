"""Exercise 1: the confusion matrix, from logits."""

import numpy as np

from plainformer.exercises.spec import Array, Case, Exact, Exercise


def count_confusions(
    logits: np.ndarray,
    labels: np.ndarray,
) -> list[list[int]]:
    """Count how often each label was predicted for each true label.

    The model predicts the label with the largest logit, the first of
    them if two are equal. Row i, column j says for how many texts with
    label i the model predicts j.
    logits: (N, K), a row for each text. labels: (N,), whole numbers
    from 0 to K - 1.
    Returns K lists of K whole numbers, N in all.

    >>> logits = np.array([[2.0, 1.0], [0.0, 3.0], [5.0, 4.0]])
    >>> count_confusions(logits, np.array([0, 1, 1]))
    [[1, 0], [1, 1]]
    """
    n_labels = logits.shape[1]
    counts = np.zeros((n_labels, n_labels), dtype=int)
    for true, said in zip(labels, logits.argmax(axis=1), strict=True):
        counts[true, said] += 1
    return counts.tolist()


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    N, K = (int(n) for n in rng.integers([4, 2], [9, 5]))
    return rng.integers(-9, 10, size=(N, K)).astype(float), rng.integers(K, size=N)


def _given(logits: object, labels: object) -> tuple[Array, Array]:
    return np.array(logits, dtype=float), np.array(labels)


EXERCISE = Exercise(
    id="training.classification.1",
    title="The confusion matrix",
    reference=count_confusions,
    compare=Exact(),
    cases=(
        Case(_given([[2, 1], [0, 3], [5, 4]], [0, 1, 1]), [[1, 0], [1, 1]]),
        # Three labels, of which one never occurs and another is never predicted.
        Case(
            _given([[0, 9, 1], [0, 9, 1], [7, 0, 1]], [0, 2, 0]), [[1, 1, 0], [0, 0, 0], [0, 1, 0]]
        ),
        # All logits below 0: the largest is the one nearest to 0. Equal ones: the first.
        Case(_given([[-5, -1], [-4, -4]], [1, 1]), [[0, 0], [1, 1]]),
    ),
    generate=_draw,
    hints=(
        "Begin with a table of K times K zeros, and let each text add 1 to one of its cells.",
        "logits.argmax(axis=1) gives what the model says of each of the N texts.",
        "The row is the true label and the column the prediction. At the end, .tolist() turns "
        "an array into lists.",
    ),
    mutants={
        "You have rows and columns the wrong way round: the row is the true "
        "label.": "counts[true, said] -> counts[said, true]",
        "You take the smallest logit. The model predicts "
        "the label with the largest.": "argmax -> argmin",
        "A cell may be counted more than once: add 1 "
        "instead of setting it to 1.": "counts[true, said] += 1 -> counts[true, said] = 1",
        "You count only the right answers. The wrong ones "
        "are off the diagonal.": "counts[true, said] += 1 -> counts[true, true] += true == said",
        "You take the largest absolute value. The "
        "largest logit may be below 0.": "logits.argmax -> np.abs(logits).argmax",
        "Of equal logits the first counts; you take the "
        "last.": "logits.argmax(axis=1) -> n_labels - 1 - logits[:, ::-1].argmax(axis=1)",
        "Those are shares of each row. The task asks for counts.": lambda logits, labels: _shares(
            logits, labels
        ),
        "The table must have K rows, also for labels that never come.": lambda logits, labels: (
            [row for row in count_confusions(logits, labels) if sum(row)]
        ),
    },
    alternates=[
        lambda logits, labels: [
            [int(((labels == i) & (logits.argmax(1) == j)).sum()) for j in range(logits.shape[1])]
            for i in range(logits.shape[1])
        ],
        lambda logits, labels: (
            np.eye(logits.shape[1], dtype=int)[labels].T
            @ np.eye(logits.shape[1], dtype=int)[logits.argmax(-1)]
        ).tolist(),
    ],
)


def _shares(logits: Array, labels: Array) -> list[list[float]]:
    counts = np.array(count_confusions(logits, labels), dtype=float)
    shares: list[list[float]] = (counts / np.maximum(counts.sum(1, keepdims=True), 1)).tolist()
    return shares

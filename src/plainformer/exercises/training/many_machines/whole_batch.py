"""Exercise 1: the gradient of a batch, from the gradients of its parts."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def whole_batch(
    gradients: np.ndarray,
    counts: np.ndarray,
) -> np.ndarray:
    """The gradient of a batch whose parts were computed one by one.

    The loss of a part is a mean over its real tokens, and so is its
    gradient. The loss of the whole is a mean over all real tokens.
    gradients: (N, P), one row for each part. counts: (N,), the real
    tokens of each part; one may have none, and its gradient is 0.
    Returns (P,).

    >>> whole_batch(np.array([[1.0], [5.0]]), np.array([3, 1]))
    array([2.])
    """
    shares = counts / counts.sum()  # (N,)
    return shares @ gradients


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    N, P = rng.integers(2, 6), rng.integers(2, 5)
    counts = rng.integers(1, 9, size=N)
    gradients = rng.integers(-8, 9, size=(N, P)) / 2
    if rng.random() < 0.3:
        counts[0], gradients[0] = 0, 0
    return gradients, counts


EXERCISE = Exercise(
    id="training.many_machines.1",
    title="The gradient of the whole batch",
    reference=whole_batch,
    compare=Arrays(atol=1e-9),
    cases=(
        Case((np.array([[1.0], [5.0]]), np.array([3, 1])), np.array([2.0])),
        Case((np.array([[2.0, -4.0]]), np.array([7])), np.array([2.0, -4.0])),
        # A part that is only padding.
        Case((np.array([[0.0, 0.0], [6.0, 3.0]]), np.array([0, 2])), np.array([6.0, 3.0])),
        Case(
            (np.array([[6.0, 0.0], [0.0, 12.0], [6.0, 6.0]]), np.array([1, 2, 3])),
            np.array([4.0, 7.0]),
        ),
    ),
    generate=_draw,
    hints=(
        "Write the gradient of a part as a sum over its tokens, divided by their number. What must "
        "you multiply it by to get the sum back?",
        "Add up the sums of all parts, and divide once, by the number of all tokens.",
        "The part's share of all tokens is its weight: counts / counts.sum().",
    ),
    mutants={
        "That is the mean of the means: a word in a short part would weigh more than one in a long "
        "part.": "shares @ gradients -> gradients.mean(axis=0)",
        "You add the gradients of the parts: the result is as large "
        "as for that many batches.": "shares @ gradients -> gradients.sum(axis=0)",
        "You add up the sums of the parts but still have to divide by "
        "the number of all tokens.": "counts / counts.sum() -> counts",
        "You weight by tokens but "
        "divide by the number of parts.": "counts / counts.sum() -> counts / len(counts)",
        "You divide by counts: a part with more tokens weighs more, not "
        "less.": "counts / counts.sum() -> 1 / np.maximum(counts, 1) / (1 / np.maximum(counts, "
        "1)).sum()",
        "You take the mean over the parts that have tokens. Their tokens have to be counted as "
        "well.": "counts / counts.sum() -> (counts > 0) / (counts > 0).sum()",
        "You have weighed twice: by the share, and again by the number of "
        "parts.": "shares @ gradients -> shares @ gradients / len(gradients)",
    },
    alternates=[
        lambda gradients, counts: np.average(gradients, axis=0, weights=counts),
    ],
)


@EXERCISE.alternate
def _part_by_part(gradients: Array, counts: Array) -> Array:
    total = np.zeros(gradients.shape[1])
    for gradient, count in zip(gradients, counts, strict=True):
        total += gradient * count
    return total / sum(counts)

"""Exercise 4: the features of a top-k autoencoder."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def sparse_code(
    x: np.ndarray,
    encoder: np.ndarray,
    centre: np.ndarray,
    k: int,
) -> np.ndarray:
    """Compute the active features of some vectors.

    Subtract the centre from each vector. The score of a feature is the
    dot product of the result with its row of the encoder. In each row
    of scores keep the k highest, as far as they are positive, and set
    all others to 0. (No two scores of a row are equal.)
    x: (N, D). encoder: (F, D). centre: (D,). k: from 1 to F.
    Returns the activations, (N, F).

    >>> encoder = np.array([[1.0, 0], [0, 1], [1, 1]])
    >>> x, centre = np.array([[3.0, 1]]), np.zeros(2)
    >>> sparse_code(x, encoder, centre, 2).tolist()
    [[3.0, 0.0, 4.0]]
    """
    scores = (x - centre) @ encoder.T
    least = np.sort(scores, axis=1)[:, -k][:, None]
    kept = scores >= least
    return np.where(kept & (scores > 0), scores, 0.0)


_Four = tuple[Array, Array, Array, int]


def _draw(rng: np.random.Generator) -> _Four:
    N, D = 2, 3
    encoder = np.concatenate([np.eye(D), -np.eye(D)])[rng.permutation(2 * D)[:5]]
    sizes = np.array([rng.permutation(D) + 1.0 for _ in range(N)]) + rng.integers(0, 3, (N, 1))
    signs = np.where(rng.random((N, D)) < 0.6, 1, -1)
    centre = rng.permutation([0.5, -1.0, 2.0])
    return sizes * signs + centre, encoder, centre, int(rng.integers(1, 5))


def _given(x: object, encoder: object, centre: object, k: int) -> _Four:
    a, b, c = (np.array(each, dtype=float) for each in (x, encoder, centre))
    return a, b, c, k


_THREE = [[1, 0], [0, 1], [1, 1]]

EXERCISE = Exercise(
    id="assistant.circuits.4",
    title="A sparse code",
    reference=sparse_code,
    points=2,
    compare=Arrays(),
    cases=(
        Case(_given([[3, 1]], _THREE, [0, 0], 2), np.array([[3.0, 0.0, 4.0]])),
        # Minus the centre: (2, -1). The second highest score is 1; -1 would be the third.
        Case(_given([[3, 1]], _THREE, [1, 2], 2), np.array([[2.0, 0.0, 1.0]])),
        # Only one score of the second row is positive, so k = 2 leaves one.
        Case(
            _given([[5, 2], [-3, 1]], _THREE, [0, 0], 2),
            np.array([[5.0, 0.0, 7.0], [0.0, 1.0, 0.0]]),
        ),
        Case(_given([[-1, -2]], _THREE, [0, 0], 3), np.array([[0.0, 0.0, 0.0]])),
    ),
    generate=_draw,
    hints=(
        "(x - centre) @ encoder.T has the shape (N, F).",
        "np.sort(scores, axis=1)[:, -k] is the k-th highest score of each row.",
        "np.where(condition, scores, 0) keeps the scores where the condition holds.",
    ),
    mutants={
        "You keep negative scores. A feature is active or not; it is never less than absent.": (
            "kept & (scores > 0) -> kept"
        ),
        "You keep every positive score, and not only the k highest.": (
            "kept & (scores > 0) -> scores > 0"
        ),
        "You keep the scores that are largest in size. A large negative one is no active "
        "feature.": (
            "np.sort(scores, axis=1) -> np.sort(np.abs(scores), axis=1); "
            "scores >= least -> np.abs(scores) >= least"
        ),
        "You have forgotten the centre.": "(x - centre) -> x",
        "You add the centre. Subtract it; the decoder adds it again.": "x - centre -> x + centre",
        "You keep the k highest scores of all rows together. Each vector has its own k.": (
            "np.sort(scores, axis=1)[:, -k][:, None] -> np.sort(scores, axis=None)[-k]"
        ),
        "You keep one score too few.": "scores >= least -> scores > least",
        "You keep the k lowest scores.": (
            "np.sort(scores, axis=1)[:, -k] -> np.sort(scores, axis=1)[:, k - 1]; "
            "scores >= least -> scores <= least"
        ),
        "You return which features are active. Return how strongly.": (
            "np.where(kept & (scores > 0), scores, 0.0) -> (kept & (scores > 0)) * 1.0"
        ),
    },
    alternates=[
        lambda x, encoder, centre, k: np.array(
            [
                [s if s > 0 and sum(other > s for other in row) < k else 0.0 for s in row]
                for row in (x - centre) @ encoder.T
            ]
        ),
    ],
)


@EXERCISE.alternate
def _by_indices(x: Array, encoder: Array, centre: Array, k: int) -> Array:
    scores = np.maximum(x @ encoder.T - encoder @ centre, 0)
    out = np.zeros_like(scores)
    for row, new in zip(scores, out, strict=True):
        top = np.argsort(row)[-k:]
        new[top] = row[top]
    return out

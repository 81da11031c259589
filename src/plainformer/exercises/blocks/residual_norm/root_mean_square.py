"""Exercise 2: RMSNorm, the norm of Llama."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def root_mean_square_norm(
    x: np.ndarray,
    gamma: np.ndarray,
    eps: float,
) -> np.ndarray:
    """Compute RMSNorm: each vector divided by its root mean square.

    Take the mean of the squares of its D numbers, add eps, take the
    root, and divide by it. Finally multiply by gamma.
    x: (..., D): one vector, or any number of them, in any shape;
    the last axis holds the numbers of one. gamma: (D,).
    Returns the shape of x.

    >>> x, gamma = np.array([1.0, 7.0]), np.array([1.0, 10.0])
    >>> root_mean_square_norm(x, gamma, 0.0).tolist()
    [0.2, 14.0]
    """
    mean_square = (x**2).mean(axis=-1, keepdims=True)  # (..., 1)
    return x / np.sqrt(mean_square + eps) * gamma


_Three = tuple[Array, Array, float]


def _draw(rng: np.random.Generator) -> _Three:
    shape = tuple(int(n) for n in rng.integers(2, 4, size=rng.integers(1, 4)))
    x = rng.integers(-5, 6, size=shape).astype(float)
    gamma = rng.integers(-2, 4, size=shape[-1]).astype(float)
    return x, gamma, float(rng.choice([0.5, 1.0, 4.0]))


def _given(x: object, gamma: object, eps: float) -> _Three:
    return np.array(x, dtype=float), np.array(gamma, dtype=float), eps


EXERCISE = Exercise(
    id="blocks.residual_norm.2",
    title="RMSNorm",
    reference=root_mean_square_norm,
    compare=Arrays(),
    cases=(
        # (1 + 49) / 2 = 25, so the root is 5.
        Case(_given([1, 7], [1, 1], 0.0), np.array([0.2, 1.4])),
        # Equal numbers stay: their mean is not subtracted. 9 + 16 = 25.
        Case(_given([3, 3, 3], [5, 10, -5], 16.0), np.array([3.0, 6, -3])),
        Case(_given([[1, 7], [70, 10]], [5, 1], 0.0), np.array([[1.0, 1.4], [7, 0.2]])),
        Case(_given([[[0, 0]], [[2, 0]]], [3, 3], 2.0), np.array([[[0.0, 0]], [[3, 0]]])),
    ),
    generate=_draw,
    hints=(
        "It is LayerNorm with two steps fewer: no mean is subtracted, and no beta added.",
        "Read the name from the end: square, then the mean, then the root.",
        "x may have any number of axes, so let the mean run along axis=-1, with keepdims=True.",
    ),
    mutants={
        "You subtract the mean, as LayerNorm does. RMSNorm leaves it "
        "alone.": lambda x, gamma, eps: (
            ((x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + eps))
            * gamma
        ),
        "You divide by the standard deviation. Nothing is subtracted before you "
        "square.": lambda x, gamma, eps: x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * gamma,
        "You divide by the length, the root of the sum. Divide "
        "by the root of the mean.": "(x**2).mean( -> (x**2).sum(",
        "The root is missing: you divide by the mean "
        "square.": "np.sqrt(mean_square + eps) -> (mean_square + eps)",
        "You add eps after the root. It belongs inside.": (
            "np.sqrt(mean_square + eps) -> (np.sqrt(mean_square) + eps)"
        ),
        "You have left out eps.": "mean_square + eps -> mean_square",
        "You have left out gamma.": "np.sqrt(mean_square + eps) * gamma -> "
        "np.sqrt(mean_square + eps)",
        "You divide by gamma. It multiplies.": lambda x, gamma, eps: (
            x / (np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * np.where(gamma, gamma, 1))
        ),
        "You take one mean over all vectors. Each has its own: axis=-1.": (
            "(x**2).mean(axis=-1, keepdims=True) -> (x**2).mean()"
        ),
        "You take the mean across the vectors, along axis 0. The numbers of one vector are "
        "along the last axis.": "axis=-1 -> axis=0",
        "You divide by the mean of the sizes. Square first, and take the root after the "
        "mean.": lambda x, gamma, eps: x / (np.abs(x).mean(axis=-1, keepdims=True) + eps) * gamma,
    },
    alternates=[
        lambda x, gamma, eps: gamma * x * (np.mean(x * x, -1)[..., None] + eps) ** -0.5,
        lambda x, gamma, eps: np.einsum(
            "...d,d,...->...d",
            x,
            gamma,
            1 / np.sqrt(np.einsum("...d,...d->...", x, x) / x.shape[-1] + eps),
        ),
    ],
)


@EXERCISE.alternate
def _by_length(x: Array, gamma: Array, eps: float) -> Array:
    """A vector's length is √D times its root mean square."""
    length = np.linalg.norm(x, axis=-1, keepdims=True)
    return np.asarray(x * gamma / np.sqrt(length**2 / len(gamma) + eps))

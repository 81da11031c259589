"""Exercise 1: LayerNorm from its four steps."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def layer_norm_by_steps(
    x: np.ndarray,
    gamma: np.ndarray,
    beta: np.ndarray,
    eps: float,
) -> np.ndarray:
    """Compute LayerNorm: each token with mean 0 and variance 1.

    The steps, for each token separately: subtract the mean of its D
    numbers; divide by the root of (variance + eps), where the variance
    is the mean of the squares of what is left; multiply by gamma; add
    beta.
    x: (T, D), one row for each token. gamma, beta: (D,). eps: 0 or
    more.
    Returns (T, D).

    >>> x = np.array([[1.0, 3.0], [10.0, 30.0]])
    >>> layer_norm_by_steps(x, np.ones(2), np.zeros(2), 0.0).tolist()
    [[-1.0, 1.0], [-1.0, 1.0]]
    """
    centred = x - x.mean(axis=1, keepdims=True)  # (T, D)
    variance = (centred**2).mean(axis=1, keepdims=True)  # (T, 1)
    normed = centred / np.sqrt(variance + eps)
    return normed * gamma + beta


_Four = tuple[Array, Array, Array, float]


def _draw(rng: np.random.Generator) -> _Four:
    T, D = int(rng.integers(2, 5)), int(rng.integers(2, 6))
    x = rng.integers(-5, 6, size=(T, D)).astype(float)
    gamma, beta = rng.integers(-2, 4, size=(2, D)).astype(float)
    return x, gamma, beta, float(rng.choice([0.5, 1.0, 4.0]))


def _given(x: object, gamma: object, beta: object, eps: float) -> _Four:
    rows, scale, shift = (np.array(each, dtype=float) for each in (x, gamma, beta))
    return rows, scale, shift, eps


EXERCISE = Exercise(
    id="blocks.residual_norm.1",
    title="LayerNorm by its steps",
    reference=layer_norm_by_steps,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            _given([[1, 3], [10, 30]], [1, 1], [0, 0], 0.0),
            np.array([[-1.0, 1.0], [-1.0, 1.0]]),
        ),
        # 1, 1, 4: the mean is 2, the variance (1 + 1 + 4) / 3 = 2, and with ε = 2 the root is 2.
        Case(_given([[1, 1, 4]], [2, 4, 6], [0, 1, 0], 2.0), np.array([[-1.0, -1.0, 6.0]])),
        # Four equal numbers: all become 0, and ε prevents 0 / 0. β remains.
        Case(_given([[7, 7, 7, 7]], [1, 2, 3, 4], [5, 6, 7, 8], 1.0), np.array([[5.0, 6, 7, 8]])),
        # 0 and 6: mean 3, variance 9; with ε = 16 the root is 5.
        Case(_given([[0, 6], [6, 0]], [5, 10], [1, 0], 16.0), np.array([[-2.0, 6], [4, -6]])),
    ),
    generate=_draw,
    hints=(
        "Which numbers belong together? The D numbers of one row. So means are taken along axis=1.",
        "x.mean(axis=1) has the shape (T,). With keepdims=True it is (T, 1), one number for "
        "each row, and can be subtracted from x.",
        "What you have after the first step has mean 0, so its variance is the mean of its "
        "squares. Add eps to it before you take the root; gamma and beta come last.",
    ),
    mutants={
        "You take the mean over the tokens. Each token is normed by itself: "
        "axis=1.": lambda x, gamma, beta, eps: (
            (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + eps) * gamma + beta
        ),
        "You take one mean over the whole text. Each token has its "
        "own.": lambda x, gamma, beta, eps: (x - x.mean()) / np.sqrt(x.var() + eps) * gamma + beta,
        "The first step is missing: subtract the mean, before you square "
        "and after.": "centred = x - x.mean(axis=1, keepdims=True) -> centred = x",
        "The variance divides by D, not by D - 1: it is a plain "
        "mean.": "(centred**2).mean(axis=1, keepdims=True) -> "
        "(centred**2).sum(axis=1, keepdims=True) / (x.shape[1] - 1)",
        "You divide by the variance. Divide by its root, which has "
        "the scale of the numbers.": "np.sqrt(variance + eps) -> (variance + eps)",
        "You add eps after the root. It belongs to the variance, inside the "
        "root.": "np.sqrt(variance + eps) -> (np.sqrt(variance) + eps)",
        "You have left out eps.": "variance + eps -> variance",
        "You subtract the mean and do not divide.": "centred / np.sqrt(variance + eps) -> centred",
        "You have left out gamma, by which each feature is "
        "multiplied.": "normed * gamma + beta -> normed + beta",
        "You have left out beta, which is added last.": "* gamma + beta -> * gamma",
        "First gamma, then beta: beta is not "
        "multiplied.": "normed * gamma + beta -> (normed + beta) * gamma",
        "That brings the numbers between 0 and 1. LayerNorm gives them mean 0 and variance "
        "1.": lambda x, gamma, beta, eps: (
            (x - x.min(axis=1, keepdims=True))
            / (x.max(axis=1, keepdims=True) - x.min(axis=1, keepdims=True) + eps)
            * gamma
            + beta
        ),
        "You divide by the length of the row, the root of the sum of squares. The variance is "
        "their mean.": "(centred**2).mean( -> (centred**2).sum(",
    },
    alternates=[
        lambda x, gamma, beta, eps: (
            beta
            + gamma * (x - x.mean(axis=-1)[:, None]) * (np.var(x, axis=-1)[:, None] + eps) ** -0.5
        ),
    ],
)


@EXERCISE.alternate
def _token_by_token(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    out = np.zeros(x.shape)
    for t, row in enumerate(x):
        mean = sum(row) / len(row)
        variance = sum((number - mean) ** 2 for number in row) / len(row)
        for d, number in enumerate(row):
            out[t, d] = gamma[d] * (number - mean) / (variance + eps) ** 0.5 + beta[d]
    return out


@EXERCISE.alternate
def _mean_of_squares_less_square_of_mean(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    mean = x.mean(axis=1, keepdims=True)
    variance = (x**2).mean(axis=1, keepdims=True) - mean**2
    return (x - mean) / np.sqrt(variance + eps) * gamma + beta

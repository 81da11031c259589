"""A bug hunt: a layer norm with four mistakes."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def mended_norm(x: np.ndarray, gamma: np.ndarray, beta: np.ndarray, eps: float) -> np.ndarray:
    """Mend a layer norm. Four mistakes are in it, and it runs.

        mean = x.mean()
        variance = ((x - mean) ** 2).sum(axis=-1, keepdims=True)
        scaled = (x - mean) / np.sqrt(variance) + eps
        return gamma * (scaled + beta)

    Each token is normed by itself, over its features; then scaled and
    shifted, feature by feature.
    x: (..., D). gamma, beta: (D,). eps: is added to the variance, so that a token of equal
    features does not divide by 0.
    Returns the shape of x.

    >>> mended_norm(np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), 0.0)
    array([[-1.,  1.]])
    """
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    scaled = (x - mean) / np.sqrt(variance + eps)
    return gamma * scaled + beta


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array, float]:
    *lead, D = rng.integers(1, 5, size=rng.integers(1, 4))
    x = (rng.normal(size=(*lead, D)) * 3 + 2).round(2)
    gamma, beta = rng.normal(size=(2, D)).round(2)
    return x, gamma, beta, float(rng.choice([1e-5, 0.1, 1.0]))


EXERCISE = Exercise(
    id="course.mended_norm",
    title="Four mistakes in a norm",
    reference=mended_norm,
    points=4,
    compare=Arrays(),
    cases=(
        Case((np.array([[1.0, 3.0]]), np.ones(2), np.zeros(2), 0.0), np.array([[-1.0, 1.0]])),
        # Two tokens, each normed by itself.
        Case(
            (np.array([[1.0, 3.0], [10.0, 30.0]]), np.ones(2), np.zeros(2), 0.0),
            np.array([[-1.0, 1.0], [-1.0, 1.0]]),
        ),
        # Equal features: 0, whatever eps is; then beta alone.
        Case(
            (np.array([[5.0, 5.0]]), np.array([2.0, 2.0]), np.array([7.0, 8.0]), 1e-5),
            np.array([[7.0, 8.0]]),
        ),
        # Variance 1 and eps 3: divided by 2.
        Case(
            (np.array([1.0, 3.0]), np.array([4.0, 4.0]), np.array([1.0, 1.0]), 3.0),
            np.array([-1.0, 3.0]),
        ),
        # Two texts of one token each: any number of axes may come before the last.
        Case(
            (np.array([[[1.0, 3.0]], [[2.0, 6.0]]]), np.ones(2), np.zeros(2), 0.0),
            np.array([[[-1.0, 1.0]], [[-1.0, 1.0]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Run it on [[1, 3], [10, 30]]. Is the mean of each row of the answer 0, with gamma 1 and "
        "beta 0?",
        "The variance is a mean of squares. And where does eps stand in the formula?",
        "Beta is added last: it is not scaled.",
    ),
    mutants={
        "One is left: the mean is one number for all tokens.": (
            "mean = x.mean(axis=-1, keepdims=True) -> mean = x.mean()"
        ),
        "One is left: a variance is the mean of the squares, not their sum.": (
            "((x - mean) ** 2).mean(axis -> ((x - mean) ** 2).sum(axis"
        ),
        "One is left: eps stands under the root, beside the variance.": (
            "np.sqrt(variance + eps) -> np.sqrt(np.maximum(variance, 1e-12)) + eps"
        ),
        "One is left: beta is scaled by gamma.": "gamma * scaled + beta -> gamma * (scaled + beta)",
        "That is the variance of a sample, with D - 1. A norm divides by D.": (
            "((x - mean) ** 2).mean(axis=-1, keepdims=True) -> "
            "((x - mean) ** 2).sum(axis=-1, keepdims=True) / max(x.shape[-1] - 1, 1)"
        ),
        "You divide by the variance. It is its root.": (
            "/ np.sqrt(variance + eps) -> / (variance + eps)"
        ),
    },
)


@EXERCISE.alternate
def _by_var(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    centred = x - np.mean(x, axis=-1)[..., None]
    return centred / (x.var(axis=-1)[..., None] + eps) ** 0.5 * gamma + beta

"""Exercise 2: back through the softmax, row by row."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def score_gradient(
    grad_weights: np.ndarray,
    weights: np.ndarray,
) -> np.ndarray:
    """Go back through softmax: from the weights to the scores.

    grad_weights: (T, S), the gradient of the weights.
    weights: (T, S), what the softmax made of the scores; its rows sum
    to 1.
    Returns (T, S), the gradient of the scores.

    >>> grad_weights = np.array([[8.0, 4.0], [4.0, 8.0]])
    >>> weights = np.array([[0.75, 0.25], [1.0, 0.0]])
    >>> score_gradient(grad_weights, weights).tolist()
    [[0.75, -0.75], [0.0, 0.0]]
    """
    mean = (weights * grad_weights).sum(axis=1, keepdims=True)
    return weights * (grad_weights - mean)


def _with_the_jacobian(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    rows = [(np.diag(a) - np.outer(a, a)) @ g for g, a in zip(grad_weights, weights, strict=True)]
    return np.array(rows)


def _with_two_loops(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    result = np.zeros_like(weights)
    for t, a in enumerate(weights):
        for i in range(len(a)):
            for j in range(len(a)):
                result[t, j] += grad_weights[t, i] * a[i] * ((i == j) - a[j])
    return result


def _minus_the_rows_share(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    product = weights * grad_weights
    return product - weights * np.einsum("ts->t", product)[:, None]


def _each_by_itself(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return grad_weights * weights * (1 - weights)


def _plain_mean(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - grad_weights.mean(axis=1, keepdims=True))


def _plain_sum(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - grad_weights.sum(axis=1, keepdims=True))


def _down_the_columns(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - (weights * grad_weights).sum(axis=0, keepdims=True))


def _over_all_rows(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - (weights * grad_weights).sum())


def _nothing_taken_off(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * grad_weights


def _not_weighted_again(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return grad_weights - (weights * grad_weights).sum(axis=1, keepdims=True)


def _below_the_mean(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * ((weights * grad_weights).sum(axis=1, keepdims=True) - grad_weights)


def _no_column(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - (weights * grad_weights).sum(axis=1))


def _mean_of_the_products(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights - (weights * grad_weights).mean(axis=1, keepdims=True))


def _mean_added(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return weights * (grad_weights + (weights * grad_weights).sum(axis=1, keepdims=True))


def _untouched(grad_weights: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return grad_weights.copy()


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n_queries, n_keys = rng.integers(1, 4), rng.integers(2, 5)
    weights = rng.dirichlet(np.ones(n_keys), size=n_queries)
    return rng.integers(-9, 10, size=(n_queries, n_keys)) / 2, weights


EXERCISE = Exercise(
    id="attention.attention_gradients.2",
    title="Back through the softmax",
    reference=score_gradient,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[8.0, 4.0]]), np.array([[0.75, 0.25]])), np.array([[0.75, -0.75]])),
        Case(
            (np.array([[4.0, 0.0, 0.0]]), np.array([[0.5, 0.25, 0.25]])),
            np.array([[1.0, -0.5, -0.5]]),
        ),
        Case(
            (np.array([[3.0, 3.0, 3.0]]), np.array([[0.5, 0.25, 0.25]])),
            np.array([[0.0, 0.0, 0.0]]),
        ),
        Case(
            (np.array([[2.0, 6.0], [6.0, 2.0]]), np.array([[0.5, 0.5], [1.0, 0.0]])),
            np.array([[-1.0, 1.0], [0.0, 0.0]]),
        ),
        Case(
            (
                np.array([[0.0, -4.0, 4.0], [9.0, 0.0, 1.0]]),
                np.array([[0.25, 0.25, 0.5], [0, 0, 1]]),
            ),
            np.array([[-0.25, -1.25, 1.5], [0.0, 0.0, 0.0]]),
        ),
        Case((np.array([[5.0]]), np.array([[1.0]])), np.array([[0.0]])),
    ),
    generate=_draw,
    hints=(
        "Each row is by itself. In it, raising one score raises its own weight and lowers all the "
        "others, for they share 1. So a score's gradient looks at the whole row of grad_weights.",
        "What does raising score j win? Its own weight's gradient, less the row's average; and "
        "the average counts each entry with its weight.",
        "Three steps: the product of both arrays, entry by entry; its sum along each row, kept as "
        "a column; then the weight times the difference of its gradient and that sum.",
    ),
    mutants=(
        Mutant(
            _each_by_itself,
            "a (1 - a) is what a weight does to its own score. Each score also moves all the other "
            "weights of its row. (Look at your rows: they should sum to 0.)",
        ),
        Mutant(
            _plain_mean,
            "You take off the plain mean of the row. The mean must be taken with the weights: a "
            "key that gets nearly no weight hardly counts.",
        ),
        Mutant(
            _plain_sum,
            "You take off the plain sum of the row's gradients. Each must be multiplied by its "
            "weight first, which makes the sum a mean.",
        ),
        Mutant(
            _down_the_columns,
            "You sum down the columns. The softmax worked along rows: one row, one query.",
        ),
        Mutant(
            _over_all_rows,
            "You take one mean for the whole matrix. Each row is a softmax by itself, with a mean "
            "of its own.",
        ),
        Mutant(
            _nothing_taken_off,
            "The weight is right, but the row's mean has to be taken off first: where a weight's "
            "gradient is just the average of its row, its score should get nothing.",
        ),
        Mutant(
            _mean_of_the_products,
            "You divide by the number of keys. The weights sum to 1, so the sum of the products "
            "is the mean already: .sum, not .mean.",
        ),
        Mutant(
            _mean_added,
            "You add the row's mean. Whatever a score wins for its own weight, the others of its "
            "row lose: the mean comes off.",
        ),
        Mutant(
            _not_weighted_again,
            "How far above the mean: right. Now each has to be multiplied by its own weight. (A "
            "weight of 0 must give a gradient of 0.)",
        ),
        Mutant(
            _below_the_mean,
            "The numbers are right, but for the sign: above the mean is positive.",
        ),
        Mutant(
            _no_column,
            "Your sums lie in a row, so they are taken off column by column. Keep them as a "
            "column: keepdims=True, or [:, None].",
        ),
        Mutant(
            _untouched,
            "That is the gradient of the weights. The softmax lies between them and the scores.",
        ),
    ),
    alternates=(_with_the_jacobian, _with_two_loops, _minus_the_rows_share),
)

"""Exercise 2: back through the softmax, row by row."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


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


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
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
        "Each row can be treated separately. Within a row, raising one score raises its own "
        "weight and lowers all the others, because they sum to 1. So the gradient of one score "
        "depends on the whole row of grad_weights.",
        "What is gained by raising score j? The gradient of its own weight minus the row's "
        "average, where the average is weighted by the weights.",
        "Three steps: the product of both arrays, entry by entry; its sum along each row, kept as "
        "a column; then the weight times the difference of its gradient and that sum.",
    ),
    mutants={
        "a (1 - a) is what a weight does to its own score. Each score also moves all the other "
        "weights of its row. (Look at your rows: they "
        "should sum to 0.)": "(grad_weights - mean) -> grad_weights * (1 - weights)",
        "You take off the plain mean of the row. The mean must be taken with the weights: a "
        "key that gets nearly no weight "
        "hardly counts.": "(weights * grad_weights).sum -> grad_weights.mean",
        "You take off the plain sum of the row's gradients. Each must be multiplied by its "
        "weight first, which makes the sum a mean.": (
            "(weights * grad_weights).sum -> grad_weights.sum"
        ),
        "You sum down the columns. The softmax worked along rows: one "
        "row, one query.": "axis=1 -> axis=0",
        "You take one mean for the whole matrix. Each row is a softmax by itself, with a mean "
        "of its own.": "sum(axis=1, keepdims=True) -> sum()",
        "The weight is right, but the row's mean has to be taken off first: where a weight's "
        "gradient equals the average of its row, its "
        "score should get nothing.": "(grad_weights - mean) -> grad_weights",
        "You divide by the number of keys. The weights sum to 1, so the sum of the products is "
        "the mean already: .sum, not .mean.": ".sum( -> .mean(",
        "You add the row's mean. What a score gains for its own weight, the others in its row "
        "lose, so the mean has to be subtracted.": "grad_weights - mean -> grad_weights + mean",
        "You have how far each gradient is above the mean, which is right. Now multiply each "
        "by its own weight. (A weight of 0 must give a gradient of 0.)": (
            "weights * (grad_weights - mean) -> grad_weights - mean"
        ),
        "The numbers are right except for the sign: "
        "above the mean is positive.": "grad_weights - mean -> mean - grad_weights",
        "Your sums form a row, so they are subtracted column by column. Keep them as a column: "
        "keepdims=True, or [:, None].": ", keepdims=True -> ",
        "That is the gradient of the weights. The softmax lies between them "
        "and the scores.": "weights * (grad_weights - mean) -> grad_weights.copy()",
    },
)


@EXERCISE.alternate
def _with_the_jacobian(grad_weights: Array, weights: Array) -> Array:
    rows = [(np.diag(a) - np.outer(a, a)) @ g for g, a in zip(grad_weights, weights, strict=True)]
    return np.array(rows)


@EXERCISE.alternate
def _with_two_loops(grad_weights: Array, weights: Array) -> Array:
    result = np.zeros_like(weights)
    for t, a in enumerate(weights):
        for i in range(len(a)):
            for j in range(len(a)):
                result[t, j] += grad_weights[t, i] * a[i] * ((i == j) - a[j])
    return result


@EXERCISE.alternate
def _minus_the_rows_share(grad_weights: Array, weights: Array) -> Array:
    product = weights * grad_weights
    return product - weights * np.einsum("ts->t", product)[:, None]

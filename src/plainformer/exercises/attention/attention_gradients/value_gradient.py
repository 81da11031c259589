"""Exercise 1: what comes back to each value, from all the queries that looked at it."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def value_gradient(
    weights: np.ndarray,
    grad_output: np.ndarray,
) -> np.ndarray:
    """Return the gradient of the values, where output = weights @ v.

    weights: (T, S), how query i weighs key j; its rows sum to 1.
    grad_output: (T, Dv), the gradient of the output.
    Returns (S, Dv), the gradient of v: for each value, what all the
    queries send back to it.

    >>> weights = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> grad_output = np.array([[2.0, 0.0], [0.0, 4.0]])
    >>> value_gradient(weights, grad_output).tolist()
    [[1.0, 4.0], [1.0, 0.0]]
    """
    return weights.T @ grad_output


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    n_queries, n_keys, width = rng.integers(1, 5), rng.integers(1, 5), rng.integers(1, 4)
    weights = rng.dirichlet(np.ones(n_keys), size=n_queries)
    return np.round(weights, 4), rng.integers(-9, 10, size=(n_queries, width)) / 2


EXERCISE = Exercise(
    id="attention.attention_gradients.1",
    title="What each value gets",
    reference=value_gradient,
    compare=Arrays(),
    cases=(
        Case((np.array([[0.75, 0.25]]), np.array([[1.0]])), np.array([[0.75], [0.25]])),
        Case(
            (np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[2.0, 0.0], [0.0, 4.0]])),
            np.array([[1.0, 4.0], [1.0, 0.0]]),
        ),
        Case(
            (np.array([[1.0, 0.0, 0.0], [0.25, 0.25, 0.5]]), np.array([[1.0, 2.0], [4.0, -4.0]])),
            np.array([[2.0, 1.0], [1.0, -1.0], [2.0, -2.0]]),
        ),
        # Two queries whose gradients are opposite, so that they cancel.
        Case(
            (np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[3.0], [-3.0]])),
            np.array([[0.0], [0.0]]),
        ),
        Case((np.array([[1.0], [1.0], [1.0]]), np.array([[1.0], [2], [4]])), np.array([[7.0]])),
    ),
    generate=_draw,
    hints=(
        "The gradient has the same shape as v: (S, Dv). You have a (T, S) and a (T, Dv). What "
        "has to be done to one of them before their product has that shape?",
        "Take one value j. Query i added weights[i, j] times it to its own output. So query i "
        "sends back to it weights[i, j] times row i of grad_output.",
        "Add that up over all queries i. A sum over the first index of both is a product in "
        "which the first of the two is transposed.",
    ),
    mutants={
        "You multiply by the weights as in the forward pass, from values to queries. The way "
        "back goes from queries to values: rows and columns change places.": "weights.T -> weights",
        "You take the mean over the queries. A value that three queries use gets a gradient "
        "from each of them, and these add up.": (
            "weights.T @ grad_output -> weights.T @ grad_output / len(weights)"
        ),
        "Rows and columns are swapped: the task asks for "
        "(S, Dv), the shape of v.": "weights.T @ grad_output -> grad_output.T @ weights",
        "Every value gets the same. A query that gave a value a tenth of its weight sends it "
        "only a tenth of its gradient.": "weights.T -> np.ones_like(weights).T",
        "You divide each column of the weights by its sum. Only rows have to sum to 1: a value "
        "that nobody looked at gets nearly nothing, and a popular "
        "one gets much.": "weights.T -> (weights / np.maximum(weights.sum(axis=0), 1e-300)).T",
        "You send each query's gradient to the key with its largest weight only. All values "
        "went into the output, so all of them get "
        "their share.": "weights.T -> np.eye(weights.shape[1])[weights.argmax(axis=1)].T",
        "Only the last query is left. Does your loop assign "
        "where it should add?": "weights.T @ grad_output -> np.outer(weights[-1], grad_output[-1])",
        "The numbers are right except for the sign. An optimizer moves against the gradient, "
        "but the task asks for the gradient itself.": "weights.T -> -weights.T",
    },
    alternates=[
        lambda weights, grad_output: np.einsum("ts,td->sd", weights, grad_output),
        lambda weights, grad_output: (weights[:, :, None] * grad_output[:, None, :]).sum(axis=0),
    ],
)


@EXERCISE.alternate
def _query_by_query(weights: Array, grad_output: Array) -> Array:
    total = np.zeros((weights.shape[1], grad_output.shape[1]))
    for row, grad in zip(weights, grad_output, strict=True):
        total += np.outer(row, grad)
    return total

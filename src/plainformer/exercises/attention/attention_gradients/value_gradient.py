"""Exercise 1: what comes back to each value, from all the queries that looked at it."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


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


def _query_by_query(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    total = np.zeros((weights.shape[1], grad_output.shape[1]))
    for row, grad in zip(weights, grad_output, strict=True):
        total += np.outer(row, grad)
    return total


def _with_letters(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return np.einsum("ts,td->sd", weights, grad_output)


def _by_broadcasting(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return (weights[:, :, None] * grad_output[:, None, :]).sum(axis=0)


def _not_transposed(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return weights @ grad_output


def _averaged(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return weights.T @ grad_output / len(weights)


def _in_columns(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return grad_output.T @ weights


def _unweighted(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return np.ones_like(weights).T @ grad_output


def _columns_made_to_sum_to_one(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=0)
    return (weights / np.where(total == 0, 1, total)).T @ grad_output


def _winner_takes_all(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return np.eye(weights.shape[1])[weights.argmax(axis=1)].T @ grad_output


def _last_query(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return np.outer(weights[-1], grad_output[-1])


def _downhill(weights: np.ndarray, grad_output: np.ndarray) -> np.ndarray:
    return -weights.T @ grad_output


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n_queries, n_keys, width = rng.integers(1, 5), rng.integers(1, 5), rng.integers(1, 4)
    weights = rng.dirichlet(np.ones(n_keys), size=n_queries)
    return np.round(weights, 4), rng.integers(-9, 10, size=(n_queries, width)) / 2


EXERCISE = Exercise(
    id="attention.attention_gradients.1",
    title="What each value gets",
    reference=value_gradient,
    points=1,
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
        # Two queries that want the opposite: nothing is left.
        Case(
            (np.array([[0.5, 0.5], [0.5, 0.5]]), np.array([[3.0], [-3.0]])),
            np.array([[0.0], [0.0]]),
        ),
        Case((np.array([[1.0], [1.0], [1.0]]), np.array([[1.0], [2], [4]])), np.array([[7.0]])),
    ),
    generate=_draw,
    hints=(
        "The gradient has the shape of what it is of: (S, Dv), as v. You have a (T, S) and a "
        "(T, Dv). What has to be done to one of them before they can be multiplied to that?",
        "Take one value j. Query i added weights[i, j] times it to its own output. So what "
        "query i sends back to it is weights[i, j] times row i of grad_output.",
        "Add that up over all queries i. A sum over the first index of both is a product in "
        "which the first of the two is transposed.",
    ),
    mutants=(
        Mutant(
            _not_transposed,
            "You multiply by the weights as in the forward pass, from values to queries. The way "
            "back goes from queries to values: rows and columns change places.",
        ),
        Mutant(
            _averaged,
            "You take the mean over the queries. A value that three queries use is pulled three "
            "times: what they send back adds up.",
        ),
        Mutant(_in_columns, "Rows and columns are swapped: (S, Dv) is asked for, as v is."),
        Mutant(
            _unweighted,
            "Every value gets the same. A query that gave a value a tenth of its weight sends it "
            "only a tenth of its gradient.",
        ),
        Mutant(
            _columns_made_to_sum_to_one,
            "You divide each column of the weights by its sum. Only rows have to sum to 1: a value "
            "that nobody looked at gets nearly nothing, and a popular one gets much.",
        ),
        Mutant(
            _winner_takes_all,
            "You send each query's gradient to the key with its largest weight only. All values "
            "went into the output, so all of them get their share.",
        ),
        Mutant(
            _last_query,
            "Only the last query is left. Do you assign in a loop, where you should add?",
        ),
        Mutant(
            _downhill,
            "The numbers are right, but for the sign. An optimizer goes against the gradient; the "
            "gradient itself is asked for here.",
        ),
    ),
    alternates=(_query_by_query, _with_letters, _by_broadcasting),
)

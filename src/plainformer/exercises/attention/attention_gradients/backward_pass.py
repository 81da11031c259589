"""Exercise 3: the whole backward pass of attention, with a mask."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def backward_pass(
    grad_output: np.ndarray,
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    mask: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Go back through masked attention, from its output to q, k, v.

    The forward pass was softmax(q kᵀ / √K) v, in which a score that the
    mask forbids became -∞. Compute it once more: you need its weights.

    grad_output: (T, Dv), the gradient of the output.
    q: (T, K), k: (S, K), v: (S, Dv).
    mask: (T, S), True where query i may look at key j; every query
    may look at one key at least.
    Returns (grad_q, grad_k, grad_v), of the shapes of q, k and v.

    >>> q, k = np.array([[2.0]]), np.array([[0.0], [0.0]])
    >>> v, mask = np.array([[8.0], [4.0]]), np.array([[True, True]])
    >>> grads = backward_pass(np.array([[1.0]]), q, k, v, mask)
    >>> [grad.tolist() for grad in grads]
    [[[0.0]], [[2.0], [-2.0]], [[0.5], [0.5]]]
    """
    scale = 1 / np.sqrt(q.shape[1])
    scores = np.where(mask, scale * q @ k.T, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)

    grad_v = weights.T @ grad_output
    grad_weights = grad_output @ v.T
    mean = (weights * grad_weights).sum(axis=1, keepdims=True)
    grad_scores = weights * (grad_weights - mean)
    grad_q = scale * grad_scores @ k
    grad_k = scale * grad_scores.T @ q
    return grad_q, grad_k, grad_v


Three = tuple[Array, Array, Array]


def _softmax(scores: Array) -> Array:
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _weights(q: Array, k: Array, mask: Array) -> Array:
    return _softmax(np.where(mask, q @ k.T / np.sqrt(q.shape[1]), -1e30))


def _through(weights: Array, grad_weights: Array) -> Array:
    mean = (weights * grad_weights).sum(axis=1, keepdims=True)
    return np.asarray(weights * (grad_weights - mean))


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    n_queries, n_keys = ((1, 3), (2, 2), (2, 3), (3, 2))[rng.integers(4)]
    width, width_v = rng.integers(1, 3, size=2)
    q, k = rng.normal(size=(n_queries, width)), rng.normal(size=(n_keys, width))
    v, grad = rng.normal(size=(n_keys, width_v)), rng.normal(size=(n_queries, width_v))
    mask = rng.random((n_queries, n_keys)) < 0.7
    mask[np.arange(n_queries), rng.integers(n_keys, size=n_queries)] = True
    return *(np.round(2 * array, 1) + 0.0 for array in (grad, q, k, v)), mask


EXERCISE = Exercise(
    id="attention.attention_gradients.3",
    title="The whole backward pass",
    reference=backward_pass,
    points=4,
    compare=Arrays(),
    cases=(
        Case(  # scores 0 and 0, so weights of a half; output 6
            (
                np.array([[1.0]]),
                np.array([[2.0]]),
                np.array([[0.0], [0.0]]),
                np.array([[8.0], [4.0]]),
                np.array([[True, True]]),
            ),
            (np.array([[0.0]]), np.array([[2.0], [-2.0]]), np.array([[0.5], [0.5]])),
        ),
        Case(  # four wide: the scale is 1/2
            (
                np.array([[1.0]]),
                np.array([[2.0, 0.0, 0.0, 0.0]]),
                np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 3.0]]),
                np.array([[4.0], [0.0]]),
                np.array([[True, True]]),
            ),
            (
                np.array([[0.0, 0.5, 0.0, -1.5]]),
                np.array([[1.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 0.0]]),
                np.array([[0.5], [0.5]]),
            ),
        ),
        Case(  # weights 3/4 and 1/4
            (
                np.array([[1.0]]),
                np.array([[2.0]]),
                np.array([[np.log(3) / 2], [0.0]]),
                np.array([[8.0], [4.0]]),
                np.array([[True, True]]),
            ),
            (
                np.array([[0.375 * np.log(3)]]),
                np.array([[1.5], [-1.5]]),
                np.array([[0.75], [0.25]]),
            ),
        ),
        Case(  # a causal mask: the first query has no choice
            (
                np.array([[1.0], [1.0]]),
                np.array([[1.0], [1.0]]),
                np.array([[0.0], [0.0]]),
                np.array([[8.0], [4.0]]),
                np.array([[True, False], [True, True]]),
            ),
            (np.array([[0.0], [0.0]]), np.array([[1.0], [-1.0]]), np.array([[1.5], [0.5]])),
        ),
        Case(  # a tempting value that is forbidden
            (
                np.array([[1.0]]),
                np.array([[3.0]]),
                np.array([[0.0], [5.0], [0.0]]),
                np.array([[2.0], [100.0], [6.0]]),
                np.array([[True, False, True]]),
            ),
            (np.array([[0.0]]), np.array([[-3.0], [0.0], [3.0]]), np.array([[0.5], [0.0], [0.5]])),
        ),
        Case(  # scores far below 0, and yet what is forbidden is lower still
            (
                np.array([[1.0]]),
                np.array([[1.0]]),
                np.array([[-1000.0], [-1000.0], [0.0]]),
                np.array([[8.0], [4.0], [100.0]]),
                np.array([[True, True, False]]),
            ),
            (np.array([[0.0]]), np.array([[1.0], [-1.0], [0.0]]), np.array([[0.5], [0.5], [0.0]])),
        ),
    ),
    generate=_draw,
    hints=(
        "Start with the forward pass: scores, mask, softmax. You need the weights from it. "
        "Then go through its lines from the last to the first and compute one gradient for "
        "each.",
        "output = weights v gives two gradients: that of v (exercise 1) and that of the weights, "
        "(T, S). Only one order of grad_output and v, one of them transposed, has that shape.",
        "From the weights to the scores: exercise 2. Nothing special is needed for the mask, as a "
        "weight of 0 makes the gradient 0.",
        "scores = scale · q kᵀ is again a product, with a constant factor in front of it, and "
        "that factor appears in both gradients. For k the scores' gradient has to be "
        "transposed.",
    ),
    mutants={
        "grad_v is right; grad_q and grad_k are √K times too large. The forward pass "
        "multiplies the scores by 1/√K, and so does the backward pass.": (
            "weights * (grad_weights - mean) -> weights * (grad_weights - mean) / scale"
        ),
        "grad_v is right; grad_q and grad_k are √K times too small. Did you apply the scale "
        "twice? The backward pass needs it once.": (
            "weights * (grad_weights - mean) -> weights * (grad_weights - mean) * scale"
        ),
        "There is no 1/√K in yours, neither in the scores "
        "nor in the backward pass.": "1 / np.sqrt(q.shape[1]) -> 1.0",
        "You scale in the backward pass but not in the forward pass, so your weights come from "
        "scores that are √K times too large.": "scale * q @ k.T -> q @ k.T",
        "You divide by K; it should be √K.": "np.sqrt(q.shape[1]) -> q.shape[1]",
        "You scale by the width of the values. The scores come from queries and keys: K is "
        "q.shape[1].": "np.sqrt(q.shape[1]) -> np.sqrt(v.shape[1])",
        "grad_k is a sum over queries, so the (T, S) gradient of the scores has to be "
        "transposed. (With as many queries as keys "
        "NumPy does not complain.)": "grad_scores.T @ q -> grad_scores @ q",
        "grad_v is a sum over queries, so the weights have to be transposed. (With as many "
        "queries as keys "
        "NumPy does not complain.)": "weights.T @ grad_output -> weights @ grad_output",
        "You return grad_k before grad_q. The order asked for "
        "is grad_q, grad_k, grad_v.": "return grad_q, grad_k -> return grad_k, grad_q",
        "You use the gradient of the weights as if it were that of the scores. The softmax "
        "lies between them (exercise 2).": "weights * (grad_weights - mean) -> grad_weights",
        "At the softmax you multiply by the weight, but the row's mean has to be taken off "
        "first (exercise 2).": "weights * (grad_weights - mean) -> weights * grad_weights",
        "At the softmax you let each weight depend on its own score only: a (1 - a). All "
        "weights of a row depend on all its scores (exercise 2).": (
            "weights * (grad_weights - mean) -> weights * (1 - weights) * grad_weights"
        ),
        "You do not use the mask. What it forbids must have a score of -∞ before "
        "the softmax.": "np.where(mask, scale * q @ k.T, -np.inf) -> scale * q @ k.T",
        "You give forbidden keys a score of 0. That does not make their weight 0, because e⁰ = "
        "1. Only -∞ is low enough.": (
            "np.where(mask, scale * q @ k.T, -np.inf) -> scale * q @ k.T * mask"
        ),
        "A large negative number is not -∞: a score that is allowed may be "
        "lower still.": "-np.inf) -> -100)",
        "Where all scores of a row are far below 0, each e to the power of them is rounded to "
        "0, and 0/0 is NaN. Take off the row's maximum before the "
        "exponential.": "scores - scores.max(axis=1, keepdims=True) -> scores",
        "Your softmax runs down the columns. Each query divides a total weight of 1 among the "
        "keys, so it should run along the rows.": (
            "scores - scores.max(axis=1, keepdims=True) -> scores; "
            "weights.sum(axis=1, keepdims=True) -> weights.sum(axis=0)"
        ),
        "Your mask is upside down: True means that the query may look.": (
            "np.where(mask, scale * q @ k.T, -np.inf) -> np.where(mask, -1e30, scale * q @ k.T)"
        ),
        "You mask the weights after the softmax, so they no longer sum to 1. Mask the scores "
        "before it, with -∞.": (
            "np.where(mask, scale * q @ k.T, -np.inf) -> scale * q @ k.T; "
            "weights /= -> weights *= mask /"
        ),
    },
)


@EXERCISE.alternate
def _query_by_query(grad_output: Array, q: Array, k: Array, v: Array, mask: Array) -> Three:
    grad_q, grad_k, grad_v = np.zeros_like(q), np.zeros_like(k), np.zeros_like(v)
    for i, row in enumerate(_weights(q, k, mask)):
        jacobian = np.diag(row) - np.outer(row, row)
        grad_scores = jacobian @ (v @ grad_output[i]) / np.sqrt(q.shape[1])
        grad_q[i] = grad_scores @ k
        grad_k += np.outer(grad_scores, q[i])
        grad_v += np.outer(row, grad_output[i])
    return grad_q, grad_k, grad_v


@EXERCISE.alternate
def _mean_from_the_output(grad_output: Array, q: Array, k: Array, v: Array, mask: Array) -> Three:
    weights = _weights(q, k, mask)
    mean = ((weights @ v) * grad_output).sum(axis=1, keepdims=True)
    grad_scores = weights * (grad_output @ v.T - mean) / q.shape[1] ** 0.5
    return grad_scores @ k, grad_scores.T @ q, weights.T @ grad_output


@EXERCISE.alternate
def _zeroed_though_it_is_zero(
    grad_output: Array, q: Array, k: Array, v: Array, mask: Array
) -> Three:
    weights = _weights(q, k, mask)
    grad_weights = np.where(mask, np.einsum("td,sd->ts", grad_output, v), 0)
    grad_scores = np.where(mask, _through(weights, grad_weights), 0) / np.sqrt(q.shape[1])
    return grad_scores @ k, np.einsum("ts,tk->sk", grad_scores, q), weights.T @ grad_output

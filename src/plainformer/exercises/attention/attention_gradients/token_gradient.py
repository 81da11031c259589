"""Exercise 4: self-attention back to its tokens and its matrices, along three paths."""

import numpy as np

from plainformer.exercises.attention.attention_gradients.backward_pass import backward_pass
from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def token_gradient(
    grad_output: np.ndarray,
    x: np.ndarray,
    w_q: np.ndarray,
    w_k: np.ndarray,
    w_v: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Go back through self-attention, to its tokens and its matrices.

    The forward pass: q = x @ w_q, k = x @ w_k, v = x @ w_v, then the
    attention of exercise 3, in which every query may look at all keys.

    grad_output: (T, Dv), the gradient of the output.
    x: (T, D), the tokens.
    w_q: (D, K), w_k: (D, K), w_v: (D, Dv).
    Returns (grad_x, grad_w_q, grad_w_k, grad_w_v), of the shapes of
    x, w_q, w_k and w_v.

    Your backward_pass (exercise 3) may help.

    >>> x, grad_output = np.array([[3.0, 2.0]]), np.array([[1.0]])
    >>> w_q, w_k = np.array([[5.0], [5.0]]), np.array([[5.0], [5.0]])
    >>> w_v = np.array([[1.0], [10.0]])
    >>> grads = token_gradient(grad_output, x, w_q, w_k, w_v)
    >>> grads[0].tolist(), grads[3].tolist()  # one token: v alone
    ([[1.0, 10.0]], [[3.0], [2.0]])
    """
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    mask = np.ones((len(x), len(x)), dtype=bool)
    grad_q, grad_k, grad_v = backward_pass(grad_output, q, k, v, mask)
    grad_x = grad_q @ w_q.T + grad_k @ w_k.T + grad_v @ w_v.T
    return grad_x, x.T @ grad_q, x.T @ grad_k, x.T @ grad_v


Four = tuple[Array, Array, Array, Array]


def _parts(
    grad_output: Array, x: Array, w_q: Array, w_k: Array, w_v: Array
) -> tuple[Array, Array, Array]:
    """The gradients of q, k and v, in other words than those of the reference."""
    q, k, v = x @ w_q, x @ w_k, x @ w_v
    e = np.exp(q @ k.T / q.shape[1] ** 0.5)
    a = e / e.sum(axis=1, keepdims=True)
    mean = (a @ v * grad_output).sum(axis=1, keepdims=True)
    s = a * (grad_output @ v.T - mean) / q.shape[1] ** 0.5
    return s @ k, s.T @ q, a.T @ grad_output


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    n_tokens, width, head = ((1, 2, 1), (2, 2, 2), (2, 3, 1), (3, 2, 1), (2, 2, 1))[rng.integers(5)]
    shapes = ((n_tokens, head), (n_tokens, width), *[(width, head)] * 3)
    return tuple(rng.integers(-4, 5, size=shape) / 2 for shape in shapes)


EXERCISE = Exercise(
    id="attention.attention_gradients.4",
    title="Three paths to a token",
    reference=token_gradient,
    points=2,
    compare=Arrays(),
    cases=(
        Case(  # one token: there is nothing to choose, so only the value gets a gradient
            (
                np.array([[1.0]]),
                np.array([[3.0, 2.0]]),
                np.array([[5.0], [5.0]]),
                np.array([[5.0], [5.0]]),
                np.array([[1.0], [10.0]]),
            ),
            (
                np.array([[1.0, 10.0]]),
                np.array([[0.0], [0.0]]),
                np.array([[0.0], [0.0]]),
                np.array([[3.0], [2.0]]),
            ),
        ),
        Case(  # q = [0, 0], so weights of a half
            (
                np.array([[1.0], [0.0]]),
                np.array([[1.0], [0.0]]),
                np.array([[0.0]]),
                np.array([[2.0]]),
                np.array([[4.0]]),
            ),
            (np.array([[2.0], [2.0]]), np.array([[2.0]]), np.array([[0.0]]), np.array([[0.5]])),
        ),
        Case(  # q = [0, 2], k = [1, 0], v = [8, 4]; only the first output matters
            (
                np.array([[1.0], [0.0]]),
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                np.array([[0.0], [2.0]]),
                np.array([[1.0], [0.0]]),
                np.array([[8.0], [4.0]]),
            ),
            (
                np.array([[4.0, 4.0], [4.0, 2.0]]),
                np.array([[1.0], [0.0]]),
                np.array([[0.0], [0.0]]),
                np.array([[0.5], [0.5]]),
            ),
        ),
        Case(  # q = [1, 0], k = [log 3, 0]: the first query's weights are 3/4 and 1/4
            (
                np.array([[1.0], [0.0]]),
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                np.array([[1.0], [0.0]]),
                np.array([[np.log(3)], [0.0]]),
                np.array([[8.0], [4.0]]),
            ),
            (
                np.array([[6 + 1.5 * np.log(3), 3.0], [2 - 0.75 * np.log(3), 1.0]]),
                np.array([[0.75 * np.log(3)], [0.0]]),
                np.array([[0.75], [-0.75]]),
                np.array([[0.75], [0.25]]),
            ),
        ),
    ),
    generate=_draw,
    hints=(
        "Exercise 3 takes you from the output back to q, k and v. Its mask must allow "
        "everything: an array of True, of shape (T, T).",
        "From there on there are three products y = x w. Each gives two gradients: one of x, with "
        "the shape of x, and one of its matrix, with the shape of the matrix.",
        "x is a factor in all three products. If one number of x changes, the change reaches "
        "the loss along three paths at once, and their effects add up.",
    ),
    mutants={
        "You have the part of x's gradient that comes through the values. A token also asks "
        "(q) and is found (k), so two more paths lead back to it.": (
            "grad_q @ w_q.T + grad_k @ w_k.T + grad_v @ w_v.T -> grad_v @ w_v.T"
        ),
        "In x's gradient the path through the keys is missing: a token "
        "is also found.": "grad_q @ w_q.T + grad_k @ w_k.T + -> grad_q @ w_q.T +",
        "In x's gradient the path through the queries is missing: a "
        "token also asks.": "grad_q @ w_q.T + grad_k @ w_k.T + -> grad_k @ w_k.T +",
        "In x's gradient the path through the values is missing: a token also hands something "
        "over.": "grad_k @ w_k.T + grad_v @ w_v.T -> grad_k @ w_k.T",
        "The three paths add up; you take their mean.": (
            "grad_q @ w_q.T + grad_k @ w_k.T + grad_v @ w_v.T -> (grad_q @ w_q.T + grad_k @ "
            "w_k.T + grad_v @ w_v.T) / 3"
        ),
        "On the way back to x you multiply the queries' gradient by the keys' matrix, and the "
        "other way round. Each goes back through the matrix that it "
        "came through.": "grad_q @ w_q.T + grad_k @ w_k.T -> grad_q @ w_k.T + grad_k @ w_q.T",
        "The gradients of the matrices are transposed: each must have the shape of its matrix, "
        "one row for each of the D numbers of a token.": (
            "x.T @ grad_q, x.T @ grad_k, x.T @ grad_v -> grad_q.T @ x, grad_k.T @ x, grad_v.T @ x"
        ),
        "You take the mean over the tokens for the matrices. One matrix serves all tokens, so "
        "what they send back to it adds up.": (
            "x.T @ grad_q, x.T @ grad_k, x.T @ grad_v -> *(x.T @ grad / len(x) for grad in "
            "(grad_q, grad_k, grad_v))"
        ),
        "The four are right, and in another order than asked: the gradient of x comes first, "
        "then those of w_q, w_k and w_v.": (
            "return grad_x, x.T @ grad_q, x.T @ grad_k, x.T @ grad_v -> return x.T @ grad_q, x.T "
            "@ grad_k, x.T @ grad_v, grad_x"
        ),
        "You let a token look only at itself and at those before it. Here every query may look "
        "at all keys: the mask is all True.": (
            "np.ones((len(x), len(x)), dtype=bool) -> np.tri(len(x), dtype=bool)"
        ),
        "From q back to x the matrix has to be transposed: (T, K) times (K, D) is (T, D).": (
            "grad_q @ w_q.T + grad_k @ w_k.T + grad_v @ w_v.T -> grad_q @ w_q + grad_k @ w_k + "
            "grad_v @ w_v"
        ),
    },
)


@EXERCISE.alternate
def _one_wide_matrix(grad_output: Array, x: Array, w_q: Array, w_k: Array, w_v: Array) -> Four:
    wide = np.concatenate([w_q, w_k, w_v], axis=1)  # (D, 2 K + Dv)
    grads = np.concatenate(_parts(grad_output, x, w_q, w_k, w_v), axis=1)
    width = w_q.shape[1]
    w = x.T @ grads
    return grads @ wide.T, w[:, :width], w[:, width : 2 * width], w[:, 2 * width :]


@EXERCISE.alternate
def _token_by_token(grad_output: Array, x: Array, w_q: Array, w_k: Array, w_v: Array) -> Four:
    grad_x = np.zeros_like(x)
    matrices = (w_q, w_k, w_v)
    grads = [np.zeros_like(w) for w in matrices]
    for w, grad, rows in zip(matrices, grads, _parts(grad_output, x, w_q, w_k, w_v), strict=True):
        for t, row in enumerate(rows):
            grad_x[t] += w @ row
            grad += np.outer(x[t], row)
    return grad_x, grads[0], grads[1], grads[2]

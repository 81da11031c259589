"""Exercise 4: the gradients that train LoRA's two matrices."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Array, Case, Exercise


def lora_backward(
    grad: np.ndarray,
    x: np.ndarray,
    a: np.ndarray,
    b: np.ndarray,
    alpha: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Compute the gradients of LoRA's two matrices.

    The forward pass was y = x W^T + (alpha / R) (x A^T) B^T, where R is
    the rank. W is frozen, so its gradient is not needed.
    grad: (T, D_out), of y. x: (T, D_in). a: (R, D_in). b: (D_out, R).
    Returns the gradient of A, (R, D_in), and that of B, (D_out, R).

    >>> grad, x = np.array([[1.0]]), np.array([[2.0, 0.0]])
    >>> a, b = np.array([[1.0, 1.0]]), np.array([[0.0]])
    >>> da, db = lora_backward(grad, x, a, b, 3.0)
    >>> da.tolist(), db.tolist()
    ([[0.0, 0.0]], [[6.0]])
    """
    scale = alpha / a.shape[0]
    low = x @ a.T  # (T, R)
    grad_low = scale * grad @ b  # (T, R)
    grad_a = grad_low.T @ x  # (R, D_in)
    grad_b = scale * grad.T @ low  # (D_out, R)
    return grad_a, grad_b


_Five = tuple[Array, Array, Array, Array, float]


def _draw(rng: np.random.Generator) -> _Five:
    T, d_out, d_in = (int(n) for n in rng.integers([2, 2, 3], [4, 4, 4]))
    rank = 2
    sizes = ((T, d_out), (T, d_in), (rank, d_in), (d_out, rank))
    grad, x, a, b = (rng.integers(-3, 4, size=size).astype(float) for size in sizes)
    return grad, x, a, b, float(rng.choice([1.0, 5.0, 16.0]))


def _given(grad: object, x: object, a: object, b: object, alpha: float) -> _Five:
    given: list[Array] = [np.array(each, dtype=float) for each in (grad, x, a, b)]
    return given[0], given[1], given[2], given[3], alpha


EXERCISE = Exercise(
    id="assistant.assistant.4",
    title="LoRA, backward",
    reference=lora_backward,
    points=2,
    compare=Arrays(),
    cases=(
        # At the start B is 0, so only B has a gradient: 3 times 1 times 2.
        Case(
            _given([[1]], [[2, 0]], [[1, 1]], [[0]], 3.0),
            (np.array([[0.0, 0.0]]), np.array([[6.0]])),
        ),
        # B is 5: the gradient of A is 1 times 5 times x.
        Case(
            _given([[1]], [[2, 3]], [[1, 1]], [[5]], 1.0),
            (np.array([[10.0, 15.0]]), np.array([[5.0]])),
        ),
        # Rank 2 and alpha 4: everything is multiplied by 2.
        Case(
            _given([[1]], [[3]], [[1], [2]], [[1, 0]], 4.0),
            (np.array([[6.0], [0.0]]), np.array([[6.0, 12.0]])),
        ),
    ),
    generate=_draw,
    hints=(
        "There are two matrix products in a row, with x A^T, (T, R), between them. Go back through "
        "the second one first.",
        "For a product u M^T, the gradient of M is grad.T @ u and that of u is grad @ M.",
        "Both gradients contain the factor alpha / R, because the forward pass does.",
    ),
    mutants={
        "You have forgotten alpha: both gradients contain alpha / R.": (
            "alpha / a.shape[0] -> 1 / a.shape[0]"
        ),
        "You multiply by alpha and do not divide by the rank.": "alpha / a.shape[0] -> alpha",
        "You divide by D_in. The rank is the number of rows of A.": "a.shape[0] -> a.shape[1]",
        "Only one of your gradients contains alpha / R: that of A lacks it.": (
            "scale * grad @ b -> grad @ b"
        ),
        "Only one of your gradients contains alpha / R: that of B lacks it.": (
            "scale * grad.T -> grad.T"
        ),
        "The gradient of A has to pass B, which stands between A and y.": (
            "grad_low = scale * grad @ b -> grad_low = scale * grad @ np.ones_like(b)"
        ),
        "The gradient of B needs what B was multiplied with in the forward pass, x A^T.": (
            "low = x @ a.T -> low = x @ np.ones_like(a.T)"
        ),
        "Return the gradient of A first, and then that of B.": (
            "return grad_a, grad_b -> return grad_b, grad_a"
        ),
    },
    alternates=[
        lambda grad, x, a, b, alpha: (
            alpha / len(a) * np.einsum("to,or,ti->ri", grad, b, x),
            alpha / len(a) * np.einsum("to,ti,ri->or", grad, x, a),
        ),
    ],
)


@EXERCISE.alternate
def _through_the_whole_update(
    grad: Array, x: Array, a: Array, b: Array, alpha: float
) -> tuple[Array, Array]:
    update = grad.T @ x * (alpha / b.shape[1])  # (D_out, D_in), the gradient of B A
    return b.T @ update, update @ a.T

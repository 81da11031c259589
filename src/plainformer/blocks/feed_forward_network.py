"""The feed-forward network, which processes each token after attention has mixed them.

The *same* matrices serve every position, just as one embedding table serves every token.
"""

from __future__ import annotations

from plainformer.arrays import check_choice
from plainformer.blocks.activations import ACTIVATIONS
from plainformer.shapes import Array, Float, checked

__all__ = ["feed_forward", "swiglu"]


@checked
def feed_forward(
    x: Float[Array, "... D"],
    w_up: Float[Array, "D F"],
    w_down: Float[Array, "F D"],
    *,
    b_up: Float[Array, "F"] | None = None,
    b_down: Float[Array, "D"] | None = None,
    activation: str = "relu",
) -> Float[Array, "... D"]:
    """Two matrix products with a nonlinearity between them, for every token separately.

    Usually F = 4 · D. The activation is one of `ACTIVATIONS` without a gate, such as "gelu".

    Source: Vaswani et al. 2017, section 3.3, equation 2.

    >>> import numpy as np
    >>> x = np.array([[1.0, -2.0], [3.0, 0.5]])
    >>> w_up = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 1.0]])
    >>> w_down = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> feed_forward(x, w_up, w_down).tolist()
    [[1.0, 0.0], [3.0, 0.5]]
    """
    known = [name for name, each in ACTIVATIONS.items() if not each.gated]
    f = ACTIVATIONS[check_choice(activation, "activation", known)].function
    h = f(x @ w_up if b_up is None else x @ w_up + b_up)  # (..., F)
    return h @ w_down if b_down is None else h @ w_down + b_down  # (..., D)


@checked
def swiglu(
    x: Float[Array, "... D"],
    w_gate: Float[Array, "D F"],
    w_up: Float[Array, "D F"],
    w_down: Float[Array, "F D"],
) -> Float[Array, "... D"]:
    """A feed-forward network with a gate, which decides how much of each hidden number passes.

    With three matrices instead of two, F is near 8/3 · D, which keeps the cost the same.

    Source: Shazeer 2020, equation 6. Llama uses it.

    >>> import numpy as np
    >>> x, w_gate = np.array([2.0]), np.array([[0.0, 50.0]])  # closed, open
    >>> swiglu(x, w_gate, np.array([[1.0, 1.0]]), np.eye(2)[:, :1]).tolist()
    [0.0]
    >>> swiglu(x, w_gate, np.array([[1.0, 1.0]]), np.eye(2)[:, 1:]).tolist()
    [200.0]
    """
    swish = ACTIVATIONS["swiglu"].function
    return (swish(x @ w_gate) * (x @ w_up)) @ w_down  # (..., D)

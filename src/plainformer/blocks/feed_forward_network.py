"""The feed-forward network: what each token does with what attention brought.

Attention mixes tokens. This network does not: it takes one token's vector, makes it wider, bends
it, and makes it narrow again. *The same* two matrices serve every position, as one table of
embeddings serves every token; there is one network in a layer, not one for each token.

SwiGLU has three matrices: one more, with a bend, decides number by number how much of the wide
vector goes on. To cost the same, F is then two thirds of what it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from plainformer.arrays import Array
from plainformer.blocks.activations import gelu_formula, relu_formula, silu_formula
from plainformer.blocks.checks import check_feed_forward, check_swiglu

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "feed_forward",
    "feed_forward_formula",
    "swiglu",
    "swiglu_formula",
]

Activation = Literal["relu", "gelu", "gelu_tanh", "silu"]

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "relu": relu_formula,
    "gelu": gelu_formula,
    "gelu_tanh": lambda x: gelu_formula(x, "tanh"),
    "silu": silu_formula,
}


def feed_forward_formula(
    x: Array,
    w_up: Array,
    b_up: Array | float,
    w_down: Array,
    b_down: Array | float,
    activation: str,
) -> Array:
    """Wider, bent, and narrow again: `feed_forward` unchecked."""
    wide = ACTIVATIONS[activation](x @ w_up + b_up)  # (..., F)
    return wide @ w_down + b_down  # (..., D)


def swiglu_formula(
    x: Array,
    w_gate: Array,
    w_up: Array,
    w_down: Array,
) -> Array:
    """A gate times what it lets through, made narrow: `swiglu` unchecked."""
    return (silu_formula(x @ w_gate) * (x @ w_up)) @ w_down  # (..., D)


def feed_forward(
    x: Array,
    w_up: Array,
    w_down: Array,
    *,
    b_up: Array | None = None,
    b_down: Array | None = None,
    activation: Activation = "relu",
) -> Array:
    """Two products with a bend between them, for each token alone.

    Args:
        x: (..., T, D), or (D,).
        w_up: (D, F); as a rule F = 4 · D.
        w_down: (F, D).
        b_up: (F,); None for none.
        b_down: (D,); None for none.
        activation: "relu", "gelu", "gelu_tanh" or "silu".

    Returns:
        (..., T, D).

    Raises:
        TypeError, ValueError: shapes that do not fit, no real numbers, or
            an unknown activation.

    Source: Vaswani et al. 2017, section 3.3, equation 2.

    >>> import numpy as np
    >>> x = np.array([[1.0, -2.0], [3.0, 0.5]])
    >>> w_up = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 1.0]])
    >>> w_down = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> feed_forward(x, w_up, w_down).tolist()
    [[1.0, 0.0], [3.0, 0.5]]
    """
    given = x, w_up, b_up, w_down, b_down, activation
    arguments = check_feed_forward(*given, list(ACTIVATIONS))
    return feed_forward_formula(*arguments)


def swiglu(x: Array, w_gate: Array, w_up: Array, w_down: Array) -> Array:
    """A feed-forward network whose wide vector passes a gate.

    Args:
        x: (..., T, D), or (D,).
        w_gate: (D, F).
        w_up: (D, F); as a rule F is near 8/3 · D.
        w_down: (F, D).

    Returns:
        (..., T, D).

    Raises:
        TypeError, ValueError: shapes that do not fit, or no real numbers.

    Source: Shazeer 2020, equation 6; Llama has it.

    >>> import numpy as np
    >>> x, w_gate = np.array([2.0]), np.array([[0.0, 50.0]])  # closed, open
    >>> swiglu(x, w_gate, np.array([[1.0, 1.0]]), np.eye(2)[:, :1]).tolist()
    [0.0]
    >>> swiglu(x, w_gate, np.array([[1.0, 1.0]]), np.eye(2)[:, 1:]).tolist()
    [200.0]
    """
    return swiglu_formula(*check_swiglu(x, w_gate, w_up, w_down))

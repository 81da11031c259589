"""Exercise 3: SwiGLU, a feed-forward layer with a gate."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def gated_layer(
    x: np.ndarray,
    w_gate: np.ndarray,
    w_up: np.ndarray,
    w_down: np.ndarray,
) -> np.ndarray:
    """Compute SwiGLU, the feed-forward layer of Llama.

    SiLU(x @ w_gate) is the gate, where SiLU(z) = z / (1 + e^-z).
    Number by number, it multiplies x @ w_up; w_down makes the
    product as narrow as x was.
    x: (T, D). w_gate and w_up: (D, F). w_down: (F, D).
    Returns (T, D).

    >>> x = np.array([[2.0]])
    >>> gate = np.array([[0.0, 50.0]])  # shut, open
    >>> up, down = np.array([[1.0, 3.0]]), np.array([[1.0], [1.0]])
    >>> gated_layer(x, gate, up, down).tolist()
    [[600.0]]
    """
    z = x @ w_gate  # (T, F)
    gate = z / (1 + np.exp(-z))
    y: np.ndarray = (gate * (x @ w_up)) @ w_down
    return y


_Four = tuple[Array, Array, Array, Array]


def _draw(rng: np.random.Generator) -> _Four:
    T, D, F = (int(n) for n in rng.integers(1, 4, size=3))
    x, w_gate, w_up, w_down = (
        rng.integers(-2, 3, size=shape).astype(float) for shape in ((T, D), (D, F), (D, F), (F, D))
    )
    return x, w_gate, w_up, w_down


_SILU_1 = 0.7310585786300049  # SiLU(1) = sigmoid(1); SiLU(-1) is that minus 1
_UP, _DOWN = np.array([[1.0, 3.0]]), np.array([[1.0], [1.0]])


def _column(*numbers: float) -> Array:
    return np.array([[each] for each in numbers])


EXERCISE = Exercise(
    id="blocks.feed_forward.3",
    title="A layer with a gate",
    reference=gated_layer,
    points=2,
    compare=Arrays(),
    cases=(
        # A gate of SiLU(50) = 50 lets 3 through, fifty times; SiLU(0) = 0 lets nothing through.
        Case((_column(1.0), np.array([[0.0, 50.0]]), _UP, _DOWN), _column(150.0)),
        Case((_column(1.0), np.array([[1.0, 0.0]]), _UP, _DOWN), _column(_SILU_1)),
        Case((_column(-1.0), np.array([[1.0, 0.0]]), _UP, _DOWN), _column(1 - _SILU_1)),
        Case((_column(1.0, 0.0), np.array([[50.0, 50.0]]), _UP, _DOWN), _column(200.0, 0.0)),
        # Two numbers a token, F = 1; the gate looks at the first of them, w_up at the second.
        Case(
            (np.array([[1.0, 2.0]]), _column(40.0, 0.0), _column(0.0, 1.0), np.array([[1.0, 3.0]])),
            np.array([[80.0, 240.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Three matrix products: two that make x wide, one that makes it narrow. Only one of the "
        "two wide ones goes through SiLU.",
        "SiLU is z times the sigmoid of z, so it needs z twice: give x @ w_gate a name first.",
        "Gate and wide vector have the same shape, (T, F): `*` multiplies them number by number, "
        "and then `@` leads back to (T, D).",
    ),
    mutants={
        "You apply SiLU to the wrong one of the two: the gate is x @ w_gate.": (
            "z = x @ w_gate -> z = x @ w_up; (x @ w_up)) -> (x @ w_gate))"
        ),
        "The gate has no activation: x @ w_gate goes through "
        "SiLU before it multiplies.": "gate = z / (1 + np.exp(-z)) -> gate = z",
        "Your gate is the sigmoid alone, between 0 and 1: the older GLU. SiLU is z times the "
        "sigmoid.": "gate = z / (1 + -> gate = 1 / (1 +",
        "You apply the activation to both wide vectors. x @ w_up stays as it is.": (
            "(x @ w_up)) -> (x @ w_up) / (1 + np.exp(-(x @ w_up))))"
        ),
        "There is no gate: you use w_up alone. SiLU(x @ "
        "w_gate) has to multiply it.": lambda x, w_gate, w_up, w_down: (
            ((x @ w_up) / (1 + np.exp(-(x @ w_up)))) @ w_down
        ),
        "w_up is missing: the gate has to multiply something.": (
            "(gate * (x @ w_up)) @ w_down -> gate @ w_down"
        ),
        "You add the gate. A gate multiplies, so that "
        "a 0 lets nothing through.": "gate * (x -> gate + (x",
        "Your gate uses ReLU. SwiGLU uses SiLU.": (
            "gate = z / (1 + np.exp(-z)) -> gate = np.maximum(z, 0)"
        ),
        "You multiply first and apply SiLU afterwards, which is another layer. SiLU is applied "
        "only to the gate.": lambda x, w_gate, w_up, w_down: (
            ((x @ w_gate) * (x @ w_up) / (1 + np.exp(-(x @ w_gate) * (x @ w_up)))) @ w_down
        ),
        "The sign in SiLU is wrong: you have e^z where e^-z belongs.": "np.exp(-z) -> np.exp(z)",
        "You return the wide vector. w_down brings "
        "it back to the width of x.": "(gate * (x @ w_up)) @ w_down -> gate * (x @ w_up)",
    },
    alternates=[
        lambda x, w_gate, w_up, w_down: np.einsum(
            "tf,tf,fd->td", x @ w_up, (x @ w_gate) * (0.5 + 0.5 * np.tanh(x @ w_gate / 2)), w_down
        ),
    ],
)


@EXERCISE.alternate
def _unit_by_unit(x: Array, w_gate: Array, w_up: Array, w_down: Array) -> Array:
    out = np.zeros_like(x)
    for t, token in enumerate(x):
        for key, asked, value in zip(w_gate.T, w_up.T, w_down, strict=True):
            z = token @ key
            out[t] += z / (1 + np.exp(-z)) * (token @ asked) * value
    return out

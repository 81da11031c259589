"""Exercise 4: how many numbers a feed-forward layer has to learn."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def count_parameters(
    length: int,
    d_model: int,
    d_ff: int,
    gated: bool,
    bias: bool,
) -> int:
    """Count the parameters of one feed-forward layer.

    length: T, the tokens of the text. d_model: D. d_ff: F.
    gated: whether the layer is SwiGLU, with w_gate beside w_up.
    bias: whether every matrix product is followed by a bias.
    Returns how many numbers training has to find.

    >>> count_parameters(6, 2, 3, gated=False, bias=True)
    17
    """
    ups = 2 if gated else 1  # matrices from D to F
    matrices = ups * d_model * d_ff + d_ff * d_model
    biases = ups * d_ff + d_model
    return matrices + biases if bias else matrices


_Args = tuple[int, int, int, bool, bool]


def _draw(rng: np.random.Generator) -> _Args:
    length, d_model, d_ff = (int(n) for n in rng.integers(2, 30, size=3))
    return length, d_model, d_ff, bool(rng.integers(2)), bool(rng.integers(2))


EXERCISE = Exercise(
    id="blocks.feed_forward.4",
    title="Count what it learns",
    reference=count_parameters,
    cases=(
        # 2 · 3 + 3 on the way up, 3 · 2 + 2 on the way down.
        Case((6, 2, 3, False, True), 17),
        Case((6, 2, 3, False, False), 12),
        Case((6, 2, 3, True, False), 18),
        # 6 + 3, 6 + 3, 6 + 2.
        Case((6, 2, 3, True, True), 26),
        Case((1000, 2, 3, False, True), 17),  # a longer text
        # Two thirds of the width, and a matrix more: as many as (6, 6, 24, False, False).
        Case((6, 6, 16, True, False), 288),
        Case((6, 6, 24, False, False), 288),
    ),
    generate=_draw,
    hints=(
        "List the matrices with their shapes: one leads up, from D to F, one leads down; SwiGLU "
        "has a second one that leads up.",
        "A bias is as wide as what it is added to: F numbers on the way up, D on the way down.",
        "Which of the shapes has T in it?",
    ),
    mutants={
        "You count a network for every token. There is only one, and all T tokens pass through "
        "it.": lambda length, d_model, d_ff, gated, bias: (
            length * count_parameters(length, d_model, d_ff, gated, bias)
        ),
        "The way down is missing: w_down has F · D numbers.": "d_model * d_ff + d_ff * d_model -> "
        "d_model * d_ff",
        "You leave the biases out although `bias` is True.": (
            "matrices + biases if bias else matrices -> matrices"
        ),
        "You count biases although `bias` is False.": (
            "matrices + biases if bias else matrices -> matrices + biases"
        ),
        "A layer with a gate has three matrices: w_gate, w_up and "
        "w_down.": "2 if gated else 1 -> 1",
        "You count a gate where there is none: `gated` is False.": "2 if gated else 1 -> 2",
        "The gate has a bias of its own, F numbers more.": "ups * d_ff + d_model -> d_ff + d_model",
        "The bias on the way down is added to D numbers, not to F.": (
            "ups * d_ff + d_model -> ups * d_ff + d_ff"
        ),
        "The last bias is missing: D numbers, after w_down.": "ups * d_ff + d_model -> ups * d_ff",
        "A gate makes one matrix more, not twice as many: the way down stays single.": (
            "ups * d_model * d_ff + d_ff * d_model -> ups * (d_model * d_ff + d_ff * d_model)"
        ),
        "These are multiplications. Parameters are there once, however long the text "
        "is.": "matrices + biases if bias else matrices -> length * matrices",
        "A count is a whole number.": "return matrices + biases if bias else matrices -> "
        "return float(matrices + biases if bias else matrices)",
    },
    alternates=[
        lambda length, d_model, d_ff, gated, bias: (
            (d_model + bias) * d_ff * (1 + gated) + (d_ff + bias) * d_model
        ),
    ],
)


@EXERCISE.alternate
def _by_arrays(length: int, d_model: int, d_ff: int, gated: bool, bias: bool) -> int:
    w_up, w_down = np.zeros((d_model, d_ff)), np.zeros((d_ff, d_model))
    arrays = [w_up, w_down] + [w_up] * gated
    if bias:
        arrays += [w_up[0], w_down[0]] + [w_up[0]] * gated
    return sum(array.size for array in arrays)

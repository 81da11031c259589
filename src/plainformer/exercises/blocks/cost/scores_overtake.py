"""Exercise 3: the length from which the scores of attention cost more than all matrices."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def scores_overtake(
    d_model: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    gated: bool,
) -> int:
    """Find the length from which a layer's scores cost the most.

    For one token, a layer takes 2 operations for each number in its
    matrices: queries (D, D), keys and values (D, n_kv_heads · K)
    each, the one that joins the heads (D, D), and a feed-forward
    network (D, F) up and (F, D) down; with a gate, it has two matrices
    up.
    K = D / n_heads. To look at T tokens, it takes 4 · T · D more: to
    score them, and to sum their values. No biases.
    Returns the smallest T at which that is more than the matrices take.

    >>> scores_overtake(768, 12, 12, 3072, gated=False)
    4609
    """
    shared = n_kv_heads * (d_model // n_heads)  # G · K
    attention = 2 * d_model * d_model + 2 * d_model * shared
    feed_forward = (3 if gated else 2) * d_model * d_ff
    return (attention + feed_forward) // (2 * d_model) + 1


_Args = tuple[int, int, int, int, bool]


def _draw(rng: np.random.Generator) -> _Args:
    K, G, group = (int(n) for n in rng.integers(1, 5, size=3))
    return 2 * K * G * group, G * group, G, int(rng.integers(2, 40)), bool(rng.integers(2))


EXERCISE = Exercise(
    id="blocks.cost.3",
    title="When do the scores cost most?",
    reference=scores_overtake,
    points=2,
    cases=(
        # Matrices 4 · 4 + 2 · 2 · 3 = 28, so 56; and 4 · T · 2 is above 56 from 8 on.
        Case((2, 1, 1, 3, False), 8),
        Case((2, 1, 1, 3, True), 9),  # 34 numbers, 68: 8 · 8 is 64
        Case((2, 2, 1, 3, False), 7),  # 24 numbers, 48: at 6 they are equal
        Case((768, 12, 12, 3072, False), 4609),  # GPT-2: 6 · D, and one more
        Case((4096, 32, 8, 14336, True), 26625),  # Llama 3 8B
    ),
    generate=_draw,
    hints=(
        "Write both sides for one token: 2 · (numbers in the matrices), and 4 · T · D.",
        "Count the matrices: D · D twice, D · G · K twice, and two or three of D · F.",
        "Divide by 4 · D to get T. It has to be *more*, so take the next whole number.",
    ),
    mutants={
        "At this T they may cost the same. You are asked for the first at which the scores cost "
        "more.": "(2 * d_model) + 1 -> (2 * d_model)",
        "The scores and the sum of the values: 4 · T · D, not "
        "2 · T · D.": "// (2 * d_model) + 1 -> // d_model + 1",
        "The matrices take two operations for each number, a multiplication and an "
        "addition.": "// (2 * d_model) + 1 -> // (4 * d_model) + 1",
        "Heads share keys and values: their matrices have n_kv_heads · K columns, not "
        "D.": "n_kv_heads * (d_model // n_heads) -> d_model",
        "Queries have every head; only keys and values are shared.": (
            "2 * d_model * d_model + 2 * d_model * shared -> "
            "d_model * d_model + 3 * d_model * shared"
        ),
        "With a gate there are three matrices of D · F.": "3 if gated else 2 -> 2",
        "Without a gate there are two matrices of D · F.": "3 if gated else 2 -> 3",
        "The feed-forward network is missing.": "(attention + feed_forward) -> attention",
        "The matrices of attention are missing.": "(attention + feed_forward) -> feed_forward",
        "The matrix that joins the heads is missing: (D, D).": (
            "= 2 * d_model * d_model + 2 -> = d_model * d_model + 2"
        ),
        "Keys and values have a matrix each.": "2 * d_model * shared -> d_model * shared",
        "A number of tokens is whole.": (
            "(attention + feed_forward) // (2 * d_model) + 1 -> "
            "(attention + feed_forward) / (2 * d_model) + 1"
        ),
    },
    alternates=[
        lambda D, H, G, F, gated: D + G * (D // H) + (2 + gated) * F // 2 + 1,
    ],
)


@EXERCISE.alternate
def _by_trying(d_model: int, n_heads: int, n_kv_heads: int, d_ff: int, gated: bool) -> int:
    shared = n_kv_heads * d_model // n_heads
    matrices = d_model * (2 * d_model + 2 * shared + (2 + gated) * d_ff)
    T = 1
    while 4 * T * d_model <= 2 * matrices:
        T += 1
    return T

"""Exercise 1: the parameters of a model of GPT-2's kind."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def count_gpt2(
    vocab_size: int,
    max_length: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
) -> int:
    """Count the parameters of a model built as GPT-2 is.

    A table of tokens, (V, D), and one of positions, (max_length, D).
    Then the layers: four attention matrices, (D, D), and a
    feed-forward network of width F = 4 D, up and down; a bias after
    each of these six products; and two LayerNorms. After the last
    layer one more LayerNorm. The head is tied to the table of tokens.
    vocab_size: V. d_model: D, which n_heads divides.
    Returns how many numbers training has to find.

    >>> count_gpt2(50257, 1024, 768, 12, 12)
    124439808
    """
    tables = (vocab_size + max_length) * d_model
    attention = 4 * d_model * d_model + 4 * d_model
    d_ff = 4 * d_model
    feed_forward = 2 * d_model * d_ff + d_ff + d_model
    norm = 2 * d_model  # γ and β
    layer = attention + feed_forward + 2 * norm
    return tables + n_layers * layer + norm


_Args = tuple[int, int, int, int, int]


def _draw(rng: np.random.Generator) -> _Args:
    V, T, K = (int(n) for n in rng.integers(5, 40, size=3))
    L, H = (int(n) for n in rng.integers(2, 7, size=2))
    return V, T, H * K, L, H


EXERCISE = Exercise(
    id="blocks.cost.1",
    title="Count a whole model",
    reference=count_gpt2,
    points=2,
    cases=(
        # Tables 2 + 3; attention 4 + 4, feed-forward 8 + 4 + 1, norms 4; the last norm 2.
        Case((2, 3, 1, 1, 1), 32),
        Case((2, 3, 1, 2, 1), 57),  # a second layer: 25 more
        Case((10, 4, 2, 1, 1), 106),
        Case((10, 4, 2, 1, 2), 106),  # as many heads as there are: each is narrower
        Case((50257, 1024, 768, 12, 12), 124_439_808),
        Case((50257, 1024, 1600, 48, 25), 1_557_611_200),
    ),
    generate=_draw,
    hints=(
        "Take V = 2, a longest text of 3, D = 1 and one layer, and write down every matrix and "
        "every vector with its shape.",
        "A bias is as wide as what it is added to: four times D in attention, then 4 D on the way "
        "up, and D on the way down.",
        "A LayerNorm has γ and β, D numbers each. How many norms does a model of L layers have?",
    ),
    mutants={
        "The heads divide the width among them: together their matrices are (D, D), however "
        "many there are.": "4 * d_model * d_model + 4 -> n_heads * 4 * d_model * d_model + 4",
        "The head is tied: its table is that of the tokens and counts only "
        "once.": "tables = (vocab_size + max_length) -> tables = (2 * vocab_size + max_length)",
        "The table of positions is missing.": "(vocab_size + max_length) -> vocab_size",
        "The table of tokens is missing: V · D numbers.": "(vocab_size + max_length) -> max_length",
        "Attention has four matrices: the one that joins the heads is (D, "
        "D) as well.": "4 * d_model * d_model + 4 * d_model -> 3 * d_model * d_model + 3 * d_model",
        "Each layer lacks 4 D numbers: the four biases of attention, or the two "
        "LayerNorms.": "4 * d_model * d_model + 4 * d_model -> 4 * d_model * d_model",
        "Biases of the feed-forward network are missing: 4 D on the way up, D on the way "
        "down.": "2 * d_model * d_ff + d_ff + d_model -> 2 * d_model * d_ff",
        "The bias on the way up is 4 D wide.": "+ d_ff + d_model -> + 2 * d_model",
        "The feed-forward network has two matrices: one leads up, one "
        "down.": "2 * d_model * d_ff -> d_model * d_ff",
        "A LayerNorm has γ and β, D numbers each.": "norm = 2 * d_model -> norm = d_model",
        "The norm after the last layer is missing.": "n_layers * layer + norm -> n_layers * layer",
        "A layer has two norms, one for each sublayer.": "feed_forward + 2 * norm -> "
        "feed_forward + norm",
        "You count one layer. Each of the L layers has matrices of its "
        "own.": "n_layers * layer -> layer",
        "You count the tables once for each layer. There is one "
        "set, before the first layer.": "tables + n_layers * layer -> n_layers * (tables + layer)",
        "A count is a whole number.": "return tables + n_layers * layer + norm -> "
        "return float(tables + n_layers * layer + norm)",
    },
    alternates=[
        lambda V, T, D, L, H: D * (V + T + 2 + L * (12 * D + 13)),
    ],
)


@EXERCISE.alternate
def _by_shapes(V: int, T: int, D: int, L: int, H: int) -> int:
    """Every array with its shape, head by head."""
    K = D // H
    heads = [(D, K), (K,)] * 3 * H + [(D, D), (D,)]
    network = [(D, 4 * D), (4 * D,), (4 * D, D), (D,)]
    norms = [(D,)] * 4
    layers = [*heads, *network, *norms] * L
    return sum(int(np.prod(shape)) for shape in [(V, D), (T, D), *layers, (D,), (D,)])

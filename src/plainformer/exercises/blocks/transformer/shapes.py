"""Exercise 1: the shapes of what a forward pass computes."""

import numpy as np

from plainformer.exercises.spec import Case, Exercise


def shapes_on_the_way(
    n_tokens: int,
    d_model: int,
    n_heads: int,
    d_ff: int,
    vocab_size: int,
) -> list[tuple[int, ...]]:
    """List the shapes of six arrays in a forward pass of one text.

    In this order: the IDs, the vectors of the embedding, the queries
    of one layer (heads first), its attention weights (heads first),
    the units of its feed-forward network, and the logits.
    n_tokens: T. d_model: D. n_heads: H, which divides D. d_ff: F.
    vocab_size: V. There is no batch axis.
    Returns six tuples.

    >>> shapes_on_the_way(6, 128, 4, 344, 2400)[3]
    (4, 6, 6)
    """
    T, D, H = n_tokens, d_model, n_heads
    inside = [(H, T, D // H), (H, T, T), (T, d_ff)]
    return [(T,), (T, D), *inside, (T, vocab_size)]


_Args = tuple[int, int, int, int, int]


def _draw(rng: np.random.Generator) -> _Args:
    T, K, H, F, V = (int(n) for n in rng.integers([2, 2, 2, 20, 50], [9, 6, 6, 40, 90]))
    return T, H * K, H, F, V


EXERCISE = Exercise(
    id="blocks.transformer.1",
    title="Shapes on the way",
    reference=shapes_on_the_way,
    cases=(
        Case((3, 4, 2, 5, 7), [(3,), (3, 4), (2, 3, 2), (2, 3, 3), (3, 5), (3, 7)]),
        Case((2, 6, 3, 8, 9), [(2,), (2, 6), (3, 2, 2), (3, 2, 2), (2, 8), (2, 9)]),
        # course-lm reads <sos> your cat is a lovely.
        Case(
            (6, 128, 4, 344, 2400),
            [(6,), (6, 128), (4, 6, 32), (4, 6, 6), (6, 344), (6, 2400)],
        ),
    ),
    generate=_draw,
    hints=(
        "Every token has a row of its own from the embedding to the logits, so T is in all six.",
        "The heads divide the width among themselves: a query of one head has D // H numbers.",
        "A weight belongs to a head, a token that attends, and a token that is attended to.",
    ),
    mutants={
        "Each head has D // H numbers of a query, not all D.": "(H, T, D // H) -> (H, T, D)",
        "The heads come first, before the tokens.": "(H, T, D // H) -> (T, H, D // H)",
        "Each head has attention weights of its own.": "(H, T, T) -> (T, T)",
        "Weights say how much a token takes from each token: their last axis is T.": (
            "(H, T, T) -> (H, T, D // H)"
        ),
        "The units are d_ff for each token.": "(T, d_ff)] -> (T, D)]",
        "There is a score for each word of the vocabulary, not for each number of a "
        "vector.": "(T, vocab_size) -> (T, D)",
        "The logits have a row for each token: every token predicts the one after "
        "it.": "(T, vocab_size) -> (vocab_size,)",
        "An ID is one number, so a text of T tokens is (T,).": "[(T,), (T, D) -> [(T, 1), (T, D)",
    },
    alternates=[
        lambda T, D, H, F, V: [(T,), (T, D), (H, T, int(D / H)), (H, T, T), (T, F), (T, V)],
    ],
)


@EXERCISE.alternate
def _of_arrays(T: int, D: int, H: int, F: int, V: int) -> list[tuple[int, ...]]:
    x = np.zeros((T, D))
    q = x.reshape(T, H, -1).swapaxes(0, 1)
    weights = q @ q.swapaxes(1, 2)
    arrays = (np.arange(T), x, q, weights, x @ np.zeros((D, F)), x @ np.zeros((D, V)))
    return [each.shape for each in arrays]

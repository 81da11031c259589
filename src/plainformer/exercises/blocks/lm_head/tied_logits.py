"""Exercise 1: logits from the same table that embeds the ids."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def tied_logits(x: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Compute the logits of a tied head.

    The logit of a token is the dot product of a vector of x with
    the token's row in the table of embeddings.
    x: (T, D), what the last norm gives. table: (V, D).
    Returns (T, V).

    >>> table = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
    >>> tied_logits(np.array([[1.0, 2.0]]), table).tolist()
    [[1.0, 4.0, 5.0]]
    """
    return x @ table.T


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    T, V, D = int(rng.integers(1, 4)), int(rng.integers(2, 6)), int(rng.integers(2, 4))
    return (
        rng.integers(-4, 5, size=(T, D)).astype(float),
        rng.integers(-4, 5, size=(V, D)).astype(float),
    )


def _given(x: object, table: object) -> tuple[Array, Array]:
    return np.array(x, dtype=float), np.array(table, dtype=float)


EXERCISE = Exercise(
    id="blocks.lm_head.1",
    title="Tied logits",
    reference=tied_logits,
    compare=Arrays(),
    cases=(
        Case(_given([[1, 2]], [[1, 0], [0, 2], [3, 1]]), np.array([[1.0, 4, 5]])),
        # As many tokens as numbers, so that a transposed table also has the right shape.
        Case(_given([[1, 0], [0, 1]], [[1, 2], [3, 4]]), np.array([[1.0, 3], [2, 4]])),
        # Logits are not probabilities: they may be below 0, and they may have any sum.
        Case(_given([[-1, 1]], [[2, 0], [0, 3]]), np.array([[-2.0, 3]])),
    ),
    generate=_draw,
    hints=(
        "One number for each vector and each token: the result is (T, V).",
        "x is (T, D), and the table (V, D). Which of them has to be transposed, so that the "
        "two D axes are multiplied?",
        "It is one matrix product, of x with the transpose of the table.",
    ),
    mutants={
        "The table is the wrong way round: its rows are "
        "tokens, so transpose it.": "table.T -> (table if x.shape[1] == len(table) else table.T)",
        "You return probabilities. Logits are the plain dot products, before any "
        "softmax.": lambda x, table: (
            np.exp(x @ table.T) / np.exp(x @ table.T).sum(axis=1, keepdims=True)
        ),
        "You divide by √D. Attention does so; a head does not.": (
            "x @ table.T -> x @ table.T / np.sqrt(x.shape[1])"
        ),
        "Tokens are columns of your result. A row of it belongs to a row of x: "
        "(T, V).": "x @ table.T -> table @ x.T",
        "You divide by the length of the rows. A dot product knows how long a row "
        "is.": lambda x, table: (
            x @ (table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9)).T
        ),
    },
    alternates=[
        lambda x, table: np.einsum("td,vd->tv", x, table),
        lambda x, table: (table @ x.T).T,
        lambda x, table: np.array([[sum(a * b) for b in table] for a in x]),
    ],
)

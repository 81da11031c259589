"""Exercise 1, a warm-up: fetch the vector of every token."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def embedding_lookup(ids: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Fetch the vector of every token.

    ids: (B, T), whole numbers: B sentences of T tokens each.
    table: (V, D), one row for each entry of the vocabulary.
    Returns (B, T, D): entry [b, t] is the row of the table whose index
    is ids[b, t].

    >>> table = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    >>> embedding_lookup(np.array([[2, 0, 2]]), table).tolist()
    [[[4.0, 5.0], [0.0, 1.0], [4.0, 5.0]]]
    """
    return table[ids]


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    vocab_size, d_model = rng.integers(2, 6), rng.integers(1, 4)
    table = rng.integers(-9, 10, size=(vocab_size, d_model)) / 2
    ids = rng.integers(vocab_size, size=(rng.integers(1, 4), rng.integers(1, 6)))
    return ids, table


_TABLE = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]])

EXERCISE = Exercise(
    id="inputs.embedding.1",
    title="Fetch the rows",
    reference=embedding_lookup,
    compare=Arrays(),
    cases=(
        Case((np.array([[2]]), _TABLE), np.array([[[4.0, 5.0]]])),
        Case((np.array([[2, 0, 2]]), _TABLE), np.array([[[4.0, 5.0], [0.0, 1.0], [4.0, 5.0]]])),
        Case(
            (np.array([[3, 1], [0, 1]]), _TABLE),
            np.array([[[6.0, 7.0], [2.0, 3.0]], [[0.0, 1.0], [2.0, 3.0]]]),
        ),
        Case((np.array([[1], [1]]), np.array([[0.5], [-0.5]])), np.array([[[-0.5]], [[-0.5]]])),
    ),
    generate=_draw,
    hints=(
        "Take a pencil: for ids [[2, 0, 2]], which rows of the table do you write down, and in "
        "which order?",
        "For one token it is the row table[i]. For one sentence it is a list of such rows, and for "
        "a batch a list of those lists.",
        "Two loops and np.array do it. NumPy can also do it alone: an array of whole numbers, "
        "of any shape, may be used as an index.",
    ),
    mutants={
        "You fetch columns. Tokens are rows: an ID picks along the first axis "
        "of the table.": lambda ids, table: table[:, ids],
        "You fetch row 0 for the first token and row 1 for the second, whatever they are. The "
        "row is chosen by a token's ID and not by its position.": lambda ids, table: np.array(
            [[table[t] for t in range(len(sentence))] for sentence in ids]
        ),
        "You fetch the row before the right one. IDs count from 0, as Python does; and index "
        "-1 would be the last row, without an error.": lambda ids, table: table[ids - 1],
        "These are one-hot vectors, V numbers for each token. They still have to be "
        "multiplied by the table; or leave them out and look "
        "the rows up.": lambda ids, table: np.eye(len(table))[ids],
        "The vectors are right, but all sentences have been merged into one. Keep the axis of "
        "the sentences: (B, T, D).": lambda ids, table: table[ids.ravel()],
        "You have looked up the first sentence only; there are B of them.": lambda ids, table: (
            table[ids[0]]
        ),
        "You add up the vectors of a sentence, which loses the order of the tokens. Each token "
        "keeps its own vector.": lambda ids, table: table[ids].sum(axis=1),
        "A word that occurs twice gets its row twice, at both positions. Do not sort the IDs "
        "and do not drop any.": lambda ids, table: table[np.unique(ids)],
        "Your rows are longer than those of the table by the factor √D. A transformer does "
        "multiply by it, but that is a step of its own, "
        "after the lookup.": lambda ids, table: table[ids] * np.sqrt(table.shape[1]),
    },
    alternates=[
        lambda ids, table: np.array([[table[i] for i in sentence] for sentence in ids]),
        lambda ids, table: np.eye(len(table))[ids] @ table,
        lambda ids, table: np.take(table, ids, axis=0),
    ],
)

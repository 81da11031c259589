"""Exercise 2: the causal mask, for queries that come after others."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def causal_mask_after(T: int, offset: int) -> np.ndarray:
    """The causal mask of T queries after `offset` other tokens.

    The keys are the tokens at positions 0, 1, … offset + T - 1.
    Query i is at position offset + i. It may see the key at its own
    position and all keys before it.
    Returns (T, offset + T), boolean: True where it may.

    >>> causal_mask_after(3, 0).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> causal_mask_after(2, 1).astype(int).tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    queries = offset + np.arange(T)[:, None]  # (T, 1), positions
    keys = np.arange(offset + T)[None, :]  # (1, S)
    return keys <= queries


EXERCISE = Exercise(
    id="attention.masking.2",
    title="The causal mask",
    reference=causal_mask_after,
    points=2,
    compare=Arrays(),
    cases=(
        Case((1, 0), np.array([[True]])),
        Case((2, 0), np.array([[True, False], [True, True]])),
        Case((3, 0), np.array([[True, False, False], [True, True, False], [True, True, True]])),
        Case((1, 2), np.array([[True, True, True]])),
        Case((2, 1), np.array([[True, True, False], [True, True, True]])),
    ),
    generate=lambda rng: (int(rng.integers(1, 7)), int(rng.choice([0, 0, 1, 2, 3, 5]))),
    hints=(
        "Write the positions of the queries in a column and those of the keys in a row. Which "
        "comparison of two positions means 'may see'?",
        "np.arange(n)[:, None] is a column, np.arange(n)[None, :] a row. Comparing the two "
        "broadcasts to a table.",
        "Query i is at position offset + i, not i; there are offset + T keys. Its own position "
        "is allowed, so the comparison includes equality.",
    ),
    mutants={
        "Yours is upside down: True where a query may *not* look. That is how "
        "torch.nn.MultiheadAttention wants it; here "
        "True means may.": "keys <= queries -> keys > queries",
        "A token may see itself. Without the diagonal the first token sees "
        "nothing at all.": "keys <= queries -> keys < queries",
        "You allow what lies above the diagonal, the future, and "
        "hide the past.": "keys <= queries -> keys >= queries",
        "The shape is right, but your queries are at positions 0, 1, … and do not see the "
        "tokens that came before. "
        "Query i is at offset + i.": "offset + np.arange(T)[:, None] -> np.arange(T)[:, None]",
        "There are offset + T keys: the tokens that came before have keys as well.": (
            "offset + np.arange(T)[:, None] -> np.arange(T)[:, None]; "
            "np.arange(offset + T) -> np.arange(T)"
        ),
        "You have moved the triangle but kept T columns. There is one column for each key, and "
        "there are offset + T keys.": "np.arange(offset + T) -> np.arange(T)",
        "Rows and columns are swapped: a row is a query, a "
        "column a key.": "keys <= queries -> (keys <= queries).T",
        "Your triangle has moved the wrong way: a larger offset must let a query see more "
        "keys, not fewer.": "offset + np.arange(T)[:, None] -> np.arange(T)[:, None] - offset",
        "You give every token a row. Only the T queries, which are the "
        "last T tokens, have one.": lambda T, offset: np.tri(offset + T, dtype=bool),
        "Your table is right, but it holds numbers. A mask is boolean: dtype=bool, or a "
        "comparison.": "keys <= queries -> (keys <= queries) * 1.0",
        "You return 0 and -inf, to be added to the scores. That is a bias; the task asks for "
        "the mask, True and False.": "keys <= queries -> np.where(keys <= queries, 0.0, -np.inf)",
    },
    alternates=[
        lambda T, offset: np.tri(offset + T, dtype=bool)[offset:],
        lambda T, offset: np.tri(T, offset + T, k=offset, dtype=bool),
        lambda T, offset: np.concatenate(
            [np.ones((T, offset), dtype=bool), np.tril(np.ones((T, T), dtype=bool))], axis=1
        ),
    ],
)


@EXERCISE.alternate
def _with_a_loop(T: int, offset: int) -> Array:
    mask = np.zeros((T, offset + T), dtype=bool)
    for i in range(T):
        mask[i, : offset + i + 1] = True
    return mask

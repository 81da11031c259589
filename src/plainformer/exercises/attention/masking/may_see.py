"""Exercise 2: the causal mask, for queries that come after others."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def may_see(T: int, offset: int) -> np.ndarray:
    """The causal mask of T queries after `offset` other tokens.

    The keys are the tokens at positions 0, 1, … offset + T - 1.
    Query i stands at position offset + i. It may see the key at
    its own position and all before it.
    Returns (T, offset + T), boolean: True where it may.

    >>> may_see(3, 0).astype(int).tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> may_see(2, 1).astype(int).tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    queries = offset + np.arange(T)[:, None]  # (T, 1), positions
    keys = np.arange(offset + T)[None, :]  # (1, S)
    return keys <= queries


def _last_rows(T: int, offset: int) -> np.ndarray:
    return np.tri(offset + T, dtype=bool)[offset:]


def _moved_triangle(T: int, offset: int) -> np.ndarray:
    return np.tri(T, offset + T, k=offset, dtype=bool)


def _two_blocks(T: int, offset: int) -> np.ndarray:
    past = np.ones((T, offset), dtype=bool)
    return np.concatenate([past, np.tril(np.ones((T, T), dtype=bool))], axis=1)


def _with_a_loop(T: int, offset: int) -> np.ndarray:
    mask = np.zeros((T, offset + T), dtype=bool)
    for i in range(T):
        mask[i, : offset + i + 1] = True
    return mask


def _forbidden(T: int, offset: int) -> np.ndarray:
    return ~may_see(T, offset)


def _without_itself(T: int, offset: int) -> np.ndarray:
    return np.tri(T, offset + T, k=offset - 1, dtype=bool)


def _upside_down(T: int, offset: int) -> np.ndarray:
    return np.triu(np.ones((T, offset + T), dtype=bool), k=offset)


def _offset_ignored(T: int, offset: int) -> np.ndarray:
    return np.tri(T, offset + T, dtype=bool)


def _square(T: int, offset: int) -> np.ndarray:
    return np.tri(T, dtype=bool)


def _square_moved(T: int, offset: int) -> np.ndarray:
    return np.tri(T, k=offset, dtype=bool)


def _axes_swapped(T: int, offset: int) -> np.ndarray:
    return may_see(T, offset).T


def _keys_moved(T: int, offset: int) -> np.ndarray:
    return np.tri(T, offset + T, k=-offset, dtype=bool)


def _all_rows(T: int, offset: int) -> np.ndarray:
    return np.tri(offset + T, dtype=bool)


def _numbers(T: int, offset: int) -> np.ndarray:
    return np.tri(T, offset + T, k=offset)


def _bias(T: int, offset: int) -> np.ndarray:
    return np.where(may_see(T, offset), 0.0, -np.inf)


def _draw(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.integers(1, 7)), int(rng.choice([0, 0, 1, 2, 3, 5]))


EXERCISE = Exercise(
    id="attention.masking.2",
    title="The causal mask",
    reference=may_see,
    points=2,
    compare=Arrays(),
    cases=(
        Case((1, 0), np.array([[True]])),
        Case((2, 0), np.array([[True, False], [True, True]])),
        Case((3, 0), np.array([[True, False, False], [True, True, False], [True, True, True]])),
        Case((1, 2), np.array([[True, True, True]])),
        Case((2, 1), np.array([[True, True, False], [True, True, True]])),
    ),
    generate=_draw,
    hints=(
        "Write the positions of the queries in a column and those of the keys in a row. Which "
        "comparison of two positions says 'may see'?",
        "np.arange(n)[:, None] is a column, np.arange(n)[None, :] a row. Comparing the two "
        "broadcasts to a table.",
        "Query i is at position offset + i, not i; there are offset + T keys. Its own position "
        "is allowed, so the comparison includes equality.",
    ),
    mutants=(
        Mutant(
            _forbidden,
            "Yours is upside down: True where a query may *not* look. That is how "
            "torch.nn.MultiheadAttention wants it; here True means may.",
        ),
        Mutant(
            _without_itself,
            "A token may see itself. Without the diagonal the first token sees nothing at all.",
        ),
        Mutant(
            _upside_down,
            "You allow what lies above the diagonal, the future, and hide the past.",
        ),
        Mutant(
            _offset_ignored,
            "The shape is right, but your queries stand at positions 0, 1, …: they do not see the "
            "tokens that came before. Query i stands at offset + i.",
        ),
        Mutant(
            _square,
            "There are offset + T keys: those of the tokens that came before are there too.",
        ),
        Mutant(
            _square_moved,
            "You have moved the triangle, and kept T columns. There is a column for each key, and "
            "offset + T keys.",
        ),
        Mutant(
            _axes_swapped,
            "Rows and columns are swapped: a row is a query, a column a key.",
        ),
        Mutant(
            _keys_moved,
            "Your triangle has moved the wrong way: a larger offset must let a query see more "
            "keys, not fewer.",
        ),
        Mutant(
            _all_rows,
            "You give a row to every token. Only the T queries have one, the last T of them.",
        ),
        Mutant(
            _numbers,
            "Your table is right, but it holds numbers. A mask is boolean: dtype=bool, or a "
            "comparison.",
        ),
        Mutant(
            _bias,
            "You return 0 and -inf, to be added to the scores. That is a bias; asked is the mask, "
            "True and False.",
        ),
    ),
    alternates=(_last_rows, _moved_triangle, _two_blocks, _with_a_loop),
)

"""Exercise 3: both masks at once, with no row left empty."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def decoder_mask(ids: np.ndarray, pad_token_id: int) -> np.ndarray:
    """Which keys a query may see, in a padded batch of texts.

    ids: (B, T), token ids. pad_token_id is the id of padding, which may
    be on the left, on the right, or in between.
    A query may see the keys up to its own position that are not
    padding. Every query, including padding, may also see itself, so no
    row is empty.
    Returns (B, 1, T, T), boolean, True where it may; the axis of
    length 1 is for heads.

    >>> mask = decoder_mask(np.array([[0, 7, 8]]), 0)
    >>> mask.astype(int).tolist()
    [[[[1, 0, 0], [0, 1, 0], [0, 1, 1]]]]
    """
    T = ids.shape[1]
    causal = np.tri(T, dtype=bool)  # (T, T)
    real = (ids != pad_token_id)[:, None, None, :]  # (B, 1, 1, T), keys
    itself = np.eye(T, dtype=bool)
    return causal & real | itself  # (B, 1, T, T)


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    B, T = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    pad_token_id = int(rng.choice([0, 1, 9]))
    ids = rng.choice([0, 2, 3, 4], size=(B, T))
    real = np.arange(T) < rng.integers(0, T + 1, size=(B, 1))
    side = rng.random()
    if side < 0.4:
        real = real[:, ::-1]
    elif side > 0.8:
        real = rng.random((B, T)) < 0.6
    return np.where(real, np.where(ids == pad_token_id, 5, ids), pad_token_id), pad_token_id


EXERCISE = Exercise(
    id="attention.masking.3",
    title="Both masks, and no empty row",
    reference=decoder_mask,
    points=3,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([[5, 6, 7]]), 0),
            np.array([[[[True, False, False], [True, True, False], [True, True, True]]]]),
        ),
        Case(
            (np.array([[5, 6, 0]]), 0),
            np.array([[[[True, False, False], [True, True, False], [True, True, True]]]]),
        ),
        Case(
            (np.array([[0, 5, 6]]), 0),
            np.array([[[[True, False, False], [False, True, False], [False, True, True]]]]),
        ),
        Case(
            (np.array([[5, 9, 6]]), 9),
            np.array([[[[True, False, False], [True, True, False], [True, False, True]]]]),
        ),
        Case(
            (np.array([[5, 6], [1, 6]]), 1),
            np.array([[[[True, False], [True, True]]], [[[True, False], [False, True]]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "You need three tables: the causal one (T, T), the keys that are not padding, and the "
        "diagonal. Which two are joined by *and*, which by *or*?",
        "Keys are the last axis. (ids != pad_token_id) is (B, T); to broadcast against (B, 1, "
        "T, T) with its T on the last axis it needs two axes of length 1 in the middle.",
        "x[:, None, None, :] makes (B, 1, 1, T) of (B, T). np.tri(T, dtype=bool) is the causal "
        "table, np.eye(T, dtype=bool) the diagonal, & is and, | is or.",
    ),
    mutants={
        "This is right except for queries that are padding: on the left such a query sees "
        "nothing, and the plain formula gives NaN. "
        "Let every query see itself.": "causal & real | itself -> causal & real",
        "You join the two with *or*: a key is then allowed if one of them allows it. Both "
        "must.": "causal & real | itself -> causal | real",
        "You hide the padded *queries*. Every query still sees the padded keys, because your "
        "padding is on the axis of the "
        "queries, the second to last.": "[:, None, None, :] -> [:, None, :, None]",
        "You hide padded queries as well. Only keys need hiding: it makes no difference what a "
        "padded query sees, and the task lets it see "
        "the real tokens before it.": "causal & real -> causal & real & real.swapaxes(-1, -2)",
        "Your queries see later tokens: the causal part is missing.": "causal & real -> real",
        "Your queries see the padding before them: the "
        "padding part is missing.": "causal & real | itself -> causal & np.ones_like(real)",
        "The axis for heads is missing: (B, 1, T, T). Without it, texts would be mistaken for "
        "heads.": lambda ids, pad_token_id: decoder_mask(ids, pad_token_id)[:, 0],
        "Yours is upside down: here True means may see.": lambda ids, pad_token_id: (
            ~decoder_mask(ids, pad_token_id)
        ),
        "You let padding see everything that comes before it, including other padding. It may "
        "see itself "
        "and real tokens.": "causal & real | itself -> causal & (real | ~real.swapaxes(-1, -2))",
        "You assume that 0 is padding. The id of padding "
        "is given by pad_token_id.": lambda ids, pad_token_id: decoder_mask(ids, 0),
        "ids != pad_token_id is (B, T), and broadcasts against (T, T) as if its texts were "
        "queries. Give it two axes of length 1 in the middle, one for heads and one for "
        "queries.": "[:, None, None, :] -> ",
        "Your table is right, but it holds numbers. A mask is boolean: join with & and |, not "
        "with * and +.": lambda ids, pad_token_id: decoder_mask(ids, pad_token_id).astype(float),
        "You let an empty row see everything, as some libraries do. The task lets it see only "
        "itself, and padding on the right, whose rows are not empty, must see itself as well.": (
            "causal & real | itself -> (mask := causal & real) | ~mask.any(axis=-1, keepdims=True)"
        ),
        "You fill only the rows that are empty. Padding on the right sees the words before it, "
        "so its row is not empty; the task lets it see itself as well.": (
            "causal & real | itself -> (mask := causal & real) | ~mask.any(axis=-1, "
            "keepdims=True) & itself"
        ),
    },
)


@EXERCISE.alternate
def _with_loops(ids: Array, pad_token_id: int) -> Array:
    B, T = ids.shape
    mask = np.zeros((B, 1, T, T), dtype=bool)
    for b in range(B):
        for i in range(T):
            mask[b, 0, i, i] = True
            for j in range(i):
                mask[b, 0, i, j] = ids[b, j] != pad_token_id
    return mask


@EXERCISE.alternate
def _strictly_before(ids: Array, pad_token_id: int) -> Array:
    place = np.arange(ids.shape[1])
    before = place[None, :] < place[:, None]
    same = place[None, :] == place[:, None]
    return (same | before & (ids != pad_token_id)[:, None, :])[:, None]


@EXERCISE.alternate
def _filled_in(ids: Array, pad_token_id: int) -> Array:
    mask = np.tril((ids != pad_token_id)[:, None, None, :].repeat(ids.shape[1], axis=2))
    every = np.arange(ids.shape[1])
    mask[..., every, every] = True
    return mask

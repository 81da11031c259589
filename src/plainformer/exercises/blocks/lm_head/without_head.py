"""Exercise 3: one head of attention switched off."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def without_head(
    heads: np.ndarray,
    w_o: np.ndarray,
    off: int,
) -> np.ndarray:
    """Compute the output of attention when one head is ablated.

    Replace the output of head `off` by zeros, join the heads side by
    side for each token, and multiply by w_o.
    heads: (H, T, K), the output of each head. w_o: (H * K, D).
    off: which head, from 0. The arrays passed in stay unchanged.
    Returns (T, D).

    >>> heads = np.array([[[1.0]], [[10.0]]])  # two heads, one token
    >>> without_head(heads, np.array([[1.0], [1.0]]), 0).tolist()
    [[10.0]]
    """
    H, T, K = heads.shape
    kept = heads.copy()
    kept[off] = 0
    return kept.swapaxes(0, 1).reshape(T, H * K) @ w_o


_Three = tuple[Array, Array, int]


def _draw(rng: np.random.Generator) -> _Three:
    H, T, K, D = int(rng.integers(2, 4)), 2, 2, int(rng.integers(1, 3))
    heads = rng.integers(-4, 5, size=(H, T, K)).astype(float)
    w_o = rng.integers(-4, 5, size=(H * K, D)).astype(float)
    return heads, w_o, int(rng.integers(H))


def _given(heads: object, w_o: object, off: int) -> _Three:
    return np.array(heads, dtype=float), np.array(w_o, dtype=float), off


EXERCISE = Exercise(
    id="blocks.lm_head.3",
    title="A head switched off",
    reference=without_head,
    points=2,
    compare=Arrays(),
    cases=(
        Case(_given([[[1]], [[10]]], [[1], [1]], 0), np.array([[10.0]])),
        Case(_given([[[1]], [[10]]], [[1], [1]], 1), np.array([[1.0]])),
        # Two tokens, two heads of two numbers.
        Case(
            _given([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[1], [10], [100], [1000]], 0),
            np.array([[6500.0], [8700]]),
        ),
        Case(
            _given([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], [[1], [10], [100], [1000]], 1),
            np.array([[21.0], [43]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Begin with a copy, and put zeros into kept[off].",
        "Joined, token t has the K numbers of each head, the first head's first: (T, H * K).",
        "reshape alone would mix tokens. First bring T to the front: kept.swapaxes(0, 1).",
    ),
    mutants={
        "All heads are still active: set kept[off] to 0.": "kept[off] = 0 -> pass",
        "You switch off all the others. "
        "Only head off should be 0.": "kept[off] = 0 -> kept[np.arange(H) != off] = 0",
        "You switch off a token. The heads are axis 0.": "kept[off] = 0 -> kept[:, off % T] = 0",
        "You reshape without bringing the tokens to the front, and heads and tokens are "
        "mixed.": "kept.swapaxes(0, 1).reshape -> kept.reshape",
        "You switch off one number of each head. A head is K numbers side by "
        "side.": "kept[off] = 0 -> kept[:, :, off % K] = 0",
        "You have put zeros into the caller's array. Work on a copy.": "heads.copy() -> heads",
        "You scale up the remaining heads. Nothing compensates for "
        "the one that is missing.": "@ w_o -> @ w_o * H / (H - 1)",
    },
    alternates=[
        lambda heads, w_o, off: sum(
            head @ w_o[h * heads.shape[2] : (h + 1) * heads.shape[2]]
            for h, head in enumerate(heads)
            if h != off
        ),
    ],
)


@EXERCISE.alternate
def _rows_of_w_o(heads: Array, w_o: Array, off: int) -> Array:
    """Switching a head off is the same as leaving out its rows of W_O."""
    H, _, K = heads.shape
    rows = w_o.reshape(H, K, -1).copy()
    rows[off] = 0
    return np.einsum("htk,hkd->td", heads, rows)

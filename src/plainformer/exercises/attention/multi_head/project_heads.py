"""Exercise 2: put the heads side by side and mix them with W_O."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def project_heads(heads: np.ndarray, w_o: np.ndarray) -> np.ndarray:
    """Put the heads' outputs side by side and mix them with w_o.

    heads: (H, T, K): the output of each head for each token.
    w_o: (H * K, D), the output matrix; here D = H * K.
    Returns (T, D): each token's H * K numbers, the first head's first,
    times w_o.

    >>> heads = np.array([[[1.0, 2.0]], [[3.0, 4.0]]])  # T = 1
    >>> project_heads(heads, np.eye(4)).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    H, T, K = heads.shape
    side_by_side = np.moveaxis(heads, 0, 1).reshape(T, H * K)
    return side_by_side @ w_o


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    heads, width = ((1, 2), (2, 1), (2, 2), (3, 1))[rng.integers(4)]
    found = rng.integers(1, 10, size=(heads, rng.integers(1, 4), width)).astype(float)
    return found, rng.integers(-3, 4, size=(heads * width, heads * width)).astype(float)


_TWO = np.array([[[1.0], [2.0]], [[10.0], [20.0]]])  # two heads, two tokens, width 1
_WIDE = np.array([[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]])
_ADD_UP = np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0], [0, 0, 1.0, 0], [100.0, 0, 0, 1.0]])

EXERCISE = Exercise(
    id="attention.multi_head.2",
    title="Mix what the heads found",
    reference=project_heads,
    points=2,
    compare=Arrays(),
    cases=(
        Case((_TWO, np.eye(2)), np.array([[1.0, 10.0], [2.0, 20.0]])),
        # Token 0: 1 · (1, 2) + 10 · (3, 5); token 1: 2 · (1, 2) + 20 · (3, 5).
        Case((_TWO, np.array([[1.0, 2.0], [3.0, 5.0]])), np.array([[31.0, 52.0], [62.0, 104.0]])),
        Case((_WIDE, np.eye(4)), np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])),
        Case((_WIDE, _ADD_UP), np.array([[401.0, 2.0, 3.0, 4.0], [805.0, 6.0, 7.0, 8.0]])),
        Case((_WIDE[:1], np.array([[0.0, 1.0], [1.0, 1.0]])), np.array([[2.0, 3.0], [6.0, 11.0]])),
    ),
    generate=_draw,
    hints=(
        "This is exercise 1 backwards, followed by one matrix product. Which axis has to come "
        "back next to which?",
        "To get one row for each token you need (T, H, K) first, so that the H pieces of a "
        "token are adjacent in memory; a reshape to (T, H * K) then puts them side by side.",
        "np.concatenate along the columns does both at once, if you give it the list of heads, "
        "each (T, K). Do not forget the product with w_o.",
    ),
    mutants={
        "A reshape from (H, T, K) straight to (T, H * K) puts numbers of different tokens in "
        "one row. Bring the tokens to the "
        "front first.": lambda heads, w_o: heads.reshape(heads.shape[1], -1) @ w_o,
        "The heads are side by side but not mixed yet: w_o is missing.": lambda heads, w_o: (
            np.concatenate(list(heads), axis=1)
        ),
        "You take the mean of the heads. That loses which head found what and leaves most rows "
        "of w_o unused. Putting them side by side gives H * "
        "K numbers for each token.": lambda heads, w_o: heads.mean(axis=0) @ w_o[: heads.shape[2]],
        "You add the heads and use the first K rows of w_o for all of them. Each head has K "
        "rows of its own in w_o.": lambda heads, w_o: heads.sum(axis=0) @ w_o[: heads.shape[2]],
        "You divide by the number of heads. The heads' contributions "
        "are simply added up.": lambda heads, w_o: project_heads(heads, w_o) / len(heads),
        "Your heads are in reverse order: the first head comes first.": (
            lambda heads, w_o: project_heads(heads[::-1], w_o)
        ),
        "You interleave the heads: the first number of each head, then the second of each. "
        "Keep each head's K numbers together.": lambda heads, w_o: (
            np.moveaxis(heads, 0, 2).reshape(heads.shape[1], -1) @ w_o
        ),
        "Tokens are rows here: multiply by w_o, not by its transpose.": lambda heads, w_o: (
            project_heads(heads, w_o.T)
        ),
    },
    alternates=[
        lambda heads, w_o: np.concatenate(list(heads), axis=1) @ w_o,
        lambda heads, w_o: np.sum(
            [head @ part for head, part in zip(heads, np.split(w_o, len(heads)), strict=True)],
            axis=0,
        ),
    ],
)


@EXERCISE.alternate
def _with_einsum(heads: Array, w_o: Array) -> Array:
    H, _, K = heads.shape
    return np.einsum("htk,hkd->td", heads, w_o.reshape(H, K, -1))

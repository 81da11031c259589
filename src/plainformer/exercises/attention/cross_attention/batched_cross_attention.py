"""Exercise 3: a batch of sources of different lengths, and their padding."""

from math import log, sqrt

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def batched_cross_attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """Cross-attention from B targets to B sources of unequal lengths.

    q: (B, T, K), the queries of the targets.
    k, v: (B, S, K), those of the sources, padded on the right.
    lengths: (B,), how many tokens of each are real, 1 or more.
    Returns (B, T, K). Whatever finite numbers the padding holds, they
    make no difference.

    >>> q = np.array([[[1.0]], [[1.0]]])  # B = 2 targets, T = 1
    >>> k = np.array([[[np.log(3)], [0.0]], [[0.0], [9.0]]])
    >>> v = np.array([[[8.0], [4.0]], [[5.0], [99.0]]])
    >>> lengths = np.array([2, 1])
    >>> batched_cross_attention(q, k, v, lengths).round(6).tolist()
    [[[7.0]], [[5.0]]]
    """
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])  # (B, T, S)
    real = np.arange(k.shape[1]) < lengths[:, None]  # (B, S)
    scores = np.where(real[:, None], scores, -np.inf)  # (B, 1, S)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


def _softmax(scores: Array, axis: int = -1) -> Array:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _draw(rng: np.random.Generator) -> tuple[Array, ...]:
    B, T, S = int(rng.integers(1, 4)), int(rng.integers(1, 3)), int(rng.integers(2, 4))
    K = 1 if B * S > 4 else 2
    q, k = (rng.integers(-2, 3, size=(B, rows, K)).astype(float) for rows in (T, S))
    v = rng.integers(-9, 10, size=(B, S, K)).astype(float)
    return q, k, v, rng.integers(1, S + 1, size=B)


_Q = np.array([[[1.0]], [[1.0]]])
_K = np.array([[[log(3)], [0.0]], [[0.0], [9.0]]])
_V = np.array([[[8.0], [4.0]], [[5.0], [99.0]]])

EXERCISE = Exercise(
    id="attention.cross_attention.3",
    title="Sources of unequal length",
    reference=batched_cross_attention,
    points=3,
    compare=Arrays(),
    cases=(
        Case((_Q[:1], _K[:1], _V[:1], np.array([2])), np.array([[[7.0]]])),
        Case((_Q, _K, _V, np.array([2, 1])), np.array([[[7.0]], [[5.0]]])),
        # Two target tokens and three source tokens, of which the last is padding.
        Case(
            (
                np.array([[[1.0], [0.0]]]),
                np.array([[[log(3)], [0.0], [50.0]]]),
                np.array([[[8.0], [4.0], [1000.0]]]),
                np.array([2]),
            ),
            np.array([[[7.0], [6.0]]]),
        ),
        # K = 2: √2 · log 3 / √2 is log 3.
        Case(
            (
                np.array([[[sqrt(2), 0.0]]]),
                np.array([[[log(3), 1.0], [0.0, 2.0], [9.0, 9.0]]]),
                np.array([[[8.0, 0.0], [4.0, 4.0], [77.0, 77.0]]]),
                np.array([2]),
            ),
            np.array([[[7.0, 1.0]]]),
        ),
        # The padding's score is larger than the words' by a thousand.
        Case(
            (
                np.array([[[1.0]]]),
                np.array([[[log(3)], [0.0], [1000.0]]]),
                np.array([[[8.0], [4.0], [1000.0]]]),
                np.array([2]),
            ),
            np.array([[[7.0]]]),
        ),
        # The only word has a score far below 0.
        Case(
            (
                np.array([[[1.0]]]),
                np.array([[[-400.0], [50.0]]]),
                np.array([[[8.0], [99.0]]]),
                np.array([1]),
            ),
            np.array([[[8.0]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Which of the S positions of text b are real? Those whose index is below lengths[b]. "
        "Can you write that for all B texts as one (B, S) array?",
        "The scores are (B, T, S). All T queries of a target use the same mask for its source, "
        "so the (B, S) array needs an axis of length 1 in the middle.",
        "Hide the padding before the softmax: at those positions the score becomes -∞, and its "
        "weight comes out as 0. np.where takes the condition, the scores and -np.inf.",
    ),
    mutants={
        "You subtract a large number from the padding's scores. They may have been larger "
        "still, so only -∞ is certain to hide them.": (
            "np.where(real[:, None], scores, -np.inf) -> scores - np.where(real, 0.0, 100.0)[:, "
            "None]"
        ),
        "Nothing is hidden: the padding gets weight as if it "
        "were a word.": "np.where(real[:, None], scores, -np.inf) -> scores",
        "Your mask is upside down: you hide the words and show the padding. (Where a row has "
        "nothing left to see, that gives NaN.)": "< lengths -> >= lengths",
        "You see one position too many. A source of length "
        "2 has positions 0 and 1.": "< lengths -> <= lengths",
        "You see one position too few: the "
        "last word is also hidden.": "< lengths[:, None] -> < np.maximum(lengths - 1, 1)[:, None]",
        "You cut all sources to the length of the shortest. Each has "
        "its own length.": "lengths[:, None] -> np.full_like(lengths, lengths.min())[:, None]",
        "You use the length of the first source for all. Each "
        "has its own.": "lengths[:, None] -> np.full_like(lengths, lengths[0])[:, None]",
        "You hide the first positions. The "
        "padding is on the right.": "< lengths[:, None] -> >= k.shape[1] - lengths[:, None]",
        "A score of 0 is not nothing: its exponential is 1, and the padding gets weight. It "
        "must be -∞.": "-np.inf -> 0.0",
        "A large negative number is not -∞: a word's own score may be lower still, and then "
        "the padding wins.": "-np.inf -> -100.0",
        "Your mask is (B, S) against scores of (B, T, S): NumPy aligns B with T. It needs an "
        "axis of length 1 in the middle.": "real[:, None] -> real",
        "Your mask is (B, S, 1) against scores of (B, T, S): NumPy aligns S with T. The axis "
        "of length 1 belongs in the middle.": "real[:, None] -> real[..., None]",
        "You compare (S,) positions with (B,) lengths one to one. lengths[:, None] compares "
        "every length with every place.": "lengths[:, None] -> lengths; real[:, None] -> real",
        "k.T reverses all three axes, so the batch axis becomes the width. Only the last two "
        "should change places: k.swapaxes(1, 2).": "k.swapaxes(1, 2) -> k.T",
        "You hide the padding after the softmax, and the weights that are left no longer sum "
        "to 1. Hide it before.": (
            "np.where(real[:, None], scores, -np.inf) -> scores; "
            "return weights -> return weights * real[:, None]"
        ),
        "You hide the padding after the exponentials and normalise again. That works until "
        "some padding scores much higher than the words, when only 0/0 or ∞ times 0 is left. "
        "Hide it before.": (
            "np.where(real[:, None], scores, -np.inf) -> scores; "
            "weights /= weights.sum(axis=-1, keepdims=True) -> weights *= real[:, None] / "
            "(weights * real[:, None]).sum(axis=-1, keepdims=True)"
        ),
        "You set the padding's keys and values to 0. Their scores are then 0, and the padding "
        "takes weight away from the words.": (
            "np.where(real[:, None], scores, -np.inf) -> scores * real[:, None]; "
            "@ v -> @ (v * real[..., None])"
        ),
        "You hide tokens of the target. lengths describes the sources, so it is keys that are "
        "hidden, along the last axis of the scores.": (
            "np.where(real[:, None], scores, -np.inf) -> scores; "
            "@ v -> @ v * (np.arange(q.shape[1]) < lengths[:, None])[..., None]"
        ),
        "The scores are not scaled: divide them by √K.": "/ np.sqrt(q.shape[-1]) -> ",
        "You divide by the root of the number of source tokens. What counts is the width of a "
        "query and of a key: √K.": "np.sqrt(q.shape[-1]) -> np.sqrt(k.shape[1])",
    },
)


@EXERCISE.alternate
def _text_by_text(q: Array, k: Array, v: Array, lengths: Array) -> Array:
    found = []
    for queries, keys, values, n in zip(q, k, v, lengths, strict=True):
        scores = queries @ keys[:n].T / sqrt(q.shape[-1])
        found.append(_softmax(scores) @ values[:n])
    return np.stack(found)


@EXERCISE.alternate
def _infinity_taken_off(q: Array, k: Array, v: Array, lengths: Array) -> Array:
    padding = np.arange(k.shape[1]) >= lengths[:, None, None]  # (B, 1, S)
    scores = np.einsum("btk,bsk->bts", q, k) / sqrt(q.shape[-1])
    return np.einsum("bts,bsk->btk", _softmax(scores - np.where(padding, np.inf, 0.0)), v)

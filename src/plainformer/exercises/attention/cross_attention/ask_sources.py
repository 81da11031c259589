"""Exercise 3: a batch of sources of different lengths, and their padding."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from math import log, sqrt

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def ask_sources(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    lengths: np.ndarray,
) -> np.ndarray:
    """Cross-attention of B targets to B sources of unequal lengths.

    q: (B, T, K), the queries of the targets.
    k, v: (B, S, K), of the sources, padded on the right.
    lengths: (B,), how many tokens of each are real, 1 or more.
    Returns (B, T, K). What finite numbers stand in the padding
    never matters.

    >>> q = np.array([[[1.0]], [[1.0]]])  # B = 2 targets, T = 1
    >>> k = np.array([[[np.log(3)], [0.0]], [[0.0], [9.0]]])
    >>> v = np.array([[[8.0], [4.0]], [[5.0], [99.0]]])
    >>> ask_sources(q, k, v, np.array([2, 1])).round(6).tolist()
    [[[7.0]], [[5.0]]]
    """
    scores = q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1])  # (B, T, S)
    real = np.arange(k.shape[1]) < lengths[:, None]  # (B, S)
    scores = np.where(real[:, None], scores, -np.inf)  # (B, 1, S)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ v


Four = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _text_by_text(q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    found = []
    for queries, keys, values, n in zip(q, k, v, lengths, strict=True):
        scores = queries @ keys[:n].T / sqrt(q.shape[-1])
        found.append(_softmax(scores) @ values[:n])
    return np.stack(found)


def _infinity_taken_off(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    padding = np.arange(k.shape[1]) >= lengths[:, None, None]  # (B, 1, S)
    scores = np.einsum("btk,bsk->bts", q, k) / sqrt(q.shape[-1])
    return np.einsum("bts,bsk->btk", _softmax(scores - np.where(padding, np.inf, 0.0)), v)


def _asker(
    real: Callable[[int, np.ndarray], np.ndarray] = lambda S, n: np.arange(S) < n[:, None],
    hide: float = -np.inf,
    scale: Callable[[int, int], float] = lambda K, S: 1 / sqrt(K),
    axis: int = -1,
) -> Callable[..., np.ndarray]:
    """The same with other tokens hidden, hidden by another number, or another softmax."""

    def ask(q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray) -> np.ndarray:
        scores = q @ k.swapaxes(1, 2) * scale(q.shape[-1], k.shape[1])
        seen = real(k.shape[1], lengths)[:, None]
        with np.errstate(invalid="ignore"):
            return _softmax(np.where(seen, scores, hide), axis) @ v

    return ask


_all_seen = _asker(lambda S, n: np.ones((len(n), S), dtype=bool))
_upside_down = _asker(lambda S, n: np.arange(S) >= n[:, None])
_one_too_many = _asker(lambda S, n: np.arange(S) <= n[:, None])
_one_too_few = _asker(lambda S, n: np.arange(S) < np.maximum(n - 1, 1)[:, None])
_the_shortest_for_all = _asker(lambda S, n: np.arange(S) < np.full_like(n, n.min())[:, None])
_the_first_for_all = _asker(lambda S, n: np.arange(S) < np.full_like(n, n[0])[:, None])
_on_the_left = _asker(lambda S, n: np.arange(S) >= (S - n)[:, None])
_score_of_zero = _asker(hide=0.0)
_large_and_finite = _asker(hide=-100.0)
_not_scaled = _asker(scale=lambda K, S: 1.0)
_by_the_length_of_the_source = _asker(scale=lambda K, S: 1 / sqrt(S))


def _places(k: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Which places are real, (B, S)."""
    return np.arange(k.shape[1]) < lengths[:, None]


def _a_large_number_off(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])
    return _softmax(scores - np.where(_places(k, lengths), 0.0, 100.0)[:, None]) @ v


def _no_axis_for_the_queries(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])
    with np.errstate(invalid="ignore"):
        return _softmax(np.where(_places(k, lengths), scores, -np.inf)) @ v


def _axis_at_the_end(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])
    with np.errstate(invalid="ignore"):
        return _softmax(np.where(_places(k, lengths)[..., None], scores, -np.inf)) @ v


def _lengths_without_an_axis(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    scores = q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])
    with np.errstate(invalid="ignore"):
        return _softmax(np.where(np.arange(k.shape[1]) < lengths, scores, -np.inf)) @ v


def _all_axes_turned(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    scores = q @ k.T / sqrt(q.shape[-1])
    return _softmax(np.where(_places(k, lengths)[:, None], scores, -np.inf)) @ v


def _masked_after(q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    weights = _softmax(q @ k.swapaxes(1, 2) / sqrt(q.shape[-1]))
    return weights * _places(k, lengths)[:, None] @ v


def _masked_after_and_divided(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    weights = _softmax(q @ k.swapaxes(1, 2) / sqrt(q.shape[-1])) * _places(k, lengths)[:, None]
    with np.errstate(invalid="ignore"):
        return weights / weights.sum(axis=-1, keepdims=True) @ v


def _keys_of_zero(q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    real = _places(k, lengths)[..., None]
    return _softmax(q @ (k * real).swapaxes(1, 2) / sqrt(q.shape[-1])) @ (v * real)


def _targets_hidden(q: np.ndarray, k: np.ndarray, v: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    found = _all_seen(q, k, v, lengths)
    return found * (np.arange(q.shape[1]) < lengths[:, None])[..., None]


def _draw(rng: np.random.Generator) -> Four:
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
    reference=ask_sources,
    points=3,
    compare=Arrays(),
    cases=(
        Case((_Q[:1], _K[:1], _V[:1], np.array([2])), np.array([[[7.0]]])),
        Case((_Q, _K, _V, np.array([2, 1])), np.array([[[7.0]], [[5.0]]])),
        # Two targets' tokens, three of the source, the last of them padding.
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
        "Which of the S places of text b are real? Those whose number is below lengths[b]. Can "
        "you write that for all B texts as one (B, S) array?",
        "The scores are (B, T, S). All T queries of a target are told the same about its source, "
        "so the (B, S) array needs an axis of length 1 in the middle.",
        "Hide before the softmax: where a place is padding, the score becomes -∞, and its weight "
        "comes out as 0. np.where takes the condition, the scores and -np.inf.",
    ),
    mutants=(
        Mutant(
            _a_large_number_off,
            "You take a large number off the padding's scores. They may be larger still: what "
            "hides for certain is -∞.",
        ),
        Mutant(_all_seen, "Nothing is hidden: the padding gets weight as if it were a word."),
        Mutant(
            _upside_down,
            "Your mask is upside down: you hide the words and show the padding. (Where nothing is "
            "left to see, that gives NaN.)",
        ),
        Mutant(
            _one_too_many,
            "You see one place too many. A source of length 2 has the places 0 and 1.",
        ),
        Mutant(_one_too_few, "You see one place too few: the last word is hidden too."),
        Mutant(
            _the_shortest_for_all,
            "You cut all sources to the length of the shortest. Each has its own length.",
        ),
        Mutant(
            _the_first_for_all,
            "You use the length of the first source for all. Each has its own.",
        ),
        Mutant(_on_the_left, "You hide the first places. The padding stands on the right."),
        Mutant(
            _score_of_zero,
            "A score of 0 is not nothing: its exponential is 1, and the padding gets weight. It "
            "must be -∞.",
        ),
        Mutant(
            _large_and_finite,
            "A large negative number is not -∞: a word's own score may be lower still, and then "
            "the padding wins.",
        ),
        Mutant(
            _no_axis_for_the_queries,
            "Your mask is (B, S) against scores of (B, T, S): numpy lines B up with T. It needs an "
            "axis of length 1 in the middle.",
        ),
        Mutant(
            _axis_at_the_end,
            "Your mask is (B, S, 1) against scores of (B, T, S): numpy lines S up with T. The axis "
            "of length 1 belongs in the middle.",
        ),
        Mutant(
            _lengths_without_an_axis,
            "You compare (S,) places with (B,) lengths, one with one. lengths[:, None] compares "
            "every length with every place.",
        ),
        Mutant(
            _all_axes_turned,
            "k.T turns all three axes round, and texts become widths. Only the last two should "
            "change places: k.swapaxes(1, 2).",
        ),
        Mutant(
            _masked_after,
            "You hide the padding after the softmax, and the weights that are left no longer sum "
            "to 1. Hide it before.",
        ),
        Mutant(
            _masked_after_and_divided,
            "Hidden after the exponentials, and divided anew: right while no padding scores much "
            "higher than the words. Then only 0/0 is left, or ∞ times 0. Hide it before.",
        ),
        Mutant(
            _keys_of_zero,
            "You set the padding's keys and values to 0. Their scores are then 0, and the padding "
            "takes weight away from the words.",
        ),
        Mutant(
            _targets_hidden,
            "You hide tokens of the target. lengths are the sources': it is keys that are hidden, "
            "along the last axis of the scores.",
        ),
        Mutant(_not_scaled, "The scores are not scaled: divide them by √K."),
        Mutant(
            _by_the_length_of_the_source,
            "You divide by the root of the number of source tokens. It is the width of a query "
            "and of a key that counts: √K.",
        ),
    ),
    alternates=(_text_by_text, _infinity_taken_off),
)

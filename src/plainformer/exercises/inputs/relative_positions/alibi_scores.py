"""Exercise 5: take ALiBi's penalty off the scores, with keys that were computed before."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def alibi_scores(
    scores: np.ndarray,
    slope: float,
    offset: int,
) -> np.ndarray:
    """Take ALiBi's penalty for distance off the scores of one head.

    scores: (T, S), query times key. Keys stand at positions 0 to S - 1;
    some may come after the last query.
    slope: of this head.
    offset: the position of the first query; the others follow it. A
    cache that holds 5 keys from earlier steps makes it 5.
    Returns (T, S), float64: each score less slope times the distance
    between its query and its key, whichever of the two comes first.

    >>> alibi_scores(np.zeros((2, 3)), 0.5, 1).tolist()
    [[-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]]
    """
    T, S = scores.shape
    query = offset + np.arange(T)[:, None]  # (T, 1)
    key = np.arange(S)  # (S,)
    return scores - slope * np.abs(query - key)


def _score_by_score(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    lowered = scores.copy()
    for t, j in np.ndindex(*scores.shape):
        lowered[t, j] -= slope * abs(offset + t - j)
    return lowered


def _outer(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    T, S = scores.shape
    return scores - slope * abs(np.subtract.outer(np.arange(offset, offset + T), np.arange(S)))


def _last_rows_of_the_square(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    T, S = scores.shape
    at = np.arange(max(S, offset + T))
    distance = np.abs(at[:, None] - at)  # of all queries, those of earlier steps too
    return scores - slope * distance[offset : offset + T, :S]


def _penalised(
    penalty: Callable[[np.ndarray, np.ndarray], np.ndarray] = lambda i, j: np.abs(i - j),
    shift: Callable[[int], int] = lambda offset: offset,
) -> Callable[[np.ndarray, float, int], np.ndarray]:
    """The same with another measure of distance, or queries elsewhere."""

    def lower(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
        T, S = scores.shape
        query, key = shift(offset) + np.arange(T)[:, None], np.arange(S)
        return scores - slope * penalty(query, key)

    return lower


_no_offset = _penalised(shift=lambda offset: 0)
_one_late = _penalised(shift=lambda offset: offset + 1)
_one_early = _penalised(shift=lambda offset: offset - 1)
_offset_on_the_keys = _penalised(shift=lambda offset: -offset)
_signed = _penalised(lambda i, j: i - j)
_bonus = _penalised(lambda i, j: -np.abs(i - j))
_squared = _penalised(lambda i, j: (i - j) ** 2)
_by_key = _penalised(lambda i, j: -j + 0 * i)
_hidden_future = _penalised(lambda i, j: np.where(j > i, np.inf, i - j))
_future_for_free = _penalised(lambda i, j: np.maximum(i - j, 0))


def _last_of_the_keys(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    T, S = scores.shape
    return alibi_scores(scores, slope, S - T)


def _penalty_alone(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    return alibi_scores(np.zeros(scores.shape), slope, offset)


def _scaled(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    return scores * (1 + _penalty_alone(scores, slope, offset))


def _no_slope(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    return alibi_scores(scores, 1.0, offset)


def _offset_added(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    return _no_offset(scores, slope, 0) - slope * offset


def _in_place(scores: np.ndarray, slope: float, offset: int) -> np.ndarray:
    scores += _penalty_alone(scores, slope, offset)
    return scores


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, float, int]:
    length, offset = int(rng.integers(1, 5)), int(rng.integers(0, 5))
    later = int(rng.integers(0, 3))  # keys after the last query
    scores = rng.integers(-9, 10, size=(length, offset + length + later)) / 2
    return scores, float(rng.choice([1.0, 0.5, 0.25, 2.0])), offset


EXERCISE = Exercise(
    id="inputs.relative_positions.5",
    title="The penalty, with a cache",
    reference=alibi_scores,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.zeros((2, 2)), 1.0, 0), np.array([[0.0, -1.0], [-1.0, 0.0]])),
        Case((np.array([[4.0, 4], [4, 4]]), 0.25, 0), np.array([[4.0, 3.75], [3.75, 4.0]])),
        Case((np.zeros((2, 3)), 0.5, 1), np.array([[-0.5, 0.0, -0.5], [-1.0, -0.5, 0.0]])),
        Case((np.array([[1.0, 2.0, 3.0]]), 1.0, 2), np.array([[-1.0, 1.0, 3.0]])),
        Case((np.zeros((1, 6)), 2.0, 5), np.array([[-10.0, -8.0, -6.0, -4.0, -2.0, 0.0]])),
        Case(
            (np.array([[1.0, 0, 0, 0], [0, 1, 0, 0]]), 0.5, 2),
            np.array([[0.0, -0.5, 0.0, -0.5], [-1.5, 0.0, -0.5, 0.0]]),
        ),
        Case((np.zeros((1, 4)), 1.0, 1), np.array([[-1.0, 0.0, -1.0, -2.0]])),
    ),
    generate=_draw,
    hints=(
        "With an empty cache the distance of query t and key j is |t - j|. Now five keys were "
        "there before. At which position does query 0 stand?",
        "Make the positions of the queries a column, (T, 1), and those of the keys a row, (S,). "
        "Their difference has the shape of the scores.",
        "A query stands on top of its own key, and there the penalty is 0: in the first row that "
        "is column `offset`. Does yours have its zeros there?",
    ),
    mutants=(
        Mutant(
            _no_offset,
            "You count the queries from 0, or shift queries and keys alike, and then the cache is "
            "forgotten. The keys start at 0 and the first query at offset.",
        ),
        Mutant(
            _one_late,
            "Your queries stand one position too far: a token is at distance 0 from itself. With "
            "5 keys in the cache, at positions 0 to 4, the first query stands at position 5.",
        ),
        Mutant(
            _one_early,
            "Your queries stand one position too early. With 5 keys in the cache, at positions 0 "
            "to 4, the first query stands at position 5.",
        ),
        Mutant(
            _offset_on_the_keys,
            "You shift the keys. The keys of the cache came first, so they have the positions from "
            "0 on; it is the queries that start at offset.",
        ),
        Mutant(
            _last_of_the_keys,
            "You take the queries for the last of the keys' positions. There may be keys after "
            "them; where the first query stands is said by offset.",
        ),
        Mutant(
            _signed,
            "Keys after the query get a bonus: your distance is negative there. A distance has no "
            "sign.",
        ),
        Mutant(_bonus, "Yours rewards distance. The penalty is taken off the score."),
        Mutant(_squared, "You square the distance. ALiBi's penalty grows in a straight line."),
        Mutant(
            _by_key,
            "You add slope times the key's position, as some programs do. After a causal mask and "
            "a softmax that comes to the same thing, because it differs by a constant in each row; "
            "the scores themselves are not these.",
        ),
        Mutant(
            _hidden_future,
            "You hide the keys after the query. That is the mask's task, and not every model has "
            "one: here they get the penalty of their distance.",
        ),
        Mutant(
            _future_for_free,
            "Keys after the query cost nothing with you. Distance counts on both sides.",
        ),
        Mutant(_penalty_alone, "That is the penalty. Add it to the scores."),
        Mutant(
            _scaled,
            "You multiply the scores by the penalty. It is added: a score of 0 is lowered too.",
        ),
        Mutant(_no_slope, "The slope is missing: each head has one of its own."),
        Mutant(
            _offset_added,
            "You make every distance longer by the offset. That changes nothing after a softmax; "
            "the offset says where the queries stand.",
        ),
        Mutant(
            _in_place,
            "The numbers are right. But += and -= write into the scores that you were lent: make "
            "a new array of scores.",
        ),
    ),
    alternates=(_score_by_score, _outer, _last_rows_of_the_square),
)

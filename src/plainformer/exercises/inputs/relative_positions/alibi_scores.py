"""Exercise 5: take ALiBi's penalty off the scores, with keys that were computed before."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


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


def _draw(rng: np.random.Generator) -> tuple[Array, float, int]:
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
    mutants={
        "You count the queries from 0, or shift queries and keys alike, and then the cache is "
        "forgotten. The keys start at 0 and the first "
        "query at offset.": "offset + np.arange(T) -> np.arange(T)",
        "Your queries stand one position too far: a token is at distance 0 from itself. With 5 "
        "keys in the cache, at positions 0 to 4, the first query stands "
        "at position 5.": "offset + np.arange(T) -> offset + 1 + np.arange(T)",
        "Your queries stand one position too early. With 5 keys in the cache, at positions 0 "
        "to 4, the first query stands at position 5.": (
            "offset + np.arange(T) -> offset - 1 + np.arange(T)"
        ),
        "You shift the keys. The keys of the cache came first, so they have the positions from "
        "0 on; it is the queries that start at offset.": (
            "offset + np.arange(T) -> -offset + np.arange(T)"
        ),
        "You take the queries for the last of the keys' positions. There may be keys after "
        "them; where the first query stands is "
        "said by offset.": "offset + np.arange(T) -> S - T + np.arange(T)",
        "Keys after the query get a bonus: your distance is negative there. A distance has no "
        "sign.": "np.abs(query - key) -> (query - key)",
        "Yours rewards distance. The penalty is taken "
        "off the score.": "scores - slope -> scores + slope",
        "You square the distance. ALiBi's penalty grows in a "
        "straight line.": "np.abs(query - key) -> (query - key) ** 2",
        "You add slope times the key's position, as some programs do. After a causal mask and "
        "a softmax that comes to the same thing, because it differs by a constant in each row; "
        "the scores themselves are not these.": "slope * np.abs(query - key) -> -slope * key",
        "You hide the keys after the query. That is the mask's task, and not every model has "
        "one: here they get the penalty of "
        "their distance.": "np.abs(query - key) -> np.where(key > query, np.inf, query - key)",
        "Keys after the query cost nothing with you. Distance counts "
        "on both sides.": "np.abs(query - key) -> np.maximum(query - key, 0)",
        "That is the penalty. Add it to the scores.": "return scores - slope -> return -slope",
        "You multiply the scores by the penalty. It is added: a score of 0 is lowered too.": (
            "scores - slope * np.abs(query - key) -> scores * (1 - slope * np.abs(query - key))"
        ),
        "The slope is missing: each head has one of its own.": "slope * np.abs -> np.abs",
        "You make every distance longer by the offset. That changes nothing after a softmax; "
        "the offset says where the queries stand.": (
            "offset + np.arange(T) -> np.arange(T); "
            "- slope * np.abs(query - key) -> - slope * (offset + np.abs(query - key))"
        ),
        "The numbers are right. But += and -= write into the scores that you were lent: make a "
        "new array of scores.": (
            "scores - slope * np.abs(query - key) -> np.subtract(scores, slope * np.abs(query - "
            "key), out=scores)"
        ),
    },
)


@EXERCISE.alternate
def _score_by_score(scores: Array, slope: float, offset: int) -> Array:
    lowered = scores.copy()
    for t, j in np.ndindex(*scores.shape):
        lowered[t, j] -= slope * abs(offset + t - j)
    return lowered


@EXERCISE.alternate
def _outer(scores: Array, slope: float, offset: int) -> Array:
    T, S = scores.shape
    return scores - slope * abs(np.subtract.outer(np.arange(offset, offset + T), np.arange(S)))


@EXERCISE.alternate
def _last_rows_of_the_square(scores: Array, slope: float, offset: int) -> Array:
    T, S = scores.shape
    at = np.arange(max(S, offset + T))
    distance = np.abs(at[:, None] - at)  # of all queries, those of earlier steps too
    return scores - slope * distance[offset : offset + T, :S]

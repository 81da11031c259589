"""Exercise 5: subtract ALiBi's penalty from the scores, with keys that were computed before."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def alibi_scores(
    scores: np.ndarray,
    slope: float,
    offset: int,
) -> np.ndarray:
    """Subtract ALiBi's penalty for distance from the scores of one
    head.

    scores: (T, S), query times key. The keys are at positions 0 to S -
    1; some may come after the last query.
    slope: the slope of this head.
    offset: the position of the first query; the others follow it. A
    cache that holds 5 keys from earlier steps makes it 5.
    Returns (T, S), float64: each score minus slope times the distance
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
    id="attention.relative_positions.5",
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
        "With an empty cache the distance of query t and key j is |t - j|. Now there are five "
        "earlier keys. At which position is query 0?",
        "Make the positions of the queries a column, (T, 1), and those of the keys a row, (S,). "
        "Their difference has the shape of the scores.",
        "At its own key a query has distance 0 and no penalty: in the first row that is column "
        "`offset`. Does yours have its zeros there?",
    ),
    mutants={
        "You count the queries from 0, or shift queries and keys together, which ignores the "
        "cache. The keys start at 0 and "
        "the first query at offset.": "offset + np.arange(T) -> np.arange(T)",
        "Your queries are one position too far on: a token is at distance 0 from itself. With "
        "5 keys in the cache, at positions 0 to 4, the "
        "first query is at position 5.": "offset + np.arange(T) -> offset + 1 + np.arange(T)",
        "Your queries are one position too early. With 5 keys in the cache, at positions 0 to "
        "4, the first query is at position 5.": (
            "offset + np.arange(T) -> offset - 1 + np.arange(T)"
        ),
        "You shift the keys. The cached keys came first, so their positions count from 0; the "
        "queries start at offset.": ("offset + np.arange(T) -> -offset + np.arange(T)"),
        "You assume that the queries have the last of the keys' positions. There may be keys "
        "after them; the position of "
        "the first query is offset.": "offset + np.arange(T) -> S - T + np.arange(T)",
        "Keys after the query get a bonus: your distance is negative there. A distance has no "
        "sign.": "np.abs(query - key) -> (query - key)",
        "Yours rewards distance. The penalty is "
        "subtracted from the score.": "scores - slope -> scores + slope",
        "You square the distance. "
        "ALiBi's penalty grows linearly.": "np.abs(query - key) -> (query - key) ** 2",
        "You add slope times the key's position, as some programs do. After a causal mask and "
        "a softmax the result is the same, because it differs by a constant in each row, but "
        "the scores themselves are different.": "slope * np.abs(query - key) -> -slope * key",
        "You hide the keys after the query. That is the job of a mask, which not every model "
        "has; here they get the penalty "
        "for their distance.": "np.abs(query - key) -> np.where(key > query, np.inf, query - key)",
        "You give keys after the query no penalty. "
        "Distance counts on both sides.": "np.abs(query - key) -> np.maximum(query - key, 0)",
        "That is the penalty. Add it to the scores.": "return scores - slope -> return -slope",
        "You multiply the scores by the penalty. It is added: a score of 0 is lowered too.": (
            "scores - slope * np.abs(query - key) -> scores * (1 - slope * np.abs(query - key))"
        ),
        "The slope is missing: each head has its own.": "slope * np.abs -> np.abs",
        "You make every distance longer by the offset. That makes no difference after a "
        "softmax; the offset is the position of the first query.": (
            "offset + np.arange(T) -> np.arange(T); "
            "- slope * np.abs(query - key) -> - slope * (offset + np.abs(query - key))"
        ),
        "The numbers are right, but += and -= change the scores that were passed in: make a "
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
    distance = np.abs(at[:, None] - at)  # of all queries, including those of earlier steps
    return scores - slope * distance[offset : offset + T, :S]

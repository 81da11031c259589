"""Exercise 3: one lookup that ranges from the mean of all values to the best key alone."""

from math import inf, log

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def sharp_lookup(
    query: np.ndarray,
    keys: np.ndarray,
    values: np.ndarray,
    sharpness: float,
) -> np.ndarray:
    """Look a query up, softly or sharply.

    query: (K,). keys: (S, K). values: (S, D), row j is key j's value.
    sharpness: 0 or more; it multiplies the scores. The larger it is,
    the more weight the best key gets. With np.inf it gets all of it;
    several best keys share it equally.
    Returns (D,): the weighted mean of the values.

    >>> keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> values = np.array([[10.0], [20.0]])
    >>> query = np.array([np.log(3), 0.0])
    >>> float(sharp_lookup(query, keys, values, 1)[0])
    12.5
    >>> sharp_lookup(query, keys, values, np.inf).tolist()
    [10.0]
    """
    scores = keys @ query  # (S,)
    gap = scores - scores.max()  # 0 for the best, the others below
    if sharpness == np.inf:
        e = (gap == 0).astype(float)
    else:
        e = np.exp(sharpness * gap)
    return e / e.sum() @ values


def _weights(scores: Array, sharpness: float) -> Array:
    if sharpness == inf:
        e = (scores == scores.max()).astype(float)
    else:
        e = np.exp(sharpness * (scores - scores.max()))
    return e / e.sum()


def _draw(rng: np.random.Generator) -> tuple[Array, Array, Array, float]:
    K, S, D = int(rng.integers(1, 5)), int(rng.integers(2, 6)), int(rng.integers(1, 4))
    # Whole numbers, so that equal scores are equal to the last bit.
    query = rng.integers(-3, 4, size=K).astype(float)
    keys = rng.integers(-2, 3, size=(S, K)).astype(float)
    values = rng.integers(-9, 10, size=(S, D)).astype(float)
    return query, keys, values, float(rng.choice([0, 0.5, 1, 3, 400, inf]))


_TWO = np.array([[1.0, 0.0], [0.0, 1.0]])
_PAY = np.array([[10.0], [20.0]])
_QUERY = np.array([log(3.0), 0.0])

EXERCISE = Exercise(
    id="attention.lookup.3",
    title="From soft to hard",
    reference=sharp_lookup,
    points=3,
    compare=Arrays(),
    cases=(
        Case((_QUERY, _TWO, _PAY, 1.0), np.array([12.5])),
        Case((_QUERY, _TWO, _PAY, 2.0), np.array([11.0])),  # 9 parts to 1
        Case((_QUERY, _TWO, _PAY, 0.0), np.array([15.0])),
        Case((_QUERY / 1000, _TWO, _PAY, 1000.0), np.array([12.5])),
        Case((_QUERY, _TWO, _PAY, inf), np.array([10.0])),
        Case(
            (
                np.array([1.0, 1.0]),
                np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 0.0]]),
                np.array([[4.0, 0.0], [0.0, 4.0], [9.0, 9.0]]),
                inf,
            ),
            np.array([2.0, 2.0]),
        ),
        Case((np.array([9.0, 0.0]), _TWO, _PAY, 1000.0), np.array([10.0])),
        Case((np.array([1e-15]), np.array([[1.0], [0.0]]), _PAY, inf), np.array([10.0])),
    ),
    generate=_draw,
    hints=(
        "The scores are the dot products of the query with each key, S of them. Multiply them by "
        "the sharpness, make weights with softmax, and take the weighted mean of the values.",
        "For large numbers, subtract the largest score before exp. As for np.inf: what is inf · 0?",
        "inf · 0 is NaN, and the best score minus itself is 0. So treat np.inf separately: 1 "
        "for each score that equals the largest, 0 for the others, divided by how many there "
        "are.",
    ),
    mutants={
        "Your answer is the same for every sharpness: it "
        "multiplies the scores.": "if sharpness == np.inf -> if False; sharpness * gap -> gap",
        "You divide by the sharpness, so a large one makes the lookup softer. (The number to "
        "divide by is called a temperature, which is the inverse of a sharpness.)": (
            "if sharpness == np.inf -> if False; sharpness * gap -> np.divide(gap, sharpness)"
        ),
        "With np.inf you multiply infinity by 0, the best score's distance from itself, and "
        "that is NaN. Treat it as a separate case.": "if sharpness == np.inf -> if False",
        "argmax takes the first of several best keys. They should share: however large the "
        "sharpness, equal scores have equal weights.": (
            "(gap == 0).astype(float) -> np.eye(len(gap))[gap.argmax()]"
        ),
        "You replace np.inf by a large number. Two scores that hardly differ then still share, "
        "although the best one should take everything.": lambda query, keys, values, sharpness: (
            sharp_lookup(query, keys, values, min(sharpness, 1e6))
        ),
        "exp of a large number is infinite, and ∞ / ∞ is NaN. Subtract the largest score from "
        "all of them before you multiply.": "np.exp(sharpness * gap) -> np.exp(sharpness * scores)",
        "Your weights do not sum to 1: the best one is already 1, and the others are added to "
        "it.": "e / e.sum() -> e",
        "You return a mean of the keys. The keys are what the query is compared with; what is "
        "returned are the values.": "@ values -> @ keys",
    },
)


@EXERCISE.mutant(
    "You divide the dot products by the lengths. That is the cosine; here a longer query or "
    "key has a larger score."
)
def _by_angle(query: Array, keys: Array, values: Array, sharpness: float) -> Array:
    lengths = np.linalg.norm(keys, axis=1) * np.linalg.norm(query)
    cosine = keys @ query / np.where(lengths == 0, 1, lengths)
    return _weights(cosine, sharpness) @ values


@EXERCISE.alternate
def _with_loops(query: Array, keys: Array, values: Array, sharpness: float) -> Array:
    scores = [sum(a * b for a, b in zip(query, key, strict=True)) for key in keys]
    best, total, out = max(scores), 0.0, np.zeros(values.shape[1])
    for score, value in zip(scores, values, strict=True):
        e = 1.0 if score == best else np.exp(sharpness * (score - best))  # exp(-inf) is 0
        total += e
        out += e * value
    return out / total


@EXERCISE.alternate
def _as_a_mean_of_the_best(query: Array, keys: Array, values: Array, sharpness: float) -> Array:
    scores = query @ keys.T
    if np.isinf(sharpness):
        return values[scores == scores.max()].mean(axis=0)
    return np.average(values, axis=0, weights=np.exp(sharpness * (scores - scores.max())))


@EXERCISE.alternate
def _longer_query(query: Array, keys: Array, values: Array, sharpness: float) -> Array:
    scores = keys @ query
    best = np.isclose(scores, scores.max(), rtol=1e-12, atol=0)
    if sharpness == inf:
        return values[best].mean(axis=0)
    return _weights(keys @ (sharpness * query), 1) @ values

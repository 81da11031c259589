"""Exercise 2: shifting both positions does not change the score; see for yourself."""

from math import cos, sin

import numpy as np

from plainformer.exercises.attention.relative_positions.rotate import rotate
from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def shifted_scores(
    q: np.ndarray,
    k: np.ndarray,
    m: int,
    n: int,
    shifts: np.ndarray,
) -> np.ndarray:
    """Score one query and one key after shifting both positions.

    q, k: (K,), a query and a key, K even, not yet rotated.
    m, n: the position of the query and that of the key.
    shifts: (N,), whole numbers: how far to shift both positions.
    Returns (N,), float64: for each s in shifts, the dot product of q
    rotated to position m + s with k rotated to n + s (exercise 1
    rotates them). If the page is right, what will the N numbers look
    like?

    >>> q, k = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    >>> shifts = np.array([0, 7, 50])
    >>> shifted_scores(q, k, 3, 1, shifts).round(6).tolist()
    [0.909297, 0.909297, 0.909297]
    """
    queries = rotate(np.tile(q, (len(shifts), 1)), m + shifts)  # (N, K)
    keys = rotate(np.tile(k, (len(shifts), 1)), n + shifts)  # (N, K)
    return (queries * keys).sum(axis=1)


def _half_layout(x: Array, positions: Array) -> Array:
    pairs = np.concatenate([x[:, i :: x.shape[1] // 2] for i in range(x.shape[1] // 2)], axis=1)
    return rotate(pairs, positions)  # the dot product does not depend on the order


def _i_over_d(x: Array, positions: Array) -> Array:
    return rotate(np.concatenate([x, 0 * x], axis=1), positions)[:, : x.shape[1]]


def _added(x: Array, positions: Array) -> Array:
    ones = np.zeros(x.shape) + np.arange(x.shape[1]) % 2
    return x + rotate(ones, -positions)


def _draw(rng: np.random.Generator) -> tuple[Array, Array, int, int, Array]:
    width = 2 * rng.integers(1, 5)
    q, k = rng.integers(-9, 10, size=(2, width)) / 2
    m, n = (int(i) for i in rng.integers(0, 30, size=2))
    return q, k, m, n, rng.integers(-20, 1000, size=rng.integers(1, 6))


EXERCISE = Exercise(
    id="attention.relative_positions.2",
    title="Shift both",
    reference=shifted_scores,
    points=2,
    compare=Arrays(),
    cases=(
        Case(
            (np.array([1.0, 0.0]), np.array([1.0, 0.0]), 4, 4, np.array([0, 1, 2])),
            np.array([1.0, 1.0, 1.0]),
        ),
        Case(
            (np.array([1.0, 0.0]), np.array([0.0, 1.0]), 3, 1, np.array([0, 7, 50])),
            np.array([sin(2), sin(2), sin(2)]),
        ),
        Case(
            (np.array([1.0, 0.0]), np.array([0.0, 1.0]), 1, 3, np.array([5])), np.array([-sin(2)])
        ),
        Case(
            (np.array([1.0, 0, 1, 0]), np.array([1.0, 0, 2, 0]), 5, 3, np.array([-3, 0, 90])),
            np.array([cos(2) + 2 * cos(0.02)] * 3),
        ),
        Case(
            (np.array([0.0, 2.0]), np.array([0.0, 3.0]), 1, 0, np.array([0, 999])),
            np.array([6 * cos(1), 6 * cos(1)]),
        ),
    ),
    generate=_draw,
    hints=(
        "You need exercise 1: rotate takes many vectors and their positions. How do you turn "
        "one query into N copies, one for each shift?",
        "np.tile repeats a vector as rows. The queries are at positions m + shifts and the "
        "keys at n + shifts, N of each.",
        "Row by row, multiply query and key number by number and sum. If the N scores are not "
        "equal, test rotate first: what does check say about exercise 1?",
    ),
    mutants={
        "Only your query moves; the key stays at n. The distance then changes, and with it the "
        "score. Shift both.": "n + shifts -> n + 0 * shifts",
        "Only your key moves; the query stays at m. The distance then changes, and with it the "
        "score. Shift both.": "m + shifts -> m + 0 * shifts",
        "Your key moves back while the query moves on. Shift both "
        "the same way.": "n + shifts -> n - shifts",
        "Your scores depend on n - m, and should depend on m - n. Are the two positions "
        "exchanged, or do both vectors "
        "rotate the wrong way?": lambda q, k, m, n, shifts: shifted_scores(q, k, n, m, shifts),
        "Your key rotates the other way. The angles then add up to m + n + 2s, and every shift "
        "changes the score. Query and key rotate the same way, and the dot product takes the "
        "difference by itself.": "n + shifts -> -n - shifts",
        "Only the query is rotated. The key also has to be "
        "rotated, to its own position.": "rotate(np.tile(k, (len(shifts), 1)), n + shifts) -> k",
        "Your scores are all equal, but they do not depend on the positions at all, because "
        "neither vector is rotated. Being equal for every shift is half of the claim; the "
        "other half is that another distance gives another score.": (
            "rotate(np.tile(q, (len(shifts), 1)), m + shifts) -> np.tile(q, (len(shifts), 1)); "
            "rotate(np.tile(k, (len(shifts), 1)), n + shifts) -> k"
        ),
        "Your scores are equal, but the pairs are those of the half layout, column i with "
        "column i + K/2. Here adjacent columns form a pair.": (
            "queries = rotate -> queries = _half_layout; keys = rotate -> keys = _half_layout"
        ),
        "Your scores are equal, but the exponent is i / K, and should be 2i / K.": (
            "queries = rotate -> queries = _i_over_d; keys = rotate -> keys = _i_over_d"
        ),
        "You add the sinusoidal table to query and key. Notice how the scores change with the "
        "shift: that is the problem that RoPE solves. It rotates and adds nothing.": (
            "queries = rotate -> queries = _added; keys = rotate -> keys = _added"
        ),
        "You return how much the scores change, which is zero apart from rounding. Return the "
        "scores themselves, to show that they "
        "are equal and not all zero.": lambda q, k, m, n, shifts: (
            shifted_scores(q, k, m, n, shifts) - shifted_scores(q, k, m, n, np.array([0]))
        ),
        "You divide by √K, as attention does later. The task asks for the plain dot product.": (
            "(queries * keys).sum(axis=1) -> (queries * keys).sum(axis=1) / np.sqrt(len(q))"
        ),
        "You score every query with every key, N × N numbers. The task asks for one score for "
        "each shift, which is the diagonal.": "(queries * keys).sum(axis=1) -> queries @ keys.T",
        "That is one number, the largest change. Return all N scores: a function that does "
        "nothing would also have zero change.": lambda q, k, m, n, shifts: float(
            np.ptp(shifted_scores(q, k, m, n, shifts))
        ),
    },
    alternates=[
        lambda q, k, m, n, shifts: np.repeat(
            rotate(q[None], np.array([m - n]))[0] @ k, len(shifts)
        ),
    ],
)


@EXERCISE.alternate
def _shift_by_shift(q: Array, k: Array, m: int, n: int, shifts: Array) -> Array:
    scores = []
    for s in shifts:
        query, key = rotate(q[None], np.array([m + s])), rotate(k[None], np.array([n + s]))
        scores.append(float(query[0] @ key[0]))
    return np.array(scores)


@EXERCISE.alternate
def _with_complex_numbers(q: Array, k: Array, m: int, n: int, shifts: Array) -> Array:
    frequency = 10000.0 ** (-np.arange(0, len(q), 2) / len(q))
    query = q.view(complex) * np.exp(1j * np.outer(m + shifts, frequency))
    key = k.view(complex) * np.exp(1j * np.outer(n + shifts, frequency))
    return (query * key.conj()).real.sum(axis=1)

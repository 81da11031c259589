"""Exercise 3: which tokens are nearest to a given one, measured by the angle."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def neighbours(table: np.ndarray, token: int, n: int) -> np.ndarray:
    """Return the n tokens whose vectors point most nearly the same way.

    How nearly two vectors a and b point the same way is measured by
    their cosine: a · b, divided by the length of a and the length of b.

    table: (V, D), no row of zeros, no two cosines alike.
    token: the ID of the token in question, from 0 to V - 1.
    n: how many to return, below V.
    Returns (n,), IDs, the nearest first. The token itself is not one of
    its neighbours.

    >>> table = np.array([[1.0, 0.0], [9.0, 9.0], [5.0, 0.5], [-1, 0]])
    >>> neighbours(table, 0, 2).tolist()
    [2, 1]
    """
    directions = table / np.linalg.norm(table, axis=1, keepdims=True)
    cosines = directions @ directions[token]  # (V,)
    order = np.argsort(-cosines)  # the token itself is among them
    return order[order != token][:n]


def _draw(rng: np.random.Generator) -> tuple[Array, int, int]:
    size, width = int(rng.integers(3, 9)), int(rng.integers(2, 5))
    lengths = rng.uniform(0.2, 5, size=(size, 1))
    table = (lengths * rng.normal(size=(size, width))).round(2) + 0.001
    return table, int(rng.integers(size)), int(rng.integers(1, size))


EXERCISE = Exercise(
    id="inputs.embedding.3",
    title="Which tokens are near each other",
    reference=neighbours,
    points=2,
    compare=Arrays(dtype=False),
    cases=(
        Case((np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), 0, 1), np.array([2])),
        Case((np.array([[1.0, 0.0], [9.0, 9.0], [5.0, 0.5], [-1.0, 0.0]]), 0, 2), np.array([2, 1])),
        # From row 2, (3, 4): (-30, 1) has the cosine -0.57, (0.1, 0) 0.6, (4, 3) 0.96.
        Case(
            (np.array([[-30.0, 1.0], [0.1, 0.0], [3.0, 4.0], [4.0, 3.0]]), 2, 3),
            np.array([3, 1, 0]),
        ),
        Case((np.array([[1.0, 2.0], [-1.0, -2.1], [2.0, -0.5]]), 0, 1), np.array([2])),
        # Row 0 points the very same way as row 1, and comes before it.
        Case((np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]), 1, 2), np.array([0, 2])),
    ),
    generate=_draw,
    hints=(
        "A long vector has large dot products with all the others. What do you have to divide "
        "by, so that only the direction counts?",
        "Divide every row by its length first, with np.linalg.norm(table, axis=1, keepdims=True). "
        "Then one product gives the cosines with all rows at once.",
        "np.argsort sorts upwards, and the largest cosine is wanted first. The largest of all is "
        "that of the token with itself: leave it out, then take n.",
    ),
    mutants={
        "You leave out the first one. Another vector may point in the very same direction and "
        "come before the token "
        "itself: leave out the token.": "order[order != token][:n] -> order[1 : n + 1]",
        "The token itself is the nearest of all and does not count as a neighbour: leave it out.": (
            "order[order != token] -> np.concatenate([[token], order[order != token]])"
        ),
        "Those are the largest dot products. They favour long vectors: divide by "
        "both lengths.": "directions @ directions[token] -> table @ table[token]",
        "You measure from tip to tip. Two vectors that point the same way may be far apart if "
        "one is long: compare directions.": (
            "directions @ directions[token] -> -np.linalg.norm(table - table[token], axis=1)"
        ),
        "Those point the other way: np.argsort sorts upwards, and the largest cosine is the "
        "nearest.": "np.argsort(-cosines) -> np.argsort(cosines)",
        "A cosine of −1 is the opposite direction, as far away as can be: do not take the "
        "absolute value.": "-cosines -> -np.abs(cosines)",
        "You divide by the other vector's length twice, which favours short ones. Once is "
        "enough.": (
            "directions @ directions[token] -> table @ table[token] / (table**2).sum(axis=1)"
        ),
        "The right tokens, in the wrong order: the nearest comes first.": "[:n] -> [:n][::-1]",
        "Those are the cosines. The task asks for the IDs, which are the "
        "numbers of the rows.": "order[order != token][:n] -> cosines[order[order != token][:n]]",
    },
)


@EXERCISE.alternate
def _one_by_one(table: Array, token: int, n: int) -> Array:
    def cosine(other: int) -> float:
        a, b = table[token], table[other]
        return float(a @ b / np.sqrt((a @ a) * (b @ b)))

    others = [i for i in range(len(table)) if i != token]
    return np.array(sorted(others, key=cosine, reverse=True)[:n])


@EXERCISE.alternate
def _by_angle(table: Array, token: int, n: int) -> Array:
    lengths = np.sqrt((table**2).sum(axis=1))
    cosines = table @ table[token] / lengths / lengths[token]
    angles = np.arccos(np.clip(cosines, -1, 1))
    angles[token] = np.inf
    return np.argsort(angles)[:n]


@EXERCISE.alternate
def _by_distance_of_directions(table: Array, token: int, n: int) -> Array:
    directions = table / np.linalg.norm(table, axis=1)[:, None]
    far = np.linalg.norm(directions - directions[token], axis=1)
    far[token] = np.inf
    return np.argsort(far)[:n]

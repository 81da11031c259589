"""Exercise 3: from the row of a position to that of a later one, by a rotation."""

import math
from math import cos, sin

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def step_forward(row: np.ndarray, k: int) -> np.ndarray:
    """Turn the row of position p into that of p + k without knowing p.

    row: (D,), one row of the sinusoidal table (exercise 1), D even.
    k: how many positions to move forward; a negative k moves back.
    Returns (D,), the row of position p + k.

    You need: sin(a + b) = sin(a) cos(b) + cos(a) sin(b)
              cos(a + b) = cos(a) cos(b) - sin(a) sin(b)

    >>> row = np.array([0.0, 1.0, 0.0, 1.0])
    >>> step_forward(row, 1).round(2).tolist()
    [0.84, 0.54, 0.01, 1.0]
    """
    d_model = len(row)
    turn = k / 10000 ** (np.arange(0, d_model, 2) / d_model)
    sine, cosine = row[0::2], row[1::2]  # (D/2,) each
    moved = np.empty(d_model)
    moved[0::2] = sine * np.cos(turn) + cosine * np.sin(turn)
    moved[1::2] = cosine * np.cos(turn) - sine * np.sin(turn)
    return moved


def _angles(row: Array, k: int) -> Array:
    return k / 10000 ** (np.arange(0, len(row), 2) / len(row))


def _draw(rng: np.random.Generator) -> tuple[Array, int]:
    d_model, p = 2 * int(rng.integers(1, 5)), int(rng.integers(60))
    angle = p / 10000 ** (np.arange(0, d_model, 2) / d_model)
    row = np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()
    return row, int(rng.integers(-p, 60))


def _row(*angles: float) -> Array:
    return np.array([wave(angle) for angle in angles for wave in (sin, cos)])


EXERCISE = Exercise(
    id="inputs.positions.3",
    title="A step is a rotation",
    reference=step_forward,
    points=3,
    compare=Arrays(),
    cases=(
        # In the rows below, `_row` writes down the sine and the cosine of each angle.
        Case((np.array([0.0, 1.0]), 1), _row(1)),
        Case((np.array([0.0, 1.0, 0.0, 1.0]), 1), _row(1, 0.01)),
        Case((_row(1, 0.01), 1), _row(2, 0.02)),
        Case((_row(1, 0.01), -1), np.array([0.0, 1.0, 0.0, 1.0])),
        Case((_row(3, 0.3, 0.03, 0.003), 4), _row(7, 0.7, 0.07, 0.007)),
        Case((_row(1000), 0), _row(1000)),
    ),
    generate=_draw,
    hints=(
        "Each pair holds the sine and the cosine of an angle a that you do not know. After k "
        "steps the angle is a + b. How large is b for pair i, if pair i rotates by 1 / "
        "10000^(2i / D) at each step?",
        "Look at the two rules in the task: sin(a) and cos(a) are in the row, sin(b) and cos(b) "
        "you can compute. You never need a itself.",
        "Take the even columns as the sines and the odd ones as the cosines, D/2 numbers each; "
        "compute the D/2 angles b; then each rule is one line for all pairs at once.",
    ),
    mutants={
        "Yours goes k steps back: check the signs. (A rotation written for points (x, y) goes "
        "the other way here, because the sine comes first.)": lambda row, k: step_forward(row, -k),
        "You rotate all pairs by k. Only the first pair rotates by 1 radian at each step; pair "
        "i rotates by 1 / 10000^(2i / D).": (
            "k / 10000 ** (np.arange(0, d_model, 2) / d_model) -> np.full(d_model // 2, k)"
        ),
        "You add the row of position k. Angles add up when you take a step; their sines and "
        "cosines do not.": (
            "return moved -> return row + np.stack([np.sin(turn), np.cos(turn)], axis=-1).ravel()"
        ),
        "That is the row of position k: it does not use the row that was given at all.": (
            "return moved -> return np.stack([np.sin(turn), np.cos(turn)], axis=-1).ravel()"
        ),
        "arcsin cannot tell on which side of the circle you are, because two angles have the "
        "same sine; only the cosine distinguishes them. If you use the rules, you do not need "
        "the angle at all.": (
            "return moved -> return np.stack([f(np.arcsin(sine) + turn) for f in (np.sin, "
            "np.cos)], axis=-1).ravel()"
        ),
        "You shift the columns. A step changes the values in the columns and does not move "
        "them: a position is a row of the table.": lambda row, k: np.roll(row, k),
        "The sines are right and the cosines are not: you have overwritten the old sines "
        "before the second rule could use them. (A slice of an array is a view, not a copy.)": (
            "np.empty(d_model) -> row.copy(); - sine * np.sin(turn) -> - moved[0::2] * np.sin(turn)"
        ),
        "You take the left half as sines and the right half as cosines. In this table the two "
        "numbers of a pair are adjacent: columns 2i and 2i + 1.": (
            "row[0::2], row[1::2] -> np.split(row, 2); moved[0::2] -> moved[: d_model // 2]; "
            "moved[1::2] -> moved[d_model // 2 :]"
        ),
        "Your exponent is i / D, and should be 2i / D: pair i "
        "of D/2 pairs.": "np.arange(0, d_model, 2) -> np.arange(d_model // 2)",
        "The sines are right. The rule for the cosine has a minus where "
        "yours has a plus.": "cosine * np.cos(turn) - -> cosine * np.cos(turn) +",
    },
)


@EXERCISE.mutant(
    "You read the position off the first pair. Its angle repeats after 2π steps, a little more "
    "than 6, so at position 7 you read 0.72. Rotate each pair separately."
)
def _position_from_the_first_pair(row: Array, k: int) -> Array:
    angle = _angles(row, 1) * (np.arctan2(row[0], row[1]) + k)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()


@EXERCISE.alternate
def _with_complex_numbers(row: Array, k: int) -> Array:
    z = (row[1::2] + 1j * row[0::2]) * np.exp(1j * _angles(row, k))
    return np.stack([z.imag, z.real], axis=-1).ravel()


@EXERCISE.alternate
def _with_a_matrix(row: Array, k: int) -> Array:
    matrix = np.zeros((len(row), len(row)))
    for i, angle in enumerate(_angles(row, k)):
        c, s = math.cos(angle), math.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return matrix @ row


@EXERCISE.alternate
def _with_each_angle(row: Array, k: int) -> Array:
    angle = np.arctan2(row[0::2], row[1::2]) + _angles(row, k)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()

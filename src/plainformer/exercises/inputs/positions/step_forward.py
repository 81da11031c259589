"""Exercise 3: from the row of a position to that of a later one, by a rotation."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import math
from math import cos, sin

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def step_forward(row: np.ndarray, k: int) -> np.ndarray:
    """Turn the row of position p into that of p + k; p is not told.

    row: (D,), one row of the sinusoidal table (exercise 1), D even.
    k: how many positions to go on; a negative k goes back.
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


def _turn(row: np.ndarray, k: int) -> np.ndarray:
    return k / 10000 ** (np.arange(0, len(row), 2) / len(row))


def _with_complex_numbers(row: np.ndarray, k: int) -> np.ndarray:
    z = (row[1::2] + 1j * row[0::2]) * np.exp(1j * _turn(row, k))
    return np.stack([z.imag, z.real], axis=-1).ravel()


def _with_a_matrix(row: np.ndarray, k: int) -> np.ndarray:
    matrix = np.zeros((len(row), len(row)))
    for i, angle in enumerate(_turn(row, k)):
        c, s = math.cos(angle), math.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return matrix @ row


def _with_each_angle(row: np.ndarray, k: int) -> np.ndarray:
    angle = np.arctan2(row[0::2], row[1::2]) + _turn(row, k)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()


def _rotated(sine: np.ndarray, cosine: np.ndarray, turn: np.ndarray) -> np.ndarray:
    forward = sine * np.cos(turn) + cosine * np.sin(turn)
    return np.stack([forward, cosine * np.cos(turn) - sine * np.sin(turn)], axis=-1).ravel()


def _backward(row: np.ndarray, k: int) -> np.ndarray:
    return step_forward(row, -k)


def _all_at_one_speed(row: np.ndarray, k: int) -> np.ndarray:
    return _rotated(row[0::2], row[1::2], 0 * _turn(row, k) + k)


def _row_of_k_added(row: np.ndarray, k: int) -> np.ndarray:
    turn = _turn(row, k)
    return row + np.stack([np.sin(turn), np.cos(turn)], axis=-1).ravel()


def _row_of_k(row: np.ndarray, k: int) -> np.ndarray:
    turn = _turn(row, k)
    return np.stack([np.sin(turn), np.cos(turn)], axis=-1).ravel()


def _position_from_the_first_pair(row: np.ndarray, k: int) -> np.ndarray:
    angle = _turn(row, 1) * (np.arctan2(row[0], row[1]) + k)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()


def _angle_from_the_sine(row: np.ndarray, k: int) -> np.ndarray:
    angle = np.arcsin(row[0::2]) + _turn(row, k)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()


def _rolled(row: np.ndarray, k: int) -> np.ndarray:
    return np.roll(row, k)


def _overwritten(row: np.ndarray, k: int) -> np.ndarray:
    turn, moved = _turn(row, k), row.copy()
    moved[0::2] = moved[0::2] * np.cos(turn) + moved[1::2] * np.sin(turn)
    moved[1::2] = moved[1::2] * np.cos(turn) - moved[0::2] * np.sin(turn)
    return moved


def _in_halves(row: np.ndarray, k: int) -> np.ndarray:
    sine, cosine = np.split(row, 2)
    moved = _rotated(sine, cosine, _turn(row, k))
    return np.concatenate([moved[0::2], moved[1::2]])


def _i_over_d(row: np.ndarray, k: int) -> np.ndarray:
    turn = k / 10000 ** (np.arange(len(row) // 2) / len(row))
    return _rotated(row[0::2], row[1::2], turn)


def _plus_in_both(row: np.ndarray, k: int) -> np.ndarray:
    turn, sine, cosine = _turn(row, k), row[0::2], row[1::2]
    forward = sine * np.cos(turn) + cosine * np.sin(turn)
    return np.stack([forward, cosine * np.cos(turn) + sine * np.sin(turn)], axis=-1).ravel()


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, int]:
    d_model, p = 2 * int(rng.integers(1, 5)), int(rng.integers(60))
    angle = p / 10000 ** (np.arange(0, d_model, 2) / d_model)
    row = np.stack([np.sin(angle), np.cos(angle)], axis=-1).ravel()
    return row, int(rng.integers(-p, 60))


def _row(*angles: float) -> np.ndarray:
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
        "steps the angle is a + b. How large is b for pair i, if pair i turns by "
        "1 / 10000^(2i / D) at each step?",
        "Look at the two rules in the task: sin(a) and cos(a) are in the row, sin(b) and cos(b) "
        "you can compute. You never need a itself.",
        "Take the even columns as the sines and the odd ones as the cosines, D/2 numbers each; "
        "compute the D/2 angles b; then each rule is one line for all pairs at once.",
    ),
    mutants=(
        Mutant(
            _backward,
            "Yours goes k steps back: check the signs. (A rotation written for points (x, y) turns "
            "the other way here, because the sine stands first.)",
        ),
        Mutant(
            _all_at_one_speed,
            "You turn all pairs by k. Only the first pair turns by 1 radian at each step; pair i "
            "turns by 1 / 10000^(2i / D).",
        ),
        Mutant(
            _row_of_k_added,
            "You add the row of position k. Angles add up when you take a step; their sines and "
            "cosines do not.",
        ),
        Mutant(
            _row_of_k,
            "That is the row of position k: it does not use the row that was given at all.",
        ),
        Mutant(
            _position_from_the_first_pair,
            "You read the position off the first pair. It comes round again after 2π steps, a "
            "little more than 6: at position 7 you read 0.72. Turn each pair by itself.",
        ),
        Mutant(
            _angle_from_the_sine,
            "arcsin does not know on which side of the circle you are: two angles have the same "
            "sine. The cosine is there to tell. You need no angle at all if you use the rules.",
        ),
        Mutant(
            _rolled,
            "You shift the columns. A step changes what stands in each column, not where it "
            "stands: a position is a row of the table.",
        ),
        Mutant(
            _overwritten,
            "The sines are right and the cosines are not: you have overwritten the old sines "
            "before the second rule could use them. (A slice of an array is a view, no copy.)",
        ),
        Mutant(
            _in_halves,
            "You take the left half as sines and the right half as cosines. In this table the "
            "two of a pair are neighbours: columns 2i and 2i + 1.",
        ),
        Mutant(
            _i_over_d,
            "Your exponent is i / D, and should be 2i / D: pair i of D/2 pairs.",
        ),
        Mutant(
            _plus_in_both,
            "The sines are right. The rule for the cosine has a minus where yours has a plus.",
        ),
    ),
    alternates=(_with_complex_numbers, _with_a_matrix, _with_each_angle),
)

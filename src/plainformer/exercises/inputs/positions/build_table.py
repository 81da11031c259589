"""Exercise 1: the table of sines and cosines, without a loop."""

import math
from math import cos, sin

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def build_table(length: int, d_model: int) -> np.ndarray:
    """Build the sinusoidal table of positions, without a loop.

    Row p is position p, from 0 on. Columns 2i and 2i + 1 form pair i;
    they hold the sine and the cosine of p / 10000^(2i / d_model), an
    angle in radians. d_model is even.
    Returns (length, d_model).

    >>> build_table(2, 4).round(2).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.84, 0.54, 0.01, 1.0]]
    """
    position = np.arange(length)[:, None]  # (T, 1)
    two_i = np.arange(0, d_model, 2)  # (D/2,)
    angle = position / 10000 ** (two_i / d_model)  # (T, D/2)
    table = np.empty((length, d_model))
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return table


EXERCISE = Exercise(
    id="inputs.positions.1",
    title="Build the table",
    reference=build_table,
    points=2,
    compare=Arrays(),
    cases=(
        Case((1, 4), np.array([[0.0, 1.0, 0.0, 1.0]])),
        Case((2, 2), np.array([[0.0, 1.0], [sin(1), cos(1)]])),
        Case(
            (3, 4),
            np.array(
                [
                    [0.0, 1.0, 0.0, 1.0],
                    [sin(1), cos(1), sin(0.01), cos(0.01)],
                    [sin(2), cos(2), sin(0.02), cos(0.02)],
                ]
            ),
        ),
        Case(
            # 10000^(1/4) is 10: for d_model = 8 the angles of row 1 are 1, 0.1, 0.01 and 0.001.
            (2, 8),
            np.array([[0.0, 1.0] * 4, [f(x) for x in (1, 0.1, 0.01, 0.001) for f in (sin, cos)]]),
        ),
    ),
    generate=lambda rng: (int(rng.integers(0, 12)), 2 * int(rng.integers(1, 9))),
    hints=(
        "Work out the row of position 1 for d_model = 4 on paper. There are two pairs, so two "
        "angles: 1 / 10000^(0/4) and 1 / 10000^(2/4). Two loops, over positions and pairs, "
        "already give a right answer; then try it without them.",
        "First compute the angles, a table of shape (length, d_model / 2). Broadcasting makes "
        "it from a column of positions, shape (length, 1), and a row of exponents, shape "
        "(d_model / 2,).",
        "Sines go to the even columns of the result and cosines to the odd ones. You can also "
        "assign to a slice with a step of 2, such as table[:, 1::2].",
    ),
    mutants={
        "Sine and cosine have changed places. The sine comes first, in the even columns: "
        "position 0 is 0, 1, 0, 1 and so on.": (
            "0::2] = np.sin -> 0::2] = np.cos; 1::2] = np.cos -> 1::2] = np.sin"
        ),
        "Your sines are together in the left half and your cosines in the right half. Here the "
        "two numbers of a pair are adjacent, in columns 2i and 2i + 1. (Both orders are in "
        "use, and either works as long as it is always the same.)": (
            "table[:, 0::2] -> table[:, : d_model // 2]; table[:, 1::2] -> table[:, d_model // 2 :]"
        ),
        "Your exponent is i / d_model and should be 2i / d_model. So yours stay below 1/2; in "
        "a wide table they should grow towards 1.": "two_i / d_model -> two_i / 2 / d_model",
        "You multiply by 10000^(2i / d_model) instead of dividing. The first pair is the "
        "fastest; each later one rotates more slowly.": "position / 10000 -> position * 10000",
        "Positions count from 0, so the first row is 0, 1, 0, "
        "1 and so on.": "np.arange(length)[:, None] -> np.arange(1, length + 1)[:, None]",
        "Your positions are columns. Here each "
        "position is a row.": "return table -> return table.T",
        "You convert the angles from degrees to radians. They already are in radians.": (
            "np.sin(angle) -> np.sin(np.radians(angle)); np.cos(angle) -> np.cos(np.radians(angle))"
        ),
        "Both columns of a pair hold the sine. The second "
        "is the cosine.": "np.cos(angle) -> np.sin(angle)",
        "Your last pair reaches 10000 in full: you divide by d_model - 2 (some programs do). "
        "The formula divides 2i by d_model, so 10000 is never "
        "quite reached.": "two_i / d_model -> two_i / max(d_model - 2, 1)",
        "You divide the power by d_model, not the exponent: ** binds more tightly than /. "
        "Brackets around the exponent help.": (
            "10000 ** (two_i / d_model) -> (10000.0**two_i / d_model)"
        ),
        "All your pairs rotate at the same speed, 1 radian per step. What makes them differ is "
        "the division by 10000^(2i / d_model).": (
            "position / 10000 ** (two_i / d_model) -> position + 0 * two_i"
        ),
        "In Python the sign for a power is **. The caret ^ is a bitwise operation, which is "
        "not defined for floating-point numbers.": lambda length, d_model: np.sin(
            np.arange(length)[:, None] / (10000 ^ np.arange(0, d_model, 2) / d_model)
        ),
        "Two arrays of shapes (length,) and (d_model / 2,) do not broadcast. To combine every "
        "position with every exponent, make the "
        "positions a column: [:, None].": lambda length, d_model: np.sin(
            np.arange(length + 1) / 10000 ** (np.arange(0, 2 * d_model + 6, 2) / d_model)
        ),
    },
)


@EXERCISE.mutant(
    "The exponent is the same for both columns of a pair: 2i / d_model, not column / d_model. "
    "Otherwise sine and cosine have different frequencies and do not form a pair."
)
def _exponent_of_its_own(length: int, d_model: int) -> Array:
    column = np.arange(d_model)
    angle = np.arange(length)[:, None] / 10000 ** (column / d_model)
    return np.where(column % 2, np.cos(angle), np.sin(angle))


@EXERCISE.alternate
def _cell_by_cell(length: int, d_model: int) -> Array:
    table = np.zeros((length, d_model))
    for p in range(length):
        for column in range(d_model):
            angle = p / 10000 ** (column // 2 * 2 / d_model)
            table[p, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


@EXERCISE.alternate
def _cosine_as_shifted_sine(length: int, d_model: int) -> Array:
    column = np.arange(d_model)
    angle = np.outer(np.arange(length), 10000.0 ** (-(column // 2 * 2) / d_model))
    return np.sin(angle + column % 2 * np.pi / 2)


@EXERCISE.alternate
def _imaginary_and_real(length: int, d_model: int) -> Array:
    turn = 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    z = np.exp(1j * np.arange(length)[:, None] * turn)
    return np.stack([z.imag, z.real], axis=-1).reshape(length, d_model)

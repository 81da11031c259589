"""Exercise 2: find the one wrong number in a printed table."""

import math
from math import cos, sin
from typing import Any

import numpy as np

from plainformer.exercises.inputs.positions.build_table import build_table
from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def find_mistake(table: np.ndarray) -> tuple[int, int, float]:
    """Find the one wrong number in a printed table of positions.

    table: (T, D), the table of exercise 1, rounded to two decimals as
    in a book. One number is off by 0.05 or more; all the others are
    right to two decimals.
    Returns (position, dimension, value): where the wrong number is,
    counted from 0, and the value that belongs there, rounded or not.

    >>> table = np.array([[0.0, 1.0], [0.84, 0.45], [0.91, -0.42]])
    >>> position, dimension, value = find_mistake(table)
    >>> int(position), int(dimension), round(float(value), 2)
    (1, 1, 0.54)
    """
    right = build_table(*table.shape)
    wrong = np.argmax(np.abs(table - right))  # counts along the rows
    position, dimension = np.unravel_index(wrong, table.shape)
    value = right[position, dimension]
    return int(position), int(dimension), float(value)


def _draw(rng: np.random.Generator) -> tuple[Array]:
    length, d_model = int(rng.integers(2, 7)), 2 * int(rng.integers(1, 4))
    table = np.round(build_table(length, d_model), 2) + 0.0
    p, column = rng.integers(length), rng.integers(d_model)
    value = table[p, column]
    # Mistakes that people make: the partner's value, a sign, a neighbour's row, another exponent.
    slips = [table[p, column ^ 1], -value, table[p - 1, column], table[p, column - 2]]
    slips += [value + 0.1, value - 0.1]
    table[p, column] = rng.choice([slip for slip in slips if abs(slip - value) >= 0.06])
    return (np.round(table, 2) + 0.0,)


EXERCISE = Exercise(
    id="inputs.positions.2",
    title="Find the mistake",
    reference=find_mistake,
    points=2,
    compare=Arrays(rtol=0, atol=0.006),
    cases=(
        Case((np.array([[0.0, 1.0], [0.84, 0.45], [0.91, -0.42]]),), (1, 1, cos(1))),
        Case((np.array([[0.0, 1.0], [0.84, 0.54], [0.91, 0.42]]),), (2, 1, cos(2))),
        Case(
            # The exponent of the first pair, used for the second one too.
            (np.array([[0.0, 1, 0, 1], [0.84, 0.54, 0.84, 1.0], [0.91, -0.42, 0.02, 1.0]]),),
            (1, 2, sin(0.01)),
        ),
        Case(
            (np.array([[0.0, 1, 0, 1], [0.84, 0.54, 0.01, 1.0], [0.91, -0.42, 0.02, -0.42]]),),
            (2, 3, cos(0.02)),
        ),
        Case((np.array([[0.0, 1.0, 0.0, 0.9], [0.84, 0.54, 0.01, 1.0]]),), (0, 3, 1.0)),
        Case((np.array([[0.0, 1.0], [0.84, 0.54], [0.97, -0.42]]),), (2, 0, sin(2))),
    ),
    generate=_draw,
    hints=(
        "You can build the right table yourself (exercise 1). Its shape is that of the table you "
        "were given.",
        "Printed numbers are rounded, so nearly all of them differ from yours by a little. The "
        "mistake is the one that differs most, up or down.",
        "argmax finds the largest number of an array, but counts its cells row by row. "
        "np.unravel_index turns that count into a row and a column; so does divmod.",
    ),
    mutants={
        "The position is the row and comes first; the dimension "
        "is the column.": "int(position), int(dimension) -> int(dimension), int(position)",
        "The position is right, but you return the wrong value that is there. The task asks "
        "for the value that belongs there.": "value = right -> value = table",
        "The position is right. The task asks for the value that belongs there, not for the "
        "difference.": "float(value) -> float(value - table[position, dimension])",
        "Positions and dimensions count from 0.": (
            "int(position), int(dimension) -> int(position) + 1, int(dimension) + 1"
        ),
        "You stop at the first number that is not equal to yours. Printed numbers are rounded, "
        "so 0.84 is not sin(1), and yet it is not a mistake. "
        "Which number is furthest off?": "np.abs(table - right) -> table != right",
        "You find a number that is too large, but not one that is too small. The size of a "
        "difference is its absolute value.": "np.abs(table - right) -> table - right",
        "You find a number that is too small, but not one that is too large. The size of a "
        "difference is its absolute value.": "np.abs(table - right) -> right - table",
        "Your own table is wrong: it has the cosine in the even columns.": (
            "build_table(*table.shape) -> build_table(*table.shape).reshape(len(table), -1, "
            "2)[..., ::-1].reshape(table.shape)"
        ),
        "Your own table is wrong: it starts at position 1.": (
            "build_table(*table.shape) -> build_table(len(table) + 1, table.shape[1])[1:]"
        ),
        "Your own table is wrong: its exponent is i / d_model, and should be 2i / d_model.": (
            "build_table(*table.shape) -> build_table(len(table), 2 * table.shape[1])[:, : "
            "table.shape[1]]"
        ),
        "argmax gives one number: it counts the cells row by row. Turn it into a row and a "
        "column, and add the value that belongs there.": lambda table: int(
            np.argmax(np.abs(table - build_table(*table.shape)))
        ),
    },
)


@EXERCISE.mutant(
    "Sine² + cosine² = 1 tells you that a pair is wrong. It cannot tell which of the two it is, "
    "and a wrong sign or a swap of the two escapes it."
)
def _off_the_circle(table: Array) -> tuple[Any, Any, Any]:
    off = np.abs(table[:, 0::2] ** 2 + table[:, 1::2] ** 2 - 1)
    position, pair = np.unravel_index(np.argmax(off), off.shape)
    return position, 2 * pair, build_table(*table.shape)[position, 2 * pair]


@EXERCISE.alternate
def _against_a_rounded_one(table: Array) -> tuple[Any, Any, Any]:
    right = np.round(build_table(*table.shape), 2)
    ((position, dimension),) = np.argwhere(np.abs(table - right) > 0.02)
    return position, dimension, right[position, dimension]


@EXERCISE.alternate
def _cell_by_cell(table: Array) -> tuple[Any, Any, Any] | None:
    length, d_model = table.shape
    for p in range(length):
        for column in range(d_model):
            angle = p / 10000 ** (column // 2 * 2 / d_model)
            value = math.cos(angle) if column % 2 else math.sin(angle)
            if abs(table[p, column] - value) > 0.04:
                return p, column, value
    return None

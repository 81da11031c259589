"""Exercise 1: rotary positions, with complex numbers."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import cmath
from collections.abc import Callable
from math import cos, sin

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Turn the pairs of each vector by an angle that its position sets.

    x: (T, K), K even: T queries or keys. Columns 2i and 2i + 1 form
    pair i, one point of the plane.
    positions: (T,), the position of each of them.
    Returns (T, K), float64: in the row of position p, pair i is turned
    by the angle p / 10000^(2i / K), in radians, anticlockwise:
    (a, b) becomes (a cos - b sin, a sin + b cos).

    Complex numbers make it short: turning is multiplying.

    >>> x = np.array([[1.0, 0.0, 0.0, 1.0]])
    >>> rotate(x, np.array([1])).round(2).tolist()
    [[0.54, 0.84, -0.01, 1.0]]
    """
    width = x.shape[1]
    frequency = 10000.0 ** (-np.arange(0, width, 2) / width)  # (K/2,)
    angle = positions[:, None] * frequency  # (T, K/2)
    z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def _with_sine_and_cosine(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    angle = _angle(positions, x.shape[1])
    a, b = x[:, 0::2], x[:, 1::2]
    turned = np.empty(x.shape)
    turned[:, 0::2] = a * np.cos(angle) - b * np.sin(angle)
    turned[:, 1::2] = a * np.sin(angle) + b * np.cos(angle)
    return turned


def _pair_by_pair(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    turned = np.zeros(x.shape)
    for t, p in enumerate(positions):
        for i in range(x.shape[1] // 2):
            angle = p / 10000 ** (2 * i / x.shape[1])
            z = complex(x[t, 2 * i], x[t, 2 * i + 1]) * cmath.exp(1j * angle)
            turned[t, 2 * i : 2 * i + 2] = z.real, z.imag
    return turned


def _seen_as_complex(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    z = np.ascontiguousarray(x).view(complex) * np.exp(1j * _angle(positions, x.shape[1]))
    return z.view(float)


Angles = Callable[[np.ndarray, int], np.ndarray]
Layout = Callable[[np.ndarray], np.ndarray]


def _angle(positions: np.ndarray, width: int) -> np.ndarray:
    return positions[:, None] / 10000 ** (np.arange(0, width, 2) / width)


def _pairs(x: np.ndarray) -> np.ndarray:
    return x[:, 0::2] + 1j * x[:, 1::2]


def _interleaved(z: np.ndarray) -> np.ndarray:
    return np.stack([z.real, z.imag], axis=-1).reshape(len(z), -1)


def _halves(z: np.ndarray) -> np.ndarray:
    return np.concatenate([z.real, z.imag], axis=1)


def _rotator(
    angle: Angles = _angle,
    read: Layout = _pairs,
    write: Layout = _interleaved,
    turn: Layout = lambda angle: np.exp(1j * angle),
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """A rotation with other angles, another layout, or another factor."""

    def apply(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        return write(read(x) * turn(angle(positions, x.shape[1])))

    return apply


_clockwise = _rotator(turn=lambda angle: np.exp(-1j * angle))
_in_halves = _rotator(read=lambda x: _in_two(x)[0] + 1j * _in_two(x)[1], write=_halves)
_halves_at_the_end = _rotator(write=_halves)
_still_complex = _rotator(write=lambda z: z)
_no_i = _rotator(turn=np.exp)
_not_a_power_of_e = _rotator(turn=lambda angle: np.cos(angle) + np.sin(angle))
_shrunk = _rotator(turn=np.cos)
_sine_for_cosine = _rotator(turn=lambda angle: np.sin(angle) + 1j * np.cos(angle))
_i_over_d = _rotator(lambda p, width: p[:, None] / 10000 ** (np.arange(width // 2) / width))
_upwards = _rotator(lambda p, width: p[:, None] * 10000 ** (np.arange(0, width, 2) / width))
_in_degrees = _rotator(lambda p, width: np.radians(_angle(p, width)))
_all_at_one_speed = _rotator(lambda p, width: p[:, None] + np.zeros(width // 2))
_by_row = _rotator(lambda p, width: _angle(np.arange(len(p)), width))
_one_late = _rotator(lambda p, width: _angle(p + 1, width))


def _in_two(x: np.ndarray) -> list[np.ndarray]:
    return np.split(x, 2, axis=1)


def _added(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    angle = _angle(positions, x.shape[1])
    return x + _interleaved(np.sin(angle) + 1j * np.cos(angle))


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    length, width = rng.integers(1, 5), 2 * rng.integers(1, 4)
    x = rng.integers(-9, 10, size=(length, width)) / 2
    return x, rng.integers(0, 100, size=length)


EXERCISE = Exercise(
    id="inputs.relative_positions.1",
    title="Turn the pairs",
    reference=rotate,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[3.0, 4.0]]), np.array([0])), np.array([[3.0, 4.0]])),
        Case((np.array([[1.0, 0.0]]), np.array([1])), np.array([[cos(1), sin(1)]])),
        Case(
            (np.array([[3.0, 4.0]]), np.array([2])),
            np.array([[3 * cos(2) - 4 * sin(2), 3 * sin(2) + 4 * cos(2)]]),
        ),
        Case(
            (np.array([[1.0, 0.0, 0.0, 1.0]]), np.array([1])),
            np.array([[cos(1), sin(1), -sin(0.01), cos(0.01)]]),
        ),
        Case(
            (np.array([[1.0, 0, 2, 0], [1.0, 0, 2, 0]]), np.array([50, 0])),
            np.array([[cos(50), sin(50), 2 * cos(0.5), 2 * sin(0.5)], [1.0, 0.0, 2.0, 0.0]]),
        ),
    ),
    generate=_draw,
    hints=(
        "The point (a, b) is the complex number a + bi, in NumPy a + 1j * b. What happens to it "
        "when you multiply by i, that is 1j? It turns by a quarter.",
        "To turn by an angle, multiply by e^(i·angle): np.exp of 1j times the angle. Its length "
        "is 1, so it turns and does not stretch.",
        "Make a (T, K/2) array of complex numbers from the even and the odd columns, and a "
        "(T, K/2) array of angles from the positions and the frequencies. After the product, put "
        "the real parts back into the even columns and the imaginary parts into the odd ones.",
    ),
    mutants=(
        Mutant(
            _clockwise,
            "You turn clockwise: the sign of the angle is wrong. (If queries and keys both did so, "
            "scores would still depend on the distance only, but on n - m and not on m - n: not "
            "what a published model has learned.)",
        ),
        Mutant(
            _in_halves,
            "You pair column i with column i + K/2: that is the half layout. Here the two of a "
            "pair are neighbours, columns 2i and 2i + 1.",
        ),
        Mutant(
            _halves_at_the_end,
            "The turned numbers are right, but they stand in another order: first all real parts, "
            "then all imaginary ones. Put them back where they came from.",
        ),
        Mutant(
            _still_complex,
            "You return complex numbers, K/2 in a row. Take them apart again: the real part is "
            "the first of a pair, the imaginary part the second.",
        ),
        Mutant(
            _no_i,
            "Your vectors grow: e^angle is a large number and no rotation. The i is missing in the "
            "exponent.",
        ),
        Mutant(
            _not_a_power_of_e,
            "You multiply by cos + sin, a plain number, which stretches. It is cos + i · sin that "
            "turns.",
        ),
        Mutant(
            _shrunk,
            "You multiply by the cosine alone, so the vectors shrink. A rotation keeps the length "
            "of every pair: the sine belongs to it.",
        ),
        Mutant(
            _sine_for_cosine,
            "Sine and cosine have changed places: at position 0 nothing should turn, and cos(0) "
            "is 1.",
        ),
        Mutant(
            _i_over_d,
            "Your exponent is i / K and should be 2i / K: there are K/2 pairs.",
        ),
        Mutant(
            _upwards,
            "You multiply by 10000^(2i / K) instead of dividing: the first pair is the fastest "
            "one.",
        ),
        Mutant(
            _in_degrees,
            "You turn the angles from degrees to radians. They are radians as they are.",
        ),
        Mutant(
            _all_at_one_speed,
            "All your pairs turn by the same angle. Pair i is slower by the factor 10000^(2i / K).",
        ),
        Mutant(
            _by_row,
            "You take the number of the row for the position. A vector stands where positions "
            "says: they need not start at 0 nor be in order.",
        ),
        Mutant(_one_late, "Position 0 does not turn at all: your positions are one too large."),
        Mutant(
            _added,
            "You add sines and cosines to the vector, as the sinusoidal table does. RoPE adds "
            "nothing: it turns the vector that is there.",
        ),
    ),
    alternates=(_with_sine_and_cosine, _pair_by_pair, _seen_as_complex),
)

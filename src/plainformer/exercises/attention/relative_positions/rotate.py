"""Exercise 1: rotary position embeddings, with complex numbers."""

import cmath
from math import cos, sin

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Rotate the pairs of each vector by an angle that depends on its
    position.

    x: (T, K), K even: T queries or keys. Columns 2i and 2i + 1 form
    pair i, one point of the plane.
    positions: (T,), their positions.
    Returns (T, K), float64: in the row of position p, pair i is rotated
    by the angle p / 10000^(2i / K), in radians, anticlockwise:
    (a, b) becomes (a cos - b sin, a sin + b cos).

    Complex numbers make it short, because a rotation is a product.

    >>> x = np.array([[1.0, 0.0, 0.0, 1.0]])
    >>> rotate(x, np.array([1])).round(2).tolist()
    [[0.54, 0.84, -0.01, 1.0]]
    """
    width = x.shape[1]
    frequency = 10000.0 ** (-np.arange(0, width, 2) / width)  # (K/2,)
    angle = positions[:, None] * frequency  # (T, K/2)
    z = (x[:, 0::2] + 1j * x[:, 1::2]) * np.exp(1j * angle)
    return np.stack([z.real, z.imag], axis=-1).reshape(x.shape)


def _angle(positions: Array, width: int) -> Array:
    return positions[:, None] / 10000 ** (np.arange(0, width, 2) / width)


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    length, width = rng.integers(1, 5), 2 * rng.integers(1, 4)
    x = rng.integers(-9, 10, size=(length, width)) / 2
    return x, rng.integers(0, 100, size=length)


EXERCISE = Exercise(
    id="attention.relative_positions.1",
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
        "The point (a, b) is the complex number a + bi, in NumPy a + 1j * b. What happens to "
        "it when you multiply by i, that is 1j? It rotates by a quarter turn.",
        "To rotate by an angle, multiply by e^(i·angle): np.exp of 1j times the angle. Its "
        "length is 1, so it rotates without stretching.",
        "Make a (T, K/2) array of complex numbers from the even and the odd columns, and a "
        "(T, K/2) array of angles from the positions and the frequencies. After the product, put "
        "the real parts back into the even columns and the imaginary parts into the odd ones.",
    ),
    mutants={
        "You rotate clockwise: the sign of the angle is wrong. (If queries and keys both did "
        "so, scores would still depend only on the distance, but on n - m and not on m - n, "
        "which is not what a "
        "published model has learned.)": "np.exp(1j * angle) -> np.exp(-1j * angle)",
        "You pair column i with column i + K/2: that is the half layout. Here the two numbers "
        "of a pair are adjacent: columns 2i and 2i + 1.": (
            "x[:, 0::2] + 1j * x[:, 1::2] -> x[:, : width // 2] + 1j * x[:, width // 2 :]; "
            "np.stack([z.real, z.imag], axis=-1).reshape(x.shape) -> np.concatenate([z.real, "
            "z.imag], axis=1)"
        ),
        "The rotated numbers are right, but they are in another order: first all real parts, "
        "then all imaginary ones. Put them back where they came from.": (
            "np.stack([z.real, z.imag], axis=-1).reshape(x.shape) -> np.concatenate([z.real, "
            "z.imag], axis=1)"
        ),
        "You return complex numbers, K/2 in each row. Separate them again: the real part is "
        "the first of a pair, the "
        "imaginary part the second.": "np.stack([z.real, z.imag], axis=-1).reshape(x.shape) -> z",
        "Your vectors grow: e^angle is a large number and does not rotate. The i is missing in "
        "the exponent.": "np.exp(1j * angle) -> np.exp(angle)",
        "You multiply by cos + sin, a real number, which stretches. Multiplying by cos + i · "
        "sin rotates.": "np.exp(1j * angle) -> (np.cos(angle) + np.sin(angle))",
        "You multiply by the cosine alone, so the vectors shrink. A rotation keeps the length "
        "of every pair, and for "
        "that it also needs the sine.": "np.exp(1j * angle) -> np.cos(angle)",
        "Sine and cosine have changed places: at position 0 nothing should rotate, and cos(0) "
        "is 1.": "np.exp(1j * angle) -> (np.sin(angle) + 1j * np.cos(angle))",
        "Your exponent is i / K and should be 2i / K: there "
        "are K/2 pairs.": "-np.arange(0, width, 2) -> -np.arange(width // 2)",
        "You multiply by 10000^(2i / K) instead of dividing: the first pair is the fastest "
        "one.": "-np.arange(0, width, 2) -> np.arange(0, width, 2)",
        "You convert the angles from degrees to radians. "
        "They already are in radians.": "1j * angle -> 1j * np.radians(angle)",
        "All your pairs rotate by the same angle. Pair i is slower by the factor 10000^(2i / K).": (
            "positions[:, None] * frequency -> positions[:, None] + 0 * frequency"
        ),
        "You use the index of the row as the position. The positions are given by positions; "
        "they need neither "
        "start at 0 nor be in order.": "positions[:, None] -> np.arange(len(x))[:, None]",
        "Position 0 is not rotated at all: your "
        "positions are one too large.": "positions[:, None] -> (positions + 1)[:, None]",
        "You add sines and cosines to the vector, as the sinusoidal table does. RoPE adds "
        "nothing: it rotates the vector.": (
            "np.stack([z.real, z.imag], axis=-1).reshape(x.shape) -> x + "
            "np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(x.shape)"
        ),
    },
    alternates=[
        lambda x, positions: (
            np.ascontiguousarray(x).view(complex) * np.exp(1j * _angle(positions, x.shape[1]))
        ).view(float),
    ],
)


@EXERCISE.alternate
def _with_sine_and_cosine(x: Array, positions: Array) -> Array:
    angle = _angle(positions, x.shape[1])
    a, b = x[:, 0::2], x[:, 1::2]
    turned = np.empty(x.shape)
    turned[:, 0::2] = a * np.cos(angle) - b * np.sin(angle)
    turned[:, 1::2] = a * np.sin(angle) + b * np.cos(angle)
    return turned


@EXERCISE.alternate
def _pair_by_pair(x: Array, positions: Array) -> Array:
    turned = np.zeros(x.shape)
    for t, p in enumerate(positions):
        for i in range(x.shape[1] // 2):
            angle = p / 10000 ** (2 * i / x.shape[1])
            z = complex(x[t, 2 * i], x[t, 2 * i + 1]) * cmath.exp(1j * angle)
            turned[t, 2 * i : 2 * i + 2] = z.real, z.imag
    return turned

"""Sinusoidal positions in the other layout: all sines, then all cosines."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def waves_in_halves(position: int, d_model: int) -> np.ndarray:
    """One position's encoding: sines in the first half, cosines in the second.

    Pair i turns at the rate 10000 ** (-2 i / d_model); its sine is
    feature i, its cosine feature d_model / 2 + i.
    position: 0 or more. d_model: even, 2 or more.
    Returns (d_model,), float64.

    >>> waves_in_halves(0, 4)
    array([0., 0., 1., 1.])
    """
    i = np.arange(d_model // 2)
    angles = position * 10000.0 ** (-2 * i / d_model)
    return np.concatenate([np.sin(angles), np.cos(angles)])


def _draw(rng: np.random.Generator) -> tuple[int, int]:
    return int(rng.integers(0, 500)), 2 * int(rng.integers(1, 9))


EXERCISE = Exercise(
    id="course.waves_in_halves",
    title="Waves, first the sines",
    reference=waves_in_halves,
    points=3,
    compare=Arrays(),
    cases=(
        Case((0, 4), np.array([0.0, 0.0, 1.0, 1.0])),
        Case((1, 2), np.array([np.sin(1.0), np.cos(1.0)])),
        Case((1, 4), np.array([np.sin(1.0), np.sin(0.01), np.cos(1.0), np.cos(0.01)])),
        Case((100, 4), np.array([np.sin(100.0), np.sin(1.0), np.cos(100.0), np.cos(1.0)])),
    ),
    generate=_draw,
    hints=(
        "Write the angles of all pairs first: one number for each i from 0 to d_model / 2 - 1.",
        "np.concatenate puts two arrays side by side.",
    ),
    mutants={
        "Sine and cosine take turns in yours. Here all sines stand first.": (
            "np.concatenate([np.sin(angles), np.cos(angles)]) -> "
            "np.stack([np.sin(angles), np.cos(angles)], axis=1).ravel()"
        ),
        "Cosines first in yours: the sines stand in the first half.": (
            "[np.sin(angles), np.cos(angles)] -> [np.cos(angles), np.sin(angles)]"
        ),
        "The rate falls half as fast in yours: the exponent is -2 i / d_model.": "-2 * i -> -i",
        "Your waves grow faster from pair to pair. The exponent is negative.": "-2 * i -> 2 * i",
        "You divide by d_model / 2 in the exponent, with the 2 of 2 i as well.": (
            "-2 * i / d_model -> -2 * i / (d_model // 2)"
        ),
    },
)


@EXERCISE.alternate
def _by_a_loop(position: int, d_model: int) -> Array:
    out = np.zeros(d_model)
    for i in range(d_model // 2):
        angle = position / 10000 ** (2 * i / d_model)
        out[i], out[d_model // 2 + i] = np.sin(angle), np.cos(angle)
    return out

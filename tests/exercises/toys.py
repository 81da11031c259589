"""Small exercises to test the framework with."""

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise


def double(numbers: list[int]) -> list[int]:
    """Return a new list with every number doubled."""
    return [2 * number for number in numbers]


def _draw_numbers(rng: np.random.Generator) -> tuple[list[int]]:
    return ([int(i) for i in rng.integers(0, 100, size=rng.integers(2, 6))],)


DOUBLE = Exercise(
    id="toys.double.1",
    title="Double",
    reference=double,
    cases=(Case(([1, 2, 3],), [2, 4, 6]), Case(([],), [])),
    generate=_draw_numbers,
    hints=("Twice.", "Two times."),
    mutants={"You square. Two times three is not three times three.": "2 * number -> number**2"},
    points=3,
    seconds=0.3,
)


def softmax(logits):
    """Return the softmax of each row. Shape (T, V) in and out."""
    e = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _over_columns(logits):
    e = np.exp(logits - logits.max(axis=0, keepdims=True))
    return e / e.sum(axis=0, keepdims=True)


SOFTMAX = Exercise(
    id="toys.softmax.1",
    title="Softmax",
    reference=softmax,
    cases=(Case((np.array([[0.0, 0.0], [0.0, 0.0]]),), np.array([[0.5, 0.5], [0.5, 0.5]])),),
    generate=lambda rng: (rng.normal(size=(3, 3)),),
    hints=("Rows.", "Each row sums to 1."),
    mutants={"Your columns sum to 1, and the rows should.": _over_columns},
    compare=Arrays(),
)

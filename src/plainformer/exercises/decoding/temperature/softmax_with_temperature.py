"""Exercise 2: from logits to probabilities at any temperature, 0 among them."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def softmax_with_temperature(
    logits: np.ndarray,
    temperature: float,
) -> np.ndarray:
    """Each token's probability, at a temperature from 0 up.

    logits: (B, V). Some may be -inf: impossible, at every
    temperature. They may be large, and the result must not contain NaN.
    At temperature 0 the largest logit of a row gets 1; of several equal
    ones, the first.
    Returns (B, V); each row's sum is 1.

    >>> softmax_with_temperature(np.log([[1.0, 2.0]]), 0.5).round(2)
    array([[0.2, 0.8]])
    >>> softmax_with_temperature(np.log([[1.0, 2.0]]), 0)
    array([[0., 1.]])
    """
    if temperature == 0:
        p = np.zeros(logits.shape)
        rows = np.arange(len(logits))
        p[rows, logits.argmax(axis=1)] = 1
        return p
    below = logits - logits.max(axis=1, keepdims=True)
    e = np.exp(below / temperature)
    return np.asarray(e / e.sum(axis=1, keepdims=True))


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    B, V = int(rng.integers(1, 4)), int(rng.integers(2, 5))
    logits = rng.integers(-4, 5, size=(B, V)).astype(float)
    logits *= float(rng.choice([0.5, 1.0, 300.0]))
    impossible = rng.random((B, V)) < 0.2
    impossible[np.arange(B), rng.integers(0, V, size=B)] = False
    temperature = float(rng.choice([0.0, 0.0, 0.25, 0.5, 1.0, 2.0, 10.0]))
    return np.where(impossible, -np.inf, logits), temperature


_INF = float("inf")

EXERCISE = Exercise(
    id="decoding.temperature.2",
    title="From ice to steam",
    reference=softmax_with_temperature,
    points=2,
    compare=Arrays(),
    cases=(
        Case((np.array([[0.0, 0.0]]), 1.0), np.array([[0.5, 0.5]])),
        Case((np.log([[3.0, 1.0]]), 0.5), np.array([[0.9, 0.1]])),
        Case((np.log([[9.0, 1.0], [1.0, 4.0]]), 2.0), np.array([[0.75, 0.25], [1 / 3, 2 / 3]])),
        Case((np.array([[1.0, 2.0, 2.0]]), 0.0), np.array([[0.0, 1.0, 0.0]])),
        Case((np.array([[-_INF, 5.0, 5.0]]), 100.0), np.array([[0.0, 0.5, 0.5]])),
        Case((np.array([[1000.0, 0.0], [-1000.0, -1000.0]]), 1.0), np.array([[1, 0], [0.5, 0.5]])),
    ),
    generate=_draw,
    hints=(
        "There are two cases: temperature 0, which is a choice and not a division, and all others.",
        "For 0: argmax gives the first of the largest, one for each row with axis=1.",
        "For the others: each row's own largest logit can be subtracted before anything else. The "
        "probabilities stay the same, and exp cannot overflow.",
    ),
    mutants={
        "You multiply by the temperature: cold is flat and hot is "
        "sharp. Divide.": "below / temperature -> below * temperature",
        "You divide after the softmax, and the rows no longer add up to 1. Divide the logits.": (
            "below / temperature -> below; "
            "e / e.sum(axis=1, keepdims=True) -> e / e.sum(axis=1, keepdims=True) / temperature"
        ),
        "At 0, your answer splits the 1 among several equal logits. All of it goes to the first.": (
            "return p -> return (best := logits == logits.max(axis=1, keepdims=True)) / "
            "best.sum(axis=1, keepdims=True)"
        ),
        "At 0, your answer gives a 1 to each of several equal logits. Only the first gets it.": (
            "return p -> return (logits == logits.max(axis=1, keepdims=True)).astype(float)"
        ),
        "At 0, your answer takes the last of several equal logits. Take the first.": (
            "logits.argmax(axis=1) -> logits.shape[1] - 1 - logits[:, ::-1].argmax(axis=1)"
        ),
        "exp of a large number is infinite, and of a very negative one 0: NaN either way. "
        "Subtract the row's largest logit first.": (
            "logits - logits.max(axis=1, keepdims=True) -> logits"
        ),
        "You subtract the largest logit of the whole table. A row far below it becomes all "
        "zeros, and 0/0 is NaN: each row "
        "needs its own.": "logits.max(axis=1, keepdims=True) -> logits.max()",
        "Your whole table adds up to 1. Each row should, so sum over axis 1.": (
            "logits.max(axis=1, keepdims=True) -> logits.max(); "
            "e.sum(axis=1, keepdims=True) -> e.sum()"
        ),
        "You treat temperature 0 as no temperature at all, that is, as 1. It should select the "
        "largest logit.": (
            "if temperature == 0 -> if False; below / temperature -> below / (temperature or 1.0)"
        ),
        "At 0 you return logits, 0 and -inf. The task asks for probabilities, 1 and 0.": (
            "np.zeros(logits.shape) -> np.full(logits.shape, -np.inf); "
            "argmax(axis=1)] = 1 -> argmax(axis=1)] = 0"
        ),
    },
)


@EXERCISE.alternate
def _row_by_row(logits: Array, temperature: float) -> Array:
    rows = []
    for row in logits:
        if temperature:
            e = np.exp((row - max(row)) / temperature)
            rows.append(e / e.sum())
        else:
            rows.append((np.arange(len(row)) == np.argmax(row)).astype(float))
    return np.array(rows)


@EXERCISE.alternate
def _by_log_sum_exp(logits: Array, temperature: float) -> Array:
    if temperature == 0:
        return np.asarray(np.eye(logits.shape[1])[np.argmax(logits, axis=1)])
    z = logits / temperature
    return np.exp(z - np.logaddexp.reduce(z, axis=1, keepdims=True))

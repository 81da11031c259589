"""An experiment in one number: at which temperature is a model as unsure as asked?"""

import math

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def entropy_thermostat(logits: np.ndarray, bits: float) -> float:
    """The temperature at which softmax has so many bits of entropy.

    Entropy grows with temperature: halve an interval, again and again,
    from 0.01 to 100.
    logits: (V,), finite, of which one is the largest. bits: an entropy
    that is reached between these two temperatures.
    Returns the temperature, to a relative 1e-6 or better.

    >>> round(entropy_thermostat(np.array([0.0, 1.0]), 0.5), 3)
    0.478
    """
    low, high = 0.01, 100.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        z = (logits - logits.max()) / middle
        p = np.exp(z) / np.exp(z).sum()
        entropy = -sum(x * math.log2(x) for x in p if x > 0)
        low, high = (middle, high) if entropy < bits else (low, middle)
    return low


def _bits(logits: Array, temperature: float) -> float:
    z = (logits - logits.max()) / temperature
    p = np.exp(z) / np.exp(z).sum()
    return float(-sum(x * math.log2(x) for x in p if x > 0))


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    logits = (rng.normal(size=rng.integers(2, 7)) * rng.choice([0.5, 1.0, 3.0])).round(2)
    logits[0] = logits.max() + 0.5
    return logits, _bits(logits, float(np.exp(rng.uniform(-0.7, 2.0))))


EXERCISE = Exercise(
    id="course.entropy_thermostat",
    title="As unsure as asked",
    reference=entropy_thermostat,
    points=5,
    compare=Arrays(rtol=1e-5),
    cases=(
        # Probabilities 1/3 and 2/3 at temperature 1, at 2, and at 1/2.
        Case((np.log([1.0, 2.0]), math.log2(3) - 2 / 3), 1.0),
        Case((2 * np.log([1.0, 2.0]), math.log2(3) - 2 / 3), 2.0),
        Case((np.log([1.0, 2.0]) / 2 + 1000.0, math.log2(3) - 2 / 3), 0.5),
        # 1/2, 1/4, 1/4: a bit and a half.
        Case((3 * np.log([2.0, 1.0, 1.0]), 1.5), 3.0),
    ),
    generate=_draw,
    hints=(
        "Write a function that gives the entropy at a temperature; print it for 0.5, 1 and 2.",
        "In the middle of the interval the entropy is too small or too large. Which half is left?",
        "Entropy in bits is -Σ p log2 p; a p of 0 adds nothing. Sixty halvings are plenty.",
    ),
    mutants={
        "Your entropy is in nats. A bit is log2.": "math.log2(x) -> math.log(x)",
        "You multiply by the temperature. Logits are divided by it.": (
            "(logits - logits.max()) / middle -> (logits - logits.max()) * middle; "
            "entropy < bits -> entropy > bits"
        ),
        "You keep the wrong half: where the entropy is too small, it must be warmer.": (
            "entropy < bits -> entropy > bits"
        ),
        "Ten halvings are too few for 1e-6.": "range(60) -> range(10)",
        "You divide probabilities, not logits, by the temperature.": (
            "z = (logits - logits.max()) / middle -> "
            "z = np.log(np.exp(logits - logits.max()) / middle + 1e-300)"
        ),
    },
)


@EXERCISE.alternate
def _by_plain_halves(logits: Array, bits: float) -> float:
    low, high = 0.01, 100.0
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        z = logits / middle
        log_p = z - np.logaddexp.reduce(z)
        if -(np.exp(log_p) * log_p).sum() / math.log(2) < bits:
            low = middle
        else:
            high = middle
    return (low + high) / 2

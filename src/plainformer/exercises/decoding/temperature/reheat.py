"""Exercise 1: another temperature where only the probabilities are known."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def reheat(
    probabilities: np.ndarray,
    temperature: float,
) -> np.ndarray:
    """Another temperature, where the logits are not known.

    probabilities: (V,), those at temperature 1; sum 1.
    temperature: above 0, perhaps as little as 0.001.
    Returns (V,), the probabilities at that temperature.

    >>> reheat(np.array([0.8, 0.2]), 0.5).round(2)
    array([0.94, 0.06])
    """
    ratios = probabilities / probabilities.max()  # 1: the largest
    powers = ratios ** (1 / temperature)
    return np.asarray(powers / powers.sum())


def _through_logits(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities) / temperature
    e = np.exp(logits - logits.max())
    return np.asarray(e / e.sum())


def _in_a_loop(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    powers = [float(p / max(probabilities)) ** (1 / temperature) for p in probabilities]
    return np.array([power / sum(powers) for power in powers])


def _plain_powers(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    powers = probabilities ** (1 / temperature)
    with np.errstate(invalid="ignore"):  # 0 / 0
        return np.asarray(powers / powers.sum())


def _power_of_tau(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    powers = np.where(probabilities > 0, probabilities**temperature, 0)
    return np.asarray(powers / powers.sum())


def _not_normalised(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    return probabilities ** (1 / temperature)


def _divided(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    divided = probabilities / temperature
    return np.asarray(divided / divided.sum())


def _softmax_of_probabilities(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    e = np.exp(probabilities / temperature)
    return np.asarray(e / e.sum())


def _only_divided(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    return probabilities / temperature


def _by_the_largest(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    powers = (probabilities / probabilities.max()) ** (1 / temperature)
    return np.asarray(powers / powers.max())


def _with_a_little_more(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    more = probabilities + 1e-3
    powers = (more / more.max()) ** (1 / temperature)
    return np.asarray(powers / powers.sum())


def _always_squares(probabilities: np.ndarray, temperature: float) -> np.ndarray:
    powers = probabilities ** (2 if temperature < 1 else 1 if temperature == 1 else 0.5)
    return np.asarray(powers / powers.sum())


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    counts = rng.integers(0, 12, size=int(rng.integers(2, 6)))
    counts[0] += 1
    temperature = float(rng.choice([0.25, 0.5, 0.8, 1.0, 1.5, 2.0, 4.0]))
    return counts / counts.sum(), temperature


EXERCISE = Exercise(
    id="decoding.temperature.1",
    title="Warm it up again",
    reference=reheat,
    points=1,
    compare=Arrays(),
    cases=(
        Case((np.array([0.8, 0.2]), 1.0), np.array([0.8, 0.2])),
        Case((np.array([0.75, 0.25]), 0.5), np.array([0.9, 0.1])),
        Case((np.array([0.9, 0.1]), 2.0), np.array([0.75, 0.25])),
        Case((np.array([0.5, 0.5, 0.0]), 3.0), np.array([0.5, 0.5, 0.0])),
        Case((np.array([0.6, 0.4]), 0.25), np.array([81.0, 16.0]) / 97),
        Case((np.array([0.4, 0.35, 0.25]), 0.001), np.array([1.0, 0.0, 0.0])),
    ),
    generate=_draw,
    hints=(
        "At temperature 1 the logits are log p, up to a constant. What becomes of exp(log p / τ)?",
        "exp(a · log p) is p to the power of a. So no logarithm is needed.",
        "The powers no longer add up to 1. Divide by what they do add up to.",
        "0.4 to the power of 1000 is too small for a float. Only the ratios count: divide all by "
        "the largest before you take powers.",
    ),
    mutants=(
        Mutant(
            _plain_powers,
            "Right until it gets cold. At 0.001 every power is too small for a float, and 0 / 0 is "
            "NaN. Divide by the largest probability first: it then stays 1.",
        ),
        Mutant(
            _power_of_tau,
            "You take p to the power of τ, so cold is flat and hot is sharp: it is 1/τ.",
        ),
        Mutant(_not_normalised, "The powers are right. Now make them add up to 1."),
        Mutant(
            _divided,
            "To divide probabilities by a number and to normalise undoes itself: nothing changes. "
            "It is the logits that are divided.",
        ),
        Mutant(
            _softmax_of_probabilities,
            "You take the probabilities for logits. The logits are their logarithms.",
        ),
        Mutant(
            _only_divided,
            "You divide the probabilities by τ. It is the logits that are divided.",
        ),
        Mutant(
            _by_the_largest,
            "You divide by the largest power, so the largest becomes 1. Divide by their sum.",
        ),
        Mutant(
            _with_a_little_more,
            "You add a little to keep zeros away. What is impossible must stay so, and 0 to a "
            "power above 0 is 0: no harm.",
        ),
        Mutant(
            _always_squares,
            "You square below 1 and take roots above: right for 1/2 and 2 alone. The power depends "
            "on the temperature.",
        ),
    ),
    alternates=(_through_logits, _in_a_loop),
)

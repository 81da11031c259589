"""Exercise 1: another temperature where only the probabilities are known."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def change_temperature(
    probabilities: np.ndarray,
    temperature: float,
) -> np.ndarray:
    """Another temperature, where the logits are not known.

    probabilities: (V,), those at temperature 1; sum 1.
    temperature: above 0, perhaps as little as 0.001.
    Returns (V,), the probabilities at that temperature.

    >>> change_temperature(np.array([0.8, 0.2]), 0.5).round(2)
    array([0.94, 0.06])
    """
    ratios = probabilities / probabilities.max()  # 1: the largest
    powers = ratios ** (1 / temperature)
    return np.asarray(powers / powers.sum())


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    counts = rng.integers(0, 12, size=int(rng.integers(2, 6)))
    counts[0] += 1
    temperature = float(rng.choice([0.25, 0.5, 0.8, 1.0, 1.5, 2.0, 4.0]))
    return counts / counts.sum(), temperature


EXERCISE = Exercise(
    id="decoding.temperature.1",
    title="Warm it up again",
    reference=change_temperature,
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
        "The powers no longer add up to 1. Divide by their sum.",
        "0.4 to the power of 1000 is too small for a float. Only the ratios count, so divide "
        "everything by the largest before you take powers.",
    ),
    mutants={
        "This is right until the temperature gets low. At 0.001 every power is too small for a "
        "float, and 0 / 0 is NaN. Divide by the largest probability "
        "first: it then stays 1.": "probabilities / probabilities.max() -> probabilities",
        "You take p to the power of τ, so cold is flat and hot is sharp: the power should be "
        "1/τ.": ("ratios ** (1 / temperature) -> np.where(ratios > 0, ratios**temperature, 0)"),
        "The powers are right. Now make them add up to 1.": lambda probabilities, temperature: (
            probabilities ** (1 / temperature)
        ),
        "Dividing probabilities by a number and then normalising changes nothing. Divide the "
        "logits instead.": "ratios ** (1 / temperature) -> ratios / temperature",
        "You treat the probabilities as logits. The logits are "
        "their logarithms.": "ratios ** (1 / temperature) -> np.exp(probabilities / temperature)",
        "You divide the probabilities by τ. Divide "
        "the logits instead.": lambda probabilities, temperature: probabilities / temperature,
        "You divide by the largest power, so the largest becomes 1. Divide "
        "by their sum.": "powers.sum() -> powers.max()",
        "You add a little to keep zeros away. What is impossible must stay so, and 0 to a "
        "power above 0 is simply 0.": (
            "probabilities / probabilities.max() -> (probabilities + 1e-3) / (probabilities + "
            "1e-3).max()"
        ),
        "You square below 1 and take roots above, which is right only for 1/2 and 2. The power "
        "depends on the temperature.": (
            "1 / temperature -> 2 if temperature < 1 else 1 if temperature == 1 else 0.5"
        ),
    },
)


@EXERCISE.alternate
def _through_logits(probabilities: Array, temperature: float) -> Array:
    with np.errstate(divide="ignore"):
        logits = np.log(probabilities) / temperature
    e = np.exp(logits - logits.max())
    return np.asarray(e / e.sum())


@EXERCISE.alternate
def _in_a_loop(probabilities: Array, temperature: float) -> Array:
    powers = [float(p / max(probabilities)) ** (1 / temperature) for p in probabilities]
    return np.array([power / sum(powers) for power in powers])

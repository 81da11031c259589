"""Exercise 3: the temperature that makes a distribution as open as one wants it."""

from __future__ import annotations

import math

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant


def find_temperature(
    logits: np.ndarray,
    wanted: float,
) -> float:
    """The temperature that gives the entropy wanted.

    logits: (V,), finite; one is the largest by itself.
    wanted: an entropy in nats, above 0 and below log V; it
    is reached between the temperatures 0.01 and 100.
    Returns it, right to a thousandth of itself.

    >>> logits = np.log([4.0, 1.0])
    >>> round(find_temperature(logits, 0.6365), 2)
    2.0
    """
    low, high = 0.01, 100.0
    for _ in range(40):
        middle = (low * high) ** 0.5  # halfway, in logs
        e = np.exp((logits - logits.max()) / middle)
        p = e / e.sum()
        logs = np.log(np.maximum(p, 1e-300))  # not log 0
        entropy = -np.sum(p * logs)
        if entropy < wanted:
            low = middle
        else:
            high = middle
    return float(middle)


def _entropy(logits: np.ndarray, temperature: float) -> float:
    e = np.exp((logits - logits.max()) / temperature)
    p = e / e.sum()
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _entropies(logits: np.ndarray, temperatures: np.ndarray) -> np.ndarray:
    """That at each of many temperatures, at once."""
    e = np.exp((logits - logits.max()) / temperatures[:, None])
    p = e / e.sum(axis=1, keepdims=True)
    return np.asarray(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=1))


def _by_halves(logits: np.ndarray, wanted: float) -> float:
    low, high = 0.0, 128.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if _entropy(logits, middle) < wanted else (low, middle)
    return high


def _from_a_table(logits: np.ndarray, wanted: float) -> float:
    ladder = np.geomspace(0.01, 100, 4001)
    entropies = _entropies(logits, ladder)
    i = max(1, min(int(np.searchsorted(entropies, wanted)), 4000))
    part = (wanted - entropies[i - 1]) / max(entropies[i] - entropies[i - 1], 1e-300)
    return float(ladder[i - 1] * (ladder[i] / ladder[i - 1]) ** part)


def _bisect(
    logits: np.ndarray, wanted: float, low: float = 0.01, high: float = 100.0, steps: int = 60
) -> float:
    for _ in range(steps):
        middle = math.sqrt(low * high)
        if _entropy(logits, middle) < wanted:
            low = middle
        else:
            high = middle
    return math.sqrt(low * high)


def _wrong_way(logits: np.ndarray, wanted: float) -> float:
    low, high = 0.01, 100.0
    for _ in range(60):
        middle = math.sqrt(low * high)
        if _entropy(logits, middle) > wanted:
            low = middle
        else:
            high = middle
    return middle


def _bits(logits: np.ndarray, wanted: float) -> float:
    return _bisect(logits, wanted * math.log(2))


def _not_above_two(logits: np.ndarray, wanted: float) -> float:
    return _bisect(logits, wanted, high=2.0)


def _not_below_one(logits: np.ndarray, wanted: float) -> float:
    return _bisect(logits, wanted, low=1.0)


def _too_few_steps(logits: np.ndarray, wanted: float) -> float:
    return _bisect(logits, wanted, steps=8)


def _turned_over(logits: np.ndarray, wanted: float) -> float:
    return 1 / _bisect(logits, wanted)


def _on_a_grid(logits: np.ndarray, wanted: float) -> float:
    grid = 0.01 + 0.05 * np.arange(2000)
    return float(grid[np.abs(_entropies(logits, grid) - wanted).argmin()])


def _share_of_the_most(logits: np.ndarray, wanted: float) -> float:
    return _bisect(logits, wanted * math.log(len(logits)))


def _entropy_itself(logits: np.ndarray, wanted: float) -> float:
    return _entropy(logits, wanted)


def _draw(rng: np.random.Generator) -> tuple[np.ndarray, float]:
    V = int(rng.integers(2, 6))
    logits = rng.normal(0, 2, size=V).round(1)
    logits[int(rng.integers(V))] = logits.max() + 0.5
    temperature = float(np.exp(rng.uniform(math.log(0.4), math.log(8))))
    return logits, round(min(max(_entropy(logits, temperature), 0.05), 0.98 * math.log(V)), 4)


def _at(counts: list[float], temperature: float) -> tuple[np.ndarray, float]:
    """Logits, and the entropy of counts to the power of one over the temperature."""
    powers = [count ** (1 / temperature) for count in counts]
    p = [power / sum(powers) for power in powers]
    return np.log(counts), -sum(each * math.log(each) for each in p)


EXERCISE = Exercise(
    id="decoding.temperature.3",
    title="How hot must it be?",
    reference=find_temperature,
    points=3,
    compare=Arrays(rtol=1e-3),
    cases=(
        Case(_at([3.0, 1.0], 1.0), 1.0),
        Case(_at([4.0, 1.0], 2.0), 2.0),
        Case(_at([4.0, 2.0, 1.0], 0.5), 0.5),
        Case(_at([100.0, 10.0, 1.0], 5.0), 5.0),
        Case(_at([9.0, 3.0, 1.0, 1.0], 0.8), 0.8),
    ),
    generate=_draw,
    hints=(
        "No formula gives it. But entropy grows with temperature: so whoever tries one knows on "
        "which side the right one lies.",
        "Keep two ends, 0.01 and 100, with the right temperature between them. Try the middle, "
        "keep the half in which it lies, and repeat: this is called bisection.",
        "Take the middle as the root of the product of the two ends, and 40 steps. Take care that "
        "0 times log 0 gives 0 where a probability has become 0.",
    ),
    mutants=(
        Mutant(
            _wrong_way,
            "You go the wrong way: where the entropy is too low, it must get hotter.",
        ),
        Mutant(_bits, "The entropy wanted is in nats: the natural logarithm, not that of 2."),
        Mutant(
            _not_above_two,
            "Yours never goes above 2. Where the logits are far apart, it takes more.",
        ),
        Mutant(
            _not_below_one,
            "Yours never goes below 1. An entropy below that of temperature 1 needs less.",
        ),
        Mutant(
            _too_few_steps,
            "You are near, and stop too early: each step halves the error, so 40 steps do.",
        ),
        Mutant(_turned_over, "Yours is 1 divided by the temperature."),
        Mutant(
            _on_a_grid,
            "You try temperatures on a grid, too coarse for a small one: right to a thousandth of "
            "itself is asked. Narrow it down.",
        ),
        Mutant(
            _share_of_the_most,
            "You take the wanted entropy as a share of log V. It is in nats.",
        ),
        Mutant(
            _entropy_itself,
            "Yours is the entropy at a given temperature. Asked is the other way round.",
        ),
    ),
    alternates=(_by_halves, _from_a_table),
)

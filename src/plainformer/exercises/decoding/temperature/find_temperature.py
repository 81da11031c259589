"""Exercise 3: the temperature at which a distribution has a given entropy."""

import math

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def find_temperature(
    logits: np.ndarray,
    wanted: float,
) -> float:
    """The temperature that gives the entropy wanted.

    logits: (V,), finite; one is the largest by itself.
    wanted: an entropy in nats, above 0 and below ln V; it
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


def _entropy(logits: Array, temperature: float) -> float:
    e = np.exp((logits - logits.max()) / temperature)
    p = e / e.sum()
    p = p[p > 0]
    return float(-(p * np.log(p)).sum())


def _entropies(logits: Array, temperatures: Array) -> Array:
    """The entropy at many temperatures at once."""
    e = np.exp((logits - logits.max()) / temperatures[:, None])
    p = e / e.sum(axis=1, keepdims=True)
    return np.asarray(-(p * np.log(np.maximum(p, 1e-300))).sum(axis=1))


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    V = int(rng.integers(2, 6))
    logits = rng.normal(0, 2, size=V).round(1)
    logits[int(rng.integers(V))] = logits.max() + 0.5
    temperature = float(np.exp(rng.uniform(math.log(0.4), math.log(8))))
    return logits, round(min(max(_entropy(logits, temperature), 0.05), 0.98 * math.log(V)), 4)


def _at(counts: list[float], temperature: float) -> tuple[Array, float]:
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
        Case(_at([1.1, 1.0], 0.05), 0.05),
        Case(_at([1e6, 1.0], 50.0), 50.0),
    ),
    generate=_draw,
    hints=(
        "No formula gives it. But entropy grows with temperature, so after trying one "
        "temperature you know on which side of it the right one is.",
        "Keep two ends, 0.01 and 100, with the right temperature between them. Try the middle, "
        "keep the half that contains it, and repeat: this is called bisection.",
        "Use the root of the product of the two ends as the middle, and take 40 steps. Take "
        "care that 0 times log 0 gives 0 where a probability has become 0.",
    ),
    mutants={
        "You go the wrong way: where the entropy is too low, it "
        "must get hotter.": "entropy < wanted -> entropy > wanted",
        "The wanted entropy is in nats: use the natural "
        "logarithm, not the one to base 2.": "entropy < wanted -> entropy < wanted * np.log(2)",
        "Yours never goes above 2. Where the logits are far apart, it takes more.": "100.0 -> 2.0",
        "Yours never goes below 1. An entropy below that of temperature "
        "1 needs less.": "0.01, -> 1.0,",
        "You are close, but stop too early: each step halves the "
        "error, so 40 steps are enough.": "range(40) -> range(8)",
        "Yours is 1 divided by the temperature.": "float(middle) -> 1 / middle",
        "You take the wanted entropy as a share of log V. "
        "It is in nats.": "entropy < wanted -> entropy < wanted * np.log(len(logits))",
        "Yours is the entropy at a given temperature. The "
        "task asks for the reverse.": lambda logits, wanted: _entropy(logits, wanted),
    },
)


@EXERCISE.mutant(
    "You try temperatures on a grid that is too coarse for small ones: the answer has to be "
    "right to a thousandth of itself. Narrow it down."
)
def _on_a_grid(logits: Array, wanted: float) -> float:
    grid = 0.01 + 0.05 * np.arange(2000)
    return float(grid[np.abs(_entropies(logits, grid) - wanted).argmin()])


@EXERCISE.alternate
def _by_halves(logits: Array, wanted: float) -> float:
    low, high = 0.0, 128.0
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if _entropy(logits, middle) < wanted else (low, middle)
    return high


@EXERCISE.alternate
def _from_a_table(logits: Array, wanted: float) -> float:
    ladder = np.geomspace(0.01, 100, 4001)
    entropies = _entropies(logits, ladder)
    i = max(1, min(int(np.searchsorted(entropies, wanted)), 4000))
    part = (wanted - entropies[i - 1]) / max(entropies[i] - entropies[i - 1], 1e-300)
    return float(ladder[i - 1] * (ladder[i] / ladder[i - 1]) ** part)

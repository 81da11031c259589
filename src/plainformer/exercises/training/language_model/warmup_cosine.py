"""Exercise 2: the learning rate of a step, by warm-up and cosine."""

import math

import numpy as np

from plainformer.exercises.spec import Arrays, Case, Exercise


def warmup_cosine(
    step: int,
    peak: float,
    warmup: int,
    total: int,
    floor: float,
) -> float:
    """The learning rate of a step: a linear rise, then a cosine decay.

    While step < warmup, the rate rises by equal parts: its first is
    peak / (warmup + 1), at step 0, and at step warmup it is peak.
    From there to step total it falls to floor along half a cosine wave;
    halfway it is the mean of peak and floor. From total on it stays.
    step: 0 or more. warmup: 0 or more. total: above warmup.

    >>> steps = (0, 1, 2, 4, 6, 9)
    >>> [round(warmup_cosine(s, 0.9, 2, 6, 0.1), 2) for s in steps]
    [0.3, 0.6, 0.9, 0.5, 0.1, 0.1]
    """
    if step < warmup:
        return peak * (step + 1) / (warmup + 1)
    done = min(1.0, (step - warmup) / (total - warmup))
    share = (1 + math.cos(math.pi * done)) / 2  # from 1 to 0
    return floor + (peak - floor) * share


_Five = tuple[int, float, int, int, float]


def _draw(rng: np.random.Generator) -> _Five:
    warmup = int(rng.integers(0, 8))
    total = warmup + int(rng.integers(2, 20))
    peak = float(rng.choice([0.25, 1.0, 3.0]))
    return (
        int(rng.integers(0, total + 6)),
        peak,
        warmup,
        total,
        peak * float(rng.choice([0.1, 0.5])),
    )


EXERCISE = Exercise(
    id="training.language_model.2",
    title="Warm-up, then cosine",
    reference=warmup_cosine,
    points=2,
    compare=Arrays(),
    cases=(
        Case((0, 0.9, 2, 6, 0.1), 0.3),
        Case((1, 0.9, 2, 6, 0.1), 0.6),
        Case((2, 0.9, 2, 6, 0.1), 0.9),
        # Halfway between steps 2 and 6: the mean of 0.9 and 0.1.
        Case((4, 0.9, 2, 6, 0.1), 0.5),
        Case((6, 0.9, 2, 6, 0.1), 0.1),
        Case((9, 0.9, 2, 6, 0.1), 0.1),
        # A third of the way the cosine is 1/2, so 3/4 of the way down is left: 0.75 · 8.
        Case((2, 8.0, 0, 6, 0.0), 6.0),
        Case((0, 8.0, 0, 6, 0.0), 8.0),
    ),
    generate=_draw,
    hints=(
        "There are two parts, and an if between them. Which step is the first of the second part?",
        "For the way down, first compute how much of it is done: 0 at step warmup, 1 at step "
        "total, and never more than 1.",
        "The cosine of 0 is 1 and that of math.pi is -1. Add 1 and halve it, and it goes from "
        "1 to 0. That is the weight of the peak; the rest is the weight of floor.",
    ),
    mutants={
        "Your first step has the rate 0, so nothing would be learned from its batch. At step 0 the "
        "rate is peak / (warmup + 1).": "peak * (step + 1) -> peak * step",
        "Your peak comes one step early. Step warmup is the first with the peak, so the rise has "
        "warmup + 1 parts.": "/ (warmup + 1) -> / warmup",
        "There is no warm-up.": "if step < warmup: -> if step < 0:",
        "Your cosine begins at step 0. It begins at the peak, at step "
        "warmup.": "(step - warmup) / (total - warmup) -> step / total",
        "Your way down takes total steps after the warm-up. It ends at step total, so it takes "
        "total - warmup.": "/ (total - warmup) -> / total",
        "After step total your rate rises again: a cosine is a wave. How much is done is never "
        "more than 1.": "min(1.0, (step - warmup) / (total - warmup)) -> "
        "(step - warmup) / (total - warmup)",
        "You add floor to a wave that still goes from peak to 0, so the rate begins above the "
        "peak.": "(peak - floor) * share -> peak * share",
        "The rate falls to 0. It falls to floor.": "floor + (peak - floor) * share -> peak * share",
        "The rate is cut off at floor. It should come down to floor "
        "gently.": "floor + (peak - floor) * share -> max(floor, peak * share)",
        "That is a straight line down.": "(1 + math.cos(math.pi * done)) / 2 -> 1 - done",
        "That is a whole wave: it comes up again. Half a wave goes from 0 to "
        "math.pi.": "math.cos(math.pi * done) -> math.cos(2 * math.pi * done)",
        "That is a quarter of a wave, which is steepest at the end. Half a wave, from 1 to -1, "
        "is brought "
        "between 1 and 0.": "(1 + math.cos(math.pi * done)) / 2 -> math.cos(math.pi / 2 * done)",
        "Your wave goes up, not down.": "1 + math.cos -> 1 - math.cos",
        "The cosine goes from 1 to -1, so your rate goes below floor. Add 1 to it and halve "
        "it.": "(1 + math.cos(math.pi * done)) / 2 -> math.cos(math.pi * done)",
    },
    alternates=[
        lambda step, peak, warmup, total, floor: (
            peak * (step + 1) / (warmup + 1)
            if step <= warmup
            else floor
            if step >= total
            else peak
            - (peak - floor) * math.sin(math.pi / 2 * (step - warmup) / (total - warmup)) ** 2
        ),
    ],
)


@EXERCISE.alternate
def _weighted(step: int, peak: float, warmup: int, total: int, floor: float) -> float:
    rise = min(1.0, (step + 1) / (warmup + 1))
    angle = np.pi * np.clip((step - warmup) / (total - warmup), 0, 1)
    share = 0.5 + 0.5 * np.cos(angle)
    return float(rise * (share * peak + (1 - share) * floor))

"""Exercise 3: two readers of half the keys each put together what they kept."""

from __future__ import annotations

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise, Mutant

Part = tuple[float, float, np.ndarray]


def merge_parts(
    a: tuple[float, float, np.ndarray],
    b: tuple[float, float, np.ndarray],
) -> tuple[float, float, np.ndarray]:
    """Put together what two readers kept of different keys.

    a, b: (top, total, output) each, for one query:
    top: the largest score that the reader has met,
    total: the sum of exp(score - top) over the reader's keys,
    output: (Dv,), the sum of exp(score - top) times the key's value,
    not divided by anything.
    One of them may have read nothing: (-inf, 0.0, zeros).
    Returns (top, total, output), as if one reader had read all keys.

    >>> a = (0.0, 2.0, np.array([6.0]))
    >>> b = (0.0, 1.0, np.array([9.0]))
    >>> top, total, output = merge_parts(a, b)
    >>> float(top), float(total), output
    (0.0, 3.0, array([15.]))
    """
    top = max(a[0], b[0])
    fade_a, fade_b = np.exp(a[0] - top), np.exp(b[0] - top)
    total = fade_a * a[1] + fade_b * b[1]
    output = fade_a * a[2] + fade_b * b[2]
    return top, total, output


def _larger_first(a: Part, b: Part) -> Part:
    if a[0] < b[0]:
        a, b = b, a
    fade = np.exp(b[0] - a[0])
    return a[0], a[1] + fade * b[1], a[2] + fade * b[2]


def _stacked(a: Part, b: Part) -> Part:
    tops = np.array([a[0], b[0]])
    fades = np.exp(tops - tops.max())
    return tops.max(), fades @ np.array([a[1], b[1]]), fades @ np.stack([a[2], b[2]])


def _fades(a: Part, b: Part) -> tuple[float, float, float]:
    top = max(a[0], b[0])
    return top, float(np.exp(a[0] - top)), float(np.exp(b[0] - top))


def _nothing_fades(a: Part, b: Part) -> Part:
    return max(a[0], b[0]), a[1] + b[1], a[2] + b[2]


def _only_the_first_fades(a: Part, b: Part) -> Part:
    top, fade, _ = _fades(a, b)
    return top, fade * a[1] + b[1], fade * a[2] + b[2]


def _only_the_second_fades(a: Part, b: Part) -> Part:
    top, _, fade = _fades(a, b)
    return top, a[1] + fade * b[1], a[2] + fade * b[2]


def _both_fade_alike(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    fade = min(fade_a, fade_b)
    return top, fade * (a[1] + b[1]), fade * (a[2] + b[2])


def _upside_down(a: Part, b: Part) -> Part:
    top = max(a[0], b[0])
    with np.errstate(all="ignore"):
        fade_a, fade_b = np.exp(top - a[0]), np.exp(top - b[0])
        return top, fade_a * a[1] + fade_b * b[1], fade_a * a[2] + fade_b * b[2]


def _total_does_not_fade(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    return top, a[1] + b[1], fade_a * a[2] + fade_b * b[2]


def _output_does_not_fade(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    return top, fade_a * a[1] + fade_b * b[1], a[2] + b[2]


def _divided(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    total = fade_a * a[1] + fade_b * b[1]
    return top, total, (fade_a * a[2] + fade_b * b[2]) / total


def _mean_of_outputs(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    return top, fade_a * a[1] + fade_b * b[1], (a[2] + b[2]) / 2


def _top_of_the_second(a: Part, b: Part) -> Part:
    with np.errstate(all="ignore"):
        fade = np.exp(a[0] - b[0])
        return b[0], fade * a[1] + b[1], fade * a[2] + b[2]


def _swapped_fades(a: Part, b: Part) -> Part:
    top, fade_a, fade_b = _fades(a, b)
    return top, fade_b * a[1] + fade_a * b[1], fade_b * a[2] + fade_a * b[2]


def _draw(rng: np.random.Generator) -> tuple[Part, Part]:
    wide = int(rng.integers(1, 4))

    def part() -> Part:
        keys = int(rng.integers(1, 5))
        s, v = rng.normal(size=keys) * 4, rng.normal(size=(keys, wide))
        e = np.exp(s - s.max())
        return float(s.max()), float(e.sum()), e @ v

    a, b = part(), part()
    if rng.random() < 0.1:
        a = (-np.inf, 0.0, np.zeros(wide))
    return a, b


def _part(top: float, total: float, *output: float) -> Part:
    return top, total, np.array(output)


EXERCISE = Exercise(
    id="attention.efficient.3",
    title="Two readers",
    reference=merge_parts,
    points=2,
    compare=Arrays(),
    cases=(
        Case((_part(0.0, 2.0, 6.0), _part(0.0, 1.0, 9.0)), _part(0.0, 3.0, 15.0)),
        # The second top is higher by log 2: the first sums are halved.
        Case((_part(0.0, 2.0, 6.0), _part(np.log(2), 1.0, 9.0)), _part(np.log(2), 2.0, 12.0)),
        # And the other way round.
        Case((_part(np.log(2), 1.0, 9.0), _part(0.0, 2.0, 6.0)), _part(np.log(2), 2.0, 12.0)),
        Case(
            (_part(-np.inf, 0.0, 0.0, 0.0), _part(-3.0, 1.5, 4.0, -2.0)),
            _part(-3.0, 1.5, 4.0, -2.0),
        ),
        Case(
            (_part(1000.0, 1.0, 5.0), _part(1000.0 - np.log(4), 2.0, 8.0)),
            _part(1000.0, 1.5, 7.0),
        ),
    ),
    generate=_draw,
    hints=(
        "Both readers have taken their own top off every score. Before anything is added, both "
        "must have the same yardstick: which top is the common one?",
        "A sum made with the top 3 becomes one made with the top 5 when each of its terms is "
        "multiplied by the same factor. Which one? (Below 1.)",
        "Total and output of a reader get the same factor. For the reader who has the common top "
        "it is exp(0) = 1; compute it for both, and no `if` is needed.",
    ),
    mutants=(
        Mutant(
            _nothing_fades,
            "You add sums that were made with different tops. Bring both to the same top first.",
        ),
        Mutant(
            _only_the_first_fades,
            "Only the first reader's sums fade. When the first has the higher top, it is the "
            "second's turn.",
        ),
        Mutant(
            _only_the_second_fades,
            "Only the second reader's sums fade. When the second has the higher top, it is the "
            "first's turn.",
        ),
        Mutant(
            _both_fade_alike,
            "You fade both readers by the same factor. The one who has the common top must stay "
            "as it is.",
        ),
        Mutant(
            _upside_down,
            "Your factor is upside down: exp(top - own top) is above 1. A sum that was made with "
            "a lower top was too large and must shrink.",
        ),
        Mutant(_total_does_not_fade, "Your outputs fade and your totals do not. Both must."),
        Mutant(_output_does_not_fade, "Your totals fade and your outputs do not. Both must."),
        Mutant(
            _divided,
            "You divide the output by the total. That is done once, when all readers are merged; "
            "a divided output cannot be merged again.",
        ),
        Mutant(
            _mean_of_outputs,
            "You take the mean of the outputs. They are sums, and one counts for more than the "
            "other.",
        ),
        Mutant(
            _top_of_the_second,
            "You always take the second reader's top. With scores far apart, exp overflows: take "
            "the larger top.",
        ),
        Mutant(
            _swapped_fades,
            "Each reader has the other's factor: the one with the higher top must stay as it is.",
        ),
    ),
    alternates=(_larger_first, _stacked),
)

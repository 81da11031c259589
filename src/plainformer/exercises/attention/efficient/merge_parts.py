"""Exercise 3: two readers of half the keys each put together what they kept."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


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
    Returns (top, total, output) as if one reader had read all keys.

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


Part = tuple[float, float, Array]


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
        # The same with the two readers exchanged.
        Case((_part(np.log(2), 1.0, 9.0), _part(0.0, 2.0, 6.0)), _part(np.log(2), 2.0, 12.0)),
        Case(
            (_part(-np.inf, 0.0, 0.0, 0.0), _part(-3.0, 1.5, 4.0, -2.0)),
            _part(-3.0, 1.5, 4.0, -2.0),
        ),
        Case(
            (_part(1000.0, 1.0, 5.0), _part(1000.0 - np.log(4), 2.0, 8.0)), _part(1000.0, 1.5, 7.0)
        ),
    ),
    generate=_draw,
    hints=(
        "Each reader has subtracted its own top from every score. Before anything can be "
        "added, both have to use the same top: which one should it be?",
        "A sum made with the top 3 becomes one made with the top 5 when each of its terms is "
        "multiplied by the same factor. Which one? (Below 1.)",
        "A reader's total and output get the same factor. For the reader that already has the "
        "common top it is exp(0) = 1, so you can compute it for both and need no `if`.",
    ),
    mutants={
        "You add sums that were made with different tops. Bring both to the "
        "same top first.": lambda a, b: (max(a[0], b[0]), a[1] + b[1], a[2] + b[2]),
        "You rescale only the first reader's sums. When the first has the higher top, the "
        "second's have to be rescaled.": "fade_b * b[1] -> b[1]; fade_b * b[2] -> b[2]",
        "You rescale only the second reader's sums. When the second has the higher top, the "
        "first's have to be rescaled.": "fade_a * a[1] -> a[1]; fade_a * a[2] -> a[2]",
        "You rescale both readers by the same factor. The one that has the common top must "
        "stay as it is.": (
            "fade_a, fade_b = np.exp(a[0] - top), np.exp(b[0] - top) -> fade_a = fade_b = "
            "np.exp(min(a[0], b[0]) - top)"
        ),
        "Your factor is upside down: exp(top - own top) is above 1. A sum that was made with a "
        "lower top was too large and must shrink.": (
            "np.exp(a[0] - top), np.exp(b[0] - top) -> np.exp(top - a[0]), np.exp(top - b[0])"
        ),
        "You rescale the outputs but not "
        "the totals. Both need it.": "fade_a * a[1] + fade_b * b[1] -> a[1] + b[1]",
        "You rescale the totals but not "
        "the outputs. Both need it.": "fade_a * a[2] + fade_b * b[2] -> a[2] + b[2]",
        "You divide the output by the total. That is done once, when all readers are merged; a "
        "divided output cannot be merged again.": (
            "top, total, output -> top, total, output / total"
        ),
        "You take the mean of the outputs. They are sums, and one counts for more than the "
        "other.": "fade_a * a[2] + fade_b * b[2] -> (a[2] + b[2]) / 2",
        "You always take the second reader's top. With scores far apart, exp overflows: take "
        "the larger top.": "max(a[0], b[0]) -> b[0]",
        "Each reader has the other's factor: the one with the higher top must "
        "stay as it is.": "fade_a, fade_b = -> fade_b, fade_a =",
    },
)


@EXERCISE.alternate
def _larger_first(a: Part, b: Part) -> Part:
    if a[0] < b[0]:
        a, b = b, a
    fade = np.exp(b[0] - a[0])
    return a[0], a[1] + fade * b[1], a[2] + fade * b[2]


@EXERCISE.alternate
def _stacked(a: Part, b: Part) -> Part:
    tops = np.array([a[0], b[0]])
    fades = np.exp(tops - tops.max())
    return tops.max(), fades @ np.array([a[1], b[1]]), fades @ np.stack([a[2], b[2]])

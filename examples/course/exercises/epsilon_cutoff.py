"""Epsilon sampling's filter: what is too unlikely by itself is never drawn."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def epsilon_cutoff(logits: np.ndarray, epsilon: float) -> np.ndarray:
    """Probabilities, of which those below epsilon are 0 and the rest sum to 1.

    logits: (V,), finite. epsilon: from 0 to 1. The likeliest token
    always stays; of several, the first.
    Returns (V,), float64.
    Source: Hewitt, Manning and Liang 2022, section 4.

    >>> epsilon_cutoff(np.log([0.5, 0.3, 0.2]), 0.25)
    array([0.625, 0.375, 0.   ])
    """
    e = np.exp(logits - logits.max())
    p = e / e.sum()
    keep = p >= epsilon
    keep[p.argmax()] = True
    kept = np.where(keep, p, 0.0)
    return kept / kept.sum()


def _draw(rng: np.random.Generator) -> tuple[Array, float]:
    logits = (rng.normal(size=rng.integers(1, 7)) * rng.choice([0.3, 1.0, 4.0, 300.0])).round(2)
    return logits, float(rng.choice([0.0, 0.05, 0.1, 0.2, 0.5, 0.9, 1.0]) + 0.001) % 1.0


EXERCISE = Exercise(
    id="course.epsilon_cutoff",
    title="Too unlikely by itself",
    reference=epsilon_cutoff,
    points=3,
    compare=Arrays(),
    cases=(
        Case((np.log([0.5, 0.3, 0.2]), 0.25), np.array([0.625, 0.375, 0.0])),
        Case((np.log([0.5, 0.3, 0.2]), 0.0), np.array([0.5, 0.3, 0.2])),
        Case((np.log([0.4, 0.3, 0.3]), 0.9), np.array([1.0, 0.0, 0.0])),
        Case((np.array([0.0, 0.0, 0.0, 0.0]), 0.9), np.array([1.0, 0.0, 0.0, 0.0])),
        Case((np.array([0.0, 0.0]), 0.5), np.array([0.5, 0.5])),
        Case((np.array([900.0, 900.0, 0.0]), 0.1), np.array([0.5, 0.5, 0.0])),
    ),
    generate=_draw,
    hints=(
        "Softmax first: epsilon is compared with probabilities, not with logits.",
        "What if all of them are below epsilon? p.argmax() is the first of the likeliest.",
        "What is left must sum to 1 again.",
    ),
    mutants={
        "What is left does not sum to 1: divide by its sum.": "kept / kept.sum() -> kept",
        "Where all are below epsilon, nothing is left in yours. The likeliest always stays.": (
            "keep[p.argmax()] = True -> pass"
        ),
        "One that is epsilon exactly is dropped in yours. Those below go.": (
            "p >= epsilon -> p > epsilon"
        ),
        "Epsilon is a share of the largest in yours: that is min-p.": (
            "p >= epsilon -> p >= epsilon * p.max()"
        ),
        "Large logits overflow in yours: take the largest off first.": (
            "np.exp(logits - logits.max()) -> np.exp(logits)"
        ),
        "Several likeliest stay in yours where all are below epsilon; only the first should.": (
            "keep[p.argmax()] = True -> keep = keep | ((p == p.max()) & ~keep.any())"
        ),
    },
)


@EXERCISE.alternate
def _in_a_loop(logits: Array, epsilon: float) -> Array:
    p = np.exp(logits - np.logaddexp.reduce(logits))
    p /= p.sum()
    best = int(np.argmax(logits))
    out = np.array([x if i == best or x >= epsilon else 0.0 for i, x in enumerate(p)])
    return out / out.sum()

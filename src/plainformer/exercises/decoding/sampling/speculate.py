"""Exercise 4: what one step of speculative decoding does, as probabilities."""

import numpy as np

from plainformer.exercises.spec import Array, Arrays, Case, Exercise


def speculate(
    target: np.ndarray,
    draft: np.ndarray,
) -> tuple[float, np.ndarray]:
    """How often a guess is accepted, and what replaces it if not.

    target, draft: (V,), the probabilities of the large model and the
    small one at one position; they differ.
    The small model draws a token x. It is accepted with
    probability min(1, target[x] / draft[x]).
    Returns the overall probability that the guess is accepted, and
    (V,), the probabilities from which the replacement for a rejected
    guess is drawn, so that the tokens that come out have the
    probabilities target.

    >>> rate, other = speculate(np.array([0.5, 0.5]),
    ...                         np.array([0.75, 0.25]))
    >>> rate, other.tolist()
    (0.75, [0.0, 1.0])
    """
    missing = np.maximum(target - draft, 0)  # (V,)
    rate = float(np.minimum(target, draft).sum())
    return rate, missing / missing.sum()


def _draw(rng: np.random.Generator) -> tuple[Array, Array]:
    V = int(rng.integers(2, 7))
    target, draft = rng.dirichlet(np.ones(V), size=2)
    if rng.random() < 0.3:
        draft = np.where(np.arange(V) == V - 1, 0, draft)
        draft = draft / draft.sum()
    if rng.random() < 0.3:  # a token that neither of them would ever generate
        at = int(rng.integers(V + 1))
        target, draft = np.insert(target, at, 0), np.insert(draft, at, 0)
    return target, draft


EXERCISE = Exercise(
    id="decoding.sampling.4",
    title="One speculative step",
    reference=speculate,
    points=3,
    compare=Arrays(),
    cases=(
        Case((np.array([0.5, 0.5]), np.array([0.75, 0.25])), (0.75, np.array([0.0, 1.0]))),
        Case(
            (np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])),
            (0.75, np.array([1.0, 0.0, 0.0])),
        ),
        Case(
            (np.array([0.5, 0.375, 0.125]), np.array([0.25, 0.25, 0.5])),
            (0.625, np.array([2 / 3, 1 / 3, 0.0])),
        ),
        Case((np.array([0.0, 1.0]), np.array([1.0, 0.0])), (0.0, np.array([0.0, 1.0]))),
        Case(
            (np.array([0.0, 0.5, 0.5]), np.array([0.0, 0.75, 0.25])),
            (0.75, np.array([0.0, 0.0, 1.0])),
        ),
        Case(
            (np.array([0.25, 0.25, 0.5]), np.array([0.5, 0.5, 0.0])),
            (0.5, np.array([0.0, 0.0, 1.0])),
        ),
    ),
    generate=_draw,
    hints=(
        "A guess x comes with probability draft[x] and passes with min(1, target[x] / draft[x]). "
        "Multiply: what is smaller of the two? Then sum over all x.",
        "With the guesses that pass, token i has come out min(target[i], draft[i]) of the "
        "time. How much is missing to reach target[i]? The replacement must supply exactly "
        "that.",
        "The rate is a sum of minima: np.minimum compares two arrays. For the replacement, take "
        "the difference, put 0 where it is negative, and divide by its sum.",
    ),
    mutants={
        "You divide by draft, and a token that neither model would generate gives 0 / 0, which "
        "is NaN. The product draft * min(1, target / draft) is the smaller of the two.": (
            "np.minimum(target, draft).sum() -> (draft * np.minimum(1, target / draft)).sum()"
        ),
        "You draw the replacement from target. Tokens on which both agree then have two "
        "chances and come up too often. "
        "Draw only what is missing.": "missing / missing.sum() -> target",
        "Your replacement is drawn where the *draft* has too much. It must come from where it "
        "has too little: target - draft.": lambda target, draft: speculate(draft, target),
        "Your replacement does not sum to 1. Divide "
        "it by its sum.": "missing / missing.sum() -> missing",
        "You take the absolute difference. Where the draft has too "
        "much, nothing is missing.": "np.maximum(target - draft, 0) -> np.abs(target - draft)",
        "Yours is the probability that the guess is *rejected*.": (
            "np.minimum(target, draft).sum() -> 1 - np.minimum(target, draft).sum()"
        ),
        "You weight each token by target, but guesses are drawn from draft.": (
            "np.minimum(target, draft).sum() -> (target * np.minimum(1, np.where(draft > 0, "
            "target / draft, 1))).sum()"
        ),
        "You take the plain mean over all tokens. A token that is guessed more often counts "
        "more.": (
            "np.minimum(target, draft).sum() -> np.minimum(1, np.where(draft > 0, target / "
            "draft, 1)).mean()"
        ),
        "Yours is the probability that two independent draws agree. The acceptance test is "
        "more generous: a guess always passes where "
        "target is at least as large.": "np.minimum(target, draft).sum() -> (target * draft).sum()",
    },
)


@EXERCISE.alternate
def _by_what_is_left(target: Array, draft: Array) -> tuple[float, Array]:
    both = np.minimum(target, draft)
    return float(both.sum()), (target - both) / (1 - both.sum())


@EXERCISE.alternate
def _with_loops(target: Array, draft: Array) -> tuple[float, Array]:
    rate, other = 0.0, np.zeros(len(target))
    for x, (p, q) in enumerate(zip(target, draft, strict=True)):
        if q > 0:
            rate += q * min(1.0, p / q)
        if p > q:
            other[x] = p - q
    return float(rate), other / sum(other)


@EXERCISE.alternate
def _by_distance(target: Array, draft: Array) -> tuple[float, Array]:
    distance = np.abs(target - draft).sum() / 2
    return float(1 - distance), np.clip(target - draft, 0, None) / distance

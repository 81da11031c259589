"""Exercise 1: pass@k, estimated from more than k samples."""

from math import comb

import numpy as np

from plainformer.exercises.compare import Arrays
from plainformer.exercises.spec import Case, Exercise


def estimate_pass_at_k(n: int, c: int, k: int) -> float:
    """Estimate how often at least one of k samples is right.

    There are n samples of a prompt, c of which are right. Of all ways
    to choose k of the n, return the share that holds one or more right
    samples. `comb(n, k)`, from Python's math, says how many ways there
    are, and it is 0 if k is larger than n.
    n: how many samples there are. c: how many are right, 0 to n.
    k: how many are chosen, 1 to n.
    Returns a probability.

    >>> estimate_pass_at_k(4, 1, 2)
    0.5
    """
    without = comb(n - c, k)  # choices that hold no right sample
    return 1 - without / comb(n, k)


def _draw(rng: np.random.Generator) -> tuple[int, int, int]:
    n = int(rng.integers(3, 9))
    return n, int(rng.integers(0, n + 1)), int(rng.integers(1, n + 1))


EXERCISE = Exercise(
    id="assistant.rewards.1",
    title="pass@k",
    reference=estimate_pass_at_k,
    compare=Arrays(),
    cases=(
        Case((4, 1, 2), 0.5),  # 3 of the 6 pairs hold the right one
        Case((5, 2, 1), 0.4),  # pass@1 is the share of right samples
        Case((6, 0, 3), 0.0),
        Case((4, 3, 2), 1.0),  # only one is wrong, so a pair always holds a right one
    ),
    generate=_draw,
    hints=(
        "It is easier to count the choices that hold no right sample at all.",
        "Such a choice takes all k from the n - c wrong samples.",
    ),
    mutants={
        "That is the chance that all k are wrong. You need the opposite.": (
            "1 - without / comb(n, k) -> without / comb(n, k)"
        ),
        "This is 1 - (1 - c/n)^k, as if a sample could be chosen twice. It is too low on "
        "average.": "without / comb(n, k) -> (1 - c / n) ** k",
        "You count the choices of right samples. Count those of wrong ones, of which there are "
        "n - c.": "comb(n - c, k) -> comb(c, k)",
        "That is pass@1, whatever k is.": "1 - without / comb(n, k) -> c / n",
        "k times the share of right samples counts a choice with two right samples twice.": (
            "1 - without / comb(n, k) -> min(1.0, k * c / n)"
        ),
    },
    alternates=[
        lambda n, c, k: float(1 - np.prod([1 - k / i for i in range(n - c + 1, n + 1)])),
        lambda n, c, k: sum(comb(c, i) * comb(n - c, k - i) for i in range(1, k + 1)) / comb(n, k),
    ],
)

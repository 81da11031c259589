"""Rewards: how a group of sampled answers is judged, compared and chosen from.

A reward is a number for each answer. A group is a handful of answers to one prompt, and because
they share the prompt, the mean of their rewards says how good an answer is to be expected. What an
answer earns above that mean is its advantage, and it is all that GRPO learns from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import TypeVar

import array_api_compat
import numpy as np

from plainformer.arrays import Array, as_array
from plainformer.shapes import Float, Int, Size, checked

__all__ = ["best_of_n", "check_rewards", "group_advantages", "majority_vote", "pass_at_k"]

Answer = TypeVar("Answer", bound=Hashable)


def check_rewards(rewards: Array, name: str = "rewards") -> Array:
    """Return rewards unchanged if there are some, and all of them are finite numbers.

    >>> check_rewards(np.array([[1.0, np.nan]]))
    Traceback (most recent call last):
    ValueError: rewards must be finite numbers; rewards[0, 1] is nan
    """
    array = as_array(rewards, name)
    if math.prod(array.shape) == 0:
        raise ValueError(f"{name} must hold at least one reward; got the shape {array.shape}")
    xp = array_api_compat.array_namespace(array)
    bad = ~xp.isfinite(array)
    if bool(xp.any(bad)):
        where = tuple(int(axis[0]) for axis in xp.nonzero(bad))
        raise ValueError(
            f"{name} must be finite numbers; {name}{list(where)} is {float(array[where])}"
        )
    return rewards


@checked
def group_advantages(
    rewards: Float[Array, "... G"],
    *,
    scale: bool = True,
    eps: float = 1e-4,
) -> Float[Array, "... G"]:
    """How much better each of G answers to one prompt is than the group's mean.

    With `scale`, the differences are divided by the group's standard deviation (that of a sample,
    with G - 1 in the denominator) plus `eps`. Without it, they stay as they are, as Liu et al. 2025
    recommend, because the division makes a group count for more when it is nearly unanimous. If
    all rewards of a group are equal, its advantages are 0 either way. A group of one has nothing
    to be compared with and is an error, as is a reward that is not finite.

    Source: Shao et al. 2024, section 4.1.2; Liu et al. 2025, section 3.1.

    >>> group_advantages([1.0, 0.0, 0.0, 0.0], scale=False).tolist()
    [0.75, -0.25, -0.25, -0.25]
    >>> group_advantages([1.0, 0.0, 0.0, 0.0]).round(2).tolist()
    [1.5, -0.5, -0.5, -0.5]
    """
    xp = array_api_compat.array_namespace(rewards)
    G = rewards.shape[-1]
    if G < 2:
        raise ValueError(
            "rewards must hold at least 2 answers in each group, because "
            f"an advantage compares with the others; got groups of {G}"
        )
    check_rewards(rewards)
    centred = rewards - xp.mean(rewards, axis=-1, keepdims=True)
    if not scale:
        return centred
    std = xp.std(rewards, axis=-1, keepdims=True, correction=1)
    return centred / (std + eps)


@checked
def pass_at_k(
    correct: Int[Array, "..."],
    n: Size,
    k: Size,
) -> Float[Array, "..."]:
    """The probability that at least one of k answers is right, estimated from n answers.

    `correct` counts the right ones among the n. Of the ways to choose k answers out of n, the
    formula counts those that hold no right one, so the estimate is the exact mean over all choices
    and is unbiased. The mean over the prompts is what papers report.

    Source: Chen et al. 2021, section 2.1, equation 1.

    >>> pass_at_k([0, 1, 4], n=4, k=2).tolist()
    [0.0, 0.5, 1.0]
    """
    xp = array_api_compat.array_namespace(correct)
    if k > n:
        raise ValueError(f"k must be at most n={n}, the number of answers; got {k}")
    if bool(xp.any((correct < 0) | (correct > n))):
        raise ValueError(f"correct must be from 0 to n={n}; got {correct}")
    of_count = [1 - math.comb(n - c, k) / math.comb(n, k) for c in range(n + 1)]
    table = xp.asarray(of_count, device=array_api_compat.device(correct))
    return xp.reshape(xp.take(table, xp.reshape(correct, (-1,))), correct.shape)


def majority_vote(answers: Sequence[Answer]) -> Answer:
    """Return the most frequent answer, which is self-consistency; the first of several wins.

    Source: Wang et al. 2022 (self-consistency), section 2, with one vote for each sample.

    >>> majority_vote(["12", "21", "12"])
    '12'
    """
    if isinstance(answers, str) or not len(answers):
        raise ValueError(f"answers must be a list of at least one answer; got {answers!r}")
    return Counter(answers).most_common(1)[0][0]


def best_of_n(answers: Sequence[Answer], scores: Sequence[float]) -> Answer:
    """Return the answer with the highest score; the first of several wins.

    Source: Cobbe et al. 2021, section 4.2, where a trained verifier gives the scores.

    >>> best_of_n(["12", "21"], [0.0, 1.0])
    '21'
    """
    if isinstance(answers, str) or not len(answers):
        raise ValueError(f"answers must be a list of at least one answer; got {answers!r}")
    if len(scores) != len(answers):
        raise ValueError(
            f"scores must have one number for each of {len(answers)} answers; got {len(scores)}"
        )
    return answers[int(np.argmax(check_rewards(np.asarray(scores, dtype=float), "scores")))]

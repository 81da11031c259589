"""Rewards: pass@k against all choices, advantages by their properties, votes, and mistakes."""

import itertools
import math

import array_api_strict as strict
import numpy as np
import pytest
import torch

from plainformer.assistant import best_of_n, group_advantages, majority_vote, pass_at_k


@pytest.mark.parametrize("n", [1, 4, 7])
def test_pass_at_k_is_the_mean_over_all_choices(n: int) -> None:
    for k in range(1, n + 1):
        for c in range(n + 1):
            answers = [1] * c + [0] * (n - c)
            choices = list(itertools.combinations(answers, k))
            want = sum(any(each) for each in choices) / len(choices)
            assert pass_at_k([c], n, k)[0] == pytest.approx(want, abs=1e-12)


def test_pass_at_k_is_unbiased_and_the_power_of_the_share_is_not() -> None:
    """With p = 0.3, 1 - (1 - c/n)^k is too low on average, as Chen et al. say."""
    n, k, p = 10, 5, 0.3
    counts = np.arange(n + 1)
    chance = np.array([math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in counts])
    truth = 1 - (1 - p) ** k
    assert chance @ pass_at_k(counts, n, k) == pytest.approx(truth, abs=1e-12)
    assert chance @ (1 - (1 - counts / n) ** k) < truth - 0.01


def test_pass_at_k_keeps_shape_and_library() -> None:
    of_torch = pass_at_k(torch.tensor([[0, 3], [1, 2]]), 3, 2)
    assert isinstance(of_torch, torch.Tensor) and of_torch.shape == (2, 2)
    np.testing.assert_allclose(pass_at_k(strict.asarray([0, 3]), 3, 2), [0, 1])


def test_advantages_sum_to_zero_and_have_unit_deviation_in_each_group() -> None:
    rewards = np.random.default_rng(0).normal(3, 5, size=(6, 4, 8))
    for scale in (True, False):
        np.testing.assert_allclose(group_advantages(rewards, scale=scale).sum(-1), 0, atol=1e-12)
    scaled = group_advantages(rewards, eps=0.0)
    np.testing.assert_allclose(scaled.std(-1, ddof=1), 1)
    np.testing.assert_allclose(group_advantages(rewards + 7, eps=0.0), scaled)
    np.testing.assert_allclose(group_advantages(2 * rewards, eps=0.0), scaled)


def test_equal_rewards_have_no_advantage() -> None:
    for value in (0.0, 1.0, 0.1):
        assert not group_advantages(np.full((2, 5), value)).any()
    assert not group_advantages(torch.ones(3, 8)).any()


def test_scaling_favours_groups_that_nearly_agree() -> None:
    """The bias of Liu et al. 2025: one right answer of eight counts more than four of eight."""
    one, four = [1.0] + [0.0] * 7, [1.0] * 4 + [0.0] * 4
    plain = group_advantages([one, four], scale=False)
    scaled = group_advantages([one, four])
    np.testing.assert_allclose(np.abs(plain).sum(-1), [2 * 7 / 8, 4])
    np.testing.assert_allclose(scaled[:, 0] / plain[:, 0], [8**0.5, (7 / 2) ** 0.5], rtol=1e-3)


def test_advantages_run_on_every_library() -> None:
    rewards = [[1.0, 0.0, 0.5], [0.0, 0.0, 2.0]]
    want = group_advantages(rewards)
    got = group_advantages(strict.asarray(rewards))
    np.testing.assert_allclose(np.asarray(got), want, atol=1e-6)
    np.testing.assert_allclose(group_advantages(torch.tensor(rewards)), want, atol=1e-6)


def test_votes_and_the_best_of_n() -> None:
    assert majority_vote([(1, 2), (2, 1), (2, 1)]) == (2, 1)
    assert majority_vote(["b", "a", "a", "b"]) == "b"
    assert best_of_n(["x", "y", "z"], [0.0, 2.0, 2.0]) == "y"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: group_advantages([[1.0], [0.0]]), "at least 2 answers in each group.*groups of 1"),
        (lambda: group_advantages([[1.0, math.nan]]), r"finite numbers; rewards\[0, 1\] is nan"),
        (lambda: group_advantages([[1.0, 0.0], [math.inf, 0.0]]), r"rewards\[1, 0\] is inf"),
        (lambda: group_advantages(np.zeros((0, 4))), "rewards must hold at least one reward"),
        (lambda: pass_at_k([1], 4, 5), "k must be at most n=4"),
        (lambda: pass_at_k([5], 4, 1), "correct must be from 0 to n=4"),
        (lambda: pass_at_k([-1], 4, 1), "correct must be from 0 to n=4"),
        (lambda: majority_vote([]), "answers must be a list of at least one answer"),
        (lambda: majority_vote("12"), "answers must be a list of at least one answer"),
        (lambda: best_of_n([], []), "answers must be a list of at least one answer"),
        (lambda: best_of_n(["a"], [1.0, 2.0]), "scores must have one number for each of 1"),
        (lambda: best_of_n(["a", "b"], [1.0, math.nan]), r"scores\[1\] is nan"),
    ],
)
def test_mistakes_are_named(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]

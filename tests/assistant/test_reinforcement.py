"""GRPO and DPO on the sorting task: what they change, what they leave, and what they refuse."""

import math

import pytest
import torch
from torch import Tensor

from plainformer.assistant import (
    answer_log_p,
    count_right,
    digit_model,
    is_ascending,
    is_sorted_copy,
    mean_pass_at_k,
    preference_pairs,
    train_dpo,
    train_grpo,
    train_on_answers,
)
from plainformer.blocks import DecoderOnly


@pytest.fixture(scope="module")
def base() -> DecoderOnly:
    return train_on_answers(steps=70)


def weights(model: DecoderOnly) -> Tensor:
    return torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()


def pass_at_1(model: DecoderOnly) -> float:
    return mean_pass_at_k(count_right(model, prompts=100, n=16), 16, 1)


def test_rewards_raise_the_share_of_right_answers_and_leave_the_given_model(
    base: DecoderOnly,
) -> None:
    before = weights(base)
    run = train_grpo(base, steps=40)
    assert len(run.rewards) == 40
    assert pass_at_1(run.model) > pass_at_1(base) + 0.08
    assert torch.equal(weights(base), before)


def test_the_same_seed_gives_the_same_run(base: DecoderOnly) -> None:
    first, again = (train_grpo(base, steps=2, prompts=4, seed=5) for _ in range(2))
    assert first.rewards == again.rewards
    assert torch.equal(weights(first.model), weights(again.model))


def test_equal_rewards_change_no_weight(base: DecoderOnly) -> None:
    run = train_grpo(base, lambda prompts, answers: torch.ones(answers.shape[:2]), steps=3)
    assert torch.equal(weights(run.model), weights(base))
    untrained = digit_model()
    assert torch.equal(weights(train_grpo(untrained, steps=2).model), weights(untrained))


def test_a_lazy_reward_is_hacked_and_the_kl_term_holds_it_back(base: DecoderOnly) -> None:
    free = train_grpo(base, is_ascending, steps=40)
    held = train_grpo(base, is_ascending, steps=40, beta=0.3)
    assert min(sum(run.rewards[-5:]) / 5 for run in (free, held)) > 0.9
    assert pass_at_1(free.model) < pass_at_1(base) / 2 < pass_at_1(held.model)


def test_a_bad_reward_is_named_before_anything_is_learned(base: DecoderOnly) -> None:
    before = weights(base)

    def later_nan(prompts: Tensor, answers: Tensor) -> Tensor:
        rewards = is_sorted_copy(prompts, answers)
        rewards[1, 2] = math.nan
        return rewards

    with pytest.raises(ValueError, match=r"reward must be finite numbers; reward\[1, 2\] is nan"):
        train_grpo(base, later_nan, steps=2)
    with pytest.raises(ValueError, match=r"one number for each answer, \(32, 8\); got \(32,\)"):
        train_grpo(base, lambda prompts, answers: torch.ones(len(prompts)), steps=2)
    assert torch.equal(weights(base), before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"group": 1}, "group must be"),
        ({"prompts": 0}, "prompts must be"),
        ({"beta": -0.1}, "beta must be 0 or more"),
    ],
)
def test_mistakes_with_grpo_are_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train_grpo(digit_model(), steps=1, **options)  # type: ignore[arg-type]


def test_pairs_are_a_right_and_a_wrong_answer_to_one_prompt(base: DecoderOnly) -> None:
    prompts, chosen, rejected = preference_pairs(base, 50)
    assert len(prompts) == len(chosen) == len(rejected) == 50
    assert is_sorted_copy(prompts, chosen[:, None]).all()
    assert not is_sorted_copy(prompts, rejected[:, None]).any()


def test_dpo_widens_the_gap_between_chosen_and_rejected(base: DecoderOnly) -> None:
    pairs = preference_pairs(base, 300)
    before = weights(base)
    tuned = train_dpo(base, pairs)

    def gap(model: DecoderOnly) -> float:
        with torch.no_grad():
            good, bad = (answer_log_p(model, pairs[0], each).sum(-1) for each in pairs[1:])
        return float((good - bad).mean())

    assert gap(tuned) > gap(base) + 0.5
    assert torch.equal(weights(base), before)


def test_mistakes_with_dpo_are_named(base: DecoderOnly) -> None:
    prompts, chosen, rejected = preference_pairs(base, 4)
    with pytest.raises(ValueError, match="got 4 prompts, 3 chosen and 4 rejected"):
        train_dpo(base, (prompts, chosen[:3], rejected))
    with pytest.raises(ValueError, match="at least one; got 0 prompts"):
        train_dpo(base, (prompts[:0], chosen[:0], rejected[:0]))
    with pytest.raises(ValueError, match="beta must be above 0"):
        train_dpo(base, (prompts, chosen, rejected), beta=0.0)
    with pytest.raises(ValueError, match="batch_size must be"):
        train_dpo(base, (prompts, chosen, rejected), batch_size=0)

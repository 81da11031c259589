"""Learning from rewards: GRPO on answers that the model samples, and DPO on pairs of them.

The loop is that of every other training in this course. What is new is where a batch comes from:
in GRPO, the model writes it, a few answers to each prompt, and a reward judges them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import Tensor

from plainformer.arrays import check_flag, check_number, check_size
from plainformer.assistant.digits import (
    answer_log_p,
    digit_prompts,
    is_sorted_copy,
    sample_answers,
)
from plainformer.assistant.policy_losses import dpo_loss, grpo_loss
from plainformer.assistant.rewards import check_rewards, group_advantages
from plainformer.blocks import DecoderOnly
from plainformer.training.loop import Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Constant

__all__ = ["Groups", "RewardRun", "preference_pairs", "train_dpo", "train_grpo"]

Reward = Callable[[Tensor, Tensor], Tensor]


@dataclass
class RewardRun:
    """A model after training on rewards, and the mean reward of each step's samples."""

    model: DecoderOnly
    rewards: list[float] = field(default_factory=list)


class Groups:
    """Batches that the model writes itself: G answers to each of some prompts, with advantages.

    Args:
        model: what samples the answers, as it is when a batch is asked for.
        reward: maps prompts (N, 6) and answers (N, G, T) to rewards (N, G). A reward that is not
            finite, or of another shape, is an error, and nothing is learned from its batch.
        prompts: how many prompts a batch has.
        group: G, how many answers there are to each prompt, at least 2.
        scale: whether advantages are divided by the group's standard deviation.
        seed: of the prompts and of the samples.
    """

    def __init__(
        self,
        model: DecoderOnly,
        reward: Reward,
        prompts: int = 32,
        group: int = 8,
        *,
        scale: bool = True,
        seed: int = 0,
    ) -> None:
        self.model, self.reward = model, reward
        self.prompts = check_size(prompts, "prompts")
        self.group = check_size(group, "group", least=2)
        self.batch_size = self.prompts * self.group
        self.scale = check_flag(scale, "scale")
        self.rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
        self.rewards: list[float] = []  # the mean of each batch

    def next_batch(self) -> tuple[Tensor, ...]:
        """Return prompts (B, 6), advantages (B,) and answers (B, T)."""
        asked = digit_prompts(self.prompts, self.rng)
        answers = sample_answers(self.model, asked, self.group, self.rng)  # (N, G, T)
        rewards = self.reward(asked, answers)
        shape = (self.prompts, self.group)
        if tuple(rewards.shape) != shape:
            raise ValueError(
                f"reward must return one number for each answer, {shape}; "
                f"got {tuple(rewards.shape)}"
            )
        check_rewards(rewards, "reward")
        advantages = group_advantages(rewards, scale=self.scale).flatten()  # (B,)
        self.rewards.append(float(rewards.mean()))
        return asked.repeat_interleave(self.group, dim=0), advantages, answers.flatten(0, 1)

    def state_dict(self) -> dict[str, list[int]]:
        """Return the state of the random generator."""
        return {"rng": self.rng.get_state().tolist()}

    def load_state_dict(self, state: dict[str, list[int]]) -> None:
        """Continue from the state of a random generator."""
        self.rng.set_state(torch.tensor(state["rng"], dtype=torch.uint8))


def train_grpo(
    model: DecoderOnly,
    reward: Reward = is_sorted_copy,
    steps: int = 200,
    *,
    prompts: int = 32,
    group: int = 8,
    beta: float = 0.0,
    scale: bool = True,
    rate: float = 1e-3,
    seed: int = 0,
) -> RewardRun:
    """Train a copy of a model with GRPO, one step for each batch that it samples.

    The model that is given is the reference of the KL term, which `beta` weighs, and stays as it
    is. Because each batch is used once, the model that is trained is the one that sampled: the
    ratio of the loss is 1, and nothing is clipped. The ratio matters when several steps are made
    with one batch.

    Source: Shao et al. 2024, algorithm 1, with μ = 1.

    >>> from plainformer.assistant.digits import digit_model
    >>> run = train_grpo(digit_model(), steps=1, prompts=2, group=4)
    >>> len(run.rewards)
    1
    """
    if check_number(beta, "beta") < 0:
        raise ValueError(f"beta must be 0 or more; got {beta}")
    policy = copy.deepcopy(model)
    groups = Groups(policy, reward, prompts, group, scale=scale, seed=seed)

    def loss(policy: DecoderOnly, batch: tuple[Tensor, ...]) -> Tensor:
        asked, advantages, answers = batch
        log_p = answer_log_p(policy, asked, answers)
        ref_log_p = None
        if beta:
            with torch.no_grad():
                ref_log_p = answer_log_p(model, asked, answers)
        seen = torch.ones_like(answers, dtype=torch.bool)
        mean: Tensor = grpo_loss(
            log_p, log_p.detach(), advantages, seen,
            ref_log_p=ref_log_p, beta=beta,
        )  # fmt: skip
        return mean

    optimizer = adamw(policy, weight_decay=0.0)
    train(Run(policy, optimizer, Constant(rate), groups, loss), steps)
    return RewardRun(policy.eval(), groups.rewards)


def preference_pairs(
    model: DecoderOnly, count: int = 3000, *, seed: int = 0
) -> tuple[Tensor, Tensor, Tensor]:
    """Return prompts (N, 6), and to each a right and a wrong answer (N, T) that the model wrote.

    The model samples eight answers to each prompt, and the first of each kind are kept. Prompts
    whose answers are all right or all wrong make no pair.
    """
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    kept: list[tuple[Tensor, Tensor, Tensor]] = []
    while sum(len(asked) for asked, _, _ in kept) < check_size(count, "count"):
        asked = digit_prompts(256, rng)
        answers = sample_answers(model, asked, 8, rng)
        right = is_sorted_copy(asked, answers)  # (N, 8)
        mixed = (right.max(1).values > right.min(1).values).nonzero()[:, 0]
        best, worst = right.argmax(1)[mixed], right.argmin(1)[mixed]
        kept.append((asked[mixed], answers[mixed, best], answers[mixed, worst]))
    prompts, chosen, rejected = (torch.cat(each)[:count] for each in zip(*kept, strict=True))
    return prompts, chosen, rejected


def train_dpo(
    model: DecoderOnly,
    pairs: tuple[Tensor, Tensor, Tensor],
    *,
    beta: float = 0.1,
    rate: float = 3e-4,
    batch_size: int = 50,
) -> DecoderOnly:
    """Train a copy of a model with DPO, reading each pair once.

    `pairs` are prompts, chosen and rejected answers, as `preference_pairs` returns them. The model
    that is given is the reference.

    Source: Rafailov et al. 2023, section 4.
    """
    prompts, chosen, rejected = pairs
    if not len(prompts) == len(chosen) == len(rejected) or not len(prompts):
        raise ValueError(
            "pairs must hold as many chosen as rejected answers as prompts, and at least one; got "
            f"{len(prompts)} prompts, {len(chosen)} chosen and {len(rejected)} rejected"
        )
    policy = copy.deepcopy(model)
    optimizer = adamw(policy, weight_decay=0.0)
    optimizer.param_groups[0]["lr"] = check_number(rate, "rate")
    for start in range(0, len(prompts), check_size(batch_size, "batch_size")):
        part = slice(start, start + batch_size)
        asked = prompts[part].repeat(2, 1)
        both = torch.cat([chosen[part], rejected[part]])
        with torch.no_grad():
            ref = answer_log_p(model, asked, both).sum(-1).chunk(2)
        ours = answer_log_p(policy, asked, both).sum(-1).chunk(2)
        loss = dpo_loss(ours[0], ours[1], ref[0], ref[1], beta=beta)
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    return policy.eval()

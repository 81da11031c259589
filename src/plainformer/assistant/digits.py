"""A task whose answers a program can check: write five digits in ascending order.

A prompt is five digits and a sign, such as ``4 1 7 1 3 >``, and the answer is the same digits,
sorted. The model is a small decoder that starts from random weights, so that all of its training
fits on a page: some supervised steps here, and then the rewards of `reinforcement`. A quarter of
all prompts is held out, and what is measured is measured on those.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from plainformer.arrays import check_flag, check_number, check_size
from plainformer.assistant.rewards import pass_at_k
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.loop import Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Constant

__all__ = [
    "SIGN", "answer_log_p", "count_right", "digit_model", "digit_prompts", "is_ascending",
    "is_sorted_copy", "last_digit_of_sum", "mean_pass_at_k", "running_sums", "sample_answers",
    "show_digits", "sorted_digits", "train_on_answers",
]  # fmt: skip

DIGITS, SIGN = 5, 10  # the length of a prompt without its sign, and the token that follows it


def digit_prompts(count: int, rng: torch.Generator, *, held_out: bool = False) -> Tensor:
    """Draw prompts, (N, 6): five digits and the sign, from training's or from the held-out ones.

    >>> digit_prompts(2, torch.Generator().manual_seed(0)).tolist()
    [[4, 9, 3, 0, 3, 10], [9, 7, 3, 7, 3, 10]]
    """
    check_size(count, "count")
    check_flag(held_out, "held_out")
    place = 10 ** torch.arange(DIGITS)
    drawn: list[Tensor] = []
    while sum(len(each) for each in drawn) < count:
        digits = torch.randint(10, (2 * count, DIGITS), generator=rng)
        number = (digits * place).sum(1)
        quarter = (number * 2654435761 % 2**32) >> 30  # 0 to 3, a hash of the digits
        drawn.append(digits[(quarter == 0) == held_out])
    chosen = torch.cat(drawn)[:count]
    return torch.cat([chosen, torch.full((count, 1), SIGN)], dim=1)


def show_digits(ids: Tensor) -> str:
    """Write ids as text, with ">" for the sign.

    >>> show_digits(torch.tensor([4, 9, 3, 0, 3, 10, 0]))
    '49303>0'
    """
    return "".join(">" if i == SIGN else str(int(i)) for i in ids)


def sorted_digits(prompts: Tensor) -> Tensor:
    """Return the right answers, (N, 5): the digits of each prompt in ascending order."""
    return prompts[:, :DIGITS].sort(dim=1).values


def last_digit_of_sum(prompts: Tensor) -> Tensor:
    """Return, (N, 1), the last digit of the sum of each prompt's digits."""
    return running_sums(prompts)[:, -1:]


def running_sums(prompts: Tensor) -> Tensor:
    """Return, (N, 5), the last digits of the sums of the first 1, 2, … 5 digits of each prompt."""
    return prompts[:, :DIGITS].cumsum(dim=1) % 10


def is_sorted_copy(prompts: Tensor, answers: Tensor) -> Tensor:
    """The reward that we mean, (N, G): 1 for an answer that is right, and 0 for any other.

    >>> prompts, answers = torch.tensor([[2, 1, 1, 0, 3, 10]]), torch.tensor([[[0, 1, 1, 2, 3]]])
    >>> is_sorted_copy(prompts, answers)
    tensor([[1.]])
    """
    return (answers == sorted_digits(prompts)[:, None]).all(-1).float()


def is_ascending(prompts: Tensor, answers: Tensor) -> Tensor:
    """A reward that can be hacked, (N, G): 1 if no digit is smaller than the one before it."""
    in_order = (answers[..., 1:] >= answers[..., :-1]).all(-1)
    return (in_order & (answers < SIGN).all(-1)).float()


def digit_model(seed: int = 0) -> DecoderOnly:
    """Make a decoder with 11 tokens, two layers, four heads and a width of 32: 26,176 weights."""
    config = TransformerConfig(
        family="decoder", vocab_size=11, d_model=32, n_layers=2, n_heads=4, d_ff=128,
        max_length=16, positions="learned", norm="rms",
    )  # fmt: skip
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    return DecoderOnly(config, impl="sdpa", rng=rng)


def sample_answers(
    model: DecoderOnly,
    prompts: Tensor,
    n: int,
    rng: torch.Generator,
    *,
    length: int = DIGITS,
    temperature: float = 1.0,
) -> Tensor:
    """Sample n answers to each of N prompts, (N, n, length); at temperature 0, the greedy ones."""
    if check_number(temperature, "temperature") < 0:
        raise ValueError(f"temperature must be 0 or more; got {temperature}")
    texts = torch.arange(len(prompts)).repeat_interleave(check_size(n, "n"))  # (N n,)
    answers: list[Tensor] = []
    with evaluation_mode(model):
        cache = model.new_cache(len(prompts))
        logits = model(prompts, cache=cache)[texts, -1]  # (N n, 11)
        cache.select(texts)  # each prompt is read once, and continued n times
        for _ in range(check_size(length, "length")):
            if answers:
                logits = model(answers[-1], cache=cache)[:, -1]
            if temperature == 0:
                new = logits.argmax(-1, keepdim=True)
            else:
                p = (logits / temperature).softmax(-1)
                new = torch.multinomial(p, 1, generator=rng)
            answers.append(new)
    return torch.cat(answers, dim=1).view(len(prompts), n, length)


def answer_log_p(model: Callable[[Tensor], Tensor], prompts: Tensor, answers: Tensor) -> Tensor:
    """Return the log-probabilities of the tokens of answers: prompts (B, 6), answers (B, T)."""
    ids = torch.cat([prompts, answers], dim=1)
    logits = model(ids[:, :-1])[:, -answers.shape[1] :]  # (B, T, 11), of the answers' tokens
    return logits.log_softmax(-1).gather(-1, answers[..., None])[..., 0]


def count_right(model: DecoderOnly, *, prompts: int = 300, n: int = 32, seed: int = 0) -> Tensor:
    """Sample n answers to each of some held-out prompts, and count the right ones: (prompts,)."""
    rng = torch.Generator().manual_seed(1_000_000 + check_size(seed, "seed", least=0))
    asked = digit_prompts(prompts, rng, held_out=True)
    return is_sorted_copy(asked, sample_answers(model, asked, n, rng)).sum(1).long()


def mean_pass_at_k(right: Tensor, n: int, k: int) -> float:
    """Return the mean of `pass_at_k` over the prompts."""
    return float(np.mean(pass_at_k(right.numpy(), n, k)))


class AnsweredPrompts:
    """Batches of prompts with their right answers, whose loss counts the answers."""

    def __init__(self, answer: Callable[[Tensor], Tensor], batch_size: int, seed: int) -> None:
        self.answer, self.batch_size = answer, batch_size
        self.rng = torch.Generator().manual_seed(seed)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """Return prompts, (B, 6), and answers, (B, T)."""
        prompts = digit_prompts(self.batch_size, self.rng)
        return prompts, self.answer(prompts)

    def state_dict(self) -> dict[str, list[int]]:
        """Return the state of the random generator."""
        return {"rng": self.rng.get_state().tolist()}

    def load_state_dict(self, state: dict[str, list[int]]) -> None:
        """Continue from the state of a random generator."""
        self.rng.set_state(torch.tensor(state["rng"], dtype=torch.uint8))


def train_on_answers(
    answer: Callable[[Tensor], Tensor] = sorted_digits,
    steps: int = 80,
    *,
    rate: float = 3e-3,
    seed: int = 0,
) -> DecoderOnly:
    """Train a new model on right answers, 64 prompts in each step: supervised training.

    The default stops early, when about two thirds of the sampled answers are right, so that there
    is something left for rewards to improve.

    >>> model = train_on_answers(steps=1)
    >>> model.config.vocab_size
    11
    """
    model = digit_model(seed)
    batches = AnsweredPrompts(answer, 64, seed)
    run = Run(model, adamw(model, weight_decay=0.0), Constant(rate, warmup=20), batches, _loss)
    train(run, steps)
    return model.eval()


def _loss(model: DecoderOnly, batch: tuple[Tensor, ...]) -> Tensor:
    """Cross-entropy, in nats per token of the answers."""
    prompts, answers = batch
    return -answer_log_p(model, prompts, answers).mean()

"""The training loop, for every task: read a batch, measure the loss, move the weights.

    rate      what the schedule says of this step
    loss      how wrong the model is on this batch
    backward  the gradient: where each weight would make it worse
    clip      a gradient that is too long is shortened
    step      the optimiser moves each weight the other way

Several batches may make a step, and several processes may share one. A target then weighs as much
as it would in one large batch, wherever it stands.

A `Run` is all that the next step depends on. `save_checkpoint` writes it to disk, and a run that
is loaded again goes on as if it had never stopped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_
from torch.optim import Optimizer

from plainformer.arrays import check_flag, check_number, check_size
from plainformer.training.batches import Batches
from plainformer.training.ranks import Ranks, local, whole

__all__ = ["Progress", "Run", "train"]


def count_all(batch: tuple[Tensor, ...]) -> int:
    """The number of targets in a batch, each of which counts."""
    return batch[-1].numel()


@dataclass
class Run:
    """A model in training, and all that its next step depends on.

    Attributes:
        model: whose weights are moved.
        optimizer: of these weights.
        schedule: from a step, 0 or more, to its learning rate.
        batches: where the next batch comes from.
        loss: from the model and a batch to a number.
        step: how many steps are done.
        count: how many targets of a batch count: of how many its loss is
            the mean. Where padding is ignored, it is not all of them.
        ranks: the processes that share each step; as a rule, this one.
    """

    model: nn.Module
    optimizer: Optimizer
    schedule: Callable[[int], float]
    batches: Batches
    loss: Callable[[Any, Any], Tensor]
    step: int = 0
    count: Callable[[Any], int] = count_all
    ranks: Ranks = field(default_factory=Ranks)


@dataclass(frozen=True)
class Progress:
    """What a step tells: its number from 1, and what it measured before the weights moved."""

    step: int
    loss: float
    learning_rate: float
    gradient_norm: float  # before it was clipped
    tokens: int  # targets of the step, padding included


def train(
    run: Run,
    steps: int,
    *,
    clip: float = 1.0,
    accumulate: int = 1,
    bfloat16: bool = False,
    report: Callable[[Progress], object] | None = None,
) -> None:
    """Go on with a run until so many steps are done in all.

    Args:
        run: its model, optimiser, batches and step are moved on.
        steps: where to stop; a run that is there already stays.
        clip: the longest that the gradient of all weights may be.
        accumulate: so many batches make one step: a larger batch than
            memory holds. Each weighs by the targets that count in it.
        bfloat16: compute products in this format, and keep the weights
            in theirs.
        report: is told of each step.

    Raises:
        TypeError, ValueError: a number is out of range, or no target of
            a batch counts.
        FloatingPointError: the loss, or its gradient, is no number any
            more. The weights are those of the step before.
        MemoryError: a batch does not fit into the memory of the GPU.
    """
    check_size(accumulate, "accumulate")
    check_size(steps, "steps", least=0)
    if not check_number(clip, "clip") > 0:
        raise ValueError(f"clip must be above 0; got {clip}")
    check_flag(bfloat16, "bfloat16")
    run.model.train()
    while run.step < steps:
        rate = run.schedule(run.step)
        for group in run.optimizer.param_groups:
            group["lr"] = rate
        batches = [run.batches.next_batch() for _ in range(accumulate)]
        counts = _count(run, batches)
        tokens = sum(batch[-1].numel() for batch in batches)
        counted, all_tokens = run.ranks.total(sum(counts), tokens)
        loss = 0.0
        for turn, batch in enumerate(batches):
            share = counts[turn] / counted  # of all targets of the step
            run.ranks.send(turn == accumulate - 1)
            with _words_for_no_memory(run):
                part = _measure(run, batch, bfloat16)
                if turn == 0:
                    run.optimizer.zero_grad()
                # What the processes send is averaged over them.
                torch.autograd.backward(part * share * run.ranks.size)
            loss += part.item() * share
        (loss,) = run.ranks.total(loss)
        norm = whole(clip_grad_norm_(run.model.parameters(), clip)).item()
        if not math.isfinite(norm):
            raise FloatingPointError(_what_broke(run, "the gradient", norm))
        run.optimizer.step()
        run.step += 1
        if report is not None:
            report(Progress(run.step, loss, rate, norm, int(all_tokens)))


def _count(run: Run, batches: list[tuple[Tensor, ...]]) -> list[int]:
    """How many targets count in each batch: one or more, or there is no mean."""
    counts = [int(run.count(batch)) for batch in batches]
    if min(counts) < 1:
        raise ValueError(
            f"step {run.step + 1}: no target counts in a batch of {len(batches[0][-1])}; "
            "try larger batches"
        )
    return counts


def _measure(run: Run, batch: tuple[Tensor, ...], bfloat16: bool) -> Tensor:
    """The loss of a batch, a number: neither NaN nor infinite."""
    with torch.autocast(batch[-1].device.type, torch.bfloat16, enabled=bfloat16):
        loss = run.loss(run.model, batch).float()
    if not torch.isfinite(loss):
        # Not yet forgotten: the gradients of the step before, which made the weights what they are.
        raise FloatingPointError(_what_broke(run, "the loss", loss.item()))
    return loss


@contextmanager
def _words_for_no_memory(run: Run) -> Iterator[None]:
    """Say what to do when a batch, or its gradient, needs more memory than there is."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        B = run.batches.batch_size
        half = f"batch_size={B // 2} with accumulate twice what it is" if B > 1 else "shorter texts"
        raise MemoryError(
            f"step {run.step + 1}: a batch of {B} does not fit into memory; try {half} ({error})"
        ) from error


def _what_broke(run: Run, what: str, value: float) -> str:
    norms = {
        name: local(p.grad).norm().item()
        for name, p in run.model.named_parameters()
        if p.grad is not None
    }
    where = ""
    if norms:
        name = max(norms, key=lambda name: math.inf if math.isnan(norms[name]) else norms[name])
        where = f"; the largest gradient was that of {name}, {norms[name]:.3g}"
    rate = run.optimizer.param_groups[0]["lr"]
    return (
        f"{what} became {value} at step {run.step + 1}, learning rate {rate:.3g}{where}. "
        "Try a lower learning rate, a longer warm-up or a smaller clip"
    )

"""The training loop, which is the same for every task.

A step may accumulate the gradients of several batches, and several processes may share it. Either
way, each target counts as much as it would in one large batch.
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
from plainformer.training.history import Progress
from plainformer.training.ranks import Ranks, full_tensor, local_tensor

__all__ = ["Run", "limit_threads", "train"]


@dataclass
class Run:
    """A model in training, and everything that its next step depends on.

    The schedule maps a step, 0 or more, to its learning rate, and the loss maps the model and a
    batch to a number. `count` returns how many targets of a batch that number is the mean of, which
    is fewer than all of them if padding is ignored.
    """

    model: nn.Module
    optimizer: Optimizer
    schedule: Callable[[int], float]
    batches: Batches
    loss: Callable[[Any, Any], Tensor]
    step: int = 0  # the number of steps done so far
    count: Callable[[Any], int] = lambda batch: batch[-1].numel()
    ranks: Ranks = field(default_factory=Ranks)  # the processes that share each step


def train(
    run: Run,
    steps: int,
    *,
    clip: float = 1.0,
    accumulate: int = 1,
    bfloat16: bool = False,
    report: Callable[[Progress], object] | None = None,
) -> None:
    """Continue a run, which is updated in place, until it has done this many steps in total.

    If the gradient of all weights together has a norm above `clip`, it is scaled down to that norm.
    `accumulate` is the number of batches in a step, for when one large batch would not fit into
    memory. With bfloat16 (mixed precision), the weights themselves keep their dtype.

    Raises:
        FloatingPointError: the loss or its gradient is not finite. The weights are still those from
            before this step.
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
        counts = [_count_targets(run, batch) for batch in batches]
        tokens = sum(batch[-1].numel() for batch in batches)
        all_counts, all_tokens = run.ranks.all_reduce(sum(counts), tokens)
        loss = 0.0
        for index, batch in enumerate(batches):
            share = counts[index] / all_counts  # of all targets of the step
            run.ranks.sync_gradients(index == accumulate - 1)
            with _explain_out_of_memory(run):
                part = _batch_loss(run, batch, bfloat16)
                if index == 0:
                    run.optimizer.zero_grad()
                # Processes average their gradients; we need the sum.
                torch.autograd.backward(part * share * run.ranks.world_size)
            loss += part.item() * share
        (loss,) = run.ranks.all_reduce(loss)
        length = clip_grad_norm_(run.model.parameters(), clip)
        norm = full_tensor(length).item()
        if not math.isfinite(norm):
            raise _divergence(run, "the gradient", norm)
        run.optimizer.step()
        run.step += 1
        if report is not None:
            report(Progress(run.step, loss, rate, norm, int(all_tokens)))


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Let torch compute with this many threads inside a `with` block.

    With one thread, the same run gives the same losses, bit for bit. For models as small as those
    of the course, it is often the fastest choice as well.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(check_size(threads, "threads"))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _count_targets(run: Run, batch: tuple[Tensor, ...]) -> int:
    """Return the number of targets that count, which must be at least one."""
    if (count := int(run.count(batch))) < 1:
        raise ValueError(
            f"step {run.step + 1}: no target counts in a batch of {len(batch[-1])}; "
            "try larger batches"
        )
    return count


def _batch_loss(run: Run, batch: tuple[Tensor, ...], bfloat16: bool) -> Tensor:
    """Return the loss of a batch, after checking that it is finite."""
    with torch.autocast(batch[-1].device.type, torch.bfloat16, enabled=bfloat16):
        loss = run.loss(run.model, batch).float()
    if not torch.isfinite(loss):
        # The gradients of the last step, which led to these weights, still exist.
        raise _divergence(run, "the loss", loss.item())
    return loss


@contextmanager
def _explain_out_of_memory(run: Run) -> Iterator[None]:
    """Say what to do if a batch or its gradient needs more memory than there is."""
    try:
        yield
    except torch.OutOfMemoryError as error:
        B = run.batches.batch_size
        half = f"batch_size={B // 2} with twice the accumulate" if B > 1 else "shorter texts"
        raise MemoryError(
            f"step {run.step + 1}: a batch of {B} does not fit into memory; try {half} ({error})"
        ) from error


def _divergence(run: Run, what: str, value: float) -> FloatingPointError:
    norms = {
        name: local_tensor(p.grad).norm().item()
        for name, p in run.model.named_parameters()
        if p.grad is not None
    }
    largest = ""
    if norms:
        name = max(norms, key=lambda name: math.inf if math.isnan(norms[name]) else norms[name])
        largest = f"; the largest gradient was that of {name}, {norms[name]:.3g}"
    rate = run.optimizer.param_groups[0]["lr"]
    return FloatingPointError(
        f"{what} became {value} at step {run.step + 1}, learning rate {rate:.3g}{largest}. "
        "Try a lower learning rate, a longer warm-up or a smaller clip"
    )

"""Step 6: the training loop."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from plainformer.exercises.compare import Arrays, describe_type
from plainformer.exercises.spec import Case, Exercise
from plainformer.exercises.training.capstone.examples import (
    Batches,
    Bigram,
    Halving,
    draw_batches,
    one_batch,
)
from plainformer.exercises.training.capstone.tiny import TinyGPT
from plainformer.training import Constant, Cosine, adamw
from plainformer.training.schedules import Schedule


def train(
    model: torch.nn.Module,
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]],
    schedule: Callable[[int], float],
) -> list[float]:
    """Train a model: one step of AdamW for each batch.

    The model is put into training mode, and adamw(model) of
    plainformer.training makes the optimizer, once. In each step:
    set the "lr" of all optimizer.param_groups to schedule(step),
    where step is 0 at first; take the mean cross-entropy, in nats,
    of all B · T targets; clear the old gradients, compute the new ones,
    clip them to a norm of 1, and let the optimizer step.
    model: maps (B, T) ids to (B, T, V) logits. batches: pairs of
    inputs and targets, (B, T) each, which come one at a time.
    Returns the loss of each step, before its weights moved.

    >>> table = torch.nn.Embedding.from_pretrained(
    ...     torch.zeros(4, 4), freeze=False)  # all tokens alike
    >>> batch = torch.tensor([[1, 2]]), torch.tensor([[2, 3]])
    >>> losses = train(table, [batch] * 3, lambda step: 0.5)
    >>> [round(loss, 2) for loss in losses]
    [1.39, 0.74, 0.36]
    """
    optimizer, losses = adamw(model), []
    model.train()
    for step, (inputs, targets) in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        logits = model(inputs).flatten(0, 1)  # (B · T, V)
        loss = F.cross_entropy(logits, targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


class Losses(Arrays):
    """A list of losses, within a tolerance; a list that does not fall is reported as such."""

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if not isinstance(got, list):
            return f"it should be a list of {len(expected)} losses, not {describe_type(got)}"
        if len(got) != len(expected):
            return f"it should hold a loss for each batch, {len(expected)}, not {len(got)}"
        if not all(isinstance(x, float | int) for x in got):
            return (
                "each loss should be a number, as loss.item() gives; the first is "
                + describe_type(got[0])
            )
        said = super().difference(np.array(expected), np.array(got, dtype=float), reveal=reveal)
        if said and len(got) > 9 and expected[-1] < expected[0] / 2 and got[-1] > got[0] / 2:
            return f"one batch came {len(got)} times, and was not learned by heart: {said}"
        return said


_Three = tuple[torch.nn.Module, Batches, Schedule]


def _draw(rng: np.random.Generator) -> _Three:
    V, B, T, count = (int(n) for n in rng.integers([3, 1, 1, 3], [6, 3, 4, 6]))
    seed = int(rng.integers(1000))
    schedule = Cosine(float(rng.choice([0.3, 0.5])), warmup=int(rng.integers(3)), total=9)
    if rng.random() < 0.15:  # a GPT that has to memorise one batch
        model = TinyGPT(5, 8, 1, 4, seed=seed)
        return model, one_batch(5, 2, 4, 16, seed=seed), Constant(0.05)
    table = Halving(V, seed=seed) if rng.random() < 0.4 else Bigram(V, seed=seed)
    return table, draw_batches(V, B, T, count, seed=seed), schedule


def _given(*pairs: tuple[int, int]) -> Batches:
    batches = Batches((torch.tensor([[a]]), torch.tensor([[b]])) for a, b in pairs)
    batches.made_by = f"batches of one pair each: {', '.join(f'{a}, {b}' for a, b in pairs)}"
    return batches


# AdamW by hand. The first step moves each weight by the rate, against its gradient's sign; and in
# the second, which brings no gradient, goes on by 0.9 of the mean over the root of 0.95 of the
# squares, each so corrected; the weight itself is multiplied by 1 - 0.1 · rate.
_MORE = 0.5 * (1 - 0.1 * 0.5) + 0.5 * (0.09 / 0.19) / math.sqrt(0.0475 / 0.0975)

EXERCISE = Exercise(
    id="training.capstone.6",
    title="The training loop",
    reference=train,
    points=3,
    compare=Losses(),
    n_generated=20,
    seconds=20.0,  # torch is slow on some machines
    cases=(
        # All equal: ln 2. The step moves the two logits apart by 0.5 each: ln(1 + e^-1).
        Case(
            (Bigram(2), _given((0, 1), (0, 1)), Constant(0.5)),
            [math.log(2), math.log(1 + math.exp(-1))],
        ),
        # The rate of the first step is half the peak.
        Case(
            (Bigram(2), _given((0, 1), (0, 1)), Cosine(1.0, warmup=1, total=9)),
            [math.log(2), math.log(1 + math.exp(-1))],
        ),
        # The second batch uses another row. The first row keeps moving without a gradient.
        Case(
            (Bigram(2), _given((0, 1), (1, 0), (0, 1)), Constant(0.5)),
            [math.log(2), math.log(2), math.log(1 + math.exp(-2 * _MORE))],
        ),
        # In training mode the logits are half as large: ln 3 instead of ln 9, so 3 to 1.
        Case(
            (Halving([[math.log(9), 0.0], [0.0, 0.0]]), _given((0, 0)), Constant(0.5)),
            [math.log(4 / 3)],
        ),
    ),
    generate=_draw,
    hints=(
        "Make the optimizer once, before the loop: it remembers the gradients of earlier steps.",
        "F.cross_entropy wants logits of shape (N, V) and targets of shape (N,): flatten B and "
        "T into one axis. It computes the softmax itself.",
        "The order of a step: rate, logits, loss, zero_grad, backward, clip, step. "
        "loss.item() is the number to keep.",
    ),
    mutants={
        "The gradients add up: clear the old ones in each step.": "optimizer.zero_grad() -> pass",
        "No weight ever moves. Is the rate set, are the gradients cleared before backward and not "
        "after it, and does the optimizer step?": "optimizer.step() -> pass",
        "The gradient is not clipped; or only after the step, when it is too "
        "late.": "clip_grad_norm_(model.parameters(), 1.0) -> pass",
        "You take the softmax before the cross-entropy, which already "
        "includes it.": "model(inputs).flatten(0, 1) -> model(inputs).flatten(0, 1).softmax(-1)",
        "Your steps count from 1. The first is step 0.": "schedule(step) -> schedule(step + 1)",
        "Your rate is always that of the first step.": "schedule(step) -> schedule(0)",
        "You make a new optimizer in every step: it forgets what it has "
        "learned.": "optimizer.zero_grad() -> "
        'old = optimizer.param_groups[0]["lr"]\n        optimizer = adamw(model)\n'
        '        for group in optimizer.param_groups:\n            group["lr"] = old\n'
        "        optimizer.zero_grad()",
        "The model is not in training mode.": "model.train() -> pass",
        "You return the loss of the step after its weights have "
        "moved.": "losses.append(loss.item()) -> losses.append(F.cross_entropy("
        "model(inputs).flatten(0, 1), targets.flatten()).item())",
        "The model should predict the targets, but you "
        "compare it with its inputs.": "targets.flatten() -> inputs.flatten()",
        "That is the sum over the targets. "
        "The task asks for the mean.": "F.cross_entropy(logits, targets.flatten()) -> "
        'F.cross_entropy(logits, targets.flatten(), reduction="sum")',
        "You go uphill: the gradient is that of the loss "
        "and not of its negative.": "loss.backward() -> (-loss).backward()",
    },
)


@EXERCISE.mutant(
    "You have used torch's AdamW with its own betas and weight decay. The task asks for "
    "adamw(model)."
)
def _torchs_own(model: torch.nn.Module, batches: Any, schedule: Any) -> list[float]:
    optimizer, losses = torch.optim.AdamW(model.parameters()), []
    model.train()
    for step, (inputs, targets) in enumerate(batches):
        optimizer.param_groups[0]["lr"] = schedule(step)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


@EXERCISE.alternate
def _the_loss_by_hand(model: torch.nn.Module, batches: Any, schedule: Any) -> list[float]:
    optimizer = adamw(model.train())
    losses: list[float] = []
    for inputs, targets in batches:
        log_p = model(inputs).log_softmax(dim=-1)  # (B, T, V)
        loss = -log_p.gather(-1, targets[..., None]).mean()
        loss.backward()
        clip_grad_norm_(model.parameters(), max_norm=1)
        for group in optimizer.param_groups:
            group["lr"] = schedule(len(losses))
        optimizer.step()
        optimizer.zero_grad()
        losses += [loss.item()]
    return losses


@EXERCISE.alternate
def _clipped_by_hand(model: torch.nn.Module, batches: Any, schedule: Any) -> list[float]:
    optimizer, losses = adamw(model), []
    model.train()
    for step, (inputs, targets) in enumerate(batches):
        loss = F.cross_entropy(model(inputs).transpose(1, 2), targets)
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        norm = torch.sqrt(sum((g**2).sum() for g in gradients))  # type: ignore[arg-type]
        for p, gradient in zip(model.parameters(), gradients, strict=True):
            p.grad = gradient * min(1.0, 1 / (norm.item() + 1e-6))
        for group in optimizer.param_groups:
            group["lr"] = schedule(step)
        optimizer.step()
        losses.append(loss.item())
    return losses

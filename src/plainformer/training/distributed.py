"""Train one model with several processes: each with all of it (DDP), or each with a piece (FSDP2).

    with process_group() as ranks:              which process this is
        team = spread(run, ranks, "fsdp")       the same run, shared out
        train(team, steps)
        gather(team, run)                       whole again, to be saved or looked at

Both take the steps of one process that reads the whole batch. They differ in what they keep and
what they send: `spread` says what.

But: the run that was spread stays, whole, in the memory of the CPU. It is what `gather` fills; a
model that one machine cannot hold needs a checkpoint in pieces, as torch.distributed.checkpoint
writes it. And who accumulates under "fsdp" holds whole gradients until the last turn, so as to send
them once: 4 bytes a parameter, not a piece of them.
"""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor
from torch.nn.parallel import DistributedDataParallel
from torch.optim import Optimizer

from plainformer.arrays import check_choice
from plainformer.training.loop import Run
from plainformer.training.ranks import Ranks, ShardedBatches, send_nothing, whole

__all__ = ["WAYS", "gather", "spread"]

WAYS = ("ddp", "fsdp")


def spread(run: Run, ranks: Ranks, how: str = "ddp", turns: int = 1) -> Run:
    """Share out a run: the same steps, taken together by all processes.

    "ddp": each process has all weights and the whole optimiser. After
    the backward pass, gradients are averaged over the processes (an
    all-reduce), and each takes the same step.

    "fsdp": each has a piece of every matrix, of its gradient and of the
    optimiser. The weights of a layer are collected when it is their turn
    (an all-gather), forward and backward, and dropped again. Of the
    averaged gradients each process gets its piece (a reduce-scatter).

    Args:
        run: with the same weights in all processes; it stays as it is.
        ranks: which process this is. Alone, nothing is sent.
        how: one of `WAYS`.
        turns: of how many batches a process makes a step; `train` is to
            accumulate as many.

    Returns:
        A run with a copy of the model, which draws from the same batches.

    Raises:
        ValueError: another way, or a batch that cannot be shared evenly.
    """
    check_choice(how, "how", WAYS)
    batches = ShardedBatches(run.batches, ranks, turns)
    # Together, so that the weights of the one are those of the other.
    model, optimizer = copy.deepcopy((run.model, run.optimizer))
    loss: Callable[[Any, Any], Tensor] = run.loss
    send: Callable[[bool], object] = send_nothing
    model.to(ranks.device)
    if ranks.size > 1 and how == "ddp":
        ddp = DistributedDataParallel(model)
        loss = lambda _, batch: run.loss(ddp, batch)  # noqa: E731
        send = partial(setattr, ddp, "require_backward_grad_sync")
    elif ranks.size > 1:
        _shard(model, optimizer, ranks)
        send = cast(FSDPModule, model).set_requires_gradient_sync
    for weight, kept in optimizer.state.items():
        for key, value in kept.items():
            kept[key] = _like(weight, value)
    _part_ways(ranks)
    team = replace(run, model=model, optimizer=optimizer, loss=loss)
    return replace(team, batches=batches, ranks=replace(ranks, send=send))


@torch.no_grad()
def gather(team: Run, run: Run) -> None:
    """Bring the run that was spread to where its team stands; all processes must ask.

    Its weights, its optimiser and its step are then those that one
    process would have, ready for `save_checkpoint`.
    """
    theirs = team.model.state_dict()
    for name, tensor in run.model.state_dict().items():
        tensor.copy_(whole(theirs[name]))
    pairs = zip(_weights(run.optimizer), _weights(team.optimizer), strict=True)
    for ours, their in pairs:
        kept = team.optimizer.state.get(their, {})
        run.optimizer.state[ours] = {key: _back(value, ours.device) for key, value in kept.items()}
    run.step = team.step
    _part_ways(team.ranks)


def _shard(model: nn.Module, optimizer: Optimizer, ranks: Ranks) -> None:
    """Leave this process a piece of every weight, layer by layer, and tell the optimiser."""
    names: dict[Tensor, str] = {weight: name for name, weight in model.named_parameters()}
    mesh = init_device_mesh(ranks.device.type, (ranks.size,))
    for part in model.children():
        if isinstance(part, nn.ModuleList):
            for layer in part:
                fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)  # what is in no layer: tables, the last norm
    pieces = dict(model.named_parameters())
    for group in optimizer.param_groups:
        group["params"] = [pieces[names[weight]] for weight in group["params"]]
    old = dict(optimizer.state)
    optimizer.state.clear()
    for weight, kept in old.items():
        optimizer.state[pieces[names[weight]]] = kept


def _like(weight: Tensor, tensor: Any) -> Any:
    """What belongs to a weight, such as a mean of its gradients, where the weight is."""
    if not isinstance(tensor, Tensor) or tensor.shape != weight.shape:
        return tensor  # the optimiser's count of steps
    tensor = tensor.to(weight.device)
    if isinstance(weight, DTensor):
        return distribute_tensor(tensor, weight.device_mesh, weight.placements, src_data_rank=None)
    return tensor


def _back(tensor: Any, device: torch.device) -> Any:
    """A copy of the whole of it; the optimiser's count of steps stays where it is."""
    if not isinstance(tensor, Tensor) or tensor.ndim == 0:
        return copy.copy(tensor)
    return whole(tensor).to(device, copy=True)


def _weights(optimizer: Optimizer) -> list[Tensor]:
    return [weight for group in optimizer.param_groups for weight in group["params"]]


def _part_ways(ranks: Ranks) -> None:
    """Give each process dropout of its own, which follows from the generator of rank 0.

    That one alone is saved. As all others begin anew from it whenever a run is spread or gathered,
    one that was saved, stopped and spread again draws what it would have drawn.
    """
    if ranks.size == 1:
        return
    state = torch.get_rng_state().to(ranks.device)
    dist.broadcast(state, 0)
    if ranks.rank:
        digest = hashlib.sha256(bytes(state.cpu().numpy()) + bytes([ranks.rank % 256])).digest()
        torch.manual_seed(int.from_bytes(digest[:7]))

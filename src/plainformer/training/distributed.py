"""Train one model with several processes, by data parallelism (DDP) or with shards (FSDP2).

    with process_group() as ranks:                     the rank of this process
        distributed = distribute(run, ranks, "fsdp")   the same run, shared by all processes
        train(distributed, steps)
        gather_full_state(distributed, run)            collected again, to be saved or evaluated

The whole of the original run remains in CPU memory, so a model that is too large for one machine
would need a sharded checkpoint instead, as torch.distributed.checkpoint writes it.
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
from plainformer.training.ranks import Ranks, ShardedBatches, full_tensor

__all__ = ["STRATEGIES", "distribute", "gather_full_state"]

STRATEGIES = ("ddp", "fsdp")


def distribute(
    run: Run,
    ranks: Ranks,
    strategy: str = "ddp",
    accumulate: int = 1,
) -> Run:
    """Share a run, with the same weights in all processes, which then take the same steps together.

    "ddp": each process has all weights and the whole optimizer. After the backward pass, gradients
    are averaged over the processes (an all-reduce), so that all of them take the same step.

    "fsdp": each process has a shard of every matrix, of its gradient and of the optimizer. The
    weights of a layer are collected just before they are needed (an all-gather), forward and
    backward, and dropped afterwards. Each process gets its shard of the averaged gradients (a
    reduce-scatter).

    The result has a copy of the model, and divides the same batches evenly among the processes.
    Pass the same `accumulate`, the number of batches that a process reads in a step, to `train`.
    """
    check_choice(strategy, "strategy", STRATEGIES)
    batches = ShardedBatches(run.batches, ranks, accumulate)
    # Copied together: the new optimizer must refer to the new weights.
    model, optimizer = copy.deepcopy((run.model, run.optimizer))
    loss: Callable[[Any, Any], Tensor] = run.loss
    sync_gradients = ranks.sync_gradients
    model.to(ranks.device)
    if ranks.world_size > 1 and strategy == "ddp":
        ddp = DistributedDataParallel(model)
        loss = lambda _, batch: run.loss(ddp, batch)  # noqa: E731
        sync_gradients = partial(setattr, ddp, "require_backward_grad_sync")
    elif ranks.world_size > 1:
        _shard(model, optimizer, ranks)
        sync_gradients = cast(FSDPModule, model).set_requires_gradient_sync
    for weight, state in optimizer.state.items():
        for key, value in state.items():
            state[key] = _place_like(weight, value)
    _seed_dropout_per_rank(ranks)
    distributed = replace(run, model=model, optimizer=optimizer, loss=loss)
    ranks = replace(ranks, sync_gradients=sync_gradients)
    return replace(distributed, batches=batches, ranks=ranks)


@torch.no_grad()
def gather_full_state(distributed: Run, run: Run) -> None:
    """Copy the state of a distributed run back into the original; all processes must call this.

    Its weights, its optimizer and its step are then those that a single process would have, ready
    for `save_checkpoint`.
    """
    theirs = distributed.model.state_dict()
    for name, tensor in run.model.state_dict().items():
        tensor.copy_(full_tensor(theirs[name]))
    pairs = zip(_weights(run.optimizer), _weights(distributed.optimizer), strict=True)
    for ours, their in pairs:
        state = distributed.optimizer.state.get(their, {})
        run.optimizer.state[ours] = {
            key: _full_copy(value, ours.device) for key, value in state.items()
        }
    run.step = distributed.step
    _seed_dropout_per_rank(distributed.ranks)


def _shard(model: nn.Module, optimizer: Optimizer, ranks: Ranks) -> None:
    """Keep only this process's shard of every weight, layer by layer, in the optimizer as well."""
    names: dict[Tensor, str] = {weight: name for name, weight in model.named_parameters()}
    mesh = init_device_mesh(ranks.device.type, (ranks.world_size,))
    for part in model.children():
        if isinstance(part, nn.ModuleList):
            for layer in part:
                fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)  # the rest: embeddings and the final norm
    shards = dict(model.named_parameters())
    for group in optimizer.param_groups:
        group["params"] = [shards[names[weight]] for weight in group["params"]]
    old = dict(optimizer.state)
    optimizer.state.clear()
    for weight, state in old.items():
        optimizer.state[shards[names[weight]]] = state


def _place_like(weight: Tensor, tensor: Any) -> Any:
    """Move a weight's optimizer state, such as its mean gradient, to where the weight is."""
    if not isinstance(tensor, Tensor) or tensor.shape != weight.shape:
        return tensor  # the optimizer's step count
    tensor = tensor.to(weight.device)
    if isinstance(weight, DTensor):
        return distribute_tensor(tensor, weight.device_mesh, weight.placements, src_data_rank=None)
    return tensor


def _full_copy(tensor: Any, device: torch.device) -> Any:
    """Return a copy of the whole tensor on a device; the optimizer's step count stays as it is."""
    if not isinstance(tensor, Tensor) or tensor.ndim == 0:
        return copy.copy(tensor)
    return full_tensor(tensor).to(device, copy=True)


def _weights(optimizer: Optimizer) -> list[Tensor]:
    return [weight for group in optimizer.param_groups for weight in group["params"]]


def _seed_dropout_per_rank(ranks: Ranks) -> None:
    """Give each process different dropout, derived from the generator of rank 0.

    Only that generator is saved. Since all others are derived from it again whenever a run is
    distributed or gathered, a resumed run draws the same dropout as an uninterrupted one.
    """
    if ranks.world_size == 1:
        return
    state = torch.get_rng_state().to(ranks.device)
    dist.broadcast(state, 0)
    if ranks.rank:
        digest = hashlib.sha256(bytes(state.cpu().numpy()) + bytes([ranks.rank % 256])).digest()
        torch.manual_seed(int.from_bytes(digest[:7]))

"""Train one model with several processes: the rank of this one, and sums over all of them.

torchrun starts the processes and tells each its rank in environment variables. Every process draws
the whole batch and reads its own rows of it, so together they read the batch that a single process
would have read. For token ids, which are only a few bytes, drawing all of them is cheap.
"""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from plainformer.arrays import check_choice, check_size
from plainformer.training.batches import Batches

__all__ = ["Ranks", "ShardedBatches", "full_tensor", "local_tensor", "process_group"]

CPU = torch.device("cpu")
TIMEOUT = timedelta(minutes=30)  # generous, because one process may be writing a file


@dataclass(frozen=True)
class Ranks:
    """The rank of this process and the number of processes; rank 0 does the writing and reporting.

    `sync_gradients` is called before each backward pass, with True if it is the last one of a step.
    Until the last one, gradients only accumulate and need not be sent.

    >>> Ranks().all_reduce(2, 0.5)
    [2, 0.5]
    """

    rank: int = 0
    world_size: int = 1
    device: torch.device = CPU
    sync_gradients: Callable[[bool], object] = lambda last: None

    def all_reduce(self, *numbers: float) -> list[float]:
        """Return the sum of each number over the processes, all of which must call this."""
        if self.world_size == 1:
            return list(numbers)
        sums = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        dist.all_reduce(sums)
        return [float(each) for each in sums.tolist()]

    def barrier(self) -> None:
        """Wait until all processes have called this."""
        self.all_reduce(0)


@contextmanager
def process_group(device: str = "cpu") -> Iterator[Ranks]:
    """Join the processes that torchrun has started, and leave them when the block ends.

    On "cpu" the processes communicate through gloo, and on "cuda", with one GPU for each process,
    through nccl. Without torchrun, there is only one process. A distributed model must not outlive
    the block, so use it in a function of its own.

    >>> with process_group() as ranks:
    ...     ranks.world_size
    1
    """
    check_choice(device, "device", ("cpu", "cuda"))
    number = int(os.environ.get("LOCAL_RANK", 0))
    if device == "cuda" and torch.cuda.device_count() <= number:
        found = torch.cuda.device_count()
        raise ValueError(f"'cuda' needs a GPU for each process; process {number} finds {found}")
    here = torch.device(device, number) if device == "cuda" else torch.device(device)
    if not (dist.is_available() and dist.is_torchelastic_launched()):
        yield Ranks(device=here)
        return
    backend = "nccl" if device == "cuda" else "gloo"
    if not dist.is_backend_available(backend):
        raise ValueError(
            f"processes on {device!r} communicate through {backend}, which this torch "
            f"({torch.__version__}) was built without; run one process, without torchrun"
        )
    if device == "cuda":
        torch.cuda.set_device(here)
    dist.init_process_group(backend, timeout=TIMEOUT)
    try:
        yield Ranks(dist.get_rank(), dist.get_world_size(), here)
    except BaseException as error:
        traceback.clear_frames(error.__traceback__)  # they may refer to a distributed model
        raise
    finally:
        # A distributed model has to be deleted before its process group. Otherwise, deleting the
        # last model would destroy the group as well, with the GIL held, while the group's thread
        # may be waiting for the GIL to release a tensor.
        gc.collect()
        dist.destroy_process_group()


class ShardedBatches:
    """The rows of each batch that one process reads, at once or in several parts.

    The whole batches, which must have the same seed in all processes, are divided evenly. A process
    cuts its rows into `accumulate` parts, for `train` to accumulate.
    """

    def __init__(self, batches: Batches, ranks: Ranks, accumulate: int = 1) -> None:
        self.batches, self.ranks = batches, ranks
        self.accumulate = check_size(accumulate, "accumulate")
        parts, B = ranks.world_size * accumulate, batches.batch_size
        if B % parts:
            raise ValueError(
                f"batch_size must be a multiple of {parts}, for {ranks.world_size} processes, each "
                f"with {accumulate} batches to accumulate; got {B}"
            )
        self.batch_size = B // parts
        self.pending: list[tuple[Tensor, ...]] = []

    def next_batch(self) -> tuple[Tensor, ...]:
        """Return this process's rows of the next batch, or the next part of them."""
        if not self.pending:
            batch, parts = self.batches.next_batch(), self.ranks.world_size * self.accumulate
            if len(batch[-1]) < parts:
                raise ValueError(
                    f"a batch must have a row for each of {parts} parts; the last of this epoch "
                    f"has {len(batch[-1])}"
                )
            first = self.ranks.rank * self.accumulate
            cut = list(zip(*(rows.tensor_split(parts) for rows in batch), strict=True))
            self.pending = cut[first : first + self.accumulate]
        return tuple(rows.to(self.ranks.device) for rows in self.pending.pop(0))

    def state_dict(self) -> dict[str, Any]:
        """Return the position in the whole batches, which is the only state between two steps."""
        return self.batches.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a position that `state_dict` returned."""
        self.batches.load_state_dict(state)
        self.pending = []


def local_tensor(tensor: Tensor) -> Tensor:
    """Return the part of a tensor that this process holds."""
    held: Tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return held


def full_tensor(tensor: Tensor) -> Tensor:
    """Return a whole tensor, collected from its shards; all processes must call this."""
    collected: Tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return collected

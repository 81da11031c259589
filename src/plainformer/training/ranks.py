"""Several processes that train one model: which of them this is, and what they add up.

torchrun starts the processes and tells each its number, its rank, in the environment. Each reads
its own rows of every batch; together they read the batch that one process would have read.

But: every process draws the whole batch and keeps its rows. That is right for token ids, which are
few bytes, and would be waste for pictures.
"""

from __future__ import annotations

import gc
import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from plainformer.arrays import check_choice, check_size
from plainformer.training.batches import Batches

__all__ = ["Ranks", "ShardedBatches", "local", "process_group", "whole"]

PATIENCE = timedelta(minutes=30)  # one may be slow: it writes a file, its machine does other work


def send_nothing(last: bool) -> None:
    """One process has nobody to send to."""


@dataclass(frozen=True)
class Ranks:
    """Which process this is, of how many.

    Attributes:
        rank: 0 or more; rank 0 is the one that writes and reports.
        size: how many there are.
        device: where this one computes.
        send: told before each backward pass whether it is the step's last. Before the last,
            gradients only add up where they are: sending them could wait.

    >>> Ranks().total(2, 0.5)
    [2, 0.5]
    """

    rank: int = 0
    size: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    send: Callable[[bool], object] = send_nothing

    def total(self, *numbers: float) -> list[float]:
        """Each number, added up over the processes; all of them must ask."""
        if self.size == 1:
            return list(numbers)
        sums = torch.tensor(numbers, dtype=torch.float64, device=self.device)
        dist.all_reduce(sums)
        return [float(each) for each in sums.tolist()]

    def wait(self) -> None:
        """Wait until all processes have come here."""
        self.total(0)


@contextmanager
def process_group(device: str = "cpu") -> Iterator[Ranks]:
    """Join the processes that torchrun has started, and leave them at the end.

    A model that was spread should be held by nobody then: spread it in a function of its own.

    Args:
        device: "cpu", where they talk by gloo, or "cuda", one GPU for each process, by nccl.

    Yields:
        Who this is. Without torchrun, the only one.

    Raises:
        ValueError: torch was built without the library by which they would talk, or a machine has
            fewer GPUs than processes.

    >>> with process_group() as ranks:
    ...     ranks.size
    1
    """
    check_choice(device, "device", ("cpu", "cuda"))
    number = int(os.environ.get("LOCAL_RANK", 0))
    _check_device(device, number)
    here = torch.device(device, number) if device == "cuda" else torch.device(device)
    if not (dist.is_available() and dist.is_torchelastic_launched()):
        yield Ranks(device=here)
        return
    backend = "nccl" if device == "cuda" else "gloo"
    if not dist.is_backend_available(backend):
        raise ValueError(
            f"processes on {device!r} talk by {backend}, which this torch ({torch.__version__}) "
            "was built without; run one process, without torchrun"
        )
    if device == "cuda":
        torch.cuda.set_device(here)
    dist.init_process_group(backend, timeout=PATIENCE)
    try:
        yield Ranks(dist.get_rank(), dist.get_world_size(), here)
    except BaseException as error:
        traceback.clear_frames(error.__traceback__)  # they may hold a model that was spread
        raise
    finally:
        # Spread models go before the group does. The last of them would take it along while Python
        # waits for it, and its thread may be waiting for Python, to drop a tensor that was sent.
        gc.collect()
        dist.destroy_process_group()


class ShardedBatches:
    """Of each batch, the rows of one process, in one or several turns.

    Args:
        batches: where whole batches come from; the same, and seeded alike, in all processes.
        ranks: which process this is.
        turns: into how many parts its rows are cut: what `train` is to accumulate.

    Raises:
        ValueError: a batch cannot be shared out evenly.

    >>> from plainformer.training import TextBatches
    >>> whole = TextBatches(range(99), length=3, batch_size=4)
    >>> second = ShardedBatches(whole, Ranks(1, 2))
    >>> second.batch_size, second.next_batch()[0].shape
    (2, torch.Size([2, 3]))
    """

    def __init__(self, batches: Batches, ranks: Ranks, turns: int = 1) -> None:
        self.batches, self.ranks, self.turns = batches, ranks, check_size(turns, "turns")
        parts, B = ranks.size * turns, batches.batch_size
        if B % parts:
            raise ValueError(
                f"batch_size must be a multiple of {parts}, for {ranks.size} processes, each with "
                f"{turns} batches to accumulate; got {B}"
            )
        self.batch_size = B // parts
        self.left: list[tuple[Tensor, ...]] = []

    def next_batch(self) -> tuple[Tensor, ...]:
        """This process's rows of the next batch, or the next part of them.

        Raises:
            ValueError: the batch, the last of an epoch, has too few rows.
        """
        if not self.left:
            batch, parts = self.batches.next_batch(), self.ranks.size * self.turns
            if len(batch[-1]) < parts:
                raise ValueError(
                    f"a batch must have a row for each of {parts} parts; the last of this epoch "
                    f"has {len(batch[-1])}"
                )
            first = self.ranks.rank * self.turns
            cut = list(zip(*(rows.tensor_split(parts) for rows in batch), strict=True))
            self.left = cut[first : first + self.turns]
        return tuple(rows.to(self.ranks.device) for rows in self.left.pop(0))

    def state_dict(self) -> dict[str, Any]:
        """Where the whole batches stand: between two steps nothing else is needed."""
        return self.batches.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Stand there again."""
        self.batches.load_state_dict(state)
        self.left = []


def local(tensor: Tensor) -> Tensor:
    """What this process holds of a tensor."""
    held: Tensor = tensor.to_local() if hasattr(tensor, "to_local") else tensor
    return held


def whole(tensor: Tensor) -> Tensor:
    """A tensor, collected from all processes if each holds a piece; all of them must ask."""
    collected: Tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return collected


def _check_device(device: str, number: int) -> None:
    if device == "cuda" and torch.cuda.device_count() <= number:
        raise ValueError(
            f"device='cuda' needs a GPU for each process; process {number} of this machine finds "
            f"{torch.cuda.device_count()}"
        )

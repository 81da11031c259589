"""Count what processes that train together send to each other, call by call.

    all-reduce      each process has a whole tensor, and gets the sum of all
    reduce-scatter  each process has a whole tensor, and gets its shard of the sum
    all-gather      each process has a shard, and gets all shards

A library may carry out these calls in its own way. gloo, for example, has no reduce-scatter, so it
performs an all-reduce and keeps one shard.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from plainformer.arrays import check_choice, check_size

__all__ = ["Traffic", "ring_bytes"]

ROUNDS = {"all-gather": 1, "reduce-scatter": 1, "all-reduce": 2}
_CALLS = {
    "allreduce_": "all-reduce",
    "_allgather_base_": "all-gather",
    "_reduce_scatter_base_": "reduce-scatter",
}


def ring_bytes(call: str, size: int, processes: int) -> int:
    """Compute how many bytes each of N processes sends in a ring.

    The tensor, whose size is in bytes, is cut into N shards. In each of N - 1 rounds every process
    sends one shard to its neighbour. An all-reduce does this twice, because it is a reduce-scatter
    followed by an all-gather.

    Source: Patarasuk and Yuan 2009.

    >>> ring_bytes("all-reduce", 400, 4), ring_bytes("all-gather", 400, 4)
    (600, 300)
    """
    check_choice(call, "call", tuple(ROUNDS))
    N, size = check_size(processes, "processes"), check_size(size, "size", least=0)
    return ROUNDS[call] * (N - 1) * size // N


class Traffic(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Record the collective calls that a process makes inside a `with` block.

    `calls` lists each all-reduce, reduce-scatter and all-gather in order, by its name and the size
    of its whole tensor in bytes.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[tuple[str, int]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Let torch execute an operation, and record it if it is a collective call."""
        if func.namespace == "c10d" and (name := _CALLS.get(func._opname)):
            self.calls.append((name, max(map(_bytes, args))))
        return func(*args, **(kwargs or {}))


def _bytes(argument: Any) -> int:
    """Return the size of a tensor or of a list of tensors, and 0 for anything else."""
    if isinstance(argument, list):
        return sum(map(_bytes, argument))
    return argument.numel() * argument.element_size() if isinstance(argument, Tensor) else 0

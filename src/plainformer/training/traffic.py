"""What processes that train together send each other, counted call by call.

    all-reduce      each has a whole tensor, and gets the sum of all
    reduce-scatter  each has a whole tensor, and gets its piece of the sum
    all-gather      each has a piece, and gets all pieces

An all-reduce is the other two, one after the other. Passed on round a ring, piece by piece, each of
the two takes N - 1 turns of a piece: that is `ring_bytes`.

But: it counts what is asked for. How a library carries it out is its own affair. gloo, for one, has
no reduce-scatter: it sends a whole all-reduce, and keeps a piece.
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
    """How many bytes each of N processes sends, round a ring.

    The tensor is cut into N pieces. In each of N - 1 turns every process
    passes one piece on to its neighbour; an all-reduce does so twice.

    Args:
        call: "all-gather", "reduce-scatter" or "all-reduce".
        size: bytes of the whole tensor.
        processes: N.

    Source: Patarasuk and Yuan 2009.

    >>> ring_bytes("all-reduce", 400, 4), ring_bytes("all-gather", 400, 4)
    (600, 300)
    """
    check_choice(call, "call", tuple(ROUNDS))
    N, size = check_size(processes, "processes"), check_size(size, "size", least=0)
    return ROUNDS[call] * (N - 1) * size // N


class Traffic(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Count the calls of a group of processes while a `with` block runs.

    Attributes:
        calls: of each call its name and the bytes of its whole tensor, in order. What is neither an
            all-reduce, nor a reduce-scatter, nor an all-gather is left out.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[tuple[str, int]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Look at each operation of torch on its way."""
        if func.namespace == "c10d" and (name := _CALLS.get(func._opname)):
            self.calls.append((name, max(map(_bytes, args))))
        return func(*args, **(kwargs or {}))

    def sent(self, processes: int) -> int:
        """Bytes that each of N processes sends for all these calls, round a ring."""
        return sum(ring_bytes(name, size, processes) for name, size in self.calls)


def _bytes(argument: Any) -> int:
    """Of a tensor, or of a list of tensors; 0 of anything else."""
    if isinstance(argument, list):
        return sum(map(_bytes, argument))
    return argument.numel() * argument.element_size() if isinstance(argument, Tensor) else 0

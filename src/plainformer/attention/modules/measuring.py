"""How long a call takes, and how much memory it needs besides its arguments.

Memory is counted rather than estimated: `tracemalloc` sees every byte that NumPy requests, and
torch's profiler every byte that torch's kernels request.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from time import perf_counter

import torch
from torch.profiler import profile

__all__ = ["megabytes", "seconds", "torch_megabytes"]


def seconds(call: Callable[[], object], runs: int = 3) -> float:
    """The time of the fastest run."""
    taken = []
    for _ in range(runs):
        start = perf_counter()
        call()
        taken.append(perf_counter() - start)
    return min(taken)


def megabytes(call: Callable[[], object]) -> float:
    """NumPy's peak memory during a call, excluding what was allocated before.

    >>> import numpy as np
    >>> round(megabytes(lambda: np.ones(10**6)), 1)
    8.0
    """
    tracemalloc.start()
    call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def torch_megabytes(call: Callable[[], object]) -> float:
    """All memory that torch allocates on one thread, including what is freed again."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with profile(profile_memory=True) as recorded:
        call()
    torch.set_num_threads(threads)
    sizes = (event.self_cpu_memory_usage for event in recorded.events())
    return float(sum(size for size in sizes if size > 0)) / 1e6

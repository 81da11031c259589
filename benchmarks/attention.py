"""Measure attention beside torch's fused kernel: time, memory, and decoding with a cache.

    python benchmarks/attention.py [--repeats 9] [--threads 2] [--only time memory decoding]
    python benchmarks/attention.py --blocks     which block size is fastest here

All in float32, without gradients. First each two must agree, to 1e-5; `race.py` says how they are
measured. For a quiet machine: a thread that waits for a core another program holds is what would be
measured.

*Time*, for (B, H, K) = (4, 8, 64). "SDPA" is `scaled_dot_product_attention` of torch. The layer
with `impl="sdpa"` stands beside the same four projections and SDPA written out; `fused_attention`,
which the layer calls, beside SDPA alone.

The formula writes arrays of some megabytes. Until a program has freed a larger one, the C library
fetches each anew from the system and gives it back (`mallopt(3)`, M_MMAP_THRESHOLD). So there are
two tables for T = 128: "fresh", without a limit, and the one with limits, taken after a large array
has been freed, as in a program that has run for a while. The formula is written to be read, and may
take twice SDPA's time. A mask costs a part of that, because torch computes `exp` with MKL, which
needs twice as long and more for -∞ as for a number. Forms that avoid this (clipping before `exp`,
multiplying by the mask after it) make the call at most 1.15 times as fast, which is too little to
give up the textbook's form. On a machine that other programs use, measure with one thread: each of
the formula's steps waits for both threads, and SDPA does so only once.

*Memory* is by how much the peak resident set grows during one call, in a fresh process that has
made q, k and v and has called the function with a short text. What is freed goes back to the system
at once (`MALLOC_MMAP_THRESHOLD_`), or the C library's hoard would be measured. At T = 8192 the
plain formula takes about 1 GB for each head, so it gets a single one; so does blockwise beside
it. Blockwise attention is then measured with all 32 heads, for every T.

*Decoding*: 512 tokens, the likeliest each time, for B = 4 by a stack of four layers with D = 128,
H = 8, rotary positions and residual connections. Uncached, each step computes the whole text anew,
by the fused kernel; cached, the layers keep keys and values. Also by the formula.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from race import Race, run, threads
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plainformer.attention import (
    MultiHeadAttention,
    attention,
    blockwise_attention,
    causal_mask,
    merge_heads,
    split_heads,
)
from plainformer.attention.modules.fused import fused_attention

B, H, K = 4, 8, 64
LENGTHS = [1024, 2048, 4096, 8192]
BLOCK_SIZES = [32, 64, 96, 128, 192, 256, 512]
TOLERANCE = 1e-5


# Time: each two made to do the same


def agreement(tolerance: float = TOLERANCE) -> Callable[[Tensor, Tensor], str]:
    """Whether the numbers, of the size of 1 if nothing else is said, are the same."""

    def differ(ours: Tensor, theirs: Tensor) -> str:
        if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
            return "shape or dtype differ"
        difference = float((ours - theirs).abs().max())
        return "" if difference <= tolerance else f"they differ by {difference:.1e}"

    return differ


def qkv(T: int, heads: tuple[int, ...] = (B, H)) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(*heads, T, K, generator=generator) for _ in range(3)]


def kernel_races(T: int) -> list[Race]:
    """`impl="sdpa"` beside the kernel that it calls: alone, and with the projections."""
    q, k, v = qkv(T)
    layer = MultiHeadAttention(H * K, H, impl="sdpa", rng=torch.Generator().manual_seed(0)).eval()
    x = torch.randn(B, T, H * K, generator=torch.Generator().manual_seed(1))
    linears = layer.w_q, layer.w_k, layer.w_v

    def written_out() -> Tensor:
        heads = sdpa(*(split_heads(linear(x), H) for linear in linears), is_causal=True)
        return layer.w_o(merge_heads(heads))

    return [
        Race(
            f"fused_attention, T = {T}",
            lambda: fused_attention(q, k, v, causal=True),
            lambda: sdpa(q, k, v, is_causal=True),
            1.05,
            agreement(),
        ),
        Race(
            f'impl="sdpa", T = {T}',
            lambda: layer(x, causal=True),
            written_out,
            1.05,
            agreement(),
        ),
    ]


def formula_races(T: int, at_most: float | None) -> list[Race]:
    q, k, v = qkv(T)
    mask = causal_mask(T, like=q)
    return [
        Race(
            f"formula, T = {T}",
            lambda: attention(q, k, v)[0],
            lambda: sdpa(q, k, v),
            at_most,
            agreement(),
        ),
        Race(
            f"formula, a mask, T = {T}",
            lambda: attention(q, k, v, mask=mask)[0],
            lambda: sdpa(q, k, v, attn_mask=mask),
            at_most,
            agreement(),
        ),
        Race(  # where the kernel knows that half of the scores are not needed
            f"formula, causal, T = {T}",
            lambda: attention(q, k, v, mask=mask)[0],
            lambda: sdpa(q, k, v, is_causal=True),
            at_most,
            agreement(),
        ),
    ]


def blockwise_race(T: int, at_most: float | None, **options: Any) -> Race:
    q, k, v = qkv(T)
    name = f"blocks of {options['block_size']}" if options else f"blockwise, causal, T = {T}"
    return Race(
        name,
        lambda: blockwise_attention(q, k, v, causal=True, **options),
        lambda: sdpa(q, k, v, is_causal=True),
        at_most,
        agreement(),
    )


# Decoding: the same tokens with a cache and without


class Stack(nn.Module):
    """Tokens in, a score for every token of the vocabulary out."""

    def __init__(self, impl: Any, n_layers: int = 4, d_model: int = 128, vocab_size: int = 256):
        super().__init__()
        rng = torch.Generator().manual_seed(0)
        self.layers = nn.ModuleList(
            MultiHeadAttention(d_model, H, rope={}, impl=impl, rng=rng) for _ in range(n_layers)
        )
        self.table = torch.randn(vocab_size, d_model, generator=rng)

    def forward(self, ids: Tensor, caches: Sequence[Any] = (None,) * 4) -> Tensor:
        x = self.table[ids]  # (B, T, D)
        for layer, cache in zip(self.layers, caches, strict=True):
            x = x + layer(x, causal=True, cache=cache)
        return x @ self.table.mT  # (B, T, V)


def generate(stack: Stack, length: int, *, cached: bool) -> Tensor:
    """The scores from which each token was chosen, (B, length, V)."""
    ids = torch.arange(B)[:, None]  # (B, 1): each sequence begins with another token
    caches = [layer.new_cache(B, length) for layer in stack.layers]
    chosen = []
    for _ in range(length):
        scores = stack(ids[:, -1:], caches) if cached else stack(ids)
        chosen.append(scores[:, -1])
        ids = torch.cat([ids, chosen[-1].argmax(dim=-1, keepdim=True)], dim=1)
    return torch.stack(chosen, dim=1)


def decoding_race(impl: str, at_most: float | None, length: int = 512) -> Race:
    stack = Stack(impl).eval()
    return Race(
        f"{length} tokens, {impl}",
        lambda: generate(stack, length, cached=True),
        lambda: generate(stack, length, cached=False),
        at_most,
        agreement(1e-2),  # scores reach some hundreds
    )


# Measuring time


def warm_the_allocator() -> None:
    """Free an array of 24 MB: glibc then keeps what is freed for the next call, up to that size.

    Elsewhere than on Linux this may change nothing.
    """
    array = torch.ones(6_000_000)
    del array


# Measuring memory, in a process of its own


def call_once(kind: str, q: Tensor, k: Tensor, v: Tensor) -> None:
    T = q.shape[-2]
    if kind == "plain":
        attention(q, k, v, mask=causal_mask(T, like=q))
    elif kind == "blockwise":
        blockwise_attention(q, k, v, causal=True)
    else:
        sdpa(q, k, v, is_causal=True)


def grown(kind: str, heads: int, T: int) -> float:
    """By how many megabytes the peak resident set of this process grows during one call."""
    call_once(kind, *qkv(256, (1, heads)))  # what is set up at the first call is not the call's
    q, k, v = qkv(T, (1, heads))
    before = peak_megabytes()
    call_once(kind, q, k, v)
    return peak_megabytes() - before


def peak_megabytes() -> float:
    """The peak resident set of this process. (On Linux `ru_maxrss` would include its parent's.)"""
    status = Path("/proc/self/status")
    if status.exists():
        (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 2**10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # macOS counts in bytes


def memory(kind: str, heads: int, T: int, threads: int) -> float:
    """`grown`, in a fresh process."""
    command = [sys.executable, __file__, "--threads", str(threads)]
    command += ["--grown", kind, str(heads), str(T)]
    env = {**os.environ, "MALLOC_MMAP_THRESHOLD_": str(64 * 2**10)}  # bytes; larger ones go back
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=env)
    return float(done.stdout)


def run_memory(threads: int) -> bool:
    """Print one table; whether blockwise attention grows as T and stays below 10 %."""
    columns: dict[str, tuple[str, int]] = {
        "plain, 1 head": ("plain", 1),
        "blockwise, 1 head": ("blockwise", 1),
        f"blockwise, {B * H} heads": ("blockwise", B * H),
        f"SDPA, {B * H} heads": ("sdpa", B * H),
    }
    print("\n" + "Peak memory, MB".ljust(17) + "".join(f"{name:>22}" for name in columns))
    table = []
    for T in LENGTHS:
        table.append([memory(kind, heads, T, threads) for kind, heads in columns.values()])
        row = "".join(f"{megabytes:22.1f}" for megabytes in table[-1])
        print(f"causal, T = {T:<5}{row}", flush=True)
    plain, blockwise, _, _ = table[-1]
    growth = [after[2] / before[2] for before, after in pairwise(table[1:])]
    share = blockwise / plain
    kept = share < 0.1 and max(growth) < 2.2
    print(
        f"Blockwise at T = {LENGTHS[-1]}: {share:.1%} of the plain formula's (under 10 %). "
        f"With {B * H} heads, twice the text takes {' and '.join(f'{x:.2f}' for x in growth)} "
        "times the memory (linear: 2)." + ("" if kept else "  missed")
    )
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description="Attention beside torch's fused kernel.")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parts = ["time", "memory", "decoding"]
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    parser.add_argument("--blocks", action="store_true", help="race block sizes, and no more")
    parser.add_argument("--grown", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.set_grad_enabled(False)
    if arguments.grown:
        kind, heads, T = arguments.grown
        print(grown(kind, int(heads), int(T)))
        return
    heading = threads(arguments.threads)
    print(f"Pairs that agree. Python {platform.python_version()}; torch {torch.__version__}.")
    if arguments.blocks:
        for T in (2048, 8192):
            races = [blockwise_race(T, None, block_size=size) for size in BLOCK_SIZES]
            run(f"{heading}, T = {T}", races, arguments.repeats, "SDPA")
        return
    kept = True
    if "time" in arguments.only:
        often = 20 * arguments.repeats  # a call takes about a millisecond
        run(f"{heading}, fresh", formula_races(128, None), often, "SDPA")
        warm_the_allocator()
        short = [*kernel_races(128), *formula_races(128, 2.0)]
        kept &= run(heading, short, often, "SDPA")
        long = [*kernel_races(2048), *formula_races(2048, None), blockwise_race(2048, 2.5)]
        kept &= run(heading, long, arguments.repeats, "SDPA")
    if "decoding" in arguments.only:
        races = [decoding_race("sdpa", 1 / 8), decoding_race("formula", 1 / 8)]
        kept &= run(f"{heading}, cached", races, 3, "uncached")
    if "memory" in arguments.only:
        kept &= run_memory(arguments.threads)
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()

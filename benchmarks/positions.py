"""Measure `sinusoidal` and `apply_rope` beside `transformers`, and NumPy beside torch.

    python benchmarks/positions.py [--repeats 9] [--threads 1 2]

First each two must agree, to 1e-6; `race.py` says how they are measured. On a machine with less
than two cores to spare, two threads measure the other programs.

*Sinusoidal*, a table of 8192 positions by 1024 columns in float32. `transformers` has several; that
of GPT-J (and CodeGen) holds our numbers, all sines before all cosines. It is fast and takes its
angles in float32. DistilBERT's has our columns in our order and loops over them in Python, for
seconds; M2M-100's and Whisper's take as long as GPT-J's and have another ladder of wavelengths.

*RoPE*, queries and keys of (8, 16, 2048, 64) in float32, both turned, as in one layer. Ours
includes angles, cosines and sines; the peers are handed theirs ready-made. GPT-J's vectors come as
(B, T, H, K), as it wants them.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import transformers
from race import Race, run, threads
from transformers.models.cohere import modeling_cohere as cohere
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama

from plainformer.inputs import apply_rope, sinusoidal
from plainformer.inputs.positions import frequencies
from plainformer.inputs.relative_positions.rope import Layout

LENGTH, D_MODEL = 8192, 1024
B, H, T, K = 8, 16, 2048, 64
TOLERANCE = 1e-6


# The races: each two made to do the same


def sinusoidal_races() -> tuple[list[Race], list[Race]]:
    """Against `transformers`, and NumPy against torch."""

    def in_torch() -> Any:
        return sinusoidal(LENGTH, D_MODEL, like=torch.zeros(1))

    def in_numpy() -> Any:
        return sinusoidal(LENGTH, D_MODEL, like=np.zeros(1, dtype=np.float32))

    def of_gptj() -> Any:
        return gptj.create_sinusoidal_positions(LENGTH, D_MODEL)

    try:
        torch.set_default_dtype(torch.float64)  # then GPT-J's angles are as exact as ours
        sin, cos = of_gptj().float().chunk(2, dim=-1)
    finally:
        torch.set_default_dtype(torch.float32)
    agree("sinusoidal", in_torch(), torch.stack([sin, cos], dim=-1).flatten(-2))
    agree("sinusoidal in NumPy", in_numpy(), in_torch())
    return (
        [Race("sinusoidal, GPT-J's", in_torch, of_gptj, 1.0)],
        [Race("sinusoidal", in_numpy, in_torch, 2.0)],
    )


def rope_races() -> tuple[list[Race], list[Race]]:
    """Against `transformers`, and NumPy against torch: each layout."""
    generator = torch.Generator().manual_seed(0)
    q, k = (torch.rand(B, H, T, K, generator=generator) * 2 - 1 for _ in range(2))
    q_rows, k_rows = (x.transpose(1, 2).contiguous() for x in (q, k))  # (B, T, H, K)
    theta = np.arange(T)[:, None] * frequencies(K)
    cos, sin = (torch.from_numpy(f(theta)).float()[None] for f in (np.cos, np.sin))  # (1, T, K/2)
    half = [torch.cat([x, x], dim=-1) for x in (cos, sin)]
    interleaved = [x.repeat_interleave(2, dim=-1) for x in (cos, sin)]

    def ours(layout: Layout, q: Any, k: Any) -> Callable[[], Any]:
        return lambda: (apply_rope(q, layout=layout), apply_rope(k, layout=layout))

    def of_llama() -> Any:
        return llama.apply_rotary_pos_emb(q, k, *half)

    def of_cohere() -> Any:
        return cohere.apply_rotary_pos_emb(q, k, *interleaved)

    def of_gptj() -> Any:
        return tuple(gptj.apply_rotary_pos_emb(x, sin, cos) for x in (q_rows, k_rows))

    in_torch = {layout: ours(layout, q, k) for layout in ("half", "interleaved")}
    in_numpy = {layout: ours(layout, q.numpy(), k.numpy()) for layout in ("half", "interleaved")}
    for i in range(2):
        agree("Llama", in_torch["half"]()[i], of_llama()[i])
        agree("Cohere", in_torch["interleaved"]()[i], of_cohere()[i])
        agree("GPT-J", in_torch["interleaved"]()[i], of_gptj()[i].transpose(1, 2))
        for layout in in_torch:
            agree(f"{layout} in NumPy", in_numpy[layout]()[i], in_torch[layout]()[i])
    return (
        [
            Race("RoPE half, Llama's", in_torch["half"], of_llama, 1.0),
            Race("RoPE interleaved, GPT-J's", in_torch["interleaved"], of_gptj, 1.0),
            Race("RoPE interleaved, Cohere's", in_torch["interleaved"], of_cohere, 1.0),
        ],
        [Race(f"RoPE {layout}", in_numpy[layout], in_torch[layout], 2.0) for layout in in_torch],
    )


def agree(what: str, ours: Any, theirs: Any) -> None:
    """End the program unless the two give the same numbers, in the same dtype."""
    ours, theirs = torch.as_tensor(ours), torch.as_tensor(theirs)
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        sys.exit(f"{what}: shape or dtype differ: there is nothing to compare")
    difference = float((ours - theirs).abs().max())
    if not difference <= TOLERANCE:
        sys.exit(f"{what}: they differ by {difference:.1e}: there is nothing to compare")


def main() -> None:
    parser = argparse.ArgumentParser(description="Positions beside transformers.")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    arguments = parser.parse_args()
    sinusoidal_torch, sinusoidal_numpy = sinusoidal_races()
    rope_torch, rope_numpy = rope_races()
    print(
        "The same numbers to 1e-6. "
        f"Python {platform.python_version()}; torch {torch.__version__}; "
        f"transformers {transformers.__version__}; NumPy {np.__version__}."
    )
    kept = True
    for count in arguments.threads:
        torch.set_num_threads(count)
        races = sinusoidal_torch + rope_torch
        kept &= run(threads(count), races, arguments.repeats, "transformers")
    torch.set_num_threads(1)
    races = sinusoidal_numpy + rope_numpy
    kept &= run(f"ours, {threads(1)}", races, arguments.repeats, "torch", "NumPy")
    sys.exit(0 if kept else 1)


if __name__ == "__main__":
    main()

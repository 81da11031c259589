"""Measure whole models beside transformers': training steps, generation, loading.

    python benchmarks/blocks.py [--repeats 9] [--threads 2] [--only train generate load]

Each two must first agree; `race.py` says how they are measured. Weights are random, and the same on
both sides: transformers makes them, `save_pretrained` writes them, `from_pretrained` reads them.

*Train*: forward and backward of a GPT-2 of 4 layers, 256 wide, 8 texts of 256 tokens, with SDPA on
both sides; logits, cross-entropy and gradients.

*Generate*: 64 greedy tokens with a cache, after a prompt of 16: a GPT-2 of 4 layers, 128 wide, with
a vocabulary of 2,048; and one of GPT-2 small's size. One text and eight.

*Load*: a folder of 500 MB. Peak memory is measured in a fresh process for each side: what the
process holds at its largest, less what it held before, in weights.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch
import transformers
from race import Race, run, threads
from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import from_pretrained
from plainformer.decoding import greedy_search

TRAIN = {"n_embd": 256, "n_layer": 4, "n_head": 8, "n_positions": 256, "vocab_size": 50_257}
SMALL = {"n_embd": 128, "n_layer": 4, "n_head": 4, "n_positions": 256, "vocab_size": 2_048}
GPT2 = {"n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024, "vocab_size": 50_257}
NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
NEW = 64
LOAD = {  # what each side of the race for memory runs
    "ours": "from plainformer.blocks import from_pretrained as load",
    "theirs": "from transformers import AutoModelForCausalLM as M; load = M.from_pretrained",
}
MEMORY = """
import sys, torch
{load}
def largest():  # what this process has held at most, in kB; Linux keeps it
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])
open("/proc/self/clear_refs", "w").write("5")  # begin anew
before = largest()
with torch.no_grad():
    load(sys.argv[1])(torch.arange(8)[None])  # every weight is read
print(largest() - before)
"""


def both(folder: Path, **sizes: Any) -> tuple[Any, Any]:
    """The same random GPT-2, ours and theirs."""
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        **sizes, **NO_DROPOUT, attn_implementation="sdpa", eos_token_id=None, bos_token_id=None
    )
    theirs = transformers.GPT2LMHeadModel(config).eval()
    theirs.save_pretrained(folder)
    return from_pretrained(folder), theirs


def close(ours: Any, theirs: Any) -> str:
    """What differs between two lists of tensors."""
    worst = max(float((a - b).abs().max()) for a, b in zip(ours, theirs, strict=True))
    return "" if worst < 1e-3 else f"off by {worst}"


def train(folder: Path) -> list[Race]:
    ours, theirs = both(folder, **TRAIN)
    ids = torch.randint(
        0, TRAIN["vocab_size"], (8, 256), generator=torch.Generator().manual_seed(0)
    )

    def step(model: Any, logits: Any) -> list[Tensor]:
        model.zero_grad(set_to_none=True)
        loss = F.cross_entropy(logits(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
        loss.backward()
        return [loss.detach()]

    return [
        Race(
            "forward and backward",
            lambda: step(ours, ours),
            lambda: step(theirs, lambda ids: theirs(ids, use_cache=False).logits),
            1.0,
            close,
        )
    ]


def generate(folder: Path) -> list[Race]:
    races = []
    for name, sizes, limit in (("4 layers of 128", SMALL, 0.5), ("GPT-2 small's size", GPT2, 1.0)):
        ours, theirs = both(folder / name.replace(" ", "_"), **sizes)
        for batch in (1, 8):
            rng = torch.Generator().manual_seed(1)
            ids = torch.randint(0, sizes["vocab_size"], (batch, 16), generator=rng)
            races.append(
                Race(
                    f"{name}, {batch} text{'s' * (batch > 1)}",
                    lambda m=ours, ids=ids: greedy_search(m, ids.tolist(), max_new_tokens=NEW),
                    lambda m=theirs, ids=ids: m.generate(
                        ids, attention_mask=torch.ones_like(ids), do_sample=False,
                        max_new_tokens=NEW, pad_token_id=0,
                    ).tolist(),
                    limit,
                    lambda a, b: "" if a == b else "other tokens",
                )
            )  # fmt: skip
    return races


def load(folder: Path) -> list[Race]:
    both(folder, **GPT2)

    ids = torch.arange(8)[None]

    @torch.no_grad()
    def answer(model: Any, read: Any) -> list[Tensor]:
        return [read(model)]  # a first answer needs every weight

    return [
        Race(
            "498 MB, to a first answer",
            lambda: answer(from_pretrained(folder), lambda model: model(ids)),
            lambda: answer(
                transformers.AutoModelForCausalLM.from_pretrained(folder),
                lambda model: model(ids).logits,
            ),
            1.0,
            close,
        )
    ]


def memory(folder: Path) -> bool:
    """Peak memory of loading, in weights; ours must stay at 1.2 or below."""
    size = (folder / "model.safetensors").stat().st_size
    shares = {}
    for side, line in LOAD.items():
        script = MEMORY.format(load=line)
        done = subprocess.run(
            [sys.executable, "-c", script, folder], check=True, capture_output=True, text=True
        )
        shares[side] = int(done.stdout) * 1024 / size
    kept = shares["ours"] <= 1.2
    print(f"peak memory, in weights: ours {shares['ours']:.2f} (at most 1.2), "
          f"transformers' {shares['theirs']:.2f}" + ("" if kept else "  missed"))  # fmt: skip
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument(
        "--only", nargs="+", choices=["train", "generate", "load"],
        default=["train", "generate", "load"],
    )  # fmt: skip
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, "
          f"{platform.machine()}, {threads(options.threads)}")  # fmt: skip
    kept = True
    with tempfile.TemporaryDirectory() as name:
        for part, make in (("train", train), ("generate", generate), ("load", load)):
            if part in options.only:
                races = make(Path(name) / part)
                kept &= run(part, races, options.repeats, "transformers")
        if "load" in options.only:
            kept &= memory(Path(name) / "load")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())

"""Measure training beside transformers and plain torch: time per step, loss after the same steps.

    python benchmarks/training.py [--repeats 9] [--threads 2] [--only step plain loss]

*Step* and *loss* are measured beside transformers. In both, the two sides begin
with the same random weights, in the same loop (`plainformer.training.train`), on
the same batches of Python's manual. They must agree on the first loss.

*Step*: forward, backward, clipping and AdamW, of two sizes of GPT-2: 4 layers, 4 heads, 128 wide,
12 texts of 64 tokens; and 6, 6, 384, 8 of 256.

*Plain*: the same beside a GPT and a loop in plain torch, in nanoGPT's configuration for a CPU
(`plain_gpt.py`). Each turn is ten steps, with random weights and batches of their own.

*Loss*: held-out loss after so many steps of the first size, three seeds; at most 1 % apart.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import platform
import sys
import tempfile
from typing import Any

import numpy as np
import torch
import transformers
from plain_gpt import BATCH, LENGTH, plain_step
from plain_gpt import SIZES as SIZES_OF_PLAIN
from race import Race, run, threads
from torch import nn

from plainformer.blocks import DecoderOnly, TransformerConfig, from_pretrained
from plainformer.training import Cosine, Run, TextBatches, adamw, held_out_loss, train
from plainformer.training.evaluate import next_token_loss
from plainformer.training.tasks import LanguageModelSettings, read_corpus

SIZES = {
    "4 layers of 128, 12 x 64": ({"n_layer": 4, "n_head": 4, "n_embd": 128}, 64, 12),
    "6 layers of 384, 8 x 256": ({"n_layer": 6, "n_head": 6, "n_embd": 384}, 256, 8),
}
PARTS = ["step", "plain", "loss"]
NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}


class Logits(nn.Module):
    """transformers' model, called as ours are."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(B, T) ids to (B, T, V) logits."""
        logits: torch.Tensor = self.model(ids, use_cache=False).logits
        return logits


def both(sizes: dict[str, int], length: int, seed: int) -> list[nn.Module]:
    """The same random GPT-2, ours and theirs."""
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        **sizes,
        **NO_DROPOUT,
        n_positions=length,
        vocab_size=1024,
        attn_implementation="sdpa",
        eos_token_id=None,
        bos_token_id=None,
    )
    theirs = transformers.GPT2LMHeadModel(config)
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder)
        ours: Any = from_pretrained(folder)
        for p in ours.parameters():
            p.data = p.data.clone()  # off the file, which goes
    return [ours, Logits(theirs)]


def new_run(model: nn.Module, corpus: Any, length: int, batch: int, steps: int, seed: int) -> Run:
    batches = TextBatches(corpus.train, length, batch, seed)
    schedule = Cosine(3e-3, warmup=min(50, steps - 1), total=steps, floor=3e-4)
    return Run(model, adamw(model), schedule, batches, next_token_loss)


def steps(corpus: Any) -> list[Race]:
    races = []
    for name, (sizes, length, batch) in SIZES.items():
        runs = [
            new_run(model, corpus, length, batch, 10_000, 0) for model in both(sizes, length, 0)
        ]

        def step(run: Run) -> list[float]:
            losses: list[float] = []
            train(run, run.step + 1, report=lambda p: losses.append(p.loss))
            return losses

        def close(a: list[float], b: list[float]) -> str:
            return "" if abs(a[0] - b[0]) < 0.02 else f"losses {a[0]} and {b[0]}"

        races.append(Race(name, *(lambda r=r: step(r) for r in runs), 1.0, close))
    return races


def plain(corpus: Any) -> list[Race]:
    """Our model and loop beside plain torch's, at the same sizes."""
    config = TransformerConfig(
        family="decoder", vocab_size=corpus.tokenizer.vocab_size, d_ff=512,
        positions="learned", max_length=LENGTH, attention_bias=False, ff_bias=False,
        **SIZES_OF_PLAIN,
    )  # fmt: skip
    model = DecoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(0))
    run = new_run(model, corpus, LENGTH, BATCH, 10_000, 0)
    step = plain_step(np.asarray(corpus.train), config.vocab_size)

    def ours() -> None:
        train(run, run.step + 10)

    def theirs() -> None:
        for _ in range(10):
            step()

    return [Race("10 steps, 4 layers of 128", ours, theirs, 1.0)]


def losses(corpus: Any, count: int) -> bool:
    """Print the held-out losses of three seeds; whether they are within 1 %."""
    sizes, length, batch = SIZES["4 layers of 128, 12 x 64"]
    fine = True
    print(f"\nheld-out loss after {count} steps   ours  theirs  apart (at most 1 %)")
    for seed in range(3):
        found = []
        for model in both(sizes, length, seed):
            run = new_run(model, corpus, length, batch, count, seed)
            train(run, count)
            found.append(held_out_loss(model, corpus.held_out, length))
        apart = abs(found[0] / found[1] - 1)
        fine &= apart <= 0.01
        print(f"seed {seed}                          {found[0]:6.3f}  {found[1]:6.3f}  {apart:.2%}")
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    print(f"torch {torch.__version__}, transformers {transformers.__version__}, "
          f"{platform.machine()}, {threads(asked.threads)}")  # fmt: skip
    corpus = read_corpus(LanguageModelSettings())
    fine = True
    if "step" in asked.only:
        fine &= run("training step", steps(corpus), asked.repeats, "transformers")
    if "plain" in asked.only:
        fine &= run("training beside plain torch", plain(corpus), asked.repeats, "plain torch")
    if "loss" in asked.only:
        fine &= losses(corpus, asked.steps)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the chapter *Many machines* measures: a step on four sentences, by one process and by two.

The sentences have different lengths, so the process that reads the first two of them has more words
to predict than the other, and a simple mean of the two losses would be wrong. Run as a module by
torchrun, this file writes the measurements that `two_processes` reads into a folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.batches import ExampleBatches, pad_batch
from plainformer.training.distributed import STRATEGIES, distribute
from plainformer.training.history import Progress
from plainformer.training.loop import Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.ranks import full_tensor, local_tensor, process_group
from plainformer.training.schedules import Constant
from plainformer.training.traffic import Traffic

__all__ = [
    "SENTENCES", "Step", "count_real", "one_process", "real_loss", "sentence_run", "torchrun",
    "two_processes",
]  # fmt: skip

SENTENCES = (
    "your cat is a lovely cat", "your cat is your lovely cat", "a lovely cat", "lovely cat",
)  # fmt: skip
WORDS = ("<pad>", "your", "cat", "is", "a", "lovely")
TIMEOUT = 20 * 60  # seconds, far more than a step takes even on a busy machine


@dataclass(frozen=True)
class Step:
    """What a process measures in a few steps."""

    gradients: dict[str, Tensor]  # of the first step, collected from all shards
    losses: list[float]  # of each step
    calls: list[tuple[str, int]]  # of the first step: the collective calls' names and bytes
    held: int  # bytes of weights and of Adam's two averages on this process, after a step


def sentence_run(width: int = 64) -> Run:
    """Return a run of a small GPT whose only batch is the four sentences."""
    config = TransformerConfig(
        family="decoder", vocab_size=len(WORDS), d_model=width, n_layers=2, n_heads=2,
        d_ff=4 * width,
    )  # fmt: skip
    model = DecoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(0))
    ids, _ = pad_batch([[WORDS.index(word) for word in text.split()] for text in SENTENCES], 0)
    # A single example with all four sentences, so that their order never changes.
    batches = ExampleBatches([ids], 1, collate=lambda rows: (rows[0][:, :-1], rows[0][:, 1:]))
    batches.batch_size = len(ids)
    return Run(model, adamw(model), Constant(1e-3), batches, real_loss, count=count_real)


def real_loss(model: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Compute the mean cross-entropy of the targets that are words and not padding."""
    ids, targets = batch
    logits = model(ids)  # (B, T, V)
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
    return loss


def count_real(batch: tuple[Tensor, Tensor]) -> int:
    """Return the number of targets of which `real_loss` is the mean."""
    return int((batch[1] != 0).sum())


def one_process(steps: int = 3, accumulate: int = 1) -> Step:
    """Take steps with one process that reads all four sentences, at once or in parts."""
    with process_group() as ranks:
        run = distribute(sentence_run(), ranks, accumulate=accumulate)
    return measure(run, steps, accumulate)


def two_processes(steps: int = 3) -> dict[str, Step]:
    """Take the same steps with two processes, with "ddp" and with "fsdp"."""
    with tempfile.TemporaryDirectory() as folder:
        torchrun("-m", "plainformer.training.many_machines", folder, str(steps))
        return {how: Step(*torch.load(Path(folder, how))) for how in STRATEGIES}


def measure(run: Run, steps: int, accumulate: int = 1) -> Step:
    """Train, and record the gradients and the traffic of the first step."""
    losses: list[float] = []

    def report(progress: Progress) -> None:
        losses.append(progress.loss)

    with Traffic() as traffic:
        train(run, 1, clip=1e9, accumulate=accumulate, report=report)
    gradients = {
        name: full_tensor(weight.grad).clone()
        for name, weight in run.model.named_parameters()
        if weight.grad is not None
    }
    train(run, steps, clip=1e9, accumulate=accumulate, report=report)
    kept = [*run.model.parameters()]
    kept += [t for state in run.optimizer.state.values() for t in state.values() if t.ndim]
    held = sum(local_tensor(each).numel() * each.element_size() for each in kept)
    # The loop also adds up a few numbers, which are not part of the model.
    calls = [(name, size) for name, size in traffic.calls if size > 64]
    return Step(gradients, losses, calls, held)


def torchrun(*arguments: str, processes: int = 2) -> str:
    """Start a script, or a module after "-m", in several processes, and return what they print."""
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), *arguments]
    mine = {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env=os.environ | mine, stdout=pipe, stderr=pipe, text=True)
    try:
        output, errors = process.communicate(timeout=TIMEOUT)
    finally:
        if process.poll() is None:  # torchrun also ends the processes that it started
            process.terminate()
            process.wait()
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed in one of its processes:\n{errors}")
    return output


def main(folder: str, steps: str) -> None:
    """Measure in one of the processes, and write the results to files."""
    torch.set_num_threads(1)
    with process_group() as ranks:
        for how in STRATEGIES:
            found = measure(distribute(sentence_run(), ranks, how), int(steps))
            if ranks.rank == 0:
                torch.save(astuple(found), Path(folder, how))


if __name__ == "__main__":
    main(*sys.argv[1:])

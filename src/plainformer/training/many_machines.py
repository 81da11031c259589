"""What the chapter *Many machines* measures: one step of four sentences, by one process and by two.

The sentences are of different lengths. So the process with the first two of them has more words to
predict than the other, and a plain mean of both losses would be wrong.

    python -m torch.distributed.run --standalone --nproc-per-node 2 \
        -m plainformer.training.many_machines FOLDER

writes into the folder what `two_processes` reads from it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.batches import ExampleBatches, pad_batch
from plainformer.training.distributed import WAYS, spread
from plainformer.training.loop import Progress, Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.ranks import local, process_group, whole
from plainformer.training.schedules import Constant
from plainformer.training.traffic import Traffic

__all__ = [
    "SENTENCES",
    "Step",
    "count_real",
    "one_process",
    "real_loss",
    "sentence_run",
    "torchrun",
    "two_processes",
]

SENTENCES = (
    "your cat is a lovely cat",
    "your cat is your lovely cat",
    "a lovely cat",
    "lovely cat",
)
WORDS = ("<pad>", "your", "cat", "is", "a", "lovely")
MINUTES = 20  # no step takes as long, even where much else is going on


@dataclass(frozen=True)
class Step:
    """What a process tells of some steps.

    Attributes:
        gradients: of every weight, whole, in the first step.
        losses: of each step.
        calls: what was sent in the first backward and forward pass: names and bytes.
        held: bytes of weights and of Adam's two means on this process, after a step.
    """

    gradients: dict[str, Tensor]
    losses: list[float]
    calls: list[tuple[str, int]]
    held: int


def sentence_run(width: int = 64) -> Run:
    """A small GPT, its first weights, and the four sentences as its only batch."""
    config = TransformerConfig(
        family="decoder",
        vocab_size=len(WORDS),
        d_model=width,
        n_layers=2,
        n_heads=2,
        d_ff=4 * width,
    )
    model = DecoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(0))
    texts = [[WORDS.index(word) for word in text.split()] for text in SENTENCES]

    def collate(rows: list[list[int]]) -> tuple[Tensor, Tensor]:
        ids, _ = pad_batch(rows, 0)
        return ids[:, :-1], ids[:, 1:]

    # In the order in which they stand, each time.
    batches = ExampleBatches([texts], 1, collate=lambda rows: collate(rows[0]))
    batches.batch_size = len(texts)
    return Run(model, adamw(model), Constant(1e-3), batches, real_loss, count=count_real)


def real_loss(model: Any, batch: tuple[Tensor, Tensor]) -> Tensor:
    """The mean surprise over the targets that are words."""
    ids, targets = batch
    logits = model(ids)  # (B, T, V)
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
    return loss


def count_real(batch: tuple[Tensor, Tensor]) -> int:
    """Of how many targets `real_loss` is the mean."""
    return int((batch[1] != 0).sum())


def one_process(steps: int = 3, accumulate: int = 1) -> Step:
    """Steps of one process that reads all four sentences, at once or in turns."""
    with process_group() as ranks:
        run = spread(sentence_run(), ranks, turns=accumulate)
    return measure(run, steps, accumulate)


def two_processes(steps: int = 3) -> dict[str, Step]:
    """The same steps taken by two processes, by "ddp" and by "fsdp"."""
    with tempfile.TemporaryDirectory() as folder:
        torchrun("-m", "plainformer.training.many_machines", folder, str(steps))
        return {how: _read(Path(folder), how) for how in WAYS}


def measure(run: Run, steps: int, accumulate: int = 1) -> Step:
    """Train, and watch the first step."""
    losses: list[float] = []

    def report(progress: Progress) -> None:
        losses.append(progress.loss)

    with Traffic() as traffic:
        train(run, 1, clip=1e9, accumulate=accumulate, report=report)
    gradients = {
        name: whole(weight.grad).clone()
        for name, weight in run.model.named_parameters()
        if weight.grad is not None
    }
    train(run, steps, clip=1e9, accumulate=accumulate, report=report)
    kept = [*run.model.parameters()]
    kept += [t for state in run.optimizer.state.values() for t in state.values() if t.ndim]
    held = sum(local(each).numel() * each.element_size() for each in kept)
    # The loop's own sums, of some numbers, are no part of the model.
    calls = [(name, size) for name, size in traffic.calls if size > 64]
    return Step(gradients, losses, calls, held)


def torchrun(*arguments: str, processes: int = 2) -> str:
    """Start a script, or a module after "-m", in so many processes; return what they print.

    Raises:
        RuntimeError: one of them failed; the message ends with what it said.
    """
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(processes), *arguments]
    mine = {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(
        command,
        env=os.environ | mine,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said, complaints = process.communicate(timeout=60 * MINUTES)
    finally:
        if process.poll() is None:  # torchrun ends its processes when it is asked to end
            process.terminate()
            process.wait()
    if process.returncode:
        raise RuntimeError(f"{' '.join(arguments)} failed in one of its processes:\n{complaints}")
    return said


def main(folder: str, steps: str) -> None:
    """One of the processes: measure, and write it down."""
    torch.set_num_threads(1)
    with process_group() as ranks:
        for how in WAYS:
            found = measure(spread(sentence_run(), ranks, how), int(steps))
            if ranks.rank == 0:
                said = {"losses": found.losses, "calls": found.calls, "held": found.held}
                Path(folder, f"{how}.json").write_text(json.dumps(said))
                save_file(found.gradients, Path(folder, f"{how}.safetensors"))


def _read(folder: Path, how: str) -> Step:
    said = json.loads((folder / f"{how}.json").read_text())
    calls = [(name, size) for name, size in said["calls"]]
    return Step(load_file(folder / f"{how}.safetensors"), said["losses"], calls, said["held"])


if __name__ == "__main__":
    main(*sys.argv[1:])

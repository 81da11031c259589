"""A whole run of a task: begin or go on, train with a progress bar, save on the way, ship."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from plainformer.arrays import check_size
from plainformer.files import atomic_write
from plainformer.training.checkpoint import load_checkpoint, save_checkpoint
from plainformer.training.distributed import gather, spread
from plainformer.training.history import History
from plainformer.training.loop import Progress, Run, train
from plainformer.training.ranks import Ranks, process_group

__all__ = ["Sharing", "Task", "moments", "run_task", "threads_for_a_while"]

SAVED_EVERY = 100  # steps
MOMENTS = 20


@dataclass(frozen=True)
class Task:
    """What a run of a task is made of, once its data has been read.

    Attributes:
        run: the model with its first weights, and all that training it takes.
        look: adds to a history what the model does as it stands.
        ship: writes the trained model, with its history, into a new folder.
    """

    run: Run
    look: Callable[[History], None]
    ship: Callable[[Path, History], None]


@dataclass(frozen=True)
class Sharing:
    """How the work of a step is shared out. The steps are the same, however it is.

    Attributes:
        parallel: "ddp" or "fsdp", for several processes.
        accumulate: how many parts a process reads its rows in.
        device: "cpu", or "cuda" for one GPU a process.
    """

    parallel: str = "ddp"
    accumulate: int = 1
    device: str = "cpu"


def run_task(
    settings: Any,
    begin: Callable[[Any], Task],
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    sharing: Sharing | None = None,
) -> Path:
    """Train by some settings; return the folder that holds the model.

    Args:
        settings: a task's dataclass, with a name and the number of steps.
        begin: reads the data and makes the run that they ask for.
        out: the folder of the run. `model` in it holds the trained model.
        resume: go on with the run that is there.
        threads: cores; with 1, the same settings give the same curve, bit for bit.
        sharing: how; None: one process, one batch a step.

    Raises:
        FileExistsError: there is a run in the folder, and `resume` does not say to go on with it.
        FileNotFoundError: there is none to go on with.
        ValueError: the run there began with other settings.
    """
    saved, _, begun = _files(out)
    if resume and not saved.is_file():
        raise FileNotFoundError(f"--resume needs a run in {out}; there is no {saved.name}")
    if not resume and out.exists() and any(out.iterdir()):
        raise FileExistsError(f"out must be a new folder, or --resume must say to go on; got {out}")
    if resume:
        _check_settings(begun, settings)
    sharing = sharing or Sharing()
    with threads_for_a_while(threads), process_group(sharing.device) as ranks:
        _run_as(ranks, settings, begin, out, resume, sharing)
    return out / "model"


def _run_as(
    ranks: Ranks,
    settings: Any,
    begin: Callable[[Any], Task],
    out: Path,
    resume: bool,
    sharing: Sharing,
) -> None:
    """Do one process's part of the run. What was spread ends with this function."""
    saved, kept, begun = _files(out)
    task = begin(settings)
    run, history = task.run, History(settings.name)
    if resume:
        history = History.from_json(kept.read_text(encoding="utf-8"))
        load_checkpoint(saved, run)
        history.rewind(run.step + 1)
    ranks.wait()  # all have looked at the folder; now the first of them writes into it
    first, team = ranks.rank == 0, run
    if sharing != Sharing() or ranks.size > 1:
        team = spread(run, ranks, sharing.parallel, sharing.accumulate)

    def save() -> None:
        atomic_write(kept, history.to_json() + "\n")
        save_checkpoint(saved, run)

    if first and not resume:
        out.mkdir(parents=True, exist_ok=True)
        task.look(history)  # before the first step
        atomic_write(begun, json.dumps(asdict(settings), indent=2) + "\n")
        save()

    looked_at = moments(settings.steps)
    with _progress_bar(run, settings.steps, hidden=not first) as show:

        def report(progress: Progress) -> None:
            looks = progress.step in looked_at
            saves = progress.step % SAVED_EVERY == 0 or progress.step == settings.steps
            if team is not run and (looks or saves):
                gather(team, run)
            if not first:
                return
            history.report(progress)
            if looks:
                task.look(history)
            show(progress)
            if saves:
                save()

        train(
            team,
            settings.steps,
            accumulate=sharing.accumulate,
            bfloat16=settings.bfloat16,
            report=report,
        )
    if first and resume:  # half a model may be there, or that of fewer steps
        shutil.rmtree(out / "model", ignore_errors=True)
    if first:
        task.ship(out / "model", history)


def _files(out: Path) -> tuple[Path, Path, Path]:
    """Where a run keeps itself, its history and its settings."""
    return out / "run.safetensors", out / "history.json", out / "settings.json"


def moments(steps: int) -> list[int]:
    """Some twenty steps to look at, close together at first, where most is learned.

    >>> moments(1000)[:5], moments(1000)[-3:]
    ([2, 10, 22, 40, 62], [810, 902, 1000])
    """
    parts = (check_size(steps, "steps") * (i / MOMENTS) ** 2 for i in range(1, MOMENTS + 1))
    return sorted({max(1, int(part)) for part in parts} | {steps})


def _check_settings(begun: Path, settings: Any) -> None:
    """Refuse to go on with a run under other settings: it would be neither one nor the other."""
    before = json.loads(begun.read_text(encoding="utf-8"))
    for name, value in asdict(settings).items():
        if before.get(name) != value:
            raise ValueError(
                f"--resume needs the settings that the run began with; {name} was "
                f"{before.get(name)!r}, and is {value!r} now"
            )


@contextmanager
def threads_for_a_while(threads: int) -> Iterator[None]:
    """Let torch compute with so many cores, and give it back what it had."""
    before = torch.get_num_threads()
    torch.set_num_threads(check_size(threads, "threads"))
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _progress_bar(run: Run, steps: int, *, hidden: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar of steps, with the loss, tokens a second and the time that is left."""
    with tqdm(total=steps, initial=run.step, unit="step", disable=hidden) as bar:
        tokens = 0

        def show(progress: Progress) -> None:
            nonlocal tokens
            tokens += progress.tokens
            passed = bar.format_dict["elapsed"]
            rate = f"{tokens / passed:,.0f}" if passed else "?"
            bar.set_postfix({"loss": f"{progress.loss:.3f}", "tokens/s": rate}, refresh=False)
            bar.update()

        yield show

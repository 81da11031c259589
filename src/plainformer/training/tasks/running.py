"""Run a task from beginning to end: start or resume, train with a progress bar, save, and report.

The folder of a run contains settings.json (with what identifies the data), history.json (with every
step), run.safetensors (from which the run can be resumed), a folder "checkpoints" with the weights
of earlier steps, if the task keeps any, and, at the end, the folder "model" with the trained model.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

import torch
from tqdm import tqdm

from plainformer.files import atomic_write
from plainformer.training.checkpoint import load_checkpoint, save_checkpoint
from plainformer.training.distributed import distribute, gather_full_state
from plainformer.training.history import History, Progress
from plainformer.training.loop import Run, limit_threads, train
from plainformer.training.ranks import Ranks, process_group
from plainformer.training.tasks.settings import Settings, read_settings

__all__ = ["RunFailed", "Task", "evaluation_steps", "run_task"]

SAVED_EVERY = 100  # steps
EVALUATIONS = 20


class RunFailed(RuntimeError):
    """A run that had begun could not be continued, for example because the disk is full."""


class Task:
    """What a run trains a model for. A subclass reads the data and creates the run and the model.

    A user can choose other data by the setting `data_setting`. The result is then not the model
    that the file of settings describes, so it is named after the command, and `own_data` replaces
    further settings of the file.
    """

    settings_type: ClassVar[type[Settings]]
    command: ClassVar[str]
    data_setting: ClassVar[str]
    own_data: ClassVar[dict[str, Any]] = {}

    settings: Any  # of that type
    run: Run
    description: str  # of the data, for the person who started the run
    dataset: dict[str, Any]  # identifies the data; a run can only be resumed with the same
    kept_steps: frozenset[int] = frozenset()  # after which `keep` is called

    def __init__(self, settings: Any) -> None:
        """Read the data that the settings name."""

    def evaluate(self, history: History) -> None:
        """Add the held-out loss and a snapshot to a history."""
        raise NotImplementedError

    def card(self) -> dict[str, Any]:
        """Return what the trained model is, what it was trained on, and its held-out scores."""
        raise NotImplementedError

    def save(self, folder: Path) -> None:
        """Save the trained model, in evaluation mode, and its words in a new folder."""
        raise NotImplementedError

    def keep(self, folder: Path) -> None:
        """Save the weights of the current step among those of other steps."""


def run_task(
    kind: type[Task],
    config: Path,
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    parallel: str = "ddp",
    accumulate: int = 1,
    device: str = "cpu",
    **changes: Any,
) -> Path:
    """Train a model with the settings of a file, and return the folder that contains it.

    Any `changes` that are not None override settings of the file. With one thread, the same
    settings give the same losses, bit for bit.

    A run in the folder `out` can be resumed with the same settings and the same data. With more
    steps than it had, it is extended, and its schedule becomes that of the longer run.

    `parallel` is the strategy with which several processes divide the rows of each batch, "ddp" or
    "fsdp". Each of them reads its rows in `accumulate` parts, on a "cpu" or, with a GPU for each
    process, on "cuda". In any case, the steps are the same.

    Raises:
        FileExistsError: there is a run in the folder, and `resume` is False.
        FileNotFoundError: there is no run to resume.
        RunFailed: a file could not be written after the run had begun.
    """
    if out.exists() and not out.is_dir():
        raise ValueError(f"out must be a folder; {out} is a file")
    changes = {name: value for name, value in changes.items() if value is not None}
    if kind.data_setting in changes:
        changes = {"name": kind.command} | kind.own_data | changes
    before: dict[str, Any] = {}
    if resume:
        if not (out / "run.safetensors").is_file():
            raise FileNotFoundError(f"--resume needs a run in {out}; there is no run.safetensors")
        before = json.loads((out / "settings.json").read_text(encoding="utf-8"))
        changes.setdefault("steps", before["steps"])
    elif out.exists() and any(out.iterdir()):
        raise FileExistsError(f"out must be a new folder, or a run to --resume; got {out}")
    settings = read_settings(kind.settings_type, config, **changes)
    if resume:
        _refuse_changes("settings", before, asdict(settings) | {"steps": before["steps"]})
    with limit_threads(threads), process_group(device) as ranks:
        _run_as(ranks, kind(settings), out, before, parallel, accumulate)
    return out / "model"


def _run_as(
    ranks: Ranks,
    task: Task,
    out: Path,
    before: dict[str, Any],  # the settings of a run that is resumed
    parallel: str,
    accumulate: int,
) -> None:
    """Do one process's part of a run. A distributed model does not outlive this function."""
    settings, run, first = task.settings, task.run, ranks.rank == 0
    history = History(settings.name)
    if before:
        _refuse_changes("data", before.get("dataset", {}), task.dataset)
        history = History.from_json((out / "history.json").read_text(encoding="utf-8"))
        load_checkpoint(out / "run.safetensors", run)
        history.rewind(run.step + 1)
        if settings.steps < run.step:
            raise ValueError(
                f"--steps must be {run.step} or more, because the run in {out} has done as many; "
                f"got {settings.steps}"
            )
    ranks.barrier()  # everyone has read the folder before the first process writes to it
    distributed = run
    if ranks.world_size > 1 or accumulate != 1 or ranks.device.type != "cpu":
        distributed = distribute(run, ranks, parallel, accumulate)

    def save() -> None:
        atomic_write(out / "history.json", history.to_json(exact=True) + "\n")
        save_checkpoint(out / "run.safetensors", run)

    if first:
        parameters = sum(p.numel() for p in run.model.parameters())
        print(f"{task.description}\nmodel: {parameters:,} parameters")
        if before:
            print(f"the run continues after step {run.step:,} of {settings.steps:,}")
        else:
            task.evaluate(history)  # before the first step
        text = json.dumps(asdict(settings) | {"dataset": task.dataset}, indent=2) + "\n"
        _claim(out, bool(before), text)

    steps = evaluation_steps(settings.steps)
    with _as_run_failed(), _progress_bar(run, settings.steps, hidden=not first) as show:
        if first and not before:
            if 0 in task.kept_steps:
                task.keep(out / "checkpoints")
            save()

        def report(progress: Progress) -> None:
            evaluates = progress.step in steps
            saves = progress.step % SAVED_EVERY == 0 or progress.step == settings.steps
            keeps = progress.step in task.kept_steps
            if distributed is not run and (evaluates or saves or keeps):
                gather_full_state(distributed, run)
            if not first:
                return
            history.report(progress)
            if evaluates:
                task.evaluate(history)
            show(progress)
            if keeps:  # before the step is saved, so that a run that resumes cannot miss it
                task.keep(out / "checkpoints")
            if saves:
                save()

        mixed = settings.bfloat16
        train(distributed, settings.steps, accumulate=accumulate, bfloat16=mixed, report=report)
        if first:
            if before:  # the model may be incomplete, or have fewer steps
                shutil.rmtree(out / "model", ignore_errors=True)
            card = _save_model(task, out / "model", history)
    if first:
        held_out = ", ".join(f"{name} {value}" for name, value in card["held_out"].items())
        held_out = held_out.replace("bleu", "BLEU").replace("chrf", "chrF").replace("_", " ")
        print(f"held out: {held_out}\nsample: {history.snapshots[-1].sample}")


def _save_model(task: Task, folder: Path, history: History) -> dict[str, Any]:
    """Save a trained model with its history and its card, and return the card."""
    folder.mkdir()
    task.run.model.eval()
    card = {
        "name": task.settings.name,
        "made_by": f"python -m plainformer.training {task.command}",
        **task.card(),
        "settings": asdict(task.settings),
        "torch": torch.__version__.partition("+")[0],
    }
    task.save(folder)
    atomic_write(folder / "history.json", history.to_json() + "\n")
    atomic_write(folder / "card.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")
    return card


def evaluation_steps(steps: int) -> list[int]:
    """Return about twenty steps at which to evaluate, closer together at first.

    >>> evaluation_steps(1000)[:5], evaluation_steps(1000)[-3:]
    ([2, 10, 22, 40, 62], [810, 902, 1000])
    """
    parts = (steps * (i / EVALUATIONS) ** 2 for i in range(1, EVALUATIONS + 1))
    return sorted({max(1, int(part)) for part in parts} | {steps})


def _claim(out: Path, resume: bool, text: str) -> None:
    """Write the settings of a run, unless another run has just begun in the same folder."""
    if resume:
        atomic_write(out / "settings.json", text)
        return
    out.mkdir(parents=True, exist_ok=True)
    try:
        with (out / "settings.json").open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise FileExistsError(f"another run has begun in {out}; choose another folder") from None


def _refuse_changes(what: str, before: dict[str, Any], now: dict[str, Any]) -> None:
    """Refuse to resume with other settings or other data, whose ids would have other meanings."""
    changed = [
        f"{name} was {before[name]!r}, and is {value!r} now"
        for name, value in now.items()
        if before.get(name, value) != value
    ]
    if changed:
        raise ValueError(
            f"--resume needs the {what} that the run began with, but {'; '.join(changed)}. Restore "
            "what it was, or begin a new run in another folder"
        )


@contextmanager
def _as_run_failed() -> Iterator[None]:
    """Distinguish a file error during a run from one that prevents the run from beginning."""
    try:
        yield
    except OSError as error:
        raise RunFailed(
            f"{error}. What was saved before is unchanged, and --resume continues from there"
        ) from error


@contextmanager
def _progress_bar(run: Run, steps: int, *, hidden: bool) -> Iterator[Callable[[Progress], None]]:
    """Show a bar of steps, with the loss, the tokens per second and the time that is left."""
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

"""A whole run of a task: begin or go on, train with a progress bar, save on the way, ship."""

from __future__ import annotations

import json
import platform
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
from plainformer.training.loss import bits_per_byte, perplexity
from plainformer.training.ranks import process_group
from plainformer.training.tasks.language_model import (
    Corpus,
    LanguageModelSettings,
    look,
    new_run,
    read_corpus,
    recorder,
)
from plainformer.training.tasks.settings import read_settings
from plainformer.training.tasks.shipping import LanguageModel, ship

__all__ = ["Sharing", "moments", "run_language_model", "threads_for_a_while"]

SAVED_EVERY = 100  # steps
MOMENTS = 20


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


def run_language_model(
    config: Path,
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    sharing: Sharing | None = None,
    **changes: Any,
) -> Path:
    """Train a language model by the settings of a file; return the folder that holds it.

    Args:
        config: TOML, as `LanguageModelSettings` describes it.
        out: the folder of the run. `model` in it holds the trained model.
        resume: go on with the run that is there.
        threads: cores; with 1, the same settings give the same curve, bit for bit.
        sharing: how; None: one process, one batch a step.
        changes: settings that are not as in the file; None leaves one as it is.

    Raises:
        FileExistsError: there is a run in the folder, and `resume` does not say to go on with it.
        FileNotFoundError: there is none to go on with.
        ValueError: the run there began with other settings.
    """
    if changes.get("text") is not None:  # it is no longer the model that the file names
        changes["name"] = "language-model"
    settings = read_settings(LanguageModelSettings, config, **changes)
    saved, kept, begun = out / "run.safetensors", out / "history.json", out / "settings.json"
    if resume and not saved.is_file():
        raise FileNotFoundError(f"--resume needs a run in {out}; there is no {saved.name}")
    if not resume and out.exists() and any(out.iterdir()):
        raise FileExistsError(f"out must be a new folder, or --resume must say to go on; got {out}")
    if resume:
        _check_settings(begun, settings)
    sharing = sharing or Sharing()
    with threads_for_a_while(threads), process_group(sharing.device) as ranks:
        corpus = read_corpus(settings)
        run, history = new_run(settings, corpus), History(settings.name)
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
            look(run, corpus, history)  # before the first step
            atomic_write(begun, json.dumps(asdict(settings), indent=2) + "\n")
            save()

        looks = moments(settings.steps)
        record = recorder(run, corpus, history, looks)
        with _progress_bar(run, settings.steps, hidden=not first) as show:

            def report(progress: Progress) -> None:
                saves = progress.step % SAVED_EVERY == 0 or progress.step == settings.steps
                if team is not run and (saves or progress.step in looks):
                    gather(team, run)
                if first:
                    record(progress)
                    show(progress)
                if first and saves:
                    save()

            train(
                team,
                settings.steps,
                accumulate=sharing.accumulate,
                bfloat16=settings.bfloat16,
                report=report,
            )
        if first:
            model: Any = run.model
            card = new_card(settings, corpus, history)
            trained = LanguageModel(model.eval(), corpus.tokenizer, history, card)
            if resume:  # half a model may be there, or that of fewer steps
                shutil.rmtree(out / "model", ignore_errors=True)
            ship(out / "model", trained)
    return out / "model"


def moments(steps: int) -> list[int]:
    """Some twenty steps to look at, close together at first, where most is learned.

    >>> moments(1000)[:5], moments(1000)[-3:]
    ([2, 10, 22, 40, 62], [810, 902, 1000])
    """
    parts = (check_size(steps, "steps") * (i / MOMENTS) ** 2 for i in range(1, MOMENTS + 1))
    return sorted({max(1, int(part)) for part in parts} | {steps})


def new_card(settings: LanguageModelSettings, corpus: Corpus, history: History) -> dict[str, Any]:
    """What a trained model is, as plain data."""
    loss, ours = history.held_out[-1][1], settings.text == "python_manual"
    return {
        "name": settings.name,
        "what": "A small GPT of the course Transformers, Plainly; it writes like its text, badly.",
        "licence": "MIT; of its text, the PSF's" if ours else "that of its text",
        "text": {
            "name": settings.text,
            "python": platform.python_version() if ours else None,
            "sha256": corpus.sha256,
            "tokens_to_train_on": len(corpus.read),
            "tokens_held_out": len(corpus.held_out),
            "bytes_held_out": corpus.held_out_bytes,
        },
        "settings": asdict(settings),
        "tokens_seen": settings.steps * settings.batch_size * settings.length,
        "held_out": {
            "nats_per_token": round(loss, 4),
            "perplexity": round(perplexity(loss), 2),
            "bits_per_byte": round(
                bits_per_byte(loss, len(corpus.held_out), corpus.held_out_bytes), 4
            ),
        },
        "torch": torch.__version__.partition("+")[0],
        "made_by": "python -m plainformer.training language-model",
    }


def _check_settings(begun: Path, settings: LanguageModelSettings) -> None:
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

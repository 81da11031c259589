"""The commands that train: from a file of settings to a folder with a model in it.

    python -m plainformer.training language-model --out runs/lm
    python -m plainformer.training language-model --text my.txt --steps 300 --out runs/mine
    python -m plainformer.training translation --out runs/translator
    python -m plainformer.training translation --source my.en --target my.it --out runs/mine
    python -m plainformer.training translation --out runs/translator --resume
    torchrun --nproc-per-node 2 -m plainformer.training language-model --out runs/lm

The last line is the first run again, shared by two processes.

A run is saved again and again on its way. One that was stopped, or killed, goes on with --resume
as if it had not been.

Exit code: 0 if the run is done, 1 if it broke off, 2 if it could not begin.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main", "new_parser"]

TASKS = Path(__file__).parent / "tasks"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code.

    Args:
        arguments: what stands after the command; None: those of the shell.
    """
    asked = vars(new_parser().parse_args(arguments))
    task, config, out = asked.pop("task"), asked.pop("config"), asked.pop("out")
    # Not at the top: --help answers at once, and without torch.
    try:
        from plainformer.training.tasks import Sharing, run_language_model, run_translation
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    asked["sharing"] = Sharing(*map(asked.pop, ("parallel", "accumulate", "device")))

    run = {"language-model": run_language_model, "translation": run_translation}[task]
    try:
        folder = run(config, out, **asked)
    except (OSError, ValueError, TypeError) as error:
        print(f"{_who()}error: {error}", file=sys.stderr)
        return 2
    except (FloatingPointError, MemoryError) as error:
        print(f"{_who()}error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "stopped; with --resume, the same command goes on from its last save", file=sys.stderr
        )
        return 1
    if not _who():
        print(f"the model is in {folder}")
    return 0


def _who() -> str:
    """Which process speaks; the first, which reports, and one alone need not say it."""
    rank = os.environ.get("RANK", "0") if "TORCHELASTIC_RUN_ID" in os.environ else "0"
    return "" if rank == "0" else f"process {rank}: "


def new_parser() -> argparse.ArgumentParser:
    """What the command understands."""
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.training", description="Train one of the course's models."
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    task = _add_task(
        tasks,
        "language-model",
        "a small GPT, on one long text",
        "Train a small GPT to say what comes next in a text.",
        TASKS / "language_model.toml",
        "course-lm",
    )
    task.add_argument("--text", help="a text file or a corpus, instead of the one in the settings")
    task = _add_task(
        tasks,
        "translation",
        "a small encoder-decoder, on pairs of sentences",
        "Train a small translator: on the course's grammar, English to Italian, or on files.",
        TASKS / "translation" / "grammar.toml",
        "course-translator",
    )
    task.add_argument(
        "--source", help="a file with a sentence on each line; or, without --target, a table: "
        "sentence, tab, translation",
    )  # fmt: skip
    task.add_argument("--target", help="the translations, line by line")
    return parser


def _add_task(
    tasks: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help_: str,
    description: str,
    settings: Path,
    model: str,
) -> argparse.ArgumentParser:
    """A task with the options that all tasks have."""
    task = tasks.add_parser(
        name,
        help=help_,
        description=description,
        epilog="Exit code: 0 if the run is done, 1 if it broke off, 2 if it could not begin.",
    )
    task.add_argument(
        "--config", type=Path, default=settings, help=f"settings, in TOML (those of {model})"
    )
    task.add_argument(
        "--out", type=Path, required=True, help="a new folder, for the run and its model"
    )
    task.add_argument("--steps", type=int, help="how many, instead of the settings' number")
    task.add_argument("--seed", type=int, help="another one than the settings'")
    task.add_argument("--resume", action="store_true", help="go on with the run in --out")
    task.add_argument(
        "--threads", type=int, default=1, help="cores to compute with (1: the same curve each time)"
    )
    task.add_argument(
        "--bfloat16",
        action="store_true",
        default=None,
        help="compute products in bfloat16 (mixed precision)",
    )
    shared = task.add_argument_group(
        "sharing the work", "the same steps, in less memory or by several processes"
    )
    shared.add_argument(
        "--accumulate", type=int, default=1, help="read each batch in so many parts (1)"
    )
    shared.add_argument(
        "--parallel",
        choices=("ddp", "fsdp"),
        default="ddp",
        help="under torchrun: each process has the whole model (ddp), or a piece of it (fsdp)",
    )
    shared.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to compute (cpu)"
    )
    return task

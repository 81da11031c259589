"""The commands that train: from a file of settings to a folder with a model in it.

    python -m plainformer.training language-model --out runs/lm
    python -m plainformer.training language-model --text my.txt --steps 300 --out runs/mine
    python -m plainformer.training language-model --out runs/lm --resume

A run is saved again and again on its way. One that was stopped, or killed, goes on with --resume
as if it had not been.

Exit code: 0 if the run is done, 1 if it broke off, 2 if it could not begin.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]

SETTINGS = Path(__file__).parent / "tasks" / "language_model.toml"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code.

    Args:
        arguments: what stands after the command; None: those of the shell.
    """
    asked = _parser().parse_args(arguments)
    # Not at the top: --help answers at once, and without torch.
    from plainformer.training.tasks.running import run_language_model

    changes = {"text": asked.text, "steps": asked.steps, "seed": asked.seed}
    try:
        folder = run_language_model(
            asked.config, asked.out, resume=asked.resume, threads=asked.threads, **changes
        )
    except (OSError, ValueError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (FloatingPointError, MemoryError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            "stopped; with --resume, the same command goes on from its last save", file=sys.stderr
        )
        return 1
    print(f"the model is in {folder}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.training", description="Train one of the course's models."
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    task = tasks.add_parser(
        "language-model",
        help="a small GPT, on one long text",
        description="Train a small GPT to say what comes next in a text.",
        epilog="Exit code: 0 if the run is done, 1 if it broke off, 2 if it could not begin.",
    )
    task.add_argument(
        "--config", type=Path, default=SETTINGS, help="settings, in TOML (those of course-lm)"
    )
    task.add_argument(
        "--out", type=Path, required=True, help="a new folder, for the run and its model"
    )
    task.add_argument("--text", help="a text file or a corpus, instead of the one in the settings")
    task.add_argument("--steps", type=int, help="how many, instead of the settings' number")
    task.add_argument("--seed", type=int, help="another one than the settings'")
    task.add_argument("--resume", action="store_true", help="go on with the run in --out")
    task.add_argument(
        "--threads", type=int, default=1, help="cores to compute with (1: the same curve each time)"
    )
    return parser

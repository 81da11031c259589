"""Train a model from the command line, and use it afterwards.

    python -m plainformer.training language-model --text my.txt --out runs/mine
    python -m plainformer.training sample --model runs/mine/model --prompt "The"

    python -m plainformer.training translation --source my.en --target my.it --out runs/translator
    python -m plainformer.training translate --model runs/translator/model "your cat"

    python -m plainformer.training classification --data my.csv --out runs/classifier
    python -m plainformer.training classify --model runs/classifier/model "a text of yours"

    torchrun --nproc-per-node 2 -m plainformer.training language-model --out runs/lm

Without --text, --source or --data, the first three train on texts that the course brings: Python's
manual, sentences of a grammar, and docstrings. The last line divides a run between two processes.

A run is saved repeatedly while it trains. If it is interrupted, the same command with --resume
continues as if nothing had happened, and with a larger number of --steps it extends a run.

The exit code is 0 if everything worked, 1 if a run broke off, and 2 if it could not begin.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

__all__ = ["main", "new_parser"]

TASKS = Path(__file__).parent / "tasks"

EXIT_CODES = "Exit code: 0 if everything worked, 1 if a run broke off, 2 if it could not begin."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        arguments: the arguments of the command; None means those of the shell.
    """
    asked = vars(new_parser().parse_args(arguments))
    command = asked.pop("command")
    # Imported only now, so that --help answers at once, and without torch.
    try:
        from plainformer.training.tasks import Parallelism, RunFailed
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2

    try:
        if command in USES:
            USES[command](**asked)
        else:
            options = map(asked.pop, ("parallel", "accumulate", "device"))
            _train(command, asked.pop("config"), asked.pop("out"), Parallelism(*options), asked)
    except (FloatingPointError, MemoryError, RunFailed) as error:
        print(f"{_process()}error: {error}", file=sys.stderr)
        return 1
    except (OSError, ValueError, TypeError) as error:
        print(f"{_process()}error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        advice = (
            ""
            if command in USES
            else "; the same command with --resume continues from the last save"
        )
        print(f"stopped{advice}", file=sys.stderr)
        return 1
    return 0


def _train(command: str, config: Path, out: Path, parallelism: Any, asked: dict[str, Any]) -> None:
    from plainformer.training import tasks

    run = getattr(tasks, f"run_{command.replace('-', '_')}")
    folder = run(config, out, parallelism=parallelism, **asked)
    if _process():
        return
    use, argument, function, call = AFTERWARDS[command]
    print(
        f"the model is in {folder}\n\n"
        "To use it in a shell:\n"
        f"    python -m plainformer.training {use} --model {shlex.quote(str(folder))} {argument}\n"
        "or in Python:\n"
        f"    from plainformer.training.tasks import {function}\n"
        f"    print({function}({str(folder)!r}).{call})"
    )


# For each task the command that uses its model, an example of its argument, the function that
# opens the model, and an example of a call.
AFTERWARDS = {
    "language-model": ("sample", '--prompt "The"', "open_language_model", 'generate("The")'),
    "translation": ("translate", '"a sentence"', "open_translator", 'translate(["a sentence"])'),
    "classification": ("classify", '"a text"', "open_classifier", 'classify(["a text"])'),
}


def _sample(model: Path | None, prompt: str, tokens: int, **options: Any) -> None:
    from plainformer.training.tasks import course_lm, open_language_model

    trained = course_lm() if model is None else open_language_model(model)
    print(trained.generate(prompt, tokens, **options))


def _translate(model: Path | None, texts: list[str], beams: int) -> None:
    from plainformer.training.tasks import course_translator, open_translator

    translator = course_translator() if model is None else open_translator(model)
    for line in translator.translate(_lines(texts), num_beams=beams):
        print(line)


def _classify(model: Path, texts: list[str]) -> None:
    from plainformer.training.tasks import open_classifier

    for label, probability in open_classifier(model).classify(_lines(texts)):
        print(f"{label}\t{probability:.3f}")


USES: dict[str, Callable[..., None]] = {
    "sample": _sample,
    "translate": _translate,
    "classify": _classify,
}


def _lines(texts: list[str]) -> list[str]:
    """Return the texts of the command line or, if there are none, the lines of standard input."""
    return texts or sys.stdin.read().splitlines()


def _process() -> str:
    """Return the name of this process for messages, which the first or only one does not need."""
    rank = os.environ.get("RANK", "0") if "TORCHELASTIC_RUN_ID" in os.environ else "0"
    return "" if rank == "0" else f"process {rank}: "


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.training",
        description="Train one of the course's models, or use a model that was trained.",
        epilog=EXIT_CODES,
    )
    # Without abbreviations, because --text would be taken for --text-column.
    whole = partial(argparse.ArgumentParser, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, parser_class=whole)
    task = _add_task(
        commands,
        "language-model",
        "train a small GPT on one long text",
        TASKS / "language_model.toml",
        "manual-lm",
    )
    task.add_argument("--text", help="a text file or a corpus, instead of the one in the settings")
    task = _add_task(
        commands,
        "translation",
        "train a small encoder-decoder on pairs of sentences",
        TASKS / "translation" / "grammar.toml",
        "course-translator",
    )
    task.add_argument(
        "--source", help="a file with one sentence per line or, without --target, a table with a "
        "sentence, a tab and its translation in each line",
    )  # fmt: skip
    task.add_argument("--target", help="a file with the translations, line by line")
    task.add_argument(
        "--tokenizer", choices=("words", "bpe"), help="split sentences into words or into BPE "
        "subwords (default: bpe for your own files, words for the grammar)",
    )  # fmt: skip
    task = _add_task(
        commands,
        "classification",
        "train a small encoder on texts with labels",
        TASKS / "classification" / "docstrings.toml",
        "docstring-classifier",
    )
    task.add_argument(
        "--data", help="a CSV file (or .tsv, with tabs) whose first row names its columns"
    )
    task.add_argument("--text-column", help="the column of the texts (text)")
    task.add_argument("--label-column", help="the column of the labels (label)")
    _add_uses(commands)
    return parser


def _add_uses(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the commands that use a trained model."""
    use = commands.add_parser("sample", help="generate text with a language model")
    use.add_argument("--model", type=Path, help="the folder of a model (default: course-lm)")
    use.add_argument("--prompt", default="The", help="the beginning of the text (The)")
    use.add_argument("--tokens", type=int, default=60, help="how many tokens to generate (60)")
    use.add_argument("--temperature", type=float, default=0.8, help="0.8")
    use.add_argument("--top-p", type=float, default=0.95, help="0.95")
    use.add_argument("--seed", type=int, default=0, help="another seed gives another text")
    use = commands.add_parser("translate", help="translate sentences with a translator")
    use.add_argument("texts", nargs="*", help="sentences (default: the lines of standard input)")
    use.add_argument(
        "--model", type=Path, help="the folder of a model (default: course-translator)"
    )
    use.add_argument("--beams", type=int, default=1, help="beams of the search (1: greedy)")
    use = commands.add_parser("classify", help="classify texts with a classifier")
    use.add_argument("texts", nargs="*", help="texts (default: the lines of standard input)")
    use.add_argument("--model", type=Path, required=True, help="the folder of a model")


def _add_task(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    help_: str,
    settings: Path,
    model: str,
) -> argparse.ArgumentParser:
    """Add a task with the options that all tasks have."""
    task = commands.add_parser(
        name,
        help=help_,
        description=f"{help_[0].upper()}{help_[1:]}. A run is saved repeatedly while it trains, "
        "and --resume continues it.",
        epilog=EXIT_CODES,
    )
    task.add_argument(
        "--config", type=Path, default=settings, help=f"settings, in TOML (those of {model})"
    )
    task.add_argument(
        "--out", type=Path, required=True, help="a new folder, for the run and its model"
    )
    task.add_argument(
        "--steps", type=int, help="the number of steps; with --resume, a larger one extends the run"
    )
    task.add_argument("--seed", type=int, help="a seed other than the one in the settings")
    task.add_argument("--resume", action="store_true", help="continue the run in --out")
    task.add_argument(
        "--threads", type=int, default=1, help="cores to compute with (1: the same curve each time)"
    )
    task.add_argument(
        "--bfloat16",
        action="store_true",
        default=None,
        help="compute in bfloat16 (mixed precision)",
    )
    shared = task.add_argument_group(
        "dividing the work", "the same steps with less memory, or by several processes"
    )
    shared.add_argument(
        "--accumulate", type=int, default=1, help="read each batch in this many parts (1)"
    )
    shared.add_argument(
        "--parallel",
        choices=("ddp", "fsdp"),
        default="ddp",
        help="with torchrun: each process has the whole model (ddp) or a shard of it (fsdp)",
    )
    shared.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="where to compute (cpu)"
    )
    return task

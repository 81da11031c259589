"""Train a model from the command line, and use it afterwards.

    python -m plainformer.training language-model --text my.txt --out runs/mine
    python -m plainformer.training sample --model runs/mine/model --prompt "The"
    torchrun --nproc-per-node 2 -m plainformer.training language-model --out runs/lm

Likewise, `translation` trains models for `translate`, and `classification` for `classify`. If you
give no texts of your own, they train on those that come with the course. A run is saved repeatedly
while it trains. If it is interrupted, the same command with --resume continues as if nothing had
happened, and with a larger number of --steps it extends a run.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["main", "new_parser"]

TASKS = Path(__file__).parent / "tasks"
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

EXIT_CODES = "Exit code: 0 if everything worked, 1 if a run broke off, 2 if it could not begin."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, by default the one typed in the shell, and return its exit code."""
    asked = vars(new_parser().parse_args(arguments))
    command, do = asked.pop("command"), asked.pop("do")
    try:  # imported only now, so that --help answers at once, and without torch
        from plainformer.training.tasks import RunFailed
    except ImportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    try:
        do(**asked)
    except (FloatingPointError, MemoryError, RunFailed) as error:
        print(f"{_process()}error: {error}", file=sys.stderr)
        return 1
    except (OSError, ValueError, TypeError) as error:
        print(f"{_process()}error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        resume = "; the same command with --resume continues from the last save"
        print(f"stopped{resume if command in AFTERWARDS else ''}", file=sys.stderr)
        return 1
    return 0


def _train(command: str, **options: Any) -> None:
    from plainformer.training import tasks

    task = getattr(tasks, f"{command.title().replace('-', '')}Task")  # as LanguageModelTask
    folder = tasks.run_task(task, **options)
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


def _lines(texts: list[str]) -> list[str]:
    """Return the texts of the command line or, if there are none, the lines of standard input."""
    return texts or sys.stdin.read().splitlines()


def _process() -> str:
    """Return a prefix that names this process in messages, empty for the first or only one."""
    rank = os.environ.get("RANK", "0") if "TORCHELASTIC_RUN_ID" in os.environ else "0"
    return "" if rank == "0" else f"process {rank}: "


def new_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.training",
        description="Train one of the course's models, or use a model that was trained.",
        epilog=EXIT_CODES,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_tasks(commands)
    _add_uses(commands)
    return parser


def _add_tasks(commands: Commands) -> None:
    """Add the commands that train a model, with the options that they all share."""

    def add_task(name: str, help_: str, config: str) -> Callable[..., object]:
        about = f"{help_[0].upper()}{help_[1:]}. A run is saved repeatedly while it trains, and "
        about += "--resume continues it."
        task = commands.add_parser(name, help=help_, description=about, epilog=EXIT_CODES)
        task.allow_abbrev = False  # otherwise --text would be taken for --text-column
        task.set_defaults(do=partial(_train, name))
        add = task.add_argument
        settings = "settings, in TOML (the course's own)"
        add("--config", type=Path, default=TASKS / config, help=settings)
        add("--out", type=Path, required=True, help="a new folder, for the run and its model")
        add("--steps", type=int, help="how many; with --resume, a larger number extends the run")
        add("--seed", type=int, help="a seed other than the one in the settings")
        add("--resume", action="store_true", help="continue the run in --out")
        cores = "cores to compute with (1: the same curve each time)"
        add("--threads", type=int, default=1, help=cores)
        mixed = "compute in bfloat16 (mixed precision)"
        add("--bfloat16", action="store_true", default=None, help=mixed)
        what = "the same steps with less memory, or by several processes"
        divide = task.add_argument_group("dividing the work", what).add_argument
        divide("--accumulate", type=int, default=1, help="read each batch in this many parts (1)")
        how = "with torchrun: each process has the whole model (ddp) or a shard of it (fsdp)"
        divide("--parallel", choices=("ddp", "fsdp"), default="ddp", help=how)
        divide("--device", choices=("cpu", "cuda"), default="cpu", help="where to compute (cpu)")
        return add

    add = add_task("language-model", "train a small GPT on one long text", "language_model.toml")
    add("--text", help="a text file or a corpus, instead of the one in the settings")

    pairs = "train a small encoder-decoder on pairs of sentences"
    add = add_task("translation", pairs, "translation/grammar.toml")
    source = "a file with one sentence per line or, without --target, a table with a sentence, a "
    add("--source", help=f"{source}tab and its translation in each line")
    add("--target", help="a file with the translations, line by line")
    split = "split sentences into words or into BPE subwords (bpe for your own files)"
    add("--tokenizer", choices=("words", "bpe"), help=split)

    labels = "train a small encoder on texts with labels"
    add = add_task("classification", labels, "classification/docstrings.toml")
    add("--data", help="a CSV file (or .tsv, with tabs) whose first row names its columns")
    add("--text-column", help="the column of the texts (text)")
    add("--label-column", help="the column of the labels (label)")


def _add_uses(commands: Commands) -> None:
    """Add the commands that use a trained model."""

    def add_use(name: str, do: Callable[..., None], help_: str) -> Callable[..., object]:
        use = commands.add_parser(name, help=help_)
        use.set_defaults(do=do)
        return use.add_argument

    add = add_use("sample", _sample, "generate text with a language model")
    add("--model", type=Path, help="the folder of a model (default: course-lm)")
    add("--prompt", default="The", help="the beginning of the text (The)")
    add("--tokens", type=int, default=60, help="how many tokens to generate (60)")
    add("--temperature", type=float, default=0.8, help="0.8")
    add("--top-p", type=float, default=0.95, help="0.95")
    add("--seed", type=int, default=0, help="another seed gives another text")

    texts = "texts (default: the lines of standard input)"
    add = add_use("translate", _translate, "translate with a translator")
    add("texts", nargs="*", help=texts)
    add("--model", type=Path, help="the folder of a model (default: course-translator)")
    add("--beams", type=int, default=1, help="beams of the search (1: greedy)")
    add = add_use("classify", _classify, "classify texts with a classifier")
    add("texts", nargs="*", help=texts)
    add("--model", type=Path, required=True, help="the folder of a model")

"""Every door of the course, on every system: ``python tools/course.py book``, and so on.

Without a door it lists them all. The ``Makefile`` calls this file, so that ``make book`` and
``python tools/course.py book`` are the same; where there is no make, as on Windows, this is enough.
``book SOLUTIONS=no`` leaves the exercises' solutions out of the pages.

It needs nothing but Python: each door first makes or updates the environment that its commands run
in, usually ``.venv``, where what that is made from has changed. The first command that fails ends
the door. If the environment was made with another Python than the one that runs this, it is made
again. bench and checkpoints take long and were tried on Linux only.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import setup_venv
from setup_venv import COURSE, WHEEL, Environment

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = {f"SOLUTIONS={word}": word for word in ("yes", "no")}  # of exercises, on the pages
WITH_SOLUTIONS = ("book", "serve")  # the doors that one may ask for them, or for none
MODELS = ("course_lm", "course_translator")


@dataclass(frozen=True)
class Door:
    """What a door does: other doors first, then its commands, in an environment.

    A command is the name of a program in the environment and its arguments, or a function of ours.
    Of several environments, the first that is ready serves; if none is, the last is made.
    """

    does: str
    commands: Sequence[Sequence[str] | Callable[[], None]] = ()
    after: Sequence[str] = ()
    variables: dict[str, str] = field(default_factory=dict)
    environments: Sequence[Environment] = (COURSE,)


def remove(*names: str) -> Callable[[], None]:
    """Return a function that deletes folders of the course, those that are there."""

    def go() -> None:
        for name in names:
            if (ROOT / name).exists():
                try:
                    shutil.rmtree(ROOT / name)
                except OSError as error:
                    # Windows deletes nothing that runs, such as the Python of .venv.
                    raise SystemExit(f"{name} could not be deleted: {error}") from None

    return go


def keep_models() -> None:
    """Put the models that were just trained where the package ships them."""
    for name in MODELS:
        place = ROOT / "src" / "plainformer" / "checkpoints" / name
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(ROOT / "_build" / name / "model", place)


def train(task: str, model: str) -> list[str]:
    """Return the command that trains one of the shipped models."""
    return ["python", "-m", "plainformer.training", task, "--out", f"_build/{model}"]


# tests/conftest.py says which tests stay together in one worker, and which come first.
DEALT = [
    *("--numprocesses", os.environ.get("WORKERS", "2")),
    *("--dist", "loadgroup", "--no-loadscope-reorder"),
]
ONE_CORE = {"OMP_NUM_THREADS": "1"}  # each worker computes on one, so that two do not crowd

RACES = [
    "tokenization", "positions", "attention", "blocks", "decoding", "training", "translation",
    "glass", "site",
]  # fmt: skip

DOORS = {
    "book": Door("build the course into _build/html", [["python", "tools/build_book.py"]]),
    "serve": Door(
        "show it on a local web server", [["python", "tools/serve_book.py"]], after=["book"]
    ),
    "test": Door(
        "check everything: style, types, layers, units, notebooks, the site in a browser",
        after=["lint", "book", "pytest"],
        # A cell's time limit is the book's; on a machine that does other work the tests allow more.
        variables={"PLAINFORMER_CELL_SECONDS": "1200"},
    ),
    "test-fast": Door(
        "the checks for daily work: no browser, kernel, build or training, fewer random cases",
        [["pytest", "-m", "not slow", *DEALT]],
        variables={**ONE_CORE, "HYPOTHESIS_PROFILE": "fast"},
    ),
    "lint": Door(
        "check style, types, layers, and that the notebooks are in step",
        [
            ["ruff", "check", "."],
            ["ruff", "format", "--check", "."],
            ["mypy"],
            ["lint-imports"],
            ["python", "tools/check_pins.py"],
            ["python", "tools/notebooks.py", "--check"],
        ],
    ),
    "pytest": Door(
        "all tests, without the lint",
        # Pages need browsers, the classroom bubblewrap: each is looked for, then installed.
        [["python", "tools/browsers.py"], ["python", "tools/bubblewrap.py"], ["pytest", *DEALT]],
        after=["book"],
        variables=ONE_CORE,
    ),
    "notebooks": Door(
        "write notebooks/ anew from the chapters", [["python", "tools/notebooks.py"]]
    ),
    "wheel": Door(
        "build the package's wheel into dist/ and look into it",
        [["python", "tools/build_wheel.py"]],
        environments=(COURSE, WHEEL),
    ),
    "bench": Door(
        "measure side by side with peers (never part of the tests)",
        [["python", f"benchmarks/{name}.py"] for name in RACES],
        after=["book"],
    ),
    "checkpoints": Door(
        "train anew the models that the book ships (about a quarter of an hour)",
        [
            remove(*(f"_build/{model}" for model in MODELS)),
            train("language-model", MODELS[0]),
            train("translation", MODELS[1]),
            keep_models,
            ["python", "-m", "plainformer.training.scaling",
             "src/plainformer/checkpoints/scaling.json"],
        ],
    ),
    "lock": Door(
        "pin requirements.txt anew from pyproject.toml", [["python", "tools/lock_requirements.py"]]
    ),
    "clean": Door("delete what was built", [remove("_build", "dist")], environments=()),
    "distclean": Door(
        "delete what was built, and the environment",
        [remove("_build", "dist", ".venv")],
        environments=(),
    ),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Go through the door that the command line names; return its exit status."""
    wide = max(map(len, DOORS))
    parser = argparse.ArgumentParser(
        prog="python tools/course.py",
        usage="%(prog)s DOOR [SOLUTIONS=no]",
        description="The doors of the course:",
        epilog="\n".join(f"  {name:{wide}}  {door.does}" for name, door in DOORS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("door", nargs="?", metavar="DOOR", help=argparse.SUPPRESS)
    parser.add_argument("solutions", nargs="?", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    name, solutions = asked.door, asked.solutions
    if name not in DOORS:
        text = parser.format_help()
        if name is None:
            print(text)
            return 0
        print(f"there is no door {name!r}\n\n{text}", file=sys.stderr)
        return 2
    variables = {**os.environ, "PYTHONUTF8": "1"}
    if solutions is not None:
        if name not in WITH_SOLUTIONS or solutions not in SOLUTIONS:
            doors = " and ".join(WITH_SOLUTIONS)
            print(f"{doors} take SOLUTIONS=no; got {name} {solutions}", file=sys.stderr)
            return 2
        variables["PLAINFORMER_SOLUTIONS"] = SOLUTIONS[solutions]
    if not os.access(ROOT, os.W_OK):
        print(
            f"The course writes in its own folder, {ROOT}, and may not do so here. "
            "Clone or copy it to a place where you can write.",
            file=sys.stderr,
        )
        return 1
    return enter(name, variables, set())


def enter(name: str, variables: dict[str, str], been: set[str]) -> int:
    """Go through a door, and before it through those that it comes after, each once."""
    door = DOORS[name]
    variables = {**variables, **door.variables}
    for other in door.after:
        if other not in been and (status := enter(other, variables, been)):
            return status
    been.add(name)
    environment = environment_of(door)
    ready = environment and setup_venv.is_ready(environment, ROOT)
    if environment and not ready and (status := setup_venv.make(environment, ROOT)):
        return status
    for command in door.commands:
        if callable(command):
            command()
        elif environment and (status := run(command, variables, ROOT / environment.folder)):
            return status
    return 0


def environment_of(door: Door) -> Environment | None:
    """Return the environment that a door's commands run in; None for a door that needs none."""
    ready = (one for one in door.environments if setup_venv.is_ready(one, ROOT))
    return next(ready, door.environments[-1] if door.environments else None)


def run(command: Sequence[str], variables: dict[str, str], environment: Path) -> int:
    """Run a command in the course's folder and wait for its end; return its exit status."""
    name, *arguments = command
    python = setup_venv.python_of(environment)
    program = python if name == "python" else python.with_name(name + python.suffix)
    print("$", *command, flush=True)
    child = subprocess.Popen([program, *arguments], cwd=ROOT, env=variables)
    while True:
        try:
            status = child.wait()
            return status if status >= 0 else 128 - status  # ended by a signal, as shells say it
        except KeyboardInterrupt:  # the terminal has told the child, too, which ends as it should
            continue

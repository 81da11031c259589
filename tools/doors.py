"""The targets of the course, on every platform: ``python tools/course.py book``, and so on.

Without a target, the script lists all of them. The ``Makefile`` calls the same script, so that
``make book`` and ``python tools/course.py book`` are equivalent, and systems without make, such as
Windows, do not need it. ``book SOLUTIONS=no`` leaves the exercises' solutions out of the pages.

Only Python itself has to be installed. Each target first creates the environment that its commands
run in, usually ``.venv``, or updates it if the files that define it have changed. An environment
that was created with a different Python than the one running this script is created again. A
target stops at the first command that fails. ``bench`` and ``checkpoints`` take long and have been
tried on Linux only.
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
SOLUTIONS = {f"SOLUTIONS={word}": word for word in ("yes", "no")}  # show the exercises' solutions?
WITH_SOLUTIONS = ("book", "serve")  # the targets that accept SOLUTIONS=…
MODELS = ("course_lm", "course_translator")
STORIES = "src/plainformer/training/tasks/stories.toml"


@dataclass(frozen=True)
class Door:
    """A target: it runs other targets first, and then its own commands in an environment.

    A command is a program in the environment with its arguments, or a function of this module. If
    several environments are named, the first that is ready is used; if none is, the last is made.
    """

    does: str
    commands: Sequence[Sequence[str] | Callable[[], None]] = ()
    after: Sequence[str] = ()
    variables: dict[str, str] = field(default_factory=dict)
    environments: Sequence[Environment] = (COURSE,)


def remove(*names: str) -> Callable[[], None]:
    """Return a function that deletes those of the named folders that exist."""

    def go() -> None:
        for name in names:
            if (ROOT / name).exists():
                try:
                    shutil.rmtree(ROOT / name)
                except OSError as error:
                    # Windows cannot delete a running program, such as the Python in .venv.
                    raise SystemExit(f"{name} could not be deleted: {error}") from None

    return go


def keep_models() -> None:
    """Copy the newly trained models into the package."""
    for name in MODELS:
        place = ROOT / "src" / "plainformer" / "checkpoints" / name
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(ROOT / "_build" / name / "model", place)
        checkpoints = ROOT / "_build" / name / "checkpoints"
        if checkpoints.is_dir():
            shutil.copytree(checkpoints, place / "checkpoints")


def train(task: str, model: str, *options: str) -> list[str]:
    """Return the command that trains one of the shipped models."""
    return ["python", "-m", "plainformer.training", task, "--out", f"_build/{model}", *options]


# tests/conftest.py says which tests stay together in one worker, and which come first.
DEALT = [
    *("--numprocesses", os.environ.get("WORKERS", "2")),
    *("--dist", "loadgroup", "--no-loadscope-reorder"),
]
ONE_CORE = {"OMP_NUM_THREADS": "1"}  # one thread per worker, so that workers do not compete

BENCHMARKS = [
    "tokenization", "positions", "attention", "blocks", "decoding", "training", "translation",
    "glass", "site",
]  # fmt: skip

DOORS = {
    "book": Door("build the course into _build/html", [["python", "tools/build_book.py"]]),
    "serve": Door(
        "show it on a local web server", [["python", "tools/serve_book.py"]], after=["book"]
    ),
    "live": Door(
        "build the site with Python in the page, into _build/live",
        [["python", "tools/make_live.py"]],
        after=["book"],
    ),
    "test": Door(
        "run every check: style, types, layers, unit tests, notebooks, the site in browsers",
        after=["lint", "book", "pytest"],
        # A cell gets more time here than in the book, because the tests may run on a busy machine.
        variables={"PLAINFORMER_CELL_SECONDS": "1200"},
    ),
    "test-fast": Door(
        "run the fast tests, without browsers, kernels, builds or training, on fewer random cases",
        [["pytest", "-m", "not slow", *DEALT]],
        variables={**ONE_CORE, "HYPOTHESIS_PROFILE": "fast"},
    ),
    "lint": Door(
        "check style, types and layers, and that the notebooks are up to date",
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
        "run all tests without the linters",
        # The tests of the site need browsers, and those of the classroom need bubblewrap.
        [["python", "tools/browsers.py"], ["python", "tools/bubblewrap.py"], ["pytest", *DEALT]],
        after=["book"],
        variables=ONE_CORE,
    ),
    "notebooks": Door(
        "regenerate notebooks/ from the chapters", [["python", "tools/notebooks.py"]]
    ),
    "wheel": Door(
        "build the package's wheel into dist/ and check it",
        [["python", "tools/build_wheel.py"]],
        environments=(COURSE, WHEEL),
    ),
    "bench": Door(
        "benchmark against comparable libraries (never part of the tests)",
        [["python", f"benchmarks/{name}.py"] for name in BENCHMARKS],
        after=["book"],
    ),
    "checkpoints": Door(
        "retrain the models that ship with the book (about an hour; needs the stories)",
        [
            remove(*(f"_build/{model}" for model in MODELS)),
            train("language-model", MODELS[0], "--config", STORIES, "--threads", "2"),
            train("translation", MODELS[1]),
            keep_models,
            ["python", "benchmarks/stories.py", "--write"],
            ["python", "tools/record_scaling.py", "src/plainformer/checkpoints/scaling.json"],
        ],
    ),
    "lock": Door(
        "update the pins in requirements.txt from pyproject.toml",
        [["python", "tools/lock_requirements.py"]],
    ),
    "clean": Door("delete everything that was built", [remove("_build", "dist")], environments=()),
    "distclean": Door(
        "delete everything that was built, and the environment",
        [remove("_build", "dist", ".venv")],
        environments=(),
    ),
}  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the target named on the command line; return its exit status."""
    wide = max(map(len, DOORS))
    parser = argparse.ArgumentParser(
        prog="python tools/course.py",
        usage="%(prog)s TARGET [SOLUTIONS=no]",
        description="Targets:",
        epilog="\n".join(f"  {name:{wide}}  {door.does}" for name, door in DOORS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    parser.add_argument("door", nargs="?", metavar="TARGET", help=argparse.SUPPRESS)
    parser.add_argument("solutions", nargs="?", help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    name, solutions = asked.door, asked.solutions
    if name not in DOORS:
        text = parser.format_help()
        if name is None:
            print(text)
            return 0
        print(f"unknown target {name!r}\n\n{text}", file=sys.stderr)
        return 2
    variables = {**os.environ, "PYTHONUTF8": "1"}
    if solutions is not None:
        if name not in WITH_SOLUTIONS or solutions not in SOLUTIONS:
            doors = " and ".join(WITH_SOLUTIONS)
            print(
                f"only {doors} accept SOLUTIONS=yes or SOLUTIONS=no; got {name} {solutions}",
                file=sys.stderr,
            )
            return 2
        variables["PLAINFORMER_SOLUTIONS"] = SOLUTIONS[solutions]
    if not os.access(ROOT, os.W_OK):
        print(
            f"The course needs to write to its own folder, {ROOT}, but has no permission to. "
            "Clone or copy it to a folder that you can write to.",
            file=sys.stderr,
        )
        return 1
    return enter(name, variables, set())


def enter(name: str, variables: dict[str, str], been: set[str]) -> int:
    """Run a target after the targets that it depends on, each of them only once."""
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
    """Return the environment that a target's commands run in; None if it needs none."""
    ready = (one for one in door.environments if setup_venv.is_ready(one, ROOT))
    return next(ready, door.environments[-1] if door.environments else None)


def run(command: Sequence[str], variables: dict[str, str], environment: Path) -> int:
    """Run a command in the course's folder and return its exit status when it is done."""
    name, *arguments = command
    python = setup_venv.python_of(environment)
    program = python if name == "python" else python.with_name(name + python.suffix)
    print("$", *command, flush=True)
    child = subprocess.Popen([program, *arguments], cwd=ROOT, env=variables)
    while True:
        try:
            status = child.wait()
            return status if status >= 0 else 128 - status  # ended by a signal, as shells say it
        except KeyboardInterrupt:  # the child gets Ctrl-C as well, and cleans up
            continue

"""Measure the classroom: notebooks a second, a whole batch, memory at its limit, a killed grader.

    python benchmarks/classroom.py [speed] [batch] [memory] [release] [kill]
        [--jobs 2] [--students 300] [--nbgrader PATH/TO/bin/nbgrader]

Each part makes a course of its own in a temporary folder, from the exercises of the template, with
answers that are right, wrong and missing. nbgrader marks the same notebooks, on a kernel for each,
if it is said where it is; it is no dependency of this project.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from plainformer.classroom.course import load_course
from plainformer.classroom.doctor import EXERCISE as DOUBLE
from plainformer.classroom.export import as_csv
from plainformer.classroom.grade import grade, marks_of
from plainformer.classroom.judge import judge
from plainformer.classroom.leaks import leaks
from plainformer.classroom.new import new_course
from plainformer.classroom.notebook import answer_id
from plainformer.classroom.release import is_public, release
from plainformer.classroom.sandbox import Limits, choose
from plainformer.classroom.sandbox.limits import tree, used
from plainformer.exercises.spec import Exercise

PARTS = ("speed", "batch", "memory", "release", "kill")
TORCH = """
import torch
def {entry}(*args, answer={entry}):
    torch.ones(3).sum()
    return answer(*args)
"""
CHECK = "import numpy as np\nassert {call} is not None"


def course(folder: Path, n: int) -> list[Exercise]:
    """A course of one assignment with n exercises; return them."""
    new_course(folder)
    names = sorted(path.stem for path in (folder / "exercises").glob("*.py"))[:n]
    listed = ", ".join(f'"course.{name}"' for name in names)
    (folder / "course.toml").write_text(
        f'[course]\nname = "Measured"\n[assignments.week-1]\nexercises = [{listed}]\n'
    )
    (folder / "submissions" / "week-1").mkdir(parents=True)
    return list(load_course(folder).assignment("week-1").exercises)


def answer(exercise: Exercise, *, torch: bool = False) -> str:
    """A right answer, as a student would hand it in: the reference without its tests."""
    module = sys.modules[exercise.reference.__module__]
    lines = [line for line in inspect.getsource(module).splitlines() if "import" in line[:7]]
    kept = [line for line in lines if "__future__" not in line and "exercises" not in line]
    text = "\n".join([*kept, inspect.getsource(exercise.reference)])
    return text + (TORCH.format(entry=exercise.entry) if torch else "")


def hand_in(folder: Path, student: str, answers: dict[str, str]) -> None:
    """Write a student's notebook."""
    cells = [
        {"cell_type": "code", "id": answer_id(name), "metadata": {}, "source": source}
        for name, source in answers.items()
    ]
    body = {"cells": cells, "metadata": {"plainformer": {"assignment": "week-1"}}}
    (folder / "submissions" / "week-1" / f"{student}.ipynb").write_text(json.dumps(body))


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder that goes again."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "course"


def speed(options: argparse.Namespace) -> None:
    """Notebooks of one exercise a second, with NumPy and with torch."""
    for kind, torch in (("NumPy", False), ("torch", True)):
        for sandbox in ("zygote", "bubblewrap"):
            with scratch() as folder:
                (exercise,) = course(folder, 1)
                n = options.notebooks if sandbox == "zygote" else options.notebooks // 5
                for i in range(n):
                    hand_in(folder, f"s{i:03}", {exercise.id: answer(exercise, torch=torch)})
                start = time.perf_counter()
                counted = grade(folder, "week-1", jobs=options.jobs, sandbox=sandbox, quiet=True)
                elapsed = time.perf_counter() - start
            told = f"{n} notebooks, {dict(counted)}"
            say(f"{kind} notebooks of one exercise a second, {sandbox}", n / elapsed, told)
    if options.nbgrader:
        _nbgrader(options.nbgrader, options.notebooks // 10)
    else:
        print("nbgrader: not measured; --nbgrader says where it is")


def _nbgrader(program: str, n: int) -> None:
    with scratch() as folder, scratch() as own:
        (exercise,) = course(own, 1)
        source = folder / "source" / "week-1"
        source.mkdir(parents=True)
        meta = {"schema_version": 3, "locked": False, "solution": False, "task": False}
        answered = {"grade": False, "grade_id": "answer", **meta, "solution": True}
        tested = {"grade": True, "grade_id": "test", "points": 1, **meta, "locked": True}
        call = exercise.call_text(exercise.cases[0].args)
        cells = [
            {"cell_type": "code", "id": name, "execution_count": None, "outputs": [],
             "metadata": {"nbgrader": about}, "source": text}
            for name, about, text in (
                ("answer", answered, answer(exercise)),
                ("test", tested, CHECK.format(call=call)),
            )
        ]  # fmt: skip
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        body = {"cells": cells, "metadata": {"kernelspec": kernel}}
        (source / "p.ipynb").write_text(json.dumps({**body, "nbformat": 4, "nbformat_minor": 5}))
        (folder / "nbgrader_config.py").write_text("c = get_config()\n")
        path = f"{Path(program).absolute().parent}{os.pathsep}{os.environ['PATH']}"
        run = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL,
               "env": {**os.environ, "PATH": path}}  # fmt: skip
        subprocess.run([program, "generate_assignment", "week-1"], **run)
        for i in range(n):
            place = folder / "submitted" / f"s{i:03}" / "week-1"
            place.mkdir(parents=True)
            shutil.copy(source / "p.ipynb", place)
        start = time.perf_counter()
        subprocess.run([program, "autograde", "week-1"], **run)
        elapsed = time.perf_counter() - start
        done = len(list((folder / "autograded").glob("*/week-1/p.ipynb")))
        say("the same by nbgrader, one after the other", done / elapsed, f"{done} notebooks")


def batch(options: argparse.Namespace) -> None:
    """All of an assignment of five exercises, then again with nothing changed."""
    with scratch() as folder:
        exercises = course(folder, 5)
        for i in range(options.students):
            answers = {each.id: answer(each) for each in exercises}
            if i % 5 == 0:
                answers[exercises[i % 4].id] = exercises[i % 4].stub
            hand_in(folder, f"s{i:03}", answers)
        for title in ("first", "again, unchanged"):
            start = time.perf_counter()
            ours = [sys.executable, "-m", "plainformer.classroom.commands", "--course", str(folder)]
            done = subprocess.run(
                [*ours, "grade", "week-1", "-j", str(options.jobs)], check=True, capture_output=True
            )
            elapsed = time.perf_counter() - start
            told = f"{options.students} of five exercises; {done.stdout.decode().strip()}"
            say(f"a batch, {title}, s", elapsed, told)


def memory(_: argparse.Namespace) -> None:
    """The most that a submission over its limit had, looked at from outside."""
    limit = 400 << 20
    cell = (
        "def double(x):\n    kept = []\n    while True:\n"
        "        kept.append(bytearray(1 << 20))\n        kept[-1][::4096] = b'x' * 256"
    )
    peaks = []
    for _turn in range(5):
        start, peak, done = choose("best", Limits(memory=limit)), [0], threading.Event()

        def watch(peak: list[int] = peak, done: threading.Event = done) -> None:
            while not done.is_set():  # the submission is the largest of our processes, soon enough
                each_has = (used([pid])[0] for pid in tree(os.getpid())[1:])
                peak[0] = max(peak[0], max(each_has, default=0))

        watching = threading.Thread(target=watch)
        watching.start()
        mark = judge(DOUBLE, [cell], start, secret=b"", student="")
        done.set()
        watching.join()
        peaks.append(peak[0] / limit)
    say(
        "memory of a submission over its limit, of the limit", max(peaks), f"{mark.status}, 5 turns"
    )


def leak_test(options: argparse.Namespace) -> None:
    """An assignment of 30 exercises, released and looked through."""
    with scratch() as folder:
        course(folder, 10)
        text = (folder / "course.toml").read_text()
        own = text.partition("exercises = [")[2].partition("]")[0]
        book = ", ".join(f'"{name}"' for name in _of_the_book(20))
        (folder / "course.toml").write_text(text.replace(own, f"{own}, {book}"))
        start = time.perf_counter()
        loaded = load_course(folder)
        notebook = release(loaded, loaded.assignment("week-1"))
        elapsed = time.perf_counter() - start
        graded = loaded.assignment("week-1").exercises
        own_ones = [each for each in graded if not is_public(each)]
        found = sum(len(leaks(notebook, each)) for each in own_ones)
        found += loaded.secret.decode() in notebook
        n = len(graded)
        say("a release, s", elapsed, f"{n} exercises; {found} leaks")


def _of_the_book(n: int) -> list[str]:
    from plainformer.exercises.registry import exercise_ids

    return list(exercise_ids())[:n]


def kill(options: argparse.Namespace) -> None:
    """Kill a grader at random moments, let another finish, and compare the tables."""
    rng = random.Random(0)
    with scratch() as folder:
        exercises = course(folder, 2)
        for i in range(12):
            answers = {each.id: answer(each) if i % 3 else each.stub for each in exercises}
            hand_in(folder, f"s{i:03}", answers)
        grade(folder, "week-1", jobs=options.jobs, quiet=True)
        wanted, same, killed = as_csv(marks_of(folder, "week-1")), 0, 0
        ours = [sys.executable, "-m", "plainformer.classroom.commands", "--course", str(folder)]
        ours += ["grade", "week-1", "-j", str(options.jobs)]
        for _ in range(20):
            shutil.rmtree(folder / "marks")
            running = subprocess.Popen(ours, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            with suppress(subprocess.TimeoutExpired):
                running.wait(rng.uniform(0.5, 4.0))
            killed += running.poll() is None
            running.send_signal(signal.SIGKILL)
            running.wait()
            subprocess.run(ours, check=True, stdout=subprocess.DEVNULL)
            same += as_csv(marks_of(folder, "week-1")) == wanted
        say("a killed grader, resumed: the same table", same, f"of 20; {killed} were still busy")


def say(what: str, figure: float, told: str) -> None:
    """Print one figure."""
    print(f"{what}: {figure:.2f}   ({told}; load {os.getloadavg()[0]:.1f})", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all of them without")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--students", type=int, default=300)
    parser.add_argument("--notebooks", type=int, default=100)
    parser.add_argument("--nbgrader", metavar="PROGRAM", help="in an environment of its own")
    options = parser.parse_args()
    runs = (speed, batch, memory, leak_test, kill)
    print(f"{os.cpu_count()} processors, {options.jobs} at once, NumPy {np.__version__}")
    for name, run in zip(PARTS, runs, strict=True):
        if name in (options.parts or PARTS):
            run(options)


if __name__ == "__main__":
    main()

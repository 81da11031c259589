"""The doors of the course: what each runs, in which order, and on Windows too; and refusals."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import course
import setup_venv
from course import DOORS, ROOT, main

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands in for the checkout, with an environment that is ready."""
    for name in course.SOURCES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(course, "ROOT", tmp_path)
    environment(tmp_path, sys.platform)
    return tmp_path


def environment(checkout: Path, platform: str) -> None:
    """Lay out .venv as a system does."""
    python = setup_venv.python_of(checkout / ".venv", platform)
    python.parent.mkdir(parents=True)
    python.touch()
    (checkout / ".venv" / ".ready").touch()


class Children:
    """Stands in for subprocess.Popen: notes what would run; `fails` is the program that does."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.variables: list[dict[str, str]] = []
        self.fails = ""

    def __call__(self, command: list[Any], cwd: Path, env: dict[str, str]) -> "Children":
        program, *arguments = command
        shown = Path(program).relative_to(cwd / ".venv").as_posix()
        self.lines.append(" ".join([shown, *arguments]))
        self.variables.append(env)
        return self

    def wait(self) -> int:
        return 3 if self.fails and self.fails in self.lines[-1] else 0


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> Children:
    noted = Children()
    monkeypatch.setattr(subprocess, "Popen", noted)
    return noted


def test_make_has_the_same_doors_and_the_readme_names_those_that_there_are() -> None:
    (named,) = re.findall(r"^DOORS := (.*)$", MAKEFILE, re.MULTILINE)
    assert named.split() == list(DOORS)
    assert re.findall(r"tools/course\.py(.*)$", MAKEFILE, re.MULTILINE)[-2:] == [
        " $@ $(SOLUTIONS:%=SOLUTIONS=%)",
        "",
    ]
    code = r"(?:`|^)(?:make|python tools/course\.py) ([a-z-]+)\b"
    used = set(re.findall(code, README, re.MULTILINE))
    assert {"book", "test", "wheel"} <= used <= {*DOORS}


def test_every_file_that_a_door_runs_is_there() -> None:
    for door in DOORS.values():
        for command in door.commands:
            if not callable(command):
                files = [one for one in command if one.startswith(("tools/", "benchmarks/"))]
                assert all((ROOT / file).is_file() for file in files)


def test_the_test_door_checks_then_builds_once_then_tests(
    checkout: Path, children: Children
) -> None:
    assert main(["test"]) == 0
    programs = [" ".join(line.split()[:2]) for line in children.lines]
    folder = programs[0].split("/")[0]
    assert programs == [
        f"{folder}/{each}"
        for each in (
            "ruff check", "ruff format", "mypy", "lint-imports", "python tools/notebooks.py",
            "python tools/build_book.py", "python tools/browsers.py",
            "python tools/bubblewrap.py", "pytest --numprocesses",
        )
    ]  # fmt: skip
    assert all(one["PLAINFORMER_CELL_SECONDS"] == "1200" for one in children.variables)
    assert all(one["PYTHONUTF8"] == "1" for one in children.variables)
    assert children.variables[-1]["OMP_NUM_THREADS"] == "1"
    assert "--dist loadgroup --no-loadscope-reorder" in children.lines[-1]


def test_the_book_can_be_asked_for_without_solutions(
    checkout: Path, children: Children, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["book", "SOLUTIONS=no"]) == 0
    assert children.variables[-1]["PLAINFORMER_SOLUTIONS"] == "no"
    for door, asked in (("test", "SOLUTIONS=no"), ("book", "SOLUTIONS=none"), ("book", "no")):
        assert main([door, asked]) == 2
        assert f"got {door} {asked}" in capsys.readouterr().err
    assert len(children.lines) == 1


def test_the_first_command_that_fails_ends_a_door(checkout: Path, children: Children) -> None:
    children.fails = "format"
    assert main(["test"]) == 3
    assert len(children.lines) == 2


@pytest.mark.parametrize("door", [name for name, door in DOORS.items() if door.environment])
def test_on_windows_programs_stand_elsewhere(
    checkout: Path, children: Children, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(course.shutil, "copytree", lambda trained, place: None)
    environment(checkout, "win32")
    assert main([door]) == 0
    assert children.lines
    for line in children.lines:
        assert re.match(r"Scripts/(python|ruff|mypy|lint-imports|pytest)\.exe( |$)", line)


def test_the_environment_is_made_when_it_is_missing_or_older_than_what_it_is_made_from(
    checkout: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[list[str]] = []

    def make(arguments: list[str]) -> int:
        made.append(arguments)
        return 1

    monkeypatch.setattr(setup_venv, "main", make)
    assert main(["notebooks"]) == 0 and made == []
    ready = (checkout / ".venv" / ".ready").stat().st_mtime
    os.utime(checkout / "requirements.txt", (ready + 9, ready + 9))
    assert main(["notebooks"]) == 1 and made == [[]]
    os.utime(checkout / "requirements.txt", (ready, ready))
    setup_venv.python_of(checkout / ".venv").unlink()  # the system's Python was taken away
    assert main(["notebooks"]) == 1 and made == [[], []]
    assert len(children.lines) == 1, "nothing runs where the set-up failed"


def test_clean_deletes_what_was_built_and_needs_no_environment(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_venv, "main", lambda arguments: pytest.fail("it was set up"))
    (checkout / "_build" / "html").mkdir(parents=True)
    assert main(["clean"]) == 0
    assert not (checkout / "_build").exists() and (checkout / ".venv").exists()
    assert main(["distclean"]) == 0
    assert not (checkout / ".venv").exists() and (checkout / "pyproject.toml").exists()


def test_a_folder_in_use_gets_a_sentence(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError("python.exe is in use")

    monkeypatch.setattr(course.shutil, "rmtree", refuse)
    with pytest.raises(SystemExit, match=r"^\.venv could not be deleted: python\.exe is in use$"):
        main(["distclean"])


def test_without_a_door_it_lists_them_and_a_wrong_one_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in DOORS)
    assert main(["boook"]) == 2
    assert capsys.readouterr().err.startswith("there is no door 'boook'")


def test_what_a_shell_sends_to_both_is_left_to_the_child(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl+C while `serve` runs: the server says goodbye, and its exit status counts."""

    class Interrupted(Children):
        times = 0

        def wait(self) -> int:
            self.times += 1
            if self.times == 1:
                raise KeyboardInterrupt
            return -15

    monkeypatch.setattr(subprocess, "Popen", Interrupted())
    assert main(["notebooks"]) == 128 + 15


def test_an_old_python_is_told_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_venv, "OLDEST", (3, 99))
    assert setup_venv.main([]) == 1
    said = capsys.readouterr().err
    assert "Plainformer needs Python 3.99 or newer" in said
    assert "tools/course.py book, or make PYTHON=python3.99 book" in said

"""The doors of the course: what each runs, in which order, and on Windows too; and refusals."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import doors
import setup_venv
from course import OLDEST
from doors import DOORS, ROOT, main
from setup_venv import COURSE, WHEEL, Environment

MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands in for the checkout, with an environment that is ready."""
    for name in setup_venv.SOURCES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setattr(doors, "ROOT", tmp_path)
    environment(tmp_path, sys.platform)
    return tmp_path


def environment(checkout: Path, platform: str, which: Environment = COURSE) -> None:
    """Lay out an environment as a system does."""
    folder = checkout / which.folder
    python = setup_venv.python_of(folder, platform)
    python.parent.mkdir(parents=True)
    python.touch()
    (folder / ".ready").touch()


class Children:
    """Stands in for subprocess.Popen: notes what would run; `fails` is the program that does."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.folders: list[Path] = []
        self.variables: list[dict[str, str]] = []
        self.fails = ""

    def __call__(self, command: list[Any], cwd: Path, env: dict[str, str]) -> "Children":
        program, *arguments = command
        folder = cwd / (WHEEL if WHEEL.folder in program.as_posix() else COURSE).folder
        shown = Path(program).relative_to(folder).as_posix()
        self.folders.append(folder)
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


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
def test_a_plain_make_keeps_the_python_of_the_environment_and_a_named_one_wins(
    tmp_path: Path,
) -> None:
    def chosen(*words: str) -> str:
        # `make PYTHON=python3.12 test` hands its words on to any make below it.
        # This one is not below: `make test` must not be seen, nor must make announce its folder.
        named = ("PYTHON", "MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL")
        clean = {key: value for key, value in os.environ.items() if key not in named}
        command = ["make", "--dry-run", "help", *words]
        done = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True)
        return done.stdout.split()[0]

    (tmp_path / "Makefile").write_text(MAKEFILE)
    assert chosen() == "python3"
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert chosen() == "python3", "half-made"
    (tmp_path / ".venv" / ".ready").touch()
    assert chosen() == ".venv/bin/python"
    assert chosen("PYTHON=python3.99") == "python3.99"
    python.unlink()
    python.symlink_to(tmp_path / "gone")  # the system's Python was taken away
    assert chosen() == "python3"


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
    places = [
        next(i for i, line in enumerate(children.lines) if program in line)
        for program in ("ruff check", "tools/build_book.py", "pytest --numprocesses")
    ]
    assert places == sorted(places)
    assert sum("tools/build_book.py" in line for line in children.lines) == 1
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


@pytest.mark.parametrize("door", [name for name, door in DOORS.items() if door.environments])
def test_on_windows_programs_stand_elsewhere(
    checkout: Path, children: Children, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(doors.shutil, "copytree", lambda trained, place: None)
    environment(checkout, "win32")
    assert main([door]) == 0
    assert children.lines
    for line in children.lines:
        assert re.match(r"Scripts/(python|ruff|mypy|lint-imports|pytest)\.exe( |$)", line)


def test_the_environment_is_made_when_it_is_missing_or_older_than_what_it_is_made_from(
    checkout: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Environment] = []

    def make(which: Environment, root: Path) -> int:
        assert root == checkout
        made.append(which)
        return 1

    monkeypatch.setattr(setup_venv, "make", make)
    assert main(["notebooks"]) == 0 and made == []
    ready = (checkout / ".venv" / ".ready").stat().st_mtime
    os.utime(checkout / "requirements.txt", (ready + 9, ready + 9))
    assert main(["notebooks"]) == 1 and made == [COURSE]
    os.utime(checkout / "requirements.txt", (ready, ready))
    setup_venv.python_of(checkout / ".venv").unlink()  # the system's Python was taken away
    assert main(["notebooks"]) == 1 and made == [COURSE, COURSE]
    assert len(children.lines) == 1, "nothing runs where the set-up failed"


def test_clean_deletes_what_was_built_and_needs_no_environment(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_venv, "make", lambda *_: pytest.fail("it was set up"))
    (checkout / "_build" / "html").mkdir(parents=True)
    assert main(["clean"]) == 0
    assert not (checkout / "_build").exists() and (checkout / ".venv").exists()
    assert main(["distclean"]) == 0
    assert not (checkout / ".venv").exists() and (checkout / "pyproject.toml").exists()


def test_a_folder_in_use_gets_a_sentence(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> None:
        raise PermissionError("python.exe is in use")

    monkeypatch.setattr(doors.shutil, "rmtree", refuse)
    with pytest.raises(SystemExit, match=r"^\.venv could not be deleted: python\.exe is in use$"):
        main(["distclean"])


def test_a_tree_in_which_nothing_can_be_written_gets_a_sentence(
    checkout: Path,
    children: Children,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: (path, mode) != (checkout, os.W_OK))
    assert main(["book"]) == 1 and children.lines == []
    said = capsys.readouterr().err
    assert f"to write to its own folder, {checkout}, but has no permission to." in said


def test_without_a_door_it_lists_them_and_a_wrong_one_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    listed = capsys.readouterr().out
    assert all(f"  {name} " in listed for name in DOORS)
    assert main(["boook"]) == 2
    assert capsys.readouterr().err.startswith("unknown target 'boook'")


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


def test_the_wheel_is_built_in_the_course_s_environment_if_that_is_ready_else_in_a_small_one(
    checkout: Path, children: Children, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Environment] = []

    def make(which: Environment, root: Path) -> int:
        made.append(which)
        environment(root, sys.platform, which)
        return 0

    monkeypatch.setattr(setup_venv, "make", make)
    assert main(["wheel"]) == 0 and made == []
    (checkout / COURSE.folder / ".ready").unlink()
    for _ in range(2):
        assert main(["wheel"]) == 0 and made == [WHEEL]
    assert children.folders == [checkout / one.folder for one in (COURSE, WHEEL, WHEEL)]


# course.py, which looks at the Python first

COURSE_PY = ROOT / "tools" / "course.py"
SENTENCE = (
    r"Plainformer needs Python 3\.11 or newer, but \S+ is {}\.\n"
    r"Run it with a newer one, for example:"
)


def test_an_old_python_is_told_what_to_do() -> None:
    code = "import runpy, sys; sys.version_info = (3, 7, 16); runpy.run_path(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", code, COURSE_PY], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stdout == ""
    assert re.match(SENTENCE.format(r"3\.7\.16"), done.stderr)
    oldest = ".".join(map(str, OLDEST))
    assert f"python{oldest} tools/course.py book" in done.stderr
    assert f"make PYTHON=python{oldest} book" in done.stderr


def test_an_old_python_can_read_the_file_that_tells_it() -> None:
    """Python's own parser knows what each version of Python 3 can read; Python 2 reads ASCII.

    Since 3.12 it lets f-strings pass, which are therefore looked for.
    """
    source = COURSE_PY.read_text("ascii")
    tree = ast.parse(source, feature_version=(3, 4))
    assert not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree))
    with pytest.raises(SyntaxError):
        ast.parse(source + "found: int = 1", feature_version=(3, 4))


@pytest.mark.skipif(os.name != "posix", reason="only POSIX systems have such pipes")
@pytest.mark.parametrize(("doors", "status"), [([], 0), (["clean"], 1)])
def test_a_reader_that_leaves_is_no_reason_for_a_traceback(
    doors: list[str], status: int, tmp_path: Path
) -> None:
    """As `python tools/course.py | head -1` does; the list has been read enough, a door has not."""
    (tmp_path / "doors.py").write_text("def main(): print('a line')")
    copy = tmp_path / "course.py"
    copy.write_text(COURSE_PY.read_text("ascii"))
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run([sys.executable, copy, *doors], stdout=writes, stderr=subprocess.PIPE)
    os.close(writes)
    assert (done.returncode, done.stderr) == (status, b"")

"""Every command on the page for teachers does what the page shows, one after the other."""

import contextlib
import inspect
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from plainformer.classroom import commands
from plainformer.classroom.commands import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/appendix/classroom.md").read_text("utf-8")
BLOCK = re.compile(r"^```\{code-block\} (console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def steps(block):
    """Each command of a block, and what the page says that it prints."""
    whole = block.replace("\\\n", " ")  # a line that ends with \ goes on in the next one
    for part in re.split(r"^\$ ", whole, flags=re.MULTILINE)[1:]:
        command, _, said = part.partition("\n")
        yield shlex.split(command), said


def files(folder):
    """Every mark's file, and its bytes."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("marks/**/*.json")}


def prepare(words):
    """What a teacher does by hand between the commands."""
    if words[1] == "feedback":
        table = Path("manual/week-1.csv")
        table.write_text(table.read_text("utf-8").replace(",heat_map,,", ",heat_map,2,"), "utf-8")
    if "1/2" in words:
        shutil.rmtree("marks")
        shutil.copytree(".", "../other_machine")


def run(words):
    """Run a command; return what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        status = main(words[1:])
    assert status == 0, words
    return printed.getvalue()


@pytest.mark.slow
def test_the_page_can_be_followed_from_its_first_line_to_its_last(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran, one_machine = set(), {}
    for kind, body in BLOCK.findall(PAGE):
        if kind == "toml":
            # Sandboxes are tried elsewhere; a little is enough for answers as small as these.
            whole = f'{body}[grading]\nsandbox = "unsafe"\nseconds = 2\n'
            added = "" if body.startswith("[course]") else Path("course.toml").read_text()
            Path("course.toml").write_text(f"{added}\n{body}" if added else whole)
            continue
        for words, said in steps(body):
            ran.update(words)
            if words[0] == "cd":
                monkeypatch.chdir(words[1])
            # test_judge.py hands in the doctor's hostile answers; test_look.py opens the pages.
            elif words[1] != "doctor" and "--look" not in words:
                one_machine = one_machine or files(Path())
                prepare(words)
                printed = run(words)
                if said.startswith("…"):
                    assert printed.endswith(said[1:]) and printed != said, words
                else:
                    assert not said or printed == said, words
    assert {"new", "validate", "release", "grade", "collect", "report", "merge"} <= ran
    assert files(Path()) == one_machine and len(one_machine) == 16
    assert len(Path("marks.csv").read_text().splitlines()) == 9


def test_the_doctors_last_line_is_the_one_on_the_page():
    (said,) = re.findall(r"The last line must be `(.*?)`", PAGE)
    assert f'"{said}"' in inspect.getsource(commands)


@pytest.mark.parametrize(
    "status", ["ok", "wrong", "timeout", "memory", "crashed", "violation", "unreadable", "missing"]
)
def test_the_page_tells_every_status(status):
    assert re.search(rf"^\| .*`{status}`", PAGE, re.MULTILINE)

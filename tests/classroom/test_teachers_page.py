"""Every command on the page for teachers does what the page shows, one after the other."""

import contextlib
import inspect
import io
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from plainformer.classroom import commands
from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.kinds import surprises
from plainformer.classroom.new import new_course
from plainformer.classroom.public import public_ids
from plainformer.exercises import grade

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "book/appendix/classroom.md").read_text("utf-8")
BLOCK = re.compile(
    r"^```\{code-block\} (console|toml|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


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
        if kind == "python":
            first, _, code = body.partition("\n")
            if first.startswith("# exercises/"):
                Path(first.removeprefix("# ")).write_text(code, "utf-8")
            continue
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


def test_the_worked_example_is_an_exercise_that_proves_itself(tmp_path):
    """In this process, in a second; the long test above sends it through the grader."""
    (body,) = [body for _, body in BLOCK.findall(PAGE) if body.startswith("# exercises/")]
    first, _, code = body.partition("\n")
    new_course(tmp_path / "c")
    (tmp_path / "c" / first.removeprefix("# ")).write_text(code, "utf-8")
    settings = '[course]\nname = "x"\n[assignments.a]\nexercises = ["course.attend_twice"]\n'
    (tmp_path / "c" / "course.toml").write_text(settings)
    course = load_course(tmp_path / "c")
    (spec,) = course.assignment("a").exercises
    right = [spec.reference, *spec.right_answers()]
    assert all(grade(spec, each).passed for each in right) and len(right) == 2
    for hint, mutant in spec.wrong_answers():
        assert grade(spec, mutant).hint == hint
        assert not grade(replace(spec, n_generated=0), mutant).passed  # public cases tell
    assert surprises(spec) == [] and public_ids(course.assignment("a")) == ([], [])
    checks = 2 + len(spec.alternates) + len(spec.mutants)  # the stub and the reference, too
    assert f"{spec.id}: {checks} of {checks} as they should be" in PAGE
    assert all(len(line) <= 76 for line in code.splitlines())


def test_the_commands_for_a_container_fit_the_recipe():
    """As far as they can be read: no image is built here."""
    recipe = (ROOT / "deploy/classroom/Dockerfile").read_text("utf-8")
    (block,) = re.findall(r"^make wheel.*?(?=^```$)", PAGE, re.MULTILINE | re.DOTALL)
    lines = block.replace("\\\n", " ").strip().splitlines()
    wheel, build, run_it = map(shlex.split, lines)
    image = build[build.index("-t") + 1]
    assert build[build.index("-f") + 1] == "deploy/classroom/Dockerfile" and build[-1] == "."
    assert run_it[run_it.index(image) :][:3] == [image, "plainformer-class", "grade"]
    home = re.search(r"^WORKDIR (.*)$", recipe, re.MULTILINE)[1]
    there = run_it[run_it.index("-v") + 1].partition(":")[2]
    assert there == run_it[run_it.index("-w") + 1] and there.startswith(f"{home}/")
    assert "bubblewrap" in recipe and "dist/*.whl" in recipe and wheel == ["make", "wheel"]


def test_the_doctors_last_line_is_the_one_on_the_page():
    (said,) = re.findall(r"The last line must be `(.*?)`", PAGE)
    assert f'"{said}"' in inspect.getsource(commands)


@pytest.mark.parametrize(
    "status", ["ok", "wrong", "timeout", "memory", "crashed", "violation", "unreadable", "missing"]
)
def test_the_page_tells_every_status(status):
    assert re.search(rf"^\| .*`{status}`", PAGE, re.MULTILINE)

"""An exercise can forbid packages for real; public solutions are named; names stay out of git."""

import subprocess
from dataclasses import replace

import pytest
from tests.classroom.test_grade import notebook

from plainformer.classroom.commands import main
from plainformer.classroom.course import load_course
from plainformer.classroom.doctor import EXERCISE, HONEST
from plainformer.classroom.judge import judge
from plainformer.classroom.new import new_course
from plainformer.classroom.public import public_ids
from plainformer.classroom.release import release
from plainformer.classroom.sandbox import choose, container
from plainformer.classroom.sandbox.choice import SANDBOXES
from plainformer.exercises.spec import Exercise

FORBIDS = ("plainformer", "torch")
LOOK = """
import pathlib, sys
loaded = [each for each in sys.modules if each.startswith(("torch", "plainformer.attention"))]
assert not loaded, loaded
sys.meta_path[:] = [each for each in sys.meta_path if type(each).__name__ != "Refusing"]
for name in ("torch", "plainformer.attention", "plainformer.inputs", "plainformer.gpt"):
    try:
        module = __import__(name, fromlist=["x"])
        assert not getattr(module, "__file__", None), name
    except ImportError:
        pass
for place in map(pathlib.Path, sys.path):
    assert not [*place.glob("torch/*")] and not [*place.glob("plainformer/attention*")], place
"""


def mark(cells, name, forbids=FORBIDS):
    spec = replace(EXERCISE, forbids=forbids)
    start = choose(name, forbids=forbids)
    return judge(spec, cells, start, secret=b"s", student="ann", seconds=60.0)


@pytest.mark.parametrize("name", ["zygote", "bubblewrap"])
def test_a_forbidden_package_is_not_there_however_it_is_asked_for(name):
    if SANDBOXES[name].available():
        pytest.skip(SANDBOXES[name].available())
    checks = "from plainformer.exercises import check\n"  # which notebooks import
    looked = mark([checks + LOOK + HONEST], name)
    assert looked.status == "ok", looked.text
    for line in ("import torch", "from plainformer.attention import attention"):
        said = mark([f"{line}\n{HONEST}"], name)
        top = line.split()[1].partition(".")[0]
        assert said.status == "wrong" and f"is to be solved without {top}" in said.text
        assert mark([f"{line}\n{HONEST}"], name, ()).status == "ok"


def test_a_container_says_that_it_cannot_leave_anything_out():
    with pytest.raises(OSError, match="cannot leave out torch"):
        container.start(EXERCISE, forbids=("torch",))


def test_what_is_forbidden_must_be_what_the_grader_can_do_without():
    given = {key: getattr(EXERCISE, key) for key in Exercise.__dataclass_fields__}
    for wrong in (("numpy",), "torch", ("torch.nn",), ["torch"]):
        with pytest.raises(ValueError, match=r"forbids must be a tuple of packages"):
            Exercise(**{**given, "forbids": wrong})


@pytest.fixture
def folder(tmp_path):
    new_course(tmp_path / "c")
    path = tmp_path / "c" / "exercises" / "window_mask.py"
    path.write_text(
        path.read_text().replace("points=3,", 'points=3,\n    forbids=("plainformer", "torch"),')
    )
    return tmp_path / "c"


def test_the_task_says_it_and_imports_for_another_exercise_do_no_harm(folder, capsys):
    course = load_course(folder)
    text = release(course, course.assignment("week-1"))
    assert "Solve it without `plainformer` and `torch`" in text
    work = folder / "submissions" / "week-1"
    work.mkdir(parents=True)
    answer = "def window_mask(T, window):\n    return np.tri(T, k=0) > np.tri(T, k=-window)"
    cells = notebook({"course.window_mask": answer, "imports": ""})
    made = cells.replace('"answer-imports"', '"imports"').replace(
        '"source": ""', '"source": "import torch\\nimport numpy as np"'
    )
    assert made.count("import torch") == 1
    (work / "ann.ipynb").write_text(made)
    sandbox = [] if not SANDBOXES["zygote"].available() else ["--unsafe"]
    at = ["--course", str(folder)]
    assert main([*at, "validate", "week-1", "--exercise", "course.window_mask", *sandbox]) == 0
    assert main([*at, "grade", "week-1", "-j", "1", *sandbox]) == 0
    assert "missing: 4  ok: 1" in capsys.readouterr().out


def test_unchanged_exercises_of_the_template_are_named(folder, capsys):
    path = folder / "exercises" / "count_triples.py"
    path.write_text(path.read_text().replace("counts", "found").replace("# ", "## "))
    path = folder / "exercises" / "join_pieces.py"
    path.write_text(path.read_text().replace('"""Join', '"""Put together'))
    path = folder / "exercises" / "waves_in_halves.py"
    path.write_text(path.read_text().replace("return np", "return 2 * np"))
    course = load_course(folder)
    book, template = public_ids(course.assignment("week-1"))
    assert book == [] and template == [
        "course.count_triples",
        "course.join_pieces",
        "course.attention_in_columns",
        "course.window_mask",
    ]
    assert main(["--course", str(folder), "release", "week-1"]) == 0
    said = capsys.readouterr().err
    assert "are those of the template" in said and "waves_in_halves" not in said


def test_git_ignores_what_has_students_names(folder):
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    for name in (
        "secret.txt", "submissions/week-1/Ann.ipynb", "marks/week-1/Ann/x.json", "marks.csv",
        "manual/week-1.csv", "feedback/week-1.zip", "export/x.csv", "report/week-1.html",
        "similar/week-1.html", "papers/week-1.html", "talks/week-1.md",
    ):  # fmt: skip
        line = ["git", "-C", str(folder), "check-ignore", "--quiet", name]
        assert subprocess.run(line, check=False).returncode == 0, name
    for name in ("course.toml", "exercises/window_mask.py", "release/week-1.ipynb"):
        line = ["git", "-C", str(folder), "check-ignore", "--quiet", name]
        assert subprocess.run(line, check=False).returncode == 1, name

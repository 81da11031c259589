"""A new chapter, exercise and widget: whole or not at all, loud until filled, then good."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import new_chapter
import new_exercise
import new_widget
from room_engine import rooms
from room_engine.unfilled import MARK, unfilled

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "chapter": (new_chapter.main, ["blocks", "my_idea"]),
    "exercise": (new_exercise.main, ["attention.masking", "my_task"]),
    "widget": (new_widget.main, ["my_picture"]),
}
every_command = pytest.mark.parametrize("what", COMMANDS)


# All that the three commands look at; what is refused here is there already.
LOOKED_AT = (
    "_toc.yml",
    "book/map/chapters.yml",
    "book/attention/masking.md",
    "book/blocks/encoder.md",
    "src/plainformer/blocks/__init__.pyi",
    "src/plainformer/blocks/modules",
    "src/plainformer/exercises/order.py",
    "src/plainformer/exercises/attention/masking",
    "src/plainformer/widgets/__init__.pyi",
    "src/plainformer/widgets/attention_map",
    "src/plainformer/widgets/embedding_lookup",
    "tests/exercises/answers/attention.masking.txt",
    "tests/widgets/cases.py",
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of its own, with what the commands look at."""
    for name in LOOKED_AT:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def whole_tree(tmp_path: Path) -> Path:
    """A project of its own, in which tests can run."""
    skip = shutil.ignore_patterns("__pycache__", "checkpoints", "*.ipynb", "images")
    for name in ("src", "tests", "book", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=skip)
    for name in ("_toc.yml", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def contents(tree: Path) -> dict[str, bytes]:
    return {
        path.relative_to(tree).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in tree.rglob("*")
    }


def make(what: str, tree: Path) -> int:
    command, words = COMMANDS[what]
    return command([*words, "--root", str(tree)])


def fill(tree: Path) -> None:
    """Put into each place what it asks for, in its own words."""
    for place in {tree / line.split(", line ")[0] for line in unfilled(tree)}:
        text = place.read_text(encoding="utf-8")
        place.write_text(MARK.sub(lambda found: found[1].replace(":", ","), text), encoding="utf-8")


def run_pytest(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run tests of a tree on the package of that tree, not on the one that is installed."""
    code = "import sys, pytest; sys.path.insert(0, 'src'); sys.exit(pytest.main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, "-q", "-p", "no:cacheprovider", "-n", "0", *words],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )


def test_nothing_in_the_project_waits_to_be_filled_in():
    assert unfilled(ROOT) == []


@every_command
def test_what_is_made_is_told_and_loud_until_it_is_filled(what, tree, capsys):
    before = contents(tree)
    assert make(what, tree) == 0
    said = capsys.readouterr().out
    waiting = unfilled(tree)
    assert waiting and all(line in said for line in waiting)
    changed = {name for name, held in contents(tree).items() if before.get(name) != held}
    assert all(name in said for name in changed if (tree / name).is_file())
    fill(tree)
    assert unfilled(tree) == []


def test_the_build_stops_before_anything_runs(tree):
    """With the sentences that say what is missing and where."""
    from book_engine.checks import BookBroken, refuse_early

    class App:
        srcdir = str(tree)

    assert make("chapter", tree) == 0
    with pytest.raises(BookBroken, match=r"my_idea\.md, line \d+: still to fill in: the idea"):
        refuse_early(App(), None)  # type: ignore[arg-type]
    fill(tree)
    refuse_early(App(), None)  # type: ignore[arg-type]


@pytest.mark.slow
def test_all_three_pass_their_tests_once_they_are_filled(whole_tree):
    tree = whole_tree
    for what in COMMANDS:
        assert make(what, tree) == 0
    fill(tree)
    done = run_pytest(
        tree,
        "src/plainformer/blocks/my_idea.py",
        "tests/blocks/test_my_idea.py",
        "tests/widgets/test_my_picture.py",
        "tests/exercises/test_every_exercise.py",
        "tests/exercises/test_answers.py",
        "-k=my_idea or my_picture or masking.5 or the_book_checks or and_all_of_them",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    told = "from plainformer.widgets import MyPicture; print(MyPicture.__name__)"
    said = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'src'); {told}"],
        cwd=tree, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout == "MyPicture\n"


@pytest.mark.parametrize(
    ("what", "words", "said"),
    [
        ("chapter", ["bogus", "my_idea"], "no part 'bogus'; the parts are inputs"),
        ("chapter", ["blocks", "My-Idea"], "cannot be the name of a chapter"),
        ("chapter", ["blocks", "../idea"], "cannot be the name of a chapter"),
        ("chapter", ["blocks", "class"], "cannot be the name of a chapter"),
        ("chapter", ["blocks", "encoder"], "is there already"),
        ("chapter", ["blocks", "modules"], "is there already"),
        ("exercise", ["masking", "my_task"], "no chapter 'masking'"),
        ("exercise", ["attention.masking", "which_mask"], "is there already"),
        ("exercise", ["attention.masking", "1st"], "cannot be the name of an exercise"),
        ("widget", ["attention_map"], "is there already"),
        ("widget", [""], "cannot be the name of a widget"),
    ],
)
def test_what_cannot_be_made_is_refused_and_nothing_is_written(what, words, said, tree, capsys):
    before = contents(tree)
    assert COMMANDS[what][0]([*words, "--root", str(tree)]) == 2
    assert said in capsys.readouterr().err
    assert contents(tree) == before


def test_a_disk_that_fails_half_way_leaves_nothing_behind(tree, monkeypatch, capsys):
    before, write, written = contents(tree), Path.write_text, []

    def fail_later(path, *args, **options):
        written.append(path)
        if len(written) > 5:
            raise OSError("No space left on device")
        return write(path, *args, **options)

    monkeypatch.setattr(rooms.Path, "write_text", fail_later)
    assert make("chapter", tree) == 2
    assert "No space left" in capsys.readouterr().err
    assert contents(tree) == before

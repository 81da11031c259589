"""A new chapter, exercise and widget: all of it or nothing, refused until filled in, then good."""

import functools
import shutil
import subprocess
import sys
import venv
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


COPIED = (
    "LICENSE", "LICENSES.md", "README.md", "_config.yml", "_toc.yml", "book", "notebooks",
    "pyproject.toml", "references.bib", "requirements.txt", "src", "tests", "tools",
)  # fmt: skip
MADE = (  # what mypy is shown
    "src/plainformer/blocks/my_idea.py",
    "src/plainformer/exercises/attention/masking/my_task.py",
    "src/plainformer/widgets/my_picture",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the project with an environment of its own, which has the packages of this one."""
    skip = shutil.ignore_patterns("__pycache__")
    for name in COPIED:
        clone = functools.partial(shutil.copytree, ignore=skip)
        (clone if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    venv.create(tmp_path / ".venv", symlinks=True)
    ours = [path for path in sys.path if ROOT not in Path(path).parents or "site-packages" in path]
    site = next((tmp_path / ".venv").rglob("site-packages"))
    (site / "copy.pth").write_text("\n".join([str(tmp_path / "src"), *ours]), encoding="utf-8")
    return tmp_path


def leave_one_page(tree: Path) -> None:
    """Make a book of the new chapter alone, under a first page that has the map."""
    for page in (tree / "book").rglob("*.md"):
        if page.stem != "my_idea":
            page.unlink()
    (tree / "index.md").write_text("# A book\n\n```{transformer-map}\n```\n", encoding="utf-8")
    toc = "format: jb-book\nroot: index\nparts:\n- caption: 3 Blocks\n  chapters:\n"
    (tree / "_toc.yml").write_text(f"{toc}  - file: book/blocks/my_idea\n", encoding="utf-8")


@pytest.mark.slow
def test_what_contributing_tells_works_in_a_copy(copy: Path) -> None:
    """Each command, filled in with the least that works; then lint, tests, and the chapter."""

    def run(*words: str) -> None:
        command = [copy / ".venv" / "bin" / "python", *words]
        done = subprocess.run(command, cwd=copy, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}"

    for what, (_, words) in COMMANDS.items():
        run(f"tools/new_{what}.py", *words)
    fill(copy)
    run("tools/notebooks.py")
    run("-m", "ruff", "check", ".")
    run("-m", "ruff", "format", "--check", ".")
    run("-m", "mypy", f"--cache-dir={ROOT}/.mypy_cache", *MADE)  # torch's types are there already
    run(
        *("-m", "pytest", "-q", "-n", "0", "src/plainformer/blocks/my_idea.py"),
        *("src/plainformer/widgets/my_picture", "tests/blocks/test_my_idea.py", "tests/widgets"),
        *("tests/exercises/test_every_exercise.py", "tests/exercises/test_answers.py"),
        "-k=my_idea or my_picture or MyPicture or masking.5 or the_book_checks or and_all_of_them",
    )
    leave_one_page(copy)
    run("tools/build_book.py")
    page = (copy / "_build/html/book/blocks/my_idea.html").read_text(encoding="utf-8")
    assert "1 claim checked" in page
    first = (copy / "_build/html/index.html").read_text(encoding="utf-8")
    assert 'href="book/blocks/my_idea.html"><span class="title">My idea' in first


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

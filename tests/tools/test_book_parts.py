"""The engine's parts that need no build: icons, checks, mending, the stamp, the server."""

import json
import math
import re
import shutil
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest
from filelock import FileLock, Timeout

import build_book
import serve_book
from book_engine import checks, icons, mending, records, turns


def site(folder: Path, **pages: str) -> Path:
    """Write pages, named without their ending, into a folder."""
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("before", "after", "held"),
    [
        ("at ", ", then", "{},"),
        ("(", ") or", "({})"),
        ("and “", "”. Or", "“{}”."),
        ("a ", " b", ""),
        ("a-", "-fold", ""),
    ],
)
def test_no_line_break_comes_between_a_formula_and_its_marks(
    before: str, after: str, held: str
) -> None:
    formula = "<math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>"
    found = mending.mend(f"<p>{before}{formula}{after}</p>")
    assert (f'<span class="pf-together">{held.format(formula)}</span>' in found) is bool(held)
    assert re.sub("</?span[^>]*>", "", found) == f"<p>{before}{formula}{after}</p>"


@pytest.mark.parametrize(
    ("html", "fault"),
    [
        ("<img src='data:image/png;base64,AA'>", "no alternative text"),
        ("<svg><title>x</title></svg>", "no alternative text"),
        ("<img alt='' src='https://cdn.example/a.png'>", "from another site"),
        ("<link rel='stylesheet' href='//cdn.example/a.css'>", "from another site"),
        ("<p style=\"background: url('http://cdn.example/a.png')\">", "from another site"),
        ("<style>p { background: url(//cdn.example/a.png) }</style>", "from another site"),
        ("<style>@import 'https://cdn.example/a.css';</style>", "from another site"),
        ("<img alt='' srcset='a.png 1x, https://cdn.example/b.png 2x'>", "from another site"),
        ("<link rel='preload' imagesrcset='//cdn.example/b.png 2x'>", "from another site"),
        ("<input type='image' src='https://cdn.example/a.png'>", "from another site"),
        ("<script>import('https://cdn.example/a.js')</script>", "from another site"),
        ("<script type=module>import a from '//cdn.example/a.js'</script>", "from another site"),
        ("<a href='../outside.html'>x</a>", "leaves the site"),
        ("<a href='gone.html'>x</a>", "no such file"),
        ("<a href='#gone'>x</a>", "no such anchor"),
        ("<a href='other.html#gone'>x</a>", "no such anchor"),
        (
            "<i class='fa-solid fa-bars'></i><i class=\"fa-solid fa-skull\"></i>",
            "unknown icon fa-s",
        ),
    ],
)
def test_a_fault_is_reported_with_its_page(tmp_path: Path, html: str, fault: str) -> None:
    (tmp_path / "outside.html").touch()  # there, but not on the reader's side
    (tmp_path / "site").mkdir()
    [found] = checks.check_site(site(tmp_path / "site", page=html, other="<p id='there'>"))
    assert found.startswith("page.html: ")
    assert fault in found


@pytest.mark.parametrize(
    "html",
    [
        "<img alt='A rising line.' src='data:image/png;base64,AA'>",
        "<svg role='img' aria-label='A rising line.'></svg><svg aria-hidden='true'></svg>",
        "<a href='https://example.org/'>links lead where they like</a>",
        "<a href='other.html#there'>x</a><a href='other.html?q=1'>x</a><a href='#'>x</a>",
        "<link rel='canonical' href='https://example.org/book'>",
        "<style>/* url(https://example.org/) */ p { background: url(data:image/gif,A) }</style>",
        "<style>p { color: red }</style><p>import('https://example.org/a.js')</p>",
        "<script type='application/json'>{\"text\": \"import('https://example.org/')\"}</script>",
    ],
)
def test_what_is_good_is_left_alone(tmp_path: Path, html: str) -> None:
    assert checks.check_site(site(tmp_path, page=html, other="<p id='there'>")) == []


def test_a_style_sheet_that_loads_from_elsewhere_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text(
        "/* @import 'https://x.example/no' */ @import 'https://b.example/';"
    )
    assert checks.check_site(tmp_path) == ["a.css: loads https://b.example/ from another site"]


def test_icons_are_few_and_light() -> None:
    import pydata_sphinx_theme

    from book_engine.assets import FONTAWESOME

    sheet = icons.make_style_sheet(Path(pydata_sphinx_theme.__file__).parent / FONTAWESOME)
    assert len(sheet) < 6_000
    assert all(f".fa-{name}::before" in sheet for name in icons.ICONS)


def test_a_page_says_once_that_its_widgets_need_scripts() -> None:
    widget = '<div class="pf-widget" data-pf-widget="bpe_merges"></div>'
    told = mending.mend(f"<p>Before.</p>{widget}<p>Between.</p>{widget}")
    assert told.count("<noscript>") == 1 and "JavaScript is off" in told
    assert told.index("Before.") < told.index("<noscript>") < told.index(widget)
    assert mending.mend('<div class="pf-widget">a still</div>').count("<noscript>") == 0


def test_a_model_is_written_where_a_page_names_it(tmp_path: Path) -> None:
    from book_engine.assets import write_weights
    from plainformer.training.tasks import course_lm
    from plainformer.widgets.engine import FOLDER, Weights

    write_weights(tmp_path, "<p>No model here.</p>")
    assert list(tmp_path.iterdir()) == []
    weights = Weights.of(course_lm().model, name="course-lm")
    write_weights(tmp_path, json.dumps({"weights": weights.in_page()}, separators=(",", ":")))
    written = tmp_path / "_static" / "pf" / FOLDER
    assert (written / f"{weights.file}.bin").read_bytes() == weights.data
    assert sorted(path.suffix for path in written.iterdir()) == [".bin", ".js", ".js"]


def test_a_file_that_a_widget_has_no_more_leaves_the_site(tmp_path: Path) -> None:
    from book_engine.assets import forget, write
    from plainformer.widgets.engine import FOLDER

    made, built = tmp_path / "made" / "static" / "pf", tmp_path / "site"
    write(made)
    shutil.copytree(made, built)
    before = sorted(path.relative_to(made) for path in made.rglob("*"))
    for old in (made / "bpe_merges" / "old.js", built / "old.css", built / FOLDER / "model.bin"):
        old.parent.mkdir(exist_ok=True)
        old.touch()
    write(made)
    forget(built, made)
    assert sorted(path.relative_to(made) for path in made.rglob("*")) == before
    left = {path.relative_to(built).as_posix() for path in built.rglob("*") if path.is_file()}
    kept = {path.as_posix() for path in before if (made / path).is_file()}
    assert left == {*kept, f"{FOLDER}/model.bin"}


def test_tidying_deletes_only_what_nothing_loads(tmp_path: Path) -> None:
    for name in (
        "_static/vendor/a.js",
        "_static/a.js.map",
        "_static/a.js",
        "kept.html",
        "old.html",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    mending.tidy(tmp_path, {"kept"})
    left = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"_static/a.js", "kept.html"}


@pytest.fixture
def inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that stands for a book; building it only writes a page, or fails."""
    for name in ("_config.yml", "index.md", "book/one.md", "src/plainformer/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    def build(root: Path, output: Path) -> int:
        if (root / "fail").exists():
            return 1
        page = output / "_build/html/index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"built {len(page.read_text()) if page.exists() else 0}")
        return 0

    monkeypatch.setattr(build_book, "run_jupyter_book", build)
    return tmp_path


def test_nothing_changed_is_said_and_nothing_is_built(
    inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build_book.build(inputs, inputs) == 0
    assert "is built" in capsys.readouterr().out
    assert build_book.build(inputs, inputs) == 0
    said = capsys.readouterr().out
    assert "nothing changed" in said
    assert str(inputs / "_build" / "html") in said
    assert "file://" in said


@pytest.mark.parametrize(
    "name", ["index.md", "book/new.md", "src/plainformer/__init__.py", "notebooks/a.ipynb"]
)
def test_a_changed_input_builds(
    inputs: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    build_book.build(inputs, inputs)
    (inputs / name).parent.mkdir(exist_ok=True)
    (inputs / name).write_text("changed")
    (inputs / "src/plainformer/__pycache__").mkdir()
    build_book.build(inputs, inputs)
    assert "nothing changed" not in capsys.readouterr().out


def test_what_an_editor_leaves_behind_builds_nothing(
    inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_book.build(inputs, inputs)
    for name in ("book/.index.md.swp", "book/index.md~", "book/.DS_Store", "book/#index.md#"):
        (inputs / name).touch()
    build_book.build(inputs, inputs)
    assert "nothing changed" in capsys.readouterr().out


def test_a_file_that_a_page_read_anywhere_builds(
    inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page's record names it; no list of inputs does."""
    words = inputs / "data/words.txt"
    words.parent.mkdir()
    words.write_text("one")
    used = records.note_files([str(words)], inputs, started=math.inf)
    kept = records.Records(records.folder(inputs / "_build"))
    kept.write("book/index", records.Record("cells", "around", used))
    build_book.build(inputs, inputs)
    build_book.build(inputs, inputs)
    assert "nothing changed" in capsys.readouterr().out
    words.write_text("two")
    build_book.build(inputs, inputs)
    assert "nothing changed" not in capsys.readouterr().out


def test_whoever_builds_takes_the_lock_and_drops_the_stamp(tmp_path: Path) -> None:
    """Also a plain `jupyter-book build`: it comes through the engine alone."""
    program = (
        "import sys, types, pathlib, book_engine.turns as turns\n"
        "app = types.SimpleNamespace(outdir=sys.argv[1])\n"
        "turns.begin(app, None)\nprint('ready', flush=True)\nsys.stdin.read()\n"
    )
    turns.stamp_file(tmp_path).touch()
    command = [sys.executable, "-c", program, str(tmp_path / "html")]
    tools = Path(build_book.__file__).parent
    with subprocess.Popen(
        command, cwd=tools, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "ready\n"
        assert not turns.stamp_file(tmp_path).exists()
        with pytest.raises(Timeout):
            FileLock(tmp_path / "book.lock").acquire(timeout=0)
        other.communicate("")
    with turns.take_turn(tmp_path), turns.take_turn(tmp_path):
        pass  # `make book` takes it, then the engine in the same process


def test_pages_that_are_gone_are_built_again(
    inputs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    build_book.build(inputs, inputs)
    (inputs / "_build/html/index.html").unlink()
    build_book.build(inputs, inputs)
    assert "nothing changed" not in capsys.readouterr().out


def test_a_failed_build_is_tried_again(inputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build_book.build(inputs, inputs)
    (inputs / "index.md").write_text("changed")
    (inputs / "fail").touch()
    assert build_book.build(inputs, inputs) == 1
    (inputs / "fail").unlink()
    assert build_book.build(inputs, inputs) == 0
    assert "nothing changed" not in capsys.readouterr().out


def test_two_builds_wait_for_each_other(inputs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (inputs / "_build").mkdir()
    done = []
    with FileLock(inputs / "_build/book.lock"):
        other = threading.Thread(target=lambda: done.append(build_book.build(inputs, inputs)))
        other.start()
        said = ""
        while "Another build is running" not in said and other.is_alive():
            other.join(0.01)
            said += capsys.readouterr().out
        assert "Another build is running" in said and not done
    other.join()
    assert done == [0]


def test_the_server_takes_a_free_port_and_shows_the_pages(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="make book"):
        serve_book.make_server(tmp_path, 8000)
    (tmp_path / "index.html").write_text("hello")
    first = serve_book.make_server(tmp_path, 8000)
    second = serve_book.make_server(tmp_path, first.server_port)
    assert second.server_port != first.server_port
    threading.Thread(target=second.serve_forever, daemon=True).start()
    with urllib.request.urlopen(f"http://127.0.0.1:{second.server_port}/") as answer:
        assert answer.read() == b"hello"
    second.shutdown()
    first.server_close()
    second.server_close()

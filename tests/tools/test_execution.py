"""Running pages: in parallel, each in a clean kernel, with failures that name their place."""

from pathlib import Path

import nbformat
import pytest

from book_engine import execution
from book_engine.execution import Page, Result, run_pages


def page(
    folder: Path, name: str, *cells: str, timeout: int = 900, tags: tuple[str, ...] = ()
) -> Page:
    """Return a page of code cells; the tags go to the last one."""
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
    notebook.cells[-1].metadata["tags"] = list(tags)
    notebook.metadata["source_map"] = [10 * number for number in range(1, len(cells) + 1)]
    folder.mkdir(parents=True, exist_ok=True)
    return Page(name, folder / f"{name}.md", notebook, timeout)


def run(*pages: Page, workers: int = 1, roots: tuple[Path, ...] = ()) -> dict[str, Result]:
    """Run the pages and return their results by name."""
    found = run_pages(pages, workers=workers, roots=roots, excluded=[])
    return {result.page.name: result for result in found}


def text(result: Result) -> str:
    """Return what the page printed."""
    outputs = [each for cell in result.notebook.cells for each in cell.outputs]
    return "".join(each.get("text", "") for each in outputs)


def test_pages_run_at_the_same_time(tmp_path: Path) -> None:
    """Each page waits for a sign of the other: one after the other they would wait for ever."""
    wait = (
        "import pathlib, time\npathlib.Path('{mine}').touch()\nend = time.time() + 900\n"
        "while not pathlib.Path('{other}').exists():\n"
        "    assert time.time() < end, 'the other page does not run'\n    time.sleep(0.02)\n"
    )
    pages = [
        page(tmp_path, "a", wait.format(mine="sign-a", other="sign-b")),
        page(tmp_path, "b", wait.format(mine="sign-b", other="sign-a")),
    ]
    assert [result.error for result in run(*pages, workers=2).values()] == ["", ""]


def test_a_line_that_arrives_in_pieces_is_one_line(tmp_path: Path) -> None:
    """As one output: what joins several for the page would put a line break between them."""
    source = "for piece in ('6 wo', 'rds', '!'):\n    print(piece, end='', flush=True)\n"
    result = run(page(tmp_path, "pieces", source))["pieces"]
    assert [output["text"] for output in result.notebook.cells[0].outputs] == ["6 words!"]


def test_a_widget_on_a_page_leaves_host_and_front_end_to_the_site(tmp_path: Path) -> None:
    source = "from plainformer.widgets import LookupDial\nLookupDial()"
    result = run(page(tmp_path, "widget", source))["widget"]
    html = result.notebook.cells[0].outputs[0]["data"]["text/html"]
    assert html.count("<script") == 1, "its state, and nothing that runs"
    assert "plainformer.module" not in html


def test_what_a_page_used_is_noted(tmp_path: Path) -> None:
    """Modules wherever they lie, files read beside them or in a root; nothing that is installed."""
    package, data = tmp_path / "lib" / "toypack", tmp_path / "project" / "data.txt"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "used.py").write_text(
        "from pathlib import Path\nSHAPE = Path(__file__).with_name('used.js').read_text()\n"
    )
    (package / "used.js").write_text("let a;")
    (package / "unused.py").write_text("")
    source = "import importlib.metadata, json, sys, numpy\nimportlib.metadata.version('numpy')\n"
    source += f"sys.path.append({str(package.parent)!r})\n"
    source += "from toypack import used\nx = open('data.txt').read()\n"
    source += "open('written.txt', 'w').close()"
    one = page(data.parent, "one", source)
    data.write_text("words")
    result = run(one, roots=(data.parent,))["one"]
    assert result.error == ""
    names = {Path(name).relative_to(tmp_path).as_posix() for name in result.files}
    assert names == {
        "lib/toypack/__init__.py",
        "lib/toypack/used.py",
        "lib/toypack/used.js",
        "project/data.txt",
    }
    assert result.listings == {}, "the import system's own look into folders does not count"


def test_what_a_page_looked_for_is_noted(tmp_path: Path) -> None:
    """A file that is not there, and the names in a folder, without what comes by itself."""
    source = (
        "import pathlib, pkgutil, os\ntry:\n    open('settings.txt')\nexcept OSError:\n    pass\n"
        "print(list(pathlib.Path('data').glob('*.txt')), os.listdir('..'), os.listdir('/'))\n"
        "print([module.name for module in pkgutil.iter_modules(['pack'])])"
    )
    one = page(tmp_path / "project", "one", source)
    for name in ("data/a.txt", "data/.a.swp", "pack/b.py", "pack/__pycache__/b.pyc"):
        (tmp_path / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / name).touch()
    result = run(one, roots=(tmp_path / "project",))["one"]
    assert result.error == ""
    assert result.files == [str(tmp_path / "project/settings.txt")]
    listings = {str(Path(name).relative_to(tmp_path)): it for name, it in result.listings.items()}
    assert listings == {"project/data": ["a.txt"], "project/pack": ["b.py"]}


def test_settings_of_the_user_do_not_reach_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "matplotlibrc").write_text("axes.labelweight: bold\n")
    (tmp_path / "startup.py").write_text("print('hello from my startup file')\n")
    monkeypatch.setenv("MATPLOTLIBRC", str(tmp_path / "matplotlibrc"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "startup.py"))
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    source = (
        "import os, sys, time, matplotlib\nprint(matplotlib.rcParams['axes.labelweight'])\n"
        f"print({str(tmp_path)!r} in sys.path, time.tzname[0], os.environ.get('LC_ALL'))\n"
        "print(os.environ['PYTHONHASHSEED'])"
    )
    result = run(page(tmp_path / "pages", "a", source))["a"]
    assert text(result) == "normal\nFalse UTC None\n0\n"


def test_a_kernel_is_clean_and_the_same_each_time(tmp_path: Path) -> None:
    source = (
        "import os, sys\nprint(hash('cat'), os.getcwd(), sys.executable)\n"
        "print([name for name in dir() if 'recorder' in name or name in ('install', 'report')])"
    )
    first = text(run(page(tmp_path, "a", source))["a"])
    assert first == text(run(page(tmp_path, "a", source))["a"])
    assert str(tmp_path) in first
    assert first.endswith("[]\n")


def test_a_failed_assertion_says_what_it_expected_and_what_it_got(tmp_path: Path) -> None:
    source = "cats = 3\n# Two cats are enough.\nassert cats == 2"
    error = run(page(tmp_path, "bad", source))["bad"].error
    assert "raised AssertionError: the claim does not hold: Two cats are enough.\n" in error
    assert "expected cats == 2\ngot cats = 3\n" in error


def test_an_error_names_page_cell_line_and_cause(tmp_path: Path) -> None:
    results = run(
        page(tmp_path, "bad", "x = 1", "x / 0", "print('never')"), page(tmp_path, "good", "1")
    )
    assert results["good"].error == ""
    error = results["bad"].error
    assert error.startswith("bad: code cell 2 of 3 (line 21) raised ZeroDivisionError")
    assert "x / 0" in error
    assert "\x1b" not in error, "no colour codes in a log"
    assert text(results["bad"]) == ""


def test_a_cell_that_is_meant_to_raise_may(tmp_path: Path) -> None:
    result = run(page(tmp_path, "a", "1 / 0", tags=("raises-exception",)))["a"]
    assert result.error == ""
    assert result.notebook.cells[0].outputs[0]["ename"] == "ZeroDivisionError"


def test_a_cell_that_does_not_end_is_stopped(tmp_path: Path) -> None:
    result = run(page(tmp_path, "a", "while True: pass", timeout=2))["a"]
    assert "took longer than 2 s" in result.error
    assert "while True" in result.error


def test_a_kernel_that_dies_is_an_error(tmp_path: Path) -> None:
    result = run(page(tmp_path, "a", "import os; os._exit(3)"))["a"]
    assert "a: code cell 1 of 1" in result.error
    assert "died" in result.error


def test_many_pages_run_in_warm_kernels_with_the_same_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        "import os, sys, helper\nprint(os.getcwd(), sys.path[:-1], hash('a'),\n"
        "  'ipywidgets' in sys.modules, [os.environ.get(name) for name in\n"
        "  ('LANG', 'TZ', 'MPLBACKEND', 'OMP_NUM_THREADS')])"
    )
    (tmp_path / "helper.py").write_text("")
    found = []
    for many in (2, 1):
        monkeypatch.setattr(execution, "MANY", many)
        found.append(run(page(tmp_path, "a", source), roots=(tmp_path,))["a"])
    alone, shared = found
    assert shared.error == "" and shared.files == alone.files
    assert str(tmp_path / "helper.py") in shared.files
    assert text(shared) == text(alone).replace("False", "True", 1)

"""*Edit and run*, in Chromium, without NumPy: what a site built by ``make live`` can do."""

import http.server
import inspect
import json
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.site.axe import axe_problems
from tests.site.visits import file_home, open_page
from tests.site.walk import site_folder

from live_engine import packages
from live_engine.packages import CORE, Packages
from live_engine.site import make_site
from plainformer.exercises import exercise, exercise_ids
from serve_book import Handler

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).parents[2]
TOKENIZATION = "book/inputs/tokenization.html"
PAGES = [TOKENIZATION, "book/one_file.html"]
PATIENCE = 300_000  # milliseconds until Python is there, on a busy machine


@pytest.fixture(scope="module")
def fetched() -> Packages:
    """What the browser gets; the door has to work without the compiled wheels."""
    try:
        found = packages.fetch(ROOT / "_build" / "live_packages", ROOT / "requirements.txt")
    except (RuntimeError, subprocess.CalledProcessError) as problem:
        pytest.skip(f"without a network there is no Pyodide: {problem}")
    pure = [wheel for wheel in found.wheels if wheel.name.endswith("-none-any.whl")]
    return Packages(found.core, pure, list(packages.COMPILED))


@pytest.fixture(scope="module")
def made(fetched: Packages, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of two pages with the door."""
    built, folder = site_folder(), tmp_path_factory.mktemp("live")
    book = folder / "book"
    for name in ("index.html", "_static", "downloads", *PAGES):
        place = book / name
        place.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (built / name).is_dir() else shutil.copy)(built / name, place)
    counts = make_site(book, folder / "site", fetched)
    assert counts[TOKENIZATION] >= 6  # all of its exercises
    assert counts["book/one_file.html"] == 1
    assert "live.js" not in (book / TOKENIZATION).read_text(encoding="utf-8")
    return folder / "site"


@pytest.fixture(scope="module")
def address(made: Path) -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=str(made))
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def reader(browser: "Browser", address: str) -> "Iterator[Page]":
    """A reader on *Tokenization* with everything unfolded; Python is fetched once for all tests."""
    with open_page(browser, address, TOKENIZATION) as visit:
        visit.page.locator("input[name=pf-view][value=everything]").check()
        visit.unfold()
        yield visit.page
        assert visit.problems == []


def stub(page: "Page", number: int) -> "Locator":
    """The cell of an exercise, open to be edited."""
    cell = page.locator("div.cell.tag_exercise").nth(number - 1)
    if (button := cell.get_by_role("button", name="Edit and run")).count():
        button.click()
    return cell


def run(cell: "Locator", source: str, ends: str = "Done.") -> str:
    """Run a source in a cell by keyboard, and return what it prints."""
    cell.locator("textarea").fill(source)
    cell.locator("textarea").press("Control+Enter")
    expect(cell.get_by_role("status")).to_have_text(ends, timeout=PATIENCE)
    return cell.locator(".pf-live-output").text_content() or ""


def test_nothing_is_fetched_before_a_cell_is_run(browser: "Browser", address: str) -> None:
    with open_page(browser, address, TOKENIZATION) as visit:
        asked: list[str] = []
        visit.page.on("request", lambda request: asked.append(request.url))
        visit.page.reload()
        visit.settle()
        found = [url.rpartition("/")[2] for url in asked if "/live/" in url]
        assert sorted(found) == ["live.css", "live.js"]
        assert visit.problems == []


def test_an_exercise_is_checked_and_a_mistake_gets_its_hint(reader: "Page") -> None:
    cell = stub(reader, 2)
    given = cell.locator("textarea").input_value()
    assert "nothing here yet" in run(cell, given)
    spec = exercise("inputs.tokenization.2")
    hint, (left, right) = next(
        (hint, change.split(" -> ")) for hint, change in spec.mutants.items() if type(change) is str
    )
    answer = inspect.getsource(spec.reference)
    call = 'check("inputs.tokenization.2", merge)'
    assert "correct, 2 of 2 points" in run(cell, f"{answer}\n{call}")
    said = run(cell, f"{answer.replace(left, right)}\n{call}")
    assert "not yet" in said
    assert hint.split(". ")[0] in " ".join(said.split())


def test_cells_of_a_page_share_their_names(reader: "Page") -> None:
    run(stub(reader, 1), "x = 41")
    assert run(stub(reader, 3), "print('hello')\nx + 1") == "hello\n42\n"


def test_an_error_says_where_it_is(reader: "Page") -> None:
    said = run(stub(reader, 1), "y = 1\ny / 0", ends="It ended with an error.")
    assert said == "Line 2: y / 0\nZeroDivisionError: division by zero"
    said = run(stub(reader, 1), "import numpy\nnumpy.zeros(3)", ends="It ended with an error.")
    assert "needs NumPy, which this site could not fetch" in said


def test_stop_ends_an_endless_loop_and_python_comes_back(reader: "Page") -> None:
    cell = stub(reader, 1)
    cell.locator("textarea").fill("print('here')\nwhile True: pass")
    cell.get_by_role("button", name="Run").click()
    expect(cell.get_by_role("group")).to_contain_text("here", timeout=PATIENCE)
    cell.get_by_role("button", name="Stop").click()
    expect(cell.get_by_role("status")).to_contain_text("Stopped")
    assert run(cell, "2 + 2") == "4\n"
    cell.get_by_role("button", name="Original").click()
    assert "def count_neighbours" in cell.locator("textarea").input_value()


def test_the_editor_can_be_used_by_everybody(reader: "Page") -> None:
    """axe-core finds nothing; Tab leaves the editor; a new line is indented as the one before."""
    cell = stub(reader, 4)
    box = cell.locator("textarea")
    box.fill("def f():")
    box.press("End")
    box.press("Enter")
    box.press("x")
    assert box.input_value() == "def f():\n    x"
    box.press("Tab")
    expect(cell.get_by_role("button", name="Run")).to_be_focused()
    assert axe_problems(reader) == []


def test_from_the_disk_it_says_what_it_needs(browser: "Browser", made: Path) -> None:
    with open_page(browser, file_home(made), TOKENIZATION) as visit:
        visit.page.locator("input[name=pf-view][value=everything]").check()
        visit.unfold()
        cell = stub(visit.page, 1)
        cell.get_by_role("button", name="Run").click()
        expect(cell.get_by_role("status")).to_contain_text("comes from a web server")
        assert visit.problems == []


JUDGE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy_stand_in
numpy_stand_in.install()
from plainformer.exercises import exercise, grade
found = {}
for name in sys.argv[2:]:
    spec = exercise(name)
    wrong = [grade(spec, each) for each in spec.mutants.values() if callable(each)]
    right = [spec.reference, *(each for each in spec.alternates if callable(each))]
    found[name] = [all(grade(spec, each).passed for each in right),
                   [each.passed for each in wrong]]
print(json.dumps(found))
"""


def test_answers_are_judged_without_numpy_as_with_it() -> None:
    names = exercise_ids("inputs.tokenization")
    page = ROOT / "tools" / "live_engine" / "page"
    done = subprocess.run(
        [sys.executable, "-c", JUDGE, page, *names], capture_output=True, text=True, check=True
    )
    for right, wrong in json.loads(done.stdout).values():
        assert right
        assert wrong
        assert not any(wrong)


def test_a_core_that_is_not_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in CORE:
        (tmp_path / name).write_text("another")
    with tarfile.open(tmp_path / "theirs.tgz", "w:gz") as archive:
        for name in CORE:
            archive.add(tmp_path / name, f"package/{name}")
    code = f"import shutil; shutil.copy({str(tmp_path / 'theirs.tgz')!r}, '.')"
    monkeypatch.setattr(packages, "_npm", lambda: [sys.executable, "-c", code])
    with pytest.raises(RuntimeError, match=r"has the hash .*; expected"):
        packages.fetch(tmp_path / "kept", ROOT / "requirements.txt")
    assert not list(tmp_path.glob("kept/**/*.wasm"))

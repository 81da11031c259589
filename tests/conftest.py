"""What every test may use: hypothesis profiles and the corpora that are not in the repository."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import settings
from tests.browser import browser, chromium_path  # noqa: F401

HERE = Path(__file__).parent
SITE = HERE / "site"
JUPYTER = HERE / "jupyter"

settings.register_profile("default", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=10)
settings.register_profile("long", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# Files whose tests start kernels, build books or run thousands of cases; those that open a browser
# are found by their fixture. `make test-fast` leaves them all out.
SLOW = {
    "tests/blocks/test_generation.py",
    "tests/exercises/test_every_exercise.py",
    "tests/notebooks/test_execution.py",
    "tests/tools/test_book_build.py",
    "tests/tools/test_book_pages.py",
    "tests/tools/test_views.py",
    "tests/tools/test_execution.py",
}


# What takes longest comes first, so that the workers end together: at the end only small files are
# left to deal out. Within a line, tests keep their order.
FIRST = (
    "tests/notebooks/test_execution.py",
    "tests/jupyter/",
    "tests/tools/test_book_build.py",
    "tests/tools/test_book_pages.py",
    "tests/site/test_pages.py",
    "tests/site/test_widgets.py",
    "tests/widgets/test_every_widget",
    "tests/exercises/test_every_exercise.py",
    "tests/site/",
    "tests/widgets/",
)
LONGEST = "relative_positions"  # of all notebooks, for it trains ten models


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, put the longest first, and deal the tests out to the workers.

    ``--dist loadgroup --no-loadscope-reorder`` keeps this order and these groups.
    """
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
        if group := group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=turn_of)


def name_of(item: pytest.Item) -> str:
    """Return the test's file, relative to the project."""
    return item.path.relative_to(HERE.parent).as_posix()


def is_slow(item: pytest.Item) -> bool:
    """True for what `make test-fast` leaves out."""
    browses = SITE in item.path.parents or "browser" in item.fixturenames
    return name_of(item) in SLOW or browses


def group_of(item: pytest.Item) -> str | None:
    """Return what a test stays together with in one worker: as a rule, the rest of its file.

    All that share the JupyterLab are one group, so that it starts once. The laws of all widgets
    are a group for each widget, which stands in the test's id. The tests of the built site share
    no more than a browser, and those that run notebooks nothing at all: each goes its own way.
    """
    name = name_of(item)
    if SITE in item.path.parents or name == "tests/notebooks/test_execution.py":
        return None
    if JUPYTER in item.path.parents:
        return "jupyter"
    widget = re.search(r"\[.*?([A-Z]\w+)", item.name)
    if name.startswith("tests/widgets/test_every_widget") and widget:
        return f"{name} {widget[1]}"
    return name


def turn_of(item: pytest.Item) -> tuple[int, bool]:
    """Return when a test's turn comes: the place of its file in `FIRST`, or after all of them."""
    name = name_of(item)
    places = (place for place, start in enumerate(FIRST) if name.startswith(start))
    return next(places, len(FIRST)), LONGEST not in item.name


@pytest.fixture(scope="session")
def tinyshakespeare() -> str:
    """The text of tinyshakespeare.txt from the folder in PLAINFORMER_DATA; skips without it."""
    folder = os.environ.get("PLAINFORMER_DATA")
    if not folder:
        pytest.skip("needs tinyshakespeare.txt: set PLAINFORMER_DATA to the folder that holds it")
    path = Path(folder) / "tinyshakespeare.txt"
    if not path.is_file():
        pytest.skip(f"needs tinyshakespeare.txt: there is none in PLAINFORMER_DATA ({folder})")
    return path.read_bytes().decode("utf-8")

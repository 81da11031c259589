"""What every test may use: hypothesis profiles and the corpora that are not in the repository."""

import os
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
    "tests/exercises/test_every_exercise.py",
    "tests/notebooks/test_execution.py",
    "tests/tools/test_book_build.py",
    "tests/tools/test_book_pages.py",
    "tests/tools/test_execution.py",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and deal the tests out to the workers of ``--dist loadgroup``.

    A file's tests go to one worker; so do all that share the JupyterLab, which then starts once.
    The tests of the built site share no more than a browser and are dealt one by one: a file of
    them would take one worker the longest.
    """
    for item in items:
        name = item.path.relative_to(HERE.parent).as_posix()
        if name in SLOW or SITE in item.path.parents or "browser" in item.fixturenames:
            item.add_marker(pytest.mark.slow)
        if SITE not in item.path.parents:
            group = "jupyter" if JUPYTER in item.path.parents else item.location[0]
            item.add_marker(pytest.mark.xdist_group(group))


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

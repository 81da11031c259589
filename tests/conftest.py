"""What every test may use: hypothesis profiles and the corpora that are not in the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from tests.browser import browser, chromium_path  # noqa: F401

SITE = Path(__file__).with_name("site")

settings.register_profile("default", deadline=None)
settings.register_profile("long", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the tests out to the workers of ``--dist loadgroup``: a file's to one of them.

    What they share, such as a JupyterLab, then starts once. The tests of the built site share no
    more than a browser and are dealt one by one: a file of them would take one worker the longest.
    """
    for item in items:
        if SITE not in item.path.parents:
            item.add_marker(pytest.mark.xdist_group(item.location[0]))


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

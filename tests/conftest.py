"""What every test may use: hypothesis profiles and the corpora that are not in the repository."""

import os
from pathlib import Path

import pytest
from hypothesis import settings
from tests.browser import browser, chromium_path  # noqa: F401

settings.register_profile("default", deadline=None)
settings.register_profile("long", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


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

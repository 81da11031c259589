"""What every test may use: hypothesis profiles and the corpora that are not in the repository."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from tests.browser import browser, chromium_path  # noqa: F401
from tests.dealing import Dealer, turn_of
from tests.installed import bare, installed, without_package  # noqa: F401

from plainformer.exercises import session

HERE = Path(__file__).parent
SITE = HERE / "site"

settings.register_profile("default", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=10)
settings.register_profile("long", deadline=None, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


# Files whose tests start kernels, graders or several processes, build books, train models or run
# thousands of cases; those that open a browser are found by their fixture. `make test-fast` leaves
# them all out, and stays below a minute and a half.
SLOW = {
    "tests/blocks/test_generation.py",
    "tests/classroom/test_collect.py",
    "tests/classroom/test_container.py",
    "tests/classroom/test_doctor.py",
    "tests/classroom/test_grade.py",
    "tests/classroom/test_gradescope.py",
    "tests/classroom/test_judge.py",
    "tests/classroom/test_lms.py",
    "tests/classroom/test_look.py",
    "tests/classroom/test_manual.py",
    "tests/classroom/test_new.py",
    "tests/classroom/test_rehearsal.py",
    "tests/classroom/test_validate.py",
    "tests/data/test_docstrings.py",
    "tests/deploy/test_classroom_recipes.py",
    "tests/exercises/practice/test_banks.py",
    "tests/exercises/practice/test_tasks.py",
    "tests/exercises/test_answers.py",
    "tests/exercises/test_every_exercise.py",
    "tests/jupyter/test_live.py",
    "tests/notebooks/test_alone.py",
    "tests/notebooks/test_committed.py",
    "tests/notebooks/test_execution.py",
    "tests/tools/test_book_build.py",
    "tests/tools/test_book_pages.py",
    "tests/tools/test_execution.py",
    "tests/tools/test_public_book.py",
    "tests/tools/test_record_scaling.py",
    "tests/tools/test_views.py",
    "tests/tools/test_warm_kernels.py",
    "tests/training/classification/test_classification.py",
    "tests/training/test_checkpoint.py",
    "tests/training/test_commands.py",
    "tests/training/test_distributed.py",
    "tests/training/test_language_model.py",
    "tests/training/test_sharing.py",
    "tests/training/test_translation_measures.py",
    "tests/training/test_translation_task.py",
    "tests/wheel/test_build_wheel.py",
    "tests/wheel/test_installed.py",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow, and put the longest first."""
    for item in items:
        if is_slow(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: turn_of(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Dealer | None:
    """Deal the tests out to the workers; ``--no-loadscope-reorder`` keeps their order."""
    return Dealer(config, log) if config.getvalue("dist") == "loadgroup" else None


def name_of(item: pytest.Item) -> str:
    """Return the test's file, relative to the project."""
    return item.path.relative_to(HERE.parent).as_posix()


def is_slow(item: pytest.Item) -> bool:
    """True for what `make test-fast` leaves out."""
    browses = SITE in item.path.parents or "browser" in item.fixturenames
    return name_of(item) in SLOW or browses


@pytest.fixture
def new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is checked in the test counts for it alone: no later test finds it passed."""
    monkeypatch.setattr(session, "_best", {})
    monkeypatch.setattr(session, "_passed", {})


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

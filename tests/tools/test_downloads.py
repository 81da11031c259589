"""What a site carries for its notebooks: the same bytes each time, and nothing left from before."""

import io
import os
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from sphinx.errors import ConfigError

from book_engine.downloads import make, write

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "plainformer"
version = "1.2.3"
requires-python = ">=3.11"
[tool.hatch.build.targets.wheel]
packages = ["src/plainformer"]
"""
WHEEL, ZIP = "plainformer-1.2.3-py3-none-any.whl", "plainformer-1.2.3-notebooks.zip"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with a package of one file and three notebooks, of which one is a dropping."""
    root = tmp_path / "course"
    files = {
        "pyproject.toml": PROJECT,
        "src/plainformer/__init__.py": "",
        "notebooks/inputs/a.ipynb": "{}",
        "notebooks/inputs/b.ipynb": "{ }",
        "notebooks/inputs/.ipynb_checkpoints/a.ipynb": "{}",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def built(root: Path) -> tuple[dict[str, bytes], list]:
    """Do what the beginning of a build does; return the downloads, and what pages are told."""
    config = SimpleNamespace()
    write(SimpleNamespace(srcdir=root, outdir=root / "html"), config)
    folder = root / "html" / "downloads"
    return {path.name: path.read_bytes() for path in folder.glob("*")}, config.book_engine_downloads


def test_the_zip_has_the_notebooks_the_wheel_and_a_note(root: Path) -> None:
    made = make(root)
    assert list(made) == [WHEEL, ZIP]
    folder = ZIP.removesuffix(".zip")
    with zipfile.ZipFile(io.BytesIO(made[ZIP])) as opened:
        inside = {name: opened.read(name) for name in opened.namelist()}
    assert WHEEL in inside.pop(f"{folder}/README.txt").decode()
    assert inside == {
        f"{folder}/{WHEEL}": made[WHEEL],
        f"{folder}/inputs/a.ipynb": b"{}",
        f"{folder}/inputs/b.ipynb": b"{ }",
    }


def test_the_same_tree_makes_the_same_bytes(root: Path) -> None:
    before = make(root)
    for path in root.rglob("*.*"):
        os.utime(path, (2e9, 2e9))
    assert make(root) == before


def test_the_site_has_what_is_of_now_alone(root: Path) -> None:
    stale = root / "html" / "downloads" / "plainformer-1.0.0-py3-none-any.whl"
    stale.parent.mkdir(parents=True)
    stale.touch()
    made, told = built(root)
    assert made == make(root)
    assert told == [ZIP, 1]
    (root / "pyproject.toml").write_text("[project]\n")
    assert built(root) == ({}, [])


def test_a_wheel_that_cannot_be_built_ends_the_build_with_a_sentence(root: Path) -> None:
    (root / "pyproject.toml").write_text("[build-system]\n[project]\n")
    with pytest.raises(ConfigError, match="the wheel was not built"):
        built(root)

"""Copy the built book, and put a script into each page of the copy, with what that fetches."""

from __future__ import annotations

import html
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from .cells import Cell, cells_of
from .packages import PURE, Packages

__all__ = ["make_site"]

HERE = Path(__file__).parent
PAGE = HERE / "page"
FOLDER = "live"  # of the site


def make_site(book: Path, site: Path, packages: Packages) -> dict[str, int]:
    """Write the site with its door; return how many cells of each page run in it.

    Args:
        book: the built book, which stays as it is.
        site: is replaced.
        packages: what the browser gets.

    Raises:
        FileNotFoundError: the book is not built.
        RuntimeError: the cells could not be tried.
    """
    wheels = [*packages.wheels, *(book / "downloads").glob("plainformer-*.whl")]
    if not (book / "index.html").is_file():
        raise FileNotFoundError(f"there are no pages in {book}; run `make book` first")
    pages = {
        path.relative_to(book).as_posix(): cells_of(path) for path in book.glob("book/**/*.html")
    }
    pages = {name: cells for name, cells in sorted(pages.items()) if cells}
    answers = _try(pages, packages)
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(book, site)
    folder = site / FOLDER
    shutil.copytree(packages.core, folder / "pyodide")
    (folder / "wheels").mkdir()
    for wheel in wheels:
        _copy_wheel(wheel, folder / "wheels" / wheel.name)
    for source in PAGE.glob("*.*"):
        shutil.copy(source, folder)
    facts: dict[str, object] = {
        "wheels": [wheel.name for wheel in wheels],
        "missing": packages.missing,
    }
    facts["bytes"] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    for name, cells in pages.items():
        up = "../" * name.count("/") + FOLDER
        _open(site / name, up, cells, answers[name], packages.missing)
    return {name: sum(each is True for each in answer) for name, answer in answers.items()}


def _try(pages: dict[str, list[Cell]], packages: Packages) -> dict[str, list[bool | list[str]]]:
    """Ask which cells run with the packages that the browser gets."""
    names = ["plainformer", *(name.replace("-", "_") for name in PURE)]
    names += [wheel.name.partition("-")[0] for wheel in packages.wheels]
    sources = {name: [cell.source for cell in cells] for name, cells in pages.items()}
    done = subprocess.run(
        [sys.executable, HERE / "probe.py"],
        input=json.dumps({"packages": names, "pages": sources}),
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    if done.returncode:
        raise RuntimeError(f"the cells could not be tried:\n{done.stderr}")
    answers: dict[str, list[bool | list[str]]] = json.loads(done.stdout)
    return answers


def _copy_wheel(wheel: Path, target: Path) -> None:
    """Copy a wheel without trained models, which need PyTorch and are most of the course's own."""
    with (
        zipfile.ZipFile(wheel) as source,
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy,
    ):
        for entry in source.infolist():
            if not entry.filename.startswith("plainformer/checkpoints/"):
                copy.writestr(entry, source.read(entry), zipfile.ZIP_DEFLATED)


def _open(
    page: Path, folder: str, cells: list[Cell], answers: list[bool | list[str]], missing: list[str]
) -> None:
    """Add the script and its style to a page, with what it has to know about each cell."""
    known: list[dict[str, object]] = []
    for cell, answer in zip(cells, answers, strict=True):
        statements = "\n".join(answer) if isinstance(answer, list) else ""
        known.append({"runs": answer is True, "exercise": cell.exercise, "before": statements})
    facts = html.escape(json.dumps({"cells": known, "missing": missing}), quote=True)
    door = (
        f'<link rel="stylesheet" href="{folder}/live.css">'
        f'<script defer src="{folder}/live.js" data-live="{facts}"></script></head>'
    )
    text = page.read_text(encoding="utf-8")
    page.write_text(text.replace("</head>", door, 1), encoding="utf-8")

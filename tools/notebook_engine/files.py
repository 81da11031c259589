"""notebooks/ as it should be, written or compared with what is there."""

from __future__ import annotations

import json
from pathlib import Path

from .index import Book
from .pages import Notebook, chapter_notebook, exercise_sheet


def expected(root: Path) -> dict[str, str]:
    """Return every notebook that the book makes: its path below notebooks/, and its text."""
    book = Book(root)
    made: dict[str, str] = {}
    for page in book.pages.values():
        if not page.has_notebook:
            continue
        made[f"{page.name}.ipynb"] = _text(chapter_notebook(book, page))
        sheet = exercise_sheet(book, page)
        if sheet is not None:
            made[f"{page.name}_exercises.ipynb"] = _text(sheet)
    return made


def out_of_step(root: Path) -> list[str]:
    """Return one line for each notebook that is missing, different, or made from no page."""
    wrong = _wrong(expected(root), root / "notebooks")
    return [f"notebooks/{name} {what}" for name, what in wrong.items()]


def write(root: Path) -> list[str]:
    """Write what differs, delete generated notebooks without a chapter, and say what was done."""
    made, folder = expected(root), root / "notebooks"
    done = []
    for name in _wrong(made, folder):
        path = folder / name
        if name in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".unfinished")
            unfinished.write_text(made[name], encoding="utf-8", newline="\n")
            unfinished.replace(path)
        else:
            path.unlink()
        done.append(f"{'wrote' if name in made else 'deleted'} notebooks/{name}")
    return done


def _wrong(made: dict[str, str], folder: Path) -> dict[str, str]:
    """Return what is wrong with each notebook that is not as it should be."""
    wrong = {}
    for name, text in made.items():
        path = folder / name
        if not path.is_file():
            wrong[name] = "is missing"
        elif path.read_text(encoding="utf-8") != text:
            wrong[name] = "differs from what its chapter makes"
    strays = [name for name in _generated(folder) if name not in made]
    return wrong | dict.fromkeys(strays, "is made from no chapter")


def _text(notebook: Notebook) -> str:
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _generated(folder: Path) -> list[str]:
    """Return the notebooks below `folder` that this program once wrote."""
    names = []
    for path in sorted(folder.rglob("*.ipynb")):
        if ".ipynb_checkpoints" in path.parts:
            continue
        metadata = json.loads(path.read_text(encoding="utf-8")).get("metadata", {})
        if "made_from" in metadata.get("plainformer", {}):
            names.append(path.relative_to(folder).as_posix())
    return names

"""The chapters of the course in reading order: `_toc.yml` says which come when.

``book/map/chapters.yml`` adds what that file cannot say: a line about each chapter, and the
chapters that are not written yet, each where it will stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml


class ChapterError(ValueError):
    """The lists of chapters do not fit together; the message names the file to edit."""


@dataclass(frozen=True)
class Chapter:
    """One chapter of the course, written or not."""

    part: str
    part_title: str  # with its number: "1 Inputs"
    slug: str
    title: str
    line: str

    @property
    def page(self) -> str:
        """The chapter's page, as Sphinx names documents.

        >>> Chapter("inputs", "1 Inputs", "embedding", "Embedding", "A row of a table.").page
        'book/inputs/embedding'
        """
        return f"book/{self.part}/{self.slug}"


def pages_in_order(toc: Path) -> list[str]:
    """Return the pages that a `_toc.yml` puts into parts, from the first to the last."""
    contents = yaml.safe_load(toc.read_text(encoding="utf-8"))
    return [page["file"] for part in contents.get("parts", []) for page in part["chapters"]]


def load_chapters(path: Path, written: Sequence[str]) -> list[Chapter]:
    """Read the chapters of the file at `path`, in the order of the `written` pages.

    A chapter that is not among `written` keeps its place between the others of its part. Parts
    are numbered as they stand in the file.
    Raises `ChapterError` where a chapter lacks a field or its line is no sentence, two share a
    slug, or a written page of a part is not in the file.
    """
    chapters: list[Chapter] = []
    parts = yaml.safe_load(path.read_text(encoding="utf-8"))
    for number, part in enumerate(parts, start=1):
        found: dict[str, Chapter] = {}
        for entry in part["chapters"]:
            missing = {"slug", "title", "line"} - entry.keys()
            if missing:
                raise ChapterError(f"{path.name}: {entry} lacks {', '.join(sorted(missing))}")
            if not str(entry["line"]).endswith("."):
                raise ChapterError(
                    f"{path.name}: the line of {entry['slug']} must end with a period"
                )
            chapter = Chapter(part["part"], f"{number} {part['title']}", **entry)
            if chapter.slug in {*found, *(one.slug for one in chapters)}:
                raise ChapterError(f"{path.name}: more than one chapter is called {chapter.slug}")
            found[chapter.slug] = chapter
        folder = f"book/{part['part']}/"
        ready = [page.removeprefix(folder) for page in written if page.startswith(folder)]
        unknown = [slug for slug in ready if slug not in found]
        if unknown:
            raise ChapterError(
                f"{path.name}: add slug, title and line of {', '.join(unknown)} to the part "
                f"{part['part']}, because _toc.yml has a page of that name"
            )
        turn = iter(ready)
        chapters += [found[next(turn)] if slug in ready else found[slug] for slug in found]
    return chapters


def written_chapters(root: Path) -> list[str]:
    """Return the pages of the chapters that the project at `root` has, in order.

    A page of `_toc.yml` outside the parts of the course, such as an appendix, is none.
    """
    pages = pages_in_order(root / "_toc.yml")
    chapters = load_chapters(root / "book" / "map" / "chapters.yml", pages)
    return [chapter.page for chapter in chapters if chapter.page in pages]

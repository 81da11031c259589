"""The code cells of a built page, in the order in which a browser finds them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup

__all__ = ["SELECTOR", "Cell", "cells_of"]

SELECTOR = "div.cell_input pre"  # the same as in page/live.js


@dataclass(frozen=True)
class Cell:
    """The source of one cell; an exercise's stub is one that a reader completes."""

    source: str
    exercise: bool


def cells_of(page: Path) -> list[Cell]:
    """Return the cells of a page of the built book.

    Args:
        page: an HTML file.
    """
    soup = BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")
    found = []
    for code in soup.select(SELECTOR):
        cell = code.find_parent("div", class_="cell")
        kinds = str(cell.get("class") if cell else "")
        found.append(Cell(code.get_text(), "tag_exercise" in kinds))
    return found

"""A table of marks as another program wrote it, with every byte kept that is not changed.

Reading a CSV and writing it again changes quotation marks, line ends and the mark at its start,
and the programs that read it are strict. So a cell keeps its original text, and only the cells
that are filled in are written anew.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Filled", "Sheet", "as_number", "number_like"]


@dataclass(frozen=True)
class Filled:
    """A table that was filled.

    Attributes:
        data: the file, to be uploaded.
        rows: how many have a mark now.
        without: students who have marks and no row in it.
        scaled: whether marks were brought to another maximum, the table's own.
    """

    data: bytes
    rows: int
    without: Sequence[str]
    scaled: bool = False


class Sheet:
    """Rows of cells, as text.

    >>> sheet = Sheet(b'ID,"Grade"\\r\\n7, 1.0\\r\\n')
    >>> sheet.heads, sheet.value(1, 1)
    (['ID', 'Grade'], ' 1.0')
    >>> sheet.put(1, 1, "a, b")
    >>> sheet.data()
    b'ID,"Grade"\\r\\n7,"a, b"\\r\\n'
    """

    def __init__(self, data: bytes) -> None:
        # Bytes that are not UTF-8 come back unchanged.
        text = data.decode("utf-8", "surrogateescape")
        self.start = "\ufeff" if text.startswith("\ufeff") else ""
        text = text[len(self.start) :]
        first = re.sub(r'"[^"]*"', "", text[:10_000]).splitlines()
        self.between = max(",;\t", key=first[0].count) if first else ","
        cell = re.compile(
            rf'("(?:[^"]|"")*"[^{self.between}\r\n]*|[^{self.between}\r\n]*)'
            rf"({self.between}|\r\n|\n|\r|\Z)"
        )
        self.cells: list[list[str]] = [[]]
        self.ends: list[str] = []
        at = 0
        while at <= len(text):
            found = cell.match(text, at)
            assert found is not None  # any text is a cell
            self.cells[-1].append(found[1])
            at = found.end()
            if found[2] != self.between:
                self.ends.append(found[2])
                if not found[2] or at == len(text):
                    break
                self.cells.append([])

    @property
    def heads(self) -> list[str]:
        """The values of the first row."""
        return [_value(raw) for raw in self.cells[0]]

    def __len__(self) -> int:
        return len(self.ends)

    def value(self, row: int, column: int) -> str:
        """A cell's text; empty for one that is not there."""
        cells = self.cells[row]
        return _value(cells[column]) if 0 <= column < len(cells) else ""

    def put(self, row: int, column: int, text: str) -> None:
        """Change a cell, of a row that has it."""
        quoted = any(mark in text for mark in f'{self.between}"\r\n')
        self.cells[row][column] = '"{}"'.format(text.replace('"', '""')) if quoted else text

    def data(self, columns: Sequence[int] | None = None) -> bytes:
        """The table as a file; only some of its columns, if they are named."""
        parts = [self.start]
        for cells, end in zip(self.cells, self.ends, strict=False):
            kept = cells if columns is None else [cells[i] for i in columns if i < len(cells)]
            parts += [self.between.join(kept), end]
        return "".join(parts).encode("utf-8", "surrogateescape")


def _value(raw: str) -> str:
    return raw[1:-1].replace('""', '"') if len(raw) > 1 and raw[0] == raw[-1] == '"' else raw


def as_number(text: str) -> float | None:
    """A number as written in a table, with a point or a comma; None for other text.

    >>> as_number("100.00"), as_number("7,5"), as_number("(read only)")
    (100.0, 7.5, None)
    """
    if not re.fullmatch(r"\s*\d{1,9}(?:[.,]\d{1,9})?\s*", text):
        return None
    return float(text.replace(",", "."))


def number_like(value: float, sample: str) -> str:
    """A number, written as its neighbour is.

    >>> number_like(2.5, "100.00"), number_like(2 / 3, "100,00"), number_like(2, "")
    ('2.5', '0,66667', '2')
    """
    shown = f"{value:.5f}".rstrip("0").rstrip(".")
    return shown.replace(".", ",") if re.search(r"\d,\d", sample) else shown

"""The picture of `AttentionStepper` without scripts: q, k, v and the matrix of one step as tables.

They are plain HTML tables in the colours of the live widget, so they can be read on paper too.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence

from plainformer.arrays import Array

__all__ = ["draw", "number"]


def number(value: float) -> str:
    """A number with at most two decimals: 4, 2.83, −0.5, −∞."""
    if math.isinf(value):
        return "−∞" if value < 0 else "∞"
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def draw(
    *,
    matrices: Mapping[str, Sequence[Sequence[float]]],
    tokens: Sequence[str],
    keys: Sequence[str],
    place: int,
    name: str,
    result: Array,
    cell: tuple[int, int],
) -> str:
    """Return the tables as HTML.

    Args:
        matrices: q, k and v under these names.
        tokens, keys: the names of the queries and of the keys.
        place: which step it is, from 1.
        name: what it is called.
        result: the matrix of the step.
        cell: row and column of the cell that is framed.
    """
    names = {"q": tokens, "k": keys, "v": keys}
    sources = "".join(
        _table(f"{letter} {_shape(rows)}", names[letter], None, rows, None)
        for letter, rows in matrices.items()
    )
    columns = None if name == "output" else keys
    caption = f"Step {place}: {name} {_shape(result)}"
    return (
        f'<div class="pf-tables">{sources}'
        f"{_table(caption, tokens, columns, result.tolist(), cell)}</div>"
    )


def _shape(rows: Sequence[Sequence[float]] | Array) -> str:
    return f"({len(rows)}, {len(rows[0])})"


def _table(
    caption: str,
    names: Sequence[str],
    columns: Sequence[str] | None,
    rows: Sequence[Sequence[float]],
    cell: tuple[int, int] | None,
) -> str:
    """One matrix with a name for each row, and for each column if it has names."""
    heads = [str(i) for i in range(len(rows[0]))] if columns is None else columns
    head = "".join(f"<th>{html.escape(each)}</th>" for each in heads)
    chosen = ' class="pf-chosen"'
    lines = []
    for i, row in enumerate(rows):
        cells = "".join(
            f"<td{chosen if cell == (i, j) else ''}>{number(each)}</td>"
            for j, each in enumerate(row)
        )
        lines.append(f"<tr><th>{html.escape(names[i])}</th>{cells}</tr>")
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead><tr><td></td>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )

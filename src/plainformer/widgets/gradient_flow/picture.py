"""The picture of `GradientFlow` without scripts: every matrix as a small table.

`number` and `name_of` write a number and the name of one as the page does.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from plainformer.arrays import Array

__all__ = ["draw", "name_of", "number"]

TITLES = {
    "x": "x", "w_q": "W_q", "q": "q", "w_k": "W_k", "k": "k", "scores": "scores",
    "weights": "weights", "w_v": "W_v", "v": "v", "output": "output", "loss": "loss",
}  # fmt: skip


def number(value: float, *, signed: bool = False) -> str:
    """A number in at most six characters: 2, −0.77, +0.024, 2.3e5; 0 where nothing moves."""
    size = abs(value)
    if size < 1e-12:
        return "0"
    if size >= 1000:
        text = f"{size:.1e}".replace("e+0", "e").replace("e+", "e")
    else:
        places = 0 if size >= 100 else 1 if size >= 10 else 2 if size >= 0.1 else 3
        text = f"{size:.{places}f}"
        if "." in text and not signed:
            text = text.rstrip("0").rstrip(".")
    sign = "−" if value < 0 else "+" if signed else ""
    return sign + text if text.strip("0.") or signed else "0"


def name_of(
    matrix: str,
    cell: tuple[int, int],
    tokens: Sequence[str],
    query: int,
    features: Sequence[str],
) -> str:
    """What one number is called: "W_q, row thing, column 1" or "score of “is” (2)"."""
    row, column = cell

    def token(place: int) -> str:
        again = tokens.count(tokens[place]) > 1
        return f"“{tokens[place]}” ({place})" if again else f"“{tokens[place]}”"

    if matrix.startswith("w_"):
        return f"{TITLES[matrix]}, row {features[row]}, column {column}"
    if matrix in ("scores", "weights"):
        return f"the {matrix[:-1]} of {token(column)}"
    if matrix == "x":
        return f"x of {token(row)}, {features[column]}"
    if matrix == "loss":
        return "the loss"
    place = query if matrix in ("q", "output") else row
    return f"{matrix} of {token(place)}, column {column}"


def draw(
    shown: Mapping[str, Array],
    *,
    signed: bool,
    chosen: tuple[str, int, int],
    tokens: Sequence[str],
    features: Sequence[str],
) -> str:
    """Return the tables as HTML; scores and weights are columns, with a row for each token."""
    tables = []
    for name, array in shown.items():
        upright = name in ("scores", "weights")
        rows = array.T if upright else array
        heads = {"x": tokens, "k": tokens, "v": tokens, "scores": tokens, "weights": tokens}.get(
            name, features if name.startswith("w_") else [""] * len(rows)
        )
        at = (chosen[2], chosen[1]) if upright else chosen[1:]
        lines = []
        for i, row in enumerate(rows.tolist()):
            cells = "".join(
                f"<td{' class=pf-chosen' if (name, i, j) == (chosen[0], *at) else ''}>"
                f"{number(value, signed=signed)}</td>"
                for j, value in enumerate(row)
            )
            lines.append(f"<tr><th>{html.escape(heads[i])}</th>{cells}</tr>")
        caption = f"{TITLES[name]} ({array.shape[0]}, {array.shape[1]})"
        tables.append(f"<table><caption>{caption}</caption>{''.join(lines)}</table>")
    return f'<div class="pf-tables">{"".join(tables)}</div>'

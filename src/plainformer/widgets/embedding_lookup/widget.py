"""A widget that looks tokens up in a small table, and shows the same as a product.

The reader picks a token of a sentence. Its ID highlights a row of the table. The token's one-hot
vector is shown as a column next to the rows, with the sums of the product below. The front end
(``view.js``) multiplies and adds; a browser test holds its sums against
`plainformer.inputs.embed`.

It is made for a table that is small enough to read, of at most `MAX_ROWS` rows and `MAX_COLUMNS`
columns, and for numbers below `MAX_SIZE`. They are shown with two decimals; "Show as table" has up
to six.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any, ClassVar

import traitlets

from plainformer.arrays import as_array, as_numpy
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole

__all__ = ["MAX_COLUMNS", "MAX_ROWS", "MAX_SIZE", "MAX_TOKENS", "EmbeddingLookup"]

MAX_ROWS = 16
"""The most rows that the table may have."""

MAX_COLUMNS = 8
"""The most columns."""

MAX_TOKENS = 16
"""The most tokens to choose from."""

MAX_SIZE = 1e6
"""The numbers of the table are smaller than this, with or without their sign."""


def _check_table(widget: Any, value: Any) -> list[list[float]]:
    table = as_numpy(as_array(value, "table"))  # torch's may be one that is being trained
    size = len(widget.vocabulary)
    if table.ndim != 2 or table.shape[0] != size or not 1 <= table.shape[1] <= MAX_COLUMNS:
        raise ValueError(
            f"table must have shape ({size}, 1 to {MAX_COLUMNS}), a row for each entry of the "
            f"vocabulary; got {tuple(table.shape)}"
        )
    if widget.width is not None and table.shape[1] != widget.width:  # the page has drawn its grid
        raise ValueError(f"table must keep its {widget.width} columns; got {table.shape[1]}")
    rows = [[float(number) for number in row] for row in table]
    numbers = [number for row in rows for number in row]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("table must hold finite numbers; got nan or infinity")
    largest = max(numbers, key=abs)
    if abs(largest) >= MAX_SIZE:
        raise ValueError(f"table must hold numbers below {MAX_SIZE:,.0f} in size; got {largest:g}")
    return rows


def _check_place(widget: Any, value: Any) -> int:
    return check_whole(value, "place", 0, len(widget.tokens) - 1)


def _check_column(widget: Any, value: Any) -> int:
    return check_whole(value, "column", 0, len(widget.table[0]) - 1)


class EmbeddingLookup(Widget):
    """Show how a token's ID picks a row of an embedding table.

    Arguments: ``tokens``, a list of strings; ``table``, an array of shape (V, D), a row for each
    entry of the vocabulary; ``vocabulary``, the tokens in the order of their IDs (None: the
    distinct tokens in alphabetical order); ``place``, the token that is looked up first, counted
    from 0; ``column``, the column whose sum is written out first.

    In Jupyter, ``table`` (of the same shape), ``place`` and ``column`` are live: what the reader
    picks can be read here, and what is set here is drawn. ``ids`` are the tokens' IDs and
    ``vector`` is the row.

    >>> table = [[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]
    >>> widget = EmbeddingLookup(["a", "lovely", "cat"], table)
    >>> widget.vocabulary, widget.ids
    (['a', 'cat', 'lovely'], [0, 2, 1])
    >>> widget.place = 2
    >>> widget.vector
    [0.3, -0.4]

    Raises TypeError when an argument has the wrong type; ValueError when `tokens` is empty or too
    long, when a token is not in the vocabulary, when the vocabulary has an entry twice, when the
    table has another shape or holds something that is not a number, and when ``place`` or
    ``column`` lies outside.
    """

    front_end: ClassVar[str] = "embedding_lookup"
    width: int | None = None  # columns of the table, once there is one

    data = traitlets.Dict().tag(sync=True)
    table = ValidatedTrait([[0.0]], _check_table).tag(sync=True)
    place = ValidatedTrait(0, _check_place).tag(sync=True)
    column = ValidatedTrait(0, _check_column).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        table: Any,
        vocabulary: Sequence[str] | None = None,
        place: int = 0,
        column: int = 0,
        **options: Any,
    ) -> None:
        self.tokens = check_strings(tokens, "tokens", 1, MAX_TOKENS)
        known = sorted(set(self.tokens)) if vocabulary is None else vocabulary
        self.vocabulary = check_strings(known, "vocabulary", 1, MAX_ROWS)
        id_of = {token: number for number, token in enumerate(self.vocabulary)}
        if len(id_of) < len(self.vocabulary):
            raise ValueError("vocabulary must have each token once; got one twice")
        for token in self.tokens:
            if token not in id_of:
                raise ValueError(f"tokens must be in the vocabulary; {token!r} is not")
        self.ids = [id_of[token] for token in self.tokens]
        data = {"tokens": self.tokens, "ids": self.ids, "vocabulary": self.vocabulary}
        super().__init__(data=data, table=table, **options)
        self.width = len(self.table[0])
        self.place = place
        self.column = column

    @property
    def vector(self) -> list[float]:
        """The row of the token at ``place``."""
        return list(self.table[self.ids[self.place]])

    def description(self) -> str:
        """Return as a sentence which row the token lights, and what the row holds."""
        token, number = self.tokens[self.place], self.ids[self.place]
        row = ", ".join(_number(value) for value in self.vector)
        same = [p for p, other in enumerate(self.ids) if other == number and p != self.place]
        again = f" So it does at position {' and '.join(map(str, same))}." if same else ""
        return (
            f"“{token}” at position {self.place} has the ID {number} and lights row {number} of "
            f"{len(self.table)}: {row}.{again}"
        )

    def picture(self) -> str:
        """Return the sentence, the one-hot row on end, the table and the sums."""
        chosen = self.ids[self.place]
        limit = max(abs(value) for row in self.table for value in row) or 1.0
        chips = " ".join(
            f"<b>[{html.escape(token)}]</b>" if place == self.place else html.escape(token)
            for place, token in enumerate(self.tokens)
        )
        lines = []
        for number, row in enumerate(self.table):
            lit = " look-lit" if number == chosen else ""
            cells = "".join(_cell(value, limit, lit) for value in row)
            lines.append(
                f'<span class="look-name{lit}"><b>{number}</b> '
                f"{html.escape(self.vocabulary[number])}</span>"
                f'<span class="look-cell look-weight{lit}">{int(number == chosen)} ×</span>{cells}'
            )
        sums = "".join(_cell(value, limit, " look-result") for value in self.vector)
        return (
            f'<p class="pf-note">{chips}</p>'
            f'<div class="look-box"><div class="look-grid" '
            f'style="--look-width: {len(self.table[0])}">{"".join(lines)}'
            f'<span class="look-name look-total">sum of each column</span>{sums}</div></div>'
            '<p class="pf-note">The one-hot row of the token in brackets stands beside the table. '
            "Zero times a row is nothing, so the sum is the row that is multiplied by 1.</p>"
        )


def _number(value: float) -> str:
    """A number with two decimals and a minus sign that is one; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def _cell(value: float, limit: float, kind: str) -> str:
    """One number on the colour that ``kit/scales.js`` gives it."""
    import matplotlib  # imported here because it is slow and only a picture needs it

    from plainformer.plots import SIGNED

    red, green, blue, _ = matplotlib.colormaps[SIGNED](round((value / limit + 1) / 2 * 255))
    parts = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (red, green, blue)
    )
    light = sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
    ink = "#000000" if light > 0.179 else "#ffffff"
    back = f"rgb({red * 255:.0f} {green * 255:.0f} {blue * 255:.0f})"
    return (
        f'<span class="look-cell look-value{kind}" style="background: {back}; color: {ink}">'
        f"{_number(value)}</span>"
    )

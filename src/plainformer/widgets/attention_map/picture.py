"""The picture of `AttentionMap` without scripts: one head as a heat map, one query framed.

It is written as SVG by hand: a page is ready at once, and any script's letters do. Equal
neighbours in a row are one stroke, and all strokes of a colour are one path, so that the largest
map weighs no more than a photograph's thumbnail. Text and lines follow the page's light or dark
mode; the cells have the same colours in both.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from html import escape
from unicodedata import east_asian_width

import numpy as np

from plainformer.arrays import Array
from plainformer.widgets.kit.token_words import label

__all__ = ["COLOURS", "draw"]

COLOURS = [
    "ffffff", "fbf1f6", "f6e4ed", "f2d6e4", "edc9db", "e8bcd2", "e3aeca",
    "dda1c1", "d894b8", "d286b0", "cc79a7", "c2709d", "b86794", "ae5d8a",
    "a45481", "9b4c77", "91436e", "873a65", "7e315c", "742854", "6b1f4b",
]  # fmt: skip
"""The colours of weights from 0 to 1, as ``kit/scales.js`` has them for light ground."""

POWER = 0.6  # of a weight: the same as there

MOST_LABELS = 24  # beside so many rows each has its token; beside more, some
MOST_NUMBERS = 8  # with so many columns a number fits a cell

WIDTH = 400  # of the drawing, in its own units, in which a letter is 13 high
LETTER = 7.4  # about the width of one
LETTERS = 12  # of a token; what is longer is cut
WIDEST = 56  # of a cell

INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
EDGE = "var(--pf-edge, #818a94)"


def draw(*, tokens: list[str], keys: list[str], weights: Array, allowed: Array, query: int) -> str:
    """Return the drawing as SVG.

    Args:
        tokens, keys: the words of the rows and of the columns.
        weights: (T, S), what the widget shows.
        allowed: (T, S), False where a mask forbids.
        query: the row that is framed.
    """
    map_, height = _map(tokens, keys, weights, allowed, query)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" aria-hidden="true" font-size="13" '
        f'fill="{INK}" style="display: block; width: 100%; max-width: 32rem; margin: 0 auto">'
        f"{map_}</svg>"
    )


def _width(text: str) -> int:
    """How many letters' room a text takes: letters of Chinese, say, and emoji take that of two."""
    return sum(2 if east_asian_width(each) in "WF" else 1 for each in text)


def _short(token: str) -> str:
    """A token as a label, cut where it is long."""
    text = label(token)
    if _width(text) <= LETTERS:
        return text
    while _width(text) >= LETTERS:
        text = text[:-1]
    return f"{text}…"


def _text(x: float, y: float, words: str, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(words)}</text>'


def _map(
    tokens: list[str], keys: list[str], weights: Array, allowed: Array, query: int
) -> tuple[str, float]:
    """The map with its tokens and the scale of its colours, and how high all that is."""
    rows, columns = weights.shape
    shades = _shades(weights)
    queries, names = [_short(each) for each in tokens], [_short(each) for each in keys]
    left = max(9, *map(_width, queries)) * LETTER + 8
    wide = min(WIDEST, (WIDTH - left - 2) / columns)
    high = 26 if rows <= 12 else 15 if rows <= MOST_LABELS else 400 / rows
    widest = max(map(_width, names)) * LETTER
    upright = widest > wide - 4
    top = max(widest + 12, 32) if upright else 32
    right, bottom = left + wide * columns, top + high * rows
    parts = [
        _text(left - 6, top - 20, "keys →", "end", f' fill="{MUTED}" font-size="11"'),
        _text(left - 6, top - 6, "queries ↓", "end", f' fill="{MUTED}" font-size="11"'),
    ]
    for i in range(0, rows, -(-rows // MOST_LABELS)):
        parts.append(_text(left - 6, top + (i + 0.5) * high + 4.5, queries[i], "end"))
    for j in range(0, columns, -(-columns // MOST_LABELS)):
        x = left + (j + 0.5) * wide
        turn = f' transform="rotate(-90 {x + 4.5:.1f} {top - 6:.1f})"'
        parts.append(
            _text(x + 4.5, top - 6, names[j], "start", turn)
            if upright
            else _text(x, top - 6, names[j], "middle")
        )
    parts.append(
        f'<g transform="translate({left:.2f} {top:.2f}) scale({wide:.4f} {high:.4f})" '
        f'fill="none" shape-rendering="crispEdges">{_strokes(shades, allowed)}</g>'
    )
    if max(rows, columns) <= MOST_NUMBERS:
        for (i, j), share in np.ndenumerate(weights):
            ink = MUTED if not allowed[i, j] else "#ffffff" if shades[i, j] > 13 else "#000000"
            said = f"{share:.2f}" if allowed[i, j] else "–"
            x, y = left + (j + 0.5) * wide, top + (i + 0.5) * high + 4
            parts.append(_text(x, y, said, "middle", f' fill="{ink}" font-size="11"'))
    parts.append(
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" '
        f'height="{bottom - top:.1f}" fill="none" stroke="{EDGE}"/>'
    )
    for colour, thick in (("#ffffff", 3.5), ("#000000", 1.5)):  # seen on every cell, in both modes
        parts.append(
            f'<rect x="{left:.1f}" y="{top + query * high:.1f}" width="{right - left:.1f}" '
            f'height="{high:.1f}" fill="none" stroke="{colour}" stroke-width="{thick}"/>'
        )
    scale = _strokes(
        _shades(np.linspace(0, 1, len(COLOURS)))[None], np.ones((1, len(COLOURS)), bool)
    )
    parts.append(
        _text(left, bottom + 21, "0")
        + f'<g transform="translate({left + 14:.1f} {bottom + 12:.1f}) scale(5 9)" fill="none" '
        f'shape-rendering="crispEdges">{scale}</g>'
        + _text(left + 20 + 5 * len(COLOURS), bottom + 21, "1")
    )
    return "".join(parts), bottom + 26


def _shades(weights: Array) -> Array:
    """Which of the colours each weight has."""
    return np.rint(np.clip(weights, 0, 1) ** POWER * (len(COLOURS) - 1)).astype(int)


def _strokes(shades: Array, allowed: Array) -> str:
    """Cells of size 1 as strokes of width 1: a path for each colour; masked cells stay open."""
    paths: dict[int, list[str]] = defaultdict(list)
    for i, row in enumerate(np.where(allowed, shades, -1).tolist()):
        start = 0
        for shade, run in itertools.groupby(row):
            long = len(list(run))
            if shade >= 0:
                paths[shade].append(f"M{start} {i}.5h{long}")
            start += long
    return "".join(
        f'<path stroke="#{COLOURS[shade]}" d="{"".join(paths[shade])}"/>' for shade in sorted(paths)
    )

"""The picture of `LogitLens` without scripts: the grid, with the likeliest token of each cell.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plainformer.widgets.kit.token_words import label, weight

__all__ = ["draw"]

WIDTH, LEFT, HIGH, HEAD = 640, 84, 38, 24
LETTER = 7.0  # about the width of one
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE, WEIGHT = "var(--pf-line, #9a9a9a)", "var(--pf-weight, #cc79a7)"
POWER, STRONGEST = 0.6, 0.7  # of a shade, as in ``kit/scales.js``; ink is read on the strongest


def draw(
    tokens: Sequence[str],
    names: Sequence[str],
    cells: Sequence[Sequence[tuple[str, float]]],
    chosen: tuple[int, int],
) -> str:
    """Return the drawing as SVG.

    Args:
        tokens: that were read, a column each.
        names: of the depths, the lowest first.
        cells: (L, T): a word, and its probability.
        chosen: the row, from the bottom, and the column of the cell that is framed.
    """
    wide = (WIDTH - LEFT - 2) / len(tokens)
    bottom = HIGH * len(names)
    parts: list[str] = []
    for r, (name, row) in enumerate(zip(names, cells, strict=True)):
        y = bottom - HIGH * (r + 1)
        parts.append(_text(LEFT - 8, y + HIGH / 2 + 4, _cut(label(name), LEFT - 8), MUTED, "end"))
        for t, (word, share) in enumerate(row):
            x = LEFT + wide * t
            frame = f'stroke="{INK}" stroke-width="2.5"' if (r, t) == chosen else f'stroke="{LINE}"'
            parts.append(
                f'<rect x="{x:.1f}" y="{y + 1}" width="{wide - 2:.1f}" height="{HIGH - 2}" {frame} '
                f'fill="{WEIGHT}" fill-opacity="{STRONGEST * share**POWER:.2f}"/>'
            )
            middle = x + wide / 2 - 1
            parts.append(_text(middle, y + 17, _cut(label(word), wide), INK, "middle"))
            parts.append(_text(middle, y + 31, weight(share), INK, "middle", 11))
    parts.append(_text(LEFT - 8, bottom + 17, "read", MUTED, "end"))
    for t, token in enumerate(tokens):
        middle = LEFT + wide * (t + 0.5) - 1
        parts.append(_text(middle, bottom + 17, _cut(label(token), wide), INK, "middle"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {bottom + HEAD}" aria-hidden="true" font-size="13" '
        f'style="display: block; width: 100%">{"".join(parts)}</svg>'
        '<p class="pf-note">The likeliest next token at each depth, and its probability.</p>'
    )


def _cut(text: str, room: float) -> str:
    """A text that fits, cut where it is long."""
    most = max(1, int(room / LETTER))
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(x: float, y: float, words: str, colour: str, anchor: str, size: int = 13) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}" '
        f'font-size="{size}">{escape(words)}</text>'
    )

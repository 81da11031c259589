"""The picture of `BlockFlow` without scripts: a row for each token, a column for each sublayer.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from plainformer.arrays import Array
from plainformer.attention.example import TOKENS

from .flow import SUBLAYERS, Step

__all__ = ["draw", "number"]

NAME, COLUMN, ROW, HEAD = 60, 100, 50, 42
STREAM, WRITTEN = "var(--pf-query, #0072b2)", "var(--pf-output, #d55e00)"
INK, LINE = "var(--pf-ink, currentColor)", "var(--pf-line, #9a9a9a)"


def number(value: float) -> str:
    """A number with two decimals and a minus sign that is one; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def draw(x: Array, steps: Sequence[Step], on: Sequence[bool], token: int) -> str:
    """Return the drawing as SVG: filled bars are the stream, hollow ones what was just written."""
    streams = [x, *(each.stream for each in steps)]
    limit = max(3.0, *(float(np.abs(each).max()) for step in steps for each in step[1:]))
    scale = (ROW / 2 - 4) / limit
    parts = []
    heads = [
        "input",
        *(kind if yes else f"{kind}, off" for kind, yes in zip(SUBLAYERS, on, strict=True)),
    ]
    for c, head in enumerate(heads):
        parts.append(_text(NAME + (c + 0.5) * COLUMN, 32, head, "middle"))
    for layer in (1, 2):
        parts.append(_text(NAME + 2 * layer * COLUMN, 14, f"layer {layer}", "middle"))
    for t, name in enumerate(TOKENS):
        middle = HEAD + (t + 0.5) * ROW
        parts.append(_text(0, middle + 4, f"▸ {name}" if t == token else name, "start"))
        parts.append(
            f'<line x1="{NAME}" x2="{NAME + len(heads) * COLUMN}" y1="{middle}" y2="{middle}" '
            f'stroke="{LINE}"/>'
        )
        for c, stream in enumerate(streams):
            for d, value in enumerate(stream[t]):
                left = NAME + c * COLUMN + 10 + 20 * d
                parts.append(_bar(left, middle, 11, float(value) * scale, f'fill="{STREAM}"'))
                if c:
                    written = float(steps[c - 1].written[t, d]) * scale
                    parts.append(_bar(left + 12, middle, 5, written, f'stroke="{WRITTEN}"'))
    width, height = NAME + len(heads) * COLUMN, HEAD + len(TOKENS) * ROW
    return (
        f'<svg viewBox="0 0 {width} {height}" aria-hidden="true" fill="none" font-size="13" '
        f'style="display: block; width: 100%; max-width: 40rem; margin: 0 auto">{"".join(parts)}'
        "</svg>"
        '<p class="pf-note">Filled bars: the stream. Hollow ones: what was just written.</p>'
    )


def _bar(x: float, middle: float, width: float, up: float, looks: str) -> str:
    if abs(up) < 0.05:
        return ""
    return (
        f'<rect x="{x}" y="{min(middle, middle - up):.1f}" width="{width}" '
        f'height="{abs(up):.1f}" {looks}/>'
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{INK}" text-anchor="{anchor}">{words}</text>'

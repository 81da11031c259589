"""The picture of `NormLab` without scripts: a group of bars for the token and for each norm.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

__all__ = ["draw", "number"]

WIDTH, HEIGHT, HEAD = 400, 110, 26
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE = "var(--pf-line, #9a9a9a)"
TOKEN, NORMED = "var(--pf-query, #0072b2)", "var(--pf-output, #d55e00)"
LONGEST = 10  # letters of a name below a bar


def number(value: float) -> str:
    """A number with two decimals and a minus sign that is one; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def draw(names: Sequence[str], groups: Mapping[str, Any]) -> str:
    """Return the drawing as SVG: the groups below one another, each to a scale of its own."""
    parts: list[str] = []
    step = WIDTH / len(names)
    for g, (title, values) in enumerate(groups.items()):
        top = g * (HEAD + HEIGHT + 20)
        middle = top + HEAD + HEIGHT / 2
        limit = max(1e-9, *(abs(float(each)) for each in values))
        parts.append(_text(0, top + 14, title, INK, "start"))
        parts.append(f'<line x1="0" x2="{WIDTH}" y1="{middle}" y2="{middle}" stroke="{LINE}"/>')
        for i, (name, value) in enumerate(zip(names, values, strict=True)):
            height = abs(float(value)) / limit * (HEIGHT / 2 - 16)
            x, y = (i + 0.5) * step, middle - height if value > 0 else middle
            parts.append(
                f'<rect x="{x - 14:.1f}" y="{y:.1f}" width="28" height="{height:.1f}" '
                f'fill="{NORMED if g else TOKEN}"/>'
            )
            end = middle - height - 4 if value > 0 else middle + height + 13
            parts.append(_text(x, end, number(float(value)), INK, "middle"))
            short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
            parts.append(_text(x, top + HEAD + HEIGHT + 10, short, MUTED, "middle"))
    height = len(groups) * (HEAD + HEIGHT + 20)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true" fill="none" font-size="13" '
        'style="display: block; width: 100%; max-width: 34rem; margin: 0 auto">'
        f"{''.join(parts)}</svg>"
    )


def _text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )

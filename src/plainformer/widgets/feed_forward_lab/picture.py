"""The picture of `FeedForwardLab` without scripts: the plane, a line for each unit, and the sum.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from plainformer.arrays import Array

__all__ = ["DASHES", "bracket", "draw", "number", "side_of"]

WIDTH, SIDE, LINE_HEIGHT = 400, 240, 24
DASHES = ("none", "8 4", "2 4", "12 4 2 4", "5 2", "1 2")
"""A line of its own for each unit: no colour alone tells them apart."""

QUERY, QUERY_INK = "var(--pf-query, #0072b2)", "var(--pf-query-ink, #00609a)"
KEY, KEY_INK = "var(--pf-key, #e69f00)", "var(--pf-key-ink, #855b00)"
VALUE_INK = "var(--pf-value-ink, #006b4e)"
WEIGHT_INK, OUTPUT_INK = "var(--pf-weight-ink, #96386c)", "var(--pf-output-ink, #a84a00)"
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE = "var(--pf-line, #9a9a9a)"

Point = tuple[float, float]


def number(value: float) -> str:
    """A number with two decimals and a minus sign that is one; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def bracket(pair: Any) -> str:
    """Two numbers in brackets."""
    return f"({', '.join(number(each) for each in pair)})"


def side_of(key: Sequence[float], bias: float, low: float, high: float) -> list[Point]:
    """Return the corners of the part of a square where x · key + bias is above 0.

    >>> side_of([1.0, 0.0], -2.0, 0.0, 4.0)  # x above 2
    [(2.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 4.0)]
    """
    corners = [(low, low), (high, low), (high, high), (low, high)]
    height = [x * key[0] + y * key[1] + bias for x, y in corners]
    found: list[Point] = []
    for i, (here, h) in enumerate(zip(corners, height, strict=True)):
        there, t = corners[i - 1], height[i - 1]
        if (h > 0) != (t > 0):  # the edge from the corner before crosses the line
            share = t / (t - h)
            found.append(
                (
                    there[0] + share * (here[0] - there[0]),
                    there[1] + share * (here[1] - there[1]),
                )
            )
        if h > 0:
            found.append(here)
    return found


def draw(
    *,
    w_up: Array,
    b_up: Array,
    w_down: Array,
    units: Sequence[str],
    features: Sequence[str],
    named: Mapping[str, Sequence[float]],
    span: tuple[float, float],
    x: Array,
    wide: Array,
    hidden: Array,
    output: Array,
) -> str:
    """Return the drawing as SVG; arguments are those of the widget and what follows from them."""
    low, high = span

    def at(point: Sequence[float]) -> Point:
        a, b = ((float(each) - low) / (high - low) * SIDE for each in point)
        return a, SIDE - b

    parts = [f'<rect width="{SIDE}" height="{SIDE}" stroke="{LINE}"/>']
    for i, (key, bias) in enumerate(zip(w_up.T.tolist(), b_up.tolist(), strict=True)):
        side = [at(corner) for corner in side_of(key, bias, low, high)]
        if side:
            points = " ".join(f"{a:.1f},{b:.1f}" for a, b in side)
            parts.append(
                f'<polygon points="{points}" fill="{KEY}" fill-opacity="0.14" stroke="{KEY_INK}" '
                f'stroke-dasharray="{DASHES[i]}"/>'
            )
            a, b = (sum(part) / len(side) for part in zip(*side, strict=True))
            parts.append(_text(a, b + 4, str(i + 1), KEY_INK, "middle"))
    for name, point in named.items():
        a, b = at(point)
        parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{MUTED}"/>')
        anchor = "start" if a < 0.2 * SIDE else "end" if a > 0.8 * SIDE else "middle"
        parts.append(_text(a, b - 9, name, MUTED, anchor))
    a, b = at(x.tolist())
    parts.append(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="7" fill="{QUERY}" stroke="{QUERY_INK}"/>')
    plane = f'<g transform="translate({(WIDTH - SIDE) / 2} 8)">{"".join(parts)}</g>'
    top = SIDE + 30
    axes = f"→ {features[0]}, ↑ {features[1]}"
    rows = [_text(WIDTH / 2, top, axes, MUTED, "middle")]
    top += 26
    heads = ((0, "unit", "start"), (200, "before", "end"), (280, "after", "end"))
    rows += [_text(place, top, head, MUTED, anchor) for place, head, anchor in heads]
    rows.append(_text(WIDTH - 4, top, "its row", MUTED, "end"))
    for i, unit in enumerate(units):
        y = top + LINE_HEIGHT * (i + 1)
        rows += [
            _text(0, y, f"{i + 1} {unit}", KEY_INK, "start"),
            _text(200, y, number(wide[i]), INK, "end"),
            _text(280, y, number(hidden[i]), WEIGHT_INK, "end"),
            _text(WIDTH - 4, y, bracket(w_down[i]), VALUE_INK, "end"),
        ]
    top += LINE_HEIGHT * (len(units) + 1) + 4
    rows.append(_text(0, top, f"The layer gives {bracket(output)}", OUTPUT_INK, "start"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {top + 10}" aria-hidden="true" fill="none" font-size="13" '
        'style="display: block; width: 100%; max-width: 34rem; margin: 0 auto">'
        f"{plane}{''.join(rows)}</svg>"
    )


def _text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )

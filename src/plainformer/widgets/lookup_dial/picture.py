"""The picture of `LookupDial` without scripts: the dial, a bar for each weight, and the sum.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from plainformer.arrays import Array
from plainformer.widgets.kit import equations

__all__ = ["draw", "number", "words_of"]

WIDTH, RADIUS, LINE_HEIGHT = 400, 78, 30
QUERY, QUERY_INK = "var(--pf-query, #0072b2)", "var(--pf-query-ink, #00609a)"
KEY, KEY_INK = "var(--pf-key, #e69f00)", "var(--pf-key-ink, #855b00)"
VALUE_INK = "var(--pf-value-ink, #006b4e)"
WEIGHT, WEIGHT_INK = "var(--pf-weight, #cc79a7)", "var(--pf-weight-ink, #96386c)"
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE = "var(--pf-line, #9a9a9a)"


def number(value: float) -> str:
    """A number with two decimals and a minus sign that is one; never −0.00."""
    return f"{0.0 if abs(value) < 0.005 else value:.2f}".replace("-", "−")


def brief(value: float) -> str:
    """A number with at most two decimals, as a value is written."""
    return number(value).rstrip("0").rstrip(".")


def words_of(
    answer: Array,
    unit: str,
    show: Callable[[float], str] = number,
    parts: Sequence[str] = (),
) -> str:
    """A value as text: one number with its unit, or several in brackets or by name."""
    if parts:
        named = zip(parts, answer, strict=True)
        return f"{', '.join(f'{part} {show(each)}' for part, each in named)} {unit}".strip()
    numbers = ", ".join(show(each) for each in answer)
    return f"{numbers} {unit}".strip() if len(answer) == 1 else f"[{numbers}] {unit}".strip()


def draw(
    *,
    keys: Array,
    values: Array,
    labels: Sequence[str],
    unit: str,
    angle: float,
    scores: Array,
    weights: Array,
    answer: Array,
) -> str:
    """Return the drawing as SVG, with the sum below it.

    Args:
        keys: (S, 2).
        values: (S, Dv).
        labels: S names.
        unit: what stands behind a value; may be empty.
        angle: where the query points, in degrees.
        scores, weights: (S,) each.
        answer: (Dv,), what returns.
    """
    longest = float((keys**2).sum(-1).max()) ** 0.5
    parts = [f'<circle r="{RADIUS}" stroke="{LINE}"/>']
    for key, label, weight in zip(keys, labels, weights, strict=True):
        x, y = key / longest * RADIUS
        direction = math.atan2(y, x)
        a, b = (RADIUS + 20) * math.cos(direction), -(RADIUS + 20) * math.sin(direction)
        anchor = "middle" if abs(a) < 20 else "start" if a > 0 else "end"
        parts.append(
            f'<path d="M0 0L{x:.1f} {-y:.1f}" stroke="{KEY}" stroke-width="2.5"/>'
            f'<circle cx="{x:.1f}" cy="{-y:.1f}" r="{3 + 12 * weight**0.5:.1f}" fill="{WEIGHT}" '
            f'fill-opacity="0.75" stroke="{WEIGHT_INK}"/>' + _text(a, b + 4, label, KEY_INK, anchor)
        )
    parts.append(
        f'<path d="M0 -2H{RADIUS - 26}L{RADIUS - 30} -8L{RADIUS - 10} 0L{RADIUS - 30} 8'
        f'L{RADIUS - 26} 2H0Z" transform="rotate({-angle:.2f})" fill="{QUERY}" '
        f'stroke="{QUERY_INK}"/>'
    )
    middle = RADIUS + 32
    dial = f'<g transform="translate({WIDTH / 2} {middle})">{"".join(parts)}</g>'
    top = 2 * middle + 14
    rows = [
        _text(110, top, "score", MUTED, "end") + _text(120, top, "weight", MUTED, "start"),
        _text(WIDTH - 4, top, "value", MUTED, "end"),
    ]
    for i, label in enumerate(labels):
        y = top + 8 + LINE_HEIGHT * (i + 0.5)
        shown = words_of(values[i], unit, brief)
        rows.append(
            _text(0, y + 4, label, KEY_INK, "start")
            + _text(110, y + 4, number(scores[i]), INK, "end")
            + f'<rect x="120" y="{y - 8}" width="{130 * weights[i]:.1f}" height="16" '
            f'fill="{WEIGHT}"/>'
            + _text(126 + 130 * weights[i], y + 4, number(weights[i]), WEIGHT_INK, "start")
            + _text(WIDTH - 4, y + 4, shown, VALUE_INK, "end")
        )
    height = top + 12 + LINE_HEIGHT * len(labels)
    left, right, sign = equations.equation(
        [*weights.tolist(), *values.ravel().tolist()],
        answer.tolist(),
        lambda all_: list(
            np.asarray(all_[: len(labels)]) @ np.reshape(all_[len(labels) :], values.shape)
        ),
    )
    sums = " + ".join(
        f"{equations.fixed(weight, left)} · "
        f"{_in_brackets(words_of(value, '', lambda each: equations.text(each, left)))}"
        for weight, value in zip(weights.tolist(), values, strict=True)
    )
    found = words_of(answer, escape(unit), lambda each: equations.fixed(each, right))
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true" fill="none" font-size="13" '
        'style="display: block; width: 100%; max-width: 34rem; margin: 0 auto">'
        f"{dial}{''.join(rows)}</svg>"
        f'<p class="pf-note">{sums} {sign} <b>{found}</b></p>'
    )


def _in_brackets(words: str) -> str:
    return f"({words})" if words.startswith("−") else words


def _text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )

"""The picture of `RotaryVectors` without scripts: a dial for every pair, and the score's curve.

It is one inline SVG. Colours are the course's CSS variables, each with a fallback, so that the same
drawing serves light and dark pages, paper, and viewers that know no style sheet of ours.
"""

from __future__ import annotations

import math
from html import escape

import numpy as np

from plainformer.arrays import Array

__all__ = ["draw"]

WIDTH, CELL, RADIUS = 400, 100, 38  # the drawing, a dial with its words, and its longest arrow
CHART, MARGIN = 150, 30  # the curve's height, and what is left of it for numbers

QUERY, QUERY_INK = "var(--pf-query, #0072b2)", "var(--pf-query-ink, #00609a)"
KEY, KEY_INK = "var(--pf-key, #e69f00)", "var(--pf-key-ink, #855b00)"
SCORE, SCORE_INK = "var(--pf-weight, #cc79a7)", "var(--pf-weight-ink, #96386c)"
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE, EDGE = "var(--pf-line, #9a9a9a)", "var(--pf-edge, #818a94)"


def draw(
    *,
    query: Array,
    key: Array,
    angles: tuple[Array, Array],
    contributions: Array,
    distances: Array,
    curves: Array,
    now: tuple[int, float],
) -> str:
    """Return the drawing as SVG.

    Args:
        query, key: (P, 2), each pair as an arrow before it is turned.
        angles: (P,) each, by how much the query's and the key's pairs are turned.
        contributions: (P,), what each pair adds to the score.
        distances: (N,), where the curve has its points, rising.
        curves: (P, N), what each pair adds at those distances.
        now: the distance and the score that are marked.
    """
    longest = max(float(np.hypot(*np.concatenate([query, key]).T).max()), 1e-12)
    rows = math.ceil(len(query) / 4)
    left = (WIDTH - CELL * min(len(query), 4)) / 2
    dials = []
    for i, part in enumerate(contributions):
        arrows = [
            _arrow(query[i] / longest, angles[0][i], QUERY, QUERY_INK, kite=False),
            _arrow(key[i] / longest, angles[1][i], KEY, KEY_INK, kite=True),
        ]
        words = _text(0, 56, f"Pair {i}: {_signed(part)}", INK, "middle")
        place = f"{left + CELL * (i % 4 + 0.5):g} {CELL / 2 + (CELL + 20) * (i // 4):g}"
        axes = f'<path d="M-46 0H46M0 -46V46" stroke="{LINE}"/>'
        dials.append(f'<g transform="translate({place})">{axes}{"".join(arrows)}{words}</g>')
    top = (CELL + 20) * rows + 20
    curve = f'<g transform="translate(0 {top})">{_chart(distances, curves, now)}</g>'
    height = top + CHART + 34
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true" fill="none" font-size="11" '
        f'style="display: block; width: 100%; max-width: 36rem">{"".join(dials)}{curve}</svg>'
        '<p class="pf-note">Blue with a barbed head: the query q. Orange with a kite’s head: the '
        "key k. Dashed: before turning.</p>"
    )


def _arrow(vector: Array, angle: float, fill: str, ink: str, *, kite: bool) -> str:
    """An arrow before it is turned, as a ghost, and after, with the circle that its tip runs on."""
    length = RADIUS * math.hypot(*vector)
    start = math.degrees(math.atan2(vector[1], vector[0]))
    head, wide = min(length * 0.6, 14 if kite else 11), 3.5 if kite else 4.5
    neck, barb = length - head, length - head * (0.5 if kite else 1.2)
    outline = (
        f"M0 -1.3H{neck:.2f}L{barb:.2f} -{wide}L{length:.2f} 0L{barb:.2f} {wide}L{neck:.2f} 1.3H0Z"
    )
    turned = start + math.degrees(angle)
    return (
        f'<circle r="{length:.2f}" stroke="{fill}" stroke-opacity="0.35"/>'
        f'<path d="{outline}" transform="rotate({-start:.2f})" stroke="{ink}" '
        'stroke-width="0.7" stroke-dasharray="2 1.5"/>'
        f'<path d="{outline}" transform="rotate({-turned:.2f})" fill="{fill}" stroke="{ink}"/>'
    )


def _chart(distances: Array, curves: Array, now: tuple[int, float]) -> str:
    """The score against the distance, with each pair's part of it and a mark at one place."""
    sums = curves.sum(0)
    low, high = (
        min(0.0, float(curves.min()), float(sums.min())),
        float(max(curves.max(), sums.max())),
    )
    high = max(high, low + 1e-9, 0.0)
    span = high - low
    first, last = float(distances[0]), float(distances[-1])

    def x(distance: float) -> float:
        return MARGIN + (distance - first) / (last - first) * (WIDTH - 2 * MARGIN)

    def y(value: float) -> float:
        return CHART * (high - value) / span

    def line(values: Array, colour: str, width: float) -> str:
        points = " ".join(f"{x(d):.1f},{y(v):.1f}" for d, v in zip(distances, values, strict=True))
        return f'<polyline points="{points}" stroke="{colour}" stroke-width="{width}"/>'

    distance, score = now
    across = f'<path d="M{x(first)} {y(0):.1f}H{x(last)}" stroke="{EDGE}"/>'
    needle = f'<path d="M{x(distance):.1f} -6V{CHART}" stroke="{SCORE_INK}"/>'
    dot = f'<circle cx="{x(distance):.1f}" cy="{y(score):.1f}" r="4.5" fill="{SCORE_INK}"/>'
    marks = [
        _text(x(each), CHART + 14, f"{each:g}", MUTED, "middle")
        for each in (first, first / 2, 0, last / 2, last)
    ]
    levels = [
        _text(MARGIN - 5, min(y(each) + 4, CHART), f"{each:.3g}", MUTED, "end")
        for each in (low, 0.0, high)
        if each == 0 or abs(y(each) - y(0)) > 12
    ]
    place = min(max(x(distance), 60), WIDTH - 60)
    return "".join(
        [
            across,
            *(line(curve, LINE, 1) for curve in curves),
            line(sums, SCORE, 2),
            needle,
            dot,
            _text(place, -10, f"score {score:.2f}", SCORE_INK, "middle"),
            *marks,
            *levels,
            _text(WIDTH / 2, CHART + 29, "distance m - n", MUTED, "middle"),
        ]
    )


def _text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    shown = escape(words.replace("-", "−"))
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}">{shown}</text>'


def _signed(number: float) -> str:
    return f"{number:+.2f}" if abs(number) >= 0.005 else "0.00"

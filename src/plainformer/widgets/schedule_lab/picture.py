"""The picture of `ScheduleLab` without scripts: the curves of all schedules.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

__all__ = ["draw", "number"]

WIDTH, HEIGHT, LEFT, TOP, FOOT = 640, 200, 64, 12, 26
POINTS = 320
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE, ACCENT = "var(--pf-line, #9a9a9a)", "var(--pf-accent, #0a5ca8)"
DASHES = {"step": "10 3", "inverse": "5 3", "constant": "2 3"}


def number(rate: float) -> str:
    """A rate with three digits, as the page has it.

    >>> number(0.00123456), number(3e-5), number(1.0)
    ('0.00123', '0.00003', '1')
    """
    return f"{float(f'{rate:.3g}'):.9f}".rstrip("0").rstrip(".")


def draw(
    schedules: Mapping[str, Callable[[int], float]], chosen: str, peak: float, total: int, step: int
) -> str:
    """Return the drawing as SVG: the chosen curve stands out, a dot is where `step` is."""
    steps = sorted({round(i * total / POINTS) for i in range(POINTS + 1)})

    def place(at: int, rate: float) -> str:
        x = LEFT + at / total * (WIDTH - LEFT - 30)
        return f"{x:.1f},{TOP + (1 - rate / peak) * HEIGHT:.1f}"

    parts = []
    for rate, y in ((peak, TOP), (peak / 2, TOP + HEIGHT / 2), (0.0, TOP + HEIGHT)):
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y}" y2="{y}" stroke="{LINE}"/>')
        parts.append(_text(LEFT - 8, y + 4, number(rate), "end"))
    for at in (0, total // 2, total):
        x, _ = place(at, 0).split(",")
        parts.append(_text(float(x), TOP + HEIGHT + 20, f"{at:,}", "middle"))
    for kind in sorted(schedules, key=lambda each: each == chosen):  # the chosen one on top
        points = " ".join(place(at, schedules[kind](at)) for at in steps)
        look = f'stroke="{ACCENT}" stroke-width="3"' if kind == chosen else f'stroke="{MUTED}"'
        dash = f' stroke-dasharray="{DASHES[kind]}"' if kind in DASHES else ""
        parts.append(f'<polyline points="{points}" {look}{dash}/>')
    x, y_here = place(step, schedules[chosen](step)).split(",")
    parts.append(f'<circle cx="{x}" cy="{y_here}" r="6" fill="{INK}"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {TOP + HEIGHT + FOOT}" aria-hidden="true" fill="none" '
        f'font-size="13" style="display: block; width: 100%">{"".join(parts)}</svg>'
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{MUTED}" text-anchor="{anchor}">{words}</text>'

"""The picture of `TrainingRun` without scripts: the losses, and one snapshot's text and map.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from html import escape

from plainformer.training import History
from plainformer.training.history import Snapshot
from plainformer.widgets.attention_map.picture import COLOURS, POWER

__all__ = ["draw"]

WIDTH, HEIGHT, LEFT, TOP, FOOT = 640, 180, 44, 12, 26
CELL, SIDE = 10, 160  # of a map: at most, and together
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE = "var(--pf-line, #9a9a9a)"
TRAIN, HELD = "var(--pf-accent, #0a5ca8)", "var(--pf-output-ink, #a34700)"


def draw(history: History, snapshot: Snapshot | None) -> str:
    """Return the losses as SVG; and of a snapshot its text, and its map as another SVG."""
    shown = f"{_curves(history, snapshot)}"
    if snapshot is None:
        return shown
    shown += (
        f'<p style="font-family: monospace; white-space: pre-wrap">{escape(snapshot.sample)}</p>'
    )
    return shown + (_map(snapshot.attention) if snapshot.tokens else "")


def _curves(history: History, snapshot: Snapshot | None) -> str:
    held = history.held_out
    values = [*history.loss, *(loss for _, loss in held), 1.0]
    steps = [*history.steps, *(step for step, _ in held), snapshot.step if snapshot else 0, 1]
    end, top = max(steps), max(values)

    def place(step: int, loss: float) -> str:
        x = LEFT + step / end * (WIDTH - LEFT - 30)
        return f"{x:.1f},{TOP + (1 - loss / top) * HEIGHT:.1f}"

    def curve(pairs: Sequence[tuple[int, float]], style: str) -> str:
        return f'<polyline points="{" ".join(place(*pair) for pair in pairs)}" {style}/>'

    parts = [f'<path d="M{LEFT} {TOP}V{TOP + HEIGHT}H{WIDTH}" stroke="{LINE}"/>']
    for loss in (0.0, top):
        said = f"{loss:.2f}" if loss else "0"
        parts.append(_text(LEFT - 8, TOP + (1 - loss / top) * HEIGHT + 4, said, "end"))
    for step in (0, end):
        x = float(place(step, 0).split(",")[0])
        parts.append(_text(x, TOP + HEIGHT + 20, f"{step:,}", "middle"))
    pairs = list(zip(history.steps, history.loss, strict=True))
    parts.append(curve(pairs, f'stroke="{TRAIN}" stroke-width="2"'))
    parts.append(curve(held, f'stroke="{HELD}" stroke-width="2" stroke-dasharray="6 3"'))
    if snapshot:
        post, _ = place(snapshot.step, 0).split(",")
        parts.append(f'<path d="M{post} {TOP}V{TOP + HEIGHT}" stroke="{INK}"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {TOP + HEIGHT + FOOT}" aria-hidden="true" fill="none" '
        f'font-size="13" style="display: block; width: 100%">{"".join(parts)}</svg>'
        '<p class="pf-note">Full: loss in training. Dashed: on held-out text.</p>'
    )


def _map(attention: Sequence[Sequence[float]]) -> str:
    """The weights as squares; those of one colour are one path."""
    cells: dict[str, str] = defaultdict(str)
    for r, row in enumerate(attention):
        for c, weight in enumerate(row):
            colour = COLOURS[round(min(1.0, weight) ** POWER * (len(COLOURS) - 1))]
            cells[colour] += f"M{c} {r}h1v1h-1z"
    paths = "".join(f'<path fill="#{colour}" d="{d}"/>' for colour, d in cells.items())
    T = len(attention)
    size = min(SIDE, CELL * T)
    return (
        f'<svg viewBox="0 0 {T} {T}" width="{size}" height="{size}" aria-hidden="true" '
        f'shape-rendering="crispEdges">{paths}</svg>'
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{MUTED}" text-anchor="{anchor}">{words}</text>'

"""The picture of `GlassModel` without scripts: tokens, every head's map, the next token's bars."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plainformer.widgets.kit.numbering import layer_name
from plainformer.widgets.kit.token_words import label, weight

__all__ = ["draw"]

WIDTH, SIDE, NEXT, ROW, GAP = 640, 96, 150, 18, 10
MOST = 24  # tokens that are named and drawn: of a longer text, the last
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
LINE, WEIGHT = "var(--pf-line, #9a9a9a)", "var(--pf-weight, #cc79a7)"


def draw(
    tokens: Sequence[str],
    weights: Sequence[Sequence[Sequence[Sequence[float]]]],
    likeliest: Sequence[tuple[str, float]],
) -> str:
    """Return the drawing as SVG.

    Args:
        tokens: T, that were read.
        weights: (L, H, T, T), of each head.
        likeliest: next tokens, each with its probability.
    """
    first = max(0, len(tokens) - MOST)
    names = list(tokens)[first:]
    wide = (WIDTH - SIDE - NEXT - GAP * (len(weights) + 1)) / len(weights)
    columns = 1
    while columns * columns < len(weights[0]):
        columns += 1
    rows = -(-len(weights[0]) // columns)
    size = (wide - 4 * (columns - 1)) / columns
    high = max(ROW * max(len(names), len(likeliest)), rows * (size + 4)) + 30
    parts = [
        _text(SIDE - 6, 38 + ROW * i, _cut(label(name), 12), INK, "end")
        for i, name in enumerate(names)
    ]
    for i, layer in enumerate(weights):
        x = SIDE + GAP + (wide + GAP) * i
        parts.append(_text(x, 16, layer_name(i), MUTED, "start"))
        for k, head in enumerate(layer):
            left, top = x + (size + 4) * (k % columns), 24 + (size + 4) * (k // columns)
            parts.append(_map([row[first:] for row in head[first:]], left, top, size))
    x = WIDTH - NEXT + 6
    parts.append(_text(x, 16, "next token", MUTED, "start"))
    for i, (word, share) in enumerate(likeliest):
        y = 38 + ROW * i
        parts.append(_text(x, y, _cut(label(word), 7), INK, "start"))
        parts.append(
            f'<rect x="{x + 58}" y="{y - 10}" width="{50 * share:.1f}" height="11" '
            f'fill="{WEIGHT}"/>'
        )
        parts.append(_text(WIDTH, y, weight(share), INK, "end"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {high:.0f}" aria-hidden="true" font-size="13" '
        f'style="display: block; width: 100%">{"".join(parts)}</svg>'
        '<p class="pf-note">What was read; where each head of each layer looks, a row for each '
        "token; and what the model says comes next.</p>"
    )


def _map(rows: Sequence[Sequence[float]], x: float, y: float, size: float) -> str:
    """A head's weights as a square of squares; what is next to nothing is left out."""
    cell = size / len(rows)
    drawn = [
        f'<rect x="{x + cell * s:.1f}" y="{y + cell * t:.1f}" width="{cell:.1f}" '
        f'height="{cell:.1f}" fill="{WEIGHT}" fill-opacity="{share:.2f}"/>'
        for t, row in enumerate(rows)
        for s, share in enumerate(row)
        if share >= 0.02
    ]
    frame = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{size:.1f}" height="{size:.1f}" fill="none" '
        f'stroke="{LINE}"/>'
    )
    return "".join([*drawn, frame])


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _text(x: float, y: float, words: str, colour: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{escape(words)}</text>'

"""The picture of `ForwardPass` without scripts: a strip of colours and an answer at each depth.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from plainformer.widgets.kit.token_words import label, weight

__all__ = ["draw"]

NAME, CELL, HIGH, WIDTH = 130, 12, 30, 620
INK, MUTED = "var(--pf-ink, currentColor)", "var(--pf-muted, #767676)"
ABOVE, BELOW = "var(--pf-output, #d55e00)", "var(--pf-query, #0072b2)"


def draw(token: str, rows: Sequence[tuple[str, str, float, list[float]]]) -> str:
    """Return the drawing as SVG: the rows are name, word, its share, and the first numbers."""
    parts = []
    for r, (name, word, share, numbers) in enumerate(rows):
        y = HIGH * (len(rows) - 1 - r)
        parts.append(_text(NAME - 8, y + 20, name, MUTED, "end"))
        most = max(map(abs, numbers), default=0) or 1
        for d, value in enumerate(numbers):
            parts.append(
                f'<rect x="{NAME + CELL * d}" y="{y + 4}" width="{CELL}" height="{HIGH - 8}" '
                f'fill="{ABOVE if value > 0 else BELOW}" fill-opacity="{abs(value) / most:.2f}"/>'
            )
        shown = label(word)
        said = f"{shown if len(shown) < 15 else shown[:14] + '…'} {weight(share)}"
        parts.append(_text(NAME + CELL * len(numbers) + 12, y + 20, said, INK, "start"))
    return (
        f'<svg viewBox="0 0 {WIDTH} {HIGH * len(rows)}" aria-hidden="true" font-size="14" '
        f'style="display: block; width: 100%; max-width: 40rem">{"".join(parts)}</svg>'
        f'<p class="pf-note">The vector of “{escape(label(token))}”, its first numbers, from '
        "the embedding at the bottom, and what the model would say there.</p>"
    )


def _text(x: float, y: float, words: str, fill: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{fill}" text-anchor="{anchor}">{escape(words)}</text>'

"""The picture of `SharingLab` without scripts: bars of what each process holds and sends.

Colours are the course's CSS variables, each with a fallback, as in every picture of a widget.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PARTS", "draw", "gigabytes"]

PARTS = {
    "weights": "weights",
    "gradients": "gradients",
    "adam": "Adam's means",
    "collected": "collected weights",
    "activations": "activations",
    "forward": "sent forward",
    "backward": "sent backward",
}
"""What has a bar, and what it is called."""

WIDTH, ROW, LEFT = 640, 24, 150
INK, BAR = "var(--pf-ink, currentColor)", "var(--pf-accent, #0a5ca8)"


def gigabytes(size: float) -> str:
    """Bytes with the digits that the page has.

    >>> gigabytes(0), gigabytes(497_759_232), gigabytes(91.3e9), gigabytes(1234e9)
    ('0 GB', '0.50 GB', '91 GB', '1,234 GB')
    """
    if size == 0:
        return "0 GB"
    return f"{size / 1e9:,.{2 if size < 9.95e9 else 0}f} GB"


def draw(costs: Mapping[str, int], description: str) -> str:
    """Return the bars as SVG, and the sentences below them."""
    most = max(costs[part] for part in PARTS)
    rows = []
    for i, (part, label) in enumerate(PARTS.items()):
        width = (WIDTH - LEFT - 90) * costs[part] / most
        y = i * ROW
        rows.append(f'<text x="0" y="{y + 16}" fill="{INK}">{label}</text>')
        rows.append(f'<rect x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="16" fill="{BAR}"/>')
        size = gigabytes(costs[part])
        rows.append(f'<text x="{LEFT + width + 6:.1f}" y="{y + 16}" fill="{INK}">{size}</text>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {ROW * len(PARTS)}" aria-hidden="true" font-size="13" '
        f'style="display: block; width: 100%">{"".join(rows)}</svg>'
        f'<p class="pf-note">{description}</p>'
    )

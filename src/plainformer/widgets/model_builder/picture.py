"""What stands for a `ModelBuilder` where no script runs: a bar for each part."""

from __future__ import annotations

import html
from collections.abc import Mapping

__all__ = ["NAMES", "draw"]

NAMES = {
    "embedding": "table of words",
    "positions": "positions",
    "attention": "attention",
    "feed_forward": "feed-forward",
    "norms": "norms",
    "head": "head",
}
"""What the parts are called."""


def draw(parameters: Mapping[str, int], said: str) -> str:
    """Return the sentences, and a line with a bar for each part."""
    total = sum(parameters.values())
    lines = "".join(
        f'<span>{NAMES[part]}</span><span class="mb-bar mb-{part}">'
        f'<i style="width: {100 * n / total:.1f}%"></i></span>'
        f'<span class="mb-number">{n:,}</span><span class="mb-number">{n / total:.1%}</span>'
        for part, n in parameters.items()
    )
    return f'<p class="pf-note">{html.escape(said)}</p><div class="mb-lines">{lines}</div>'

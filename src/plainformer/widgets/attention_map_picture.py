"""The picture of `AttentionMap` without scripts: the heat map, and below it one query's flow."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer import plots
from plainformer.arrays import Array

__all__ = ["draw"]

MOST_LABELS = 24  # beside so many rows each has its token; beside more, some
MOST_ROWS = 16  # of a map whose colours always end at 1
MOST_NUMBERS = 8  # with so many columns a number fits a cell
MOST_KEYS = 10  # in the flow: those with the most weight, and one line for all others


def draw(
    *, tokens: list[str], keys: list[str], weights: Array, allowed: Array, query: int, alt: str
) -> str:
    """Return the drawing as SVG.

    Args:
        tokens, keys: the words of the rows and of the columns.
        weights: (T, S), what the widget shows.
        allowed: (T, S), False where a mask forbids.
        query: the row whose flow is drawn.
        alt: the alternative text.
    """
    lines = _lines(weights[query], allowed[query])
    flow = max(1.6, 0.3 * len(lines))
    size = (4.4, 2.6 + 0.02 * len(tokens) + flow)
    fig, (map_, bands) = plots.subplots(
        2, 1, figsize=size, gridspec_kw={"height_ratios": [size[1] - flow, flow]}
    )
    _draw_map(map_, tokens, keys, weights, allowed, query)
    _draw_flow(bands, _label(tokens[query]), [(_name(keys, i), w) for i, w in lines])
    return plots.picture(fig, alt=alt).svg


def _label(token: str, most: int = 12) -> str:
    """A token on one line, shortened, with its spaces visible, and nothing that is mathematics."""
    text = token.replace("\n", "⏎").replace("\t", "⇥").replace(" ", "␣").replace("$", r"\$")
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _name(keys: list[str], place: int) -> str:
    return "all others" if place < 0 else f"{_label(keys[place])} ({place})"


def _lines(row: Array, allowed: Array) -> list[tuple[int, float | None]]:
    """The keys of the flow in their order, each with its weight (None: masked); −1 for the rest."""
    keep = np.sort(np.argsort(-row, kind="stable")[:MOST_KEYS])
    lines: list[tuple[int, float | None]] = [
        (int(i), float(row[i]) if allowed[i] else None) for i in keep
    ]
    if len(row) > MOST_KEYS:
        lines.append((-1, float(row.sum() - row[keep].sum())))
    return lines


def _limit(weights: Array) -> float:
    """The weight with the brightest colour, as the front end takes it."""
    if max(weights.shape) <= MOST_ROWS:
        return 1.0
    middle = np.sort(weights.max(-1))[len(weights) // 2]
    return next((each for each in (0.02, 0.05, 0.1, 0.2, 0.5) if each >= middle), 1.0)


def _draw_map(
    axes: Any, tokens: list[str], keys: list[str], weights: Array, allowed: Array, query: int
) -> None:
    limit = _limit(weights)
    masked = np.ma.array(weights, mask=~allowed)
    image = axes.imshow(
        masked, cmap=plots.MAGNITUDE, vmin=0, vmax=limit, aspect="auto", interpolation="none"
    )
    axes.grid(visible=False)
    for axis, words in ((axes.yaxis, tokens), (axes.xaxis, keys)):
        step = -(-len(words) // MOST_LABELS)
        axis.set_ticks(
            range(0, len(words), step), [_label(words[i]) for i in range(0, len(words), step)]
        )
    axes.tick_params(labelsize=8 if max(weights.shape) > 12 else 10, length=0)
    if len(keys) > MOST_NUMBERS or max(map(len, keys)) > 6:
        axes.tick_params(axis="x", rotation=90)
    if len(keys) <= MOST_NUMBERS and len(tokens) <= MOST_NUMBERS:
        for (row, column), weight in np.ndenumerate(weights):
            ink = "#000001" if weight > 0.45 else "#fffffe"  # in both modes: on a colour
            text, colour = (f"{weight:.2f}", ink) if allowed[row, column] else ("–", plots.MUTED)
            axes.text(column, row, text, ha="center", va="center", fontsize=8, color=colour)
    thin = 1.0 if len(tokens) <= MOST_LABELS else 0.5
    for at in (query - 0.5, query + 0.5):
        axes.axhline(at, color=plots.SURFACE, linewidth=3 * thin)
        axes.axhline(at, color=plots.INK, linewidth=thin)
    axes.set(xlabel="key", ylabel="query")
    axes.get_figure().colorbar(image, ax=axes, ticks=[0, limit / 2, limit])


def _draw_flow(axes: Any, query: str, lines: list[tuple[str, float | None]]) -> None:
    """Bands from the query on the left to the keys on the right, together one row high."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    middle, height = (len(lines) - 1) / 2, 0.9
    top = middle - height / 2
    axes.axis("off")
    axes.set(xlim=(0, 10.5), ylim=(len(lines) - 0.4, -0.6))
    axes.text(2.6, middle, query, ha="right", va="center", color=plots.ROLE["query"], weight="bold")
    for place, (name, weight) in enumerate(lines):
        text = f"–  {name}, masked" if weight is None else f"{weight:.2f}  {name}"
        axes.text(6.4, place, text, va="center", fontsize=10)
        if not weight:
            continue
        thick = weight * height
        edge, low, high = top + thick, place + thick / 2, place - thick / 2
        points = [
            (2.8, top), (4.5, top), (4.5, high), (6.2, high),
            (6.2, low), (4.5, low), (4.5, edge), (2.8, edge), (2.8, top),
        ]  # fmt: skip
        codes = [Path.MOVETO, *[Path.CURVE4] * 3, Path.LINETO, *[Path.CURVE4] * 3, Path.CLOSEPOLY]
        axes.add_patch(
            PathPatch(
                Path(points, codes),
                facecolor=plots.ROLE["weight"],
                linewidth=0.5,
                edgecolor=plots.ROLE["weight"],
            )
        )
        top = edge

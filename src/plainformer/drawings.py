"""Drawings that more than one chapter shows, made with `plainformer.plots`."""

from __future__ import annotations

from typing import Any

from matplotlib.patches import FancyBboxPatch

from plainformer.plots import INK, MUTED, ROLE, SURFACE, Picture, picture, subplots

__all__ = ["two_towers"]

LEFT, RIGHT, WIDE = 0.0, 6.5, 4.8  # the towers' places, and the width of a box
TALL = 0.8  # a box
SIZE = 11  # of the letters, in points


def two_towers(source: str, target: str, answer: str, n_layers: int, shapes: list[str]) -> Picture:
    """Draw an encoder and a decoder side by side, as in the first transformer.

    Args:
        source: what the encoder reads.
        target: what the decoder has written, its start token included.
        answer: what comes next in the target.
        n_layers: how many layers each tower has.
        shapes: of the source's and the target's vectors, and of the logits.

    Source: Vaswani et al. 2017, figure 1, redrawn.

    >>> shapes = ["(2, 512)", "(2, 512)", "(2, 37000)"]
    >>> two_towers("a cat", "<start> un", "gatto", 6, shapes).alt[:45]
    'Two towers. On the left the encoder reads “a '
    """
    fig, ax = subplots(figsize=(6.0, 6.6))
    ax.set_xlim(-0.5, 11.9)
    ax.set_ylim(-0.7, 13.6)
    ax.axis("off")
    for x, top, name in ((LEFT, 7.4, "encoder"), (RIGHT, 9.9, "decoder")):
        frame = FancyBboxPatch(
            (x - 0.4, 2.08), WIDE + 0.8, top - 2.08, boxstyle="round,pad=0,rounding_size=0.3",
            ec=MUTED, fc="none", lw=1.2, ls=(0, (4, 3)),
        )  # fmt: skip
        ax.add_patch(frame)
        ax.text(x - 0.4, top + 0.18, f"{name} × {n_layers}", color=MUTED, fontsize=SIZE)
    plan = [
        (LEFT, 0.75, "embedding + positions", "position"),
        (LEFT, 2.5, "self-attention", "query"),
        (LEFT, 3.6, "add, norm", None),
        (LEFT, 4.95, "feed-forward", "output"),
        (LEFT, 6.05, "add, norm", None),
        (RIGHT, 0.75, "embedding + positions", "position"),
        (RIGHT, 2.5, "masked self-attention", "query"),
        (RIGHT, 3.6, "add, norm", None),
        (RIGHT, 4.95, "cross-attention", "key"),
        (RIGHT, 6.05, "add, norm", None),
        (RIGHT, 7.4, "feed-forward", "output"),
        (RIGHT, 8.5, "add, norm", None),
        (RIGHT, 10.9, "times the table", "value"),
        (RIGHT, 12.2, "softmax", "weight"),
    ]
    end = {LEFT: 0.1, RIGHT: 0.1}  # of each tower so far
    for x, y, words, role in plan:
        middle = x + WIDE / 2
        if role is None:  # the residual connection around the sublayer below
            edge, out = (x, -0.22) if x == LEFT else (x + WIDE, 0.22)
            low, high = end[x] - TALL - 0.25, y + TALL / 2
            path = [(middle, low), (edge + out, low), (edge + out, high), (edge, high)]
            _arrow(ax, path, MUTED)
        _arrow(ax, [(middle, end[x]), (middle, y)])
        _box(ax, x, y, words, MUTED if role is None else ROLE[role])
        end[x] = y + TALL
    _arrow(ax, [(RIGHT + WIDE / 2, end[RIGHT]), (RIGHT + WIDE / 2, 13.4)])
    # The encoder's output becomes keys and values in every decoder layer.
    middle = (LEFT + WIDE + RIGHT) / 2
    path = [(LEFT + WIDE / 2, 6.85), (LEFT + WIDE / 2, 8.5), (middle, 8.5), (middle, 5.35)]
    _arrow(ax, [*path, (RIGHT, 5.35)], ROLE["value"], 2.2)
    ax.text(LEFT + WIDE / 2, 8.65, "keys and values", color=INK, fontsize=SIZE)
    for x, shape in ((LEFT, shapes[0]), (RIGHT, shapes[1])):
        ax.text(x + WIDE / 2 + 0.2, 1.68, shape, color=MUTED, fontsize=SIZE - 1)
    ax.text(RIGHT + WIDE / 2 + 0.2, 11.83, shapes[2], color=MUTED, fontsize=SIZE - 1)
    ax.text(LEFT + WIDE / 2, -0.35, source, ha="center", fontsize=SIZE)
    ax.text(RIGHT + WIDE / 2, -0.35, target, ha="center", fontsize=SIZE)
    ax.text(RIGHT + WIDE / 2 + 0.3, 13.15, f"“{answer}” comes next", weight="bold", fontsize=SIZE)
    return picture(
        fig,
        alt=f"""Two towers. On the left the encoder reads “{source}”, on the right the decoder has
        written “{target}”. Both begin with an embedding plus positions and have {n_layers} layers.
        An encoder layer is self-attention and feed-forward; a decoder layer is masked
        self-attention, cross-attention, whose keys and values come from the top of the encoder,
        and feed-forward. Every sublayer has a residual connection around it, then a norm. The
        decoder ends with a product with the table and a softmax: “{answer}” comes next.""",
    )


def _box(ax: Any, x: float, y: float, words: str, colour: str) -> None:
    box = FancyBboxPatch(
        (x, y), WIDE, TALL, boxstyle="round,pad=0,rounding_size=0.15",
        ec=colour, fc=SURFACE, lw=1.8, zorder=3,
    )  # fmt: skip
    ax.add_patch(box)
    ax.text(x + WIDE / 2, y + TALL / 2, words, ha="center", va="center", fontsize=SIZE, zorder=4)


def _arrow(ax: Any, path: list[tuple[float, float]], colour: str = INK, width: float = 1.3) -> None:
    """Draw a line through all points of a path, with a head at its end."""
    xs, ys = zip(*path, strict=True)
    ax.plot(xs[:-1], ys[:-1], color=colour, lw=width, zorder=2)
    style = {"arrowstyle": "-|>", "color": colour, "lw": width, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", path[-1], path[-2], arrowprops=style, zorder=2)

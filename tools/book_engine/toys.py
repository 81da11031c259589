"""Toys for the first page: three small drawings that play, each a taste of its chapter.

``:::{toys}`` puts them side by side. The numbers of every step come from the package, on the
examples of the chapters; the page has them all, so that a slider is enough to go through them.
An element that moves carries its values, one for each step: ``data-go="width:1,2,3;y:4,4,5"``.
``book/map/toys.js`` reads them, plays each toy once when it comes into sight, unless the reader
prefers less motion, and lets the slider lead. Without scripts there are the drawings and the links.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import plainformer

FILES = ("toys.css", "toys.js")
PACKAGE = Path(plainformer.__file__).parent
EXAMPLES = [
    *(PACKAGE / part / "example.py" for part in ("attention", "decoding")),
    PACKAGE / "checkpoints" / "course_lm" / "model.safetensors",
]
SIZE = (200, 148)  # of a drawing, in its own units: some one pixel each


@dataclass(frozen=True)
class Toy:
    """One toy: where it leads, what to do, the drawing, and a sentence for every step."""

    page: str
    title: str
    task: str
    control: str  # the slider's name
    drawing: ET.Element
    lines: Sequence[str]
    start: int  # the step that is drawn first
    pace: int  # milliseconds from one step to the next


def go(
    parent: ET.Element, name: str, start: int, fixed: dict[str, Any], **values: Any
) -> ET.Element:
    """Append an element whose attributes `values`, a row of numbers each, change with the steps.

    An underscore in a name stands for a hyphen; ``text`` is what the element says.
    """
    plain = {key: str(value) for key, value in fixed.items()}
    element = ET.SubElement(parent, name, plain)
    changes = []
    for key, row in values.items():
        shown = [value if isinstance(value, str) else f"{value:.4g}" for value in row]
        if key == "text":
            element.set("data-say", "|".join(shown))
            element.text = shown[start]
        else:
            attribute = key.replace("_", "-")
            element.set(attribute, shown[start])
            changes.append(f"{attribute}:{','.join(shown)}")
    if changes:
        element.set("data-go", ";".join(changes))
    return element


def canvas(name: str) -> ET.Element:
    """Return an empty drawing that `name` describes to those who do not see it."""
    size = f"0 0 {SIZE[0]} {SIZE[1]}"
    return ET.Element("svg", {"viewBox": size, "role": "img", "aria-label": name})


def who_looks_at_whom() -> Toy:
    """Self-attention of the running sentence: each word in turn asks all six."""
    from plainformer.attention import attention
    from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X

    _, weights = attention(X @ W_Q, X @ W_K, X @ W_V)  # (T, T)
    start, tall = TOKENS.index("cat"), SIZE[1] / len(TOKENS)
    ys = [tall * (i + 0.5) for i in range(len(TOKENS))]
    drawing = canvas("Six words on the left, the same six on the right, joined by lines.")
    box = {"class": "asks", "x": 2, "width": 52, "height": tall - 4, "rx": 5}
    go(drawing, "rect", start, box, y=[y - tall / 2 + 2 for y in ys])
    for j, (word, y) in enumerate(zip(TOKENS, ys, strict=True)):
        column = weights[:, j]  # what each asker gives this word
        ends = {"class": "look", "x1": 56, "x2": 112, "y2": f"{y:g}"}
        go(drawing, "line", start, ends, y1=ys, stroke_width=0.4 + 9 * column)
        for x, kind in ((8, "word"), (118, "word")):
            ET.SubElement(
                drawing, "text", {"class": kind, "x": str(x), "y": f"{y + 4:g}"}
            ).text = word
        place = {"class": "number", "x": 198, "y": f"{y + 4:g}", "text-anchor": "end"}
        go(drawing, "text", start, place, text=[f"{share:.0%}" for share in column])
    lines = []
    for word, row in zip(TOKENS, weights, strict=True):
        best = dict.fromkeys(TOKENS[j] for j in np.flatnonzero(row > row.max() - 1e-9))
        lines.append(f"“{word}” looks most at “{'” and “'.join(best)}”.")
    page = "book/attention/self_attention"
    task = "Choose a word and see which words it looks at."
    return Toy(page, "Attention", task, "The word that asks", drawing, lines, start, 900)


def clocks() -> Toy:
    """Sinusoidal positions: each pair of columns is a clock, read at one place of a text."""
    from plainformer.inputs import sinusoidal

    places, faces, radius = 61, 8, 21
    table = sinusoidal(places, 2 * faces)  # (T, D): sine and cosine of each clock
    drawing = canvas("Eight clocks with one hand each. The first is fast, the last hardly moves.")
    for face in range(faces):
        x, y = 25 + 50 * (face % 4), 37 + 74 * (face // 4)
        middle = {"cx": f"{x:g}", "cy": f"{y:g}"}
        ET.SubElement(drawing, "circle", {"class": "face", "r": f"{radius}", **middle})
        ET.SubElement(drawing, "path", {"class": "noon", "d": f"M{x:g} {y - radius:g}v5"})
        hand = {"class": "hand", "x1": f"{x:g}", "y1": f"{y:g}"}
        right, up = table[:, 2 * face], table[:, 2 * face + 1]
        long = radius - 4
        go(drawing, "line", 0, hand, x2=x + long * right, y2=y - long * up)
        ET.SubElement(drawing, "circle", {"class": "axle", "r": "2.5", **middle})
    turns = np.arange(places) / (2 * np.pi)
    lines = [
        f"Word {n}: the first clock has gone round {turn:.1f} times."
        for n, turn in enumerate(turns)
    ]
    page, task = "book/inputs/positions", "Move along a text and watch eight clocks tell the place."
    return Toy(page, "Positions", task, "The place in the text", drawing, lines, 0, 85)


def hot_and_cold() -> Toy:
    """Temperature: the probabilities of the next word, from cold to hot."""
    from plainformer.attention import softmax
    from plainformer.decoding import apply_temperature
    from plainformer.decoding.example import CONTEXT
    from plainformer.training.tasks import course_lm

    lm = course_lm()
    logits = lm.next_logits(CONTEXT)
    best = np.argsort(-logits)[:7]
    taus = np.concatenate([np.linspace(0.2, 1, 17), np.linspace(1.1, 3, 20)])
    start = int(np.flatnonzero(np.isclose(taus, 1))[0])
    shares = np.stack([softmax(apply_temperature(logits, float(tau)))[best] for tau in taus])
    table = np.column_stack([shares, 1 - shares.sum(axis=1)])
    names = [*(lm.words[i] for i in best), "others"]
    drawing = canvas("Bars for seven words and for all others: how probable each is as the next.")
    tall = SIZE[1] / len(names)
    for j, word in enumerate(names):
        y = tall * j
        middle = f"{y + tall / 2 + 4:g}"
        ET.SubElement(drawing, "text", {"class": "word", "x": "2", "y": middle}).text = word
        bar = {"class": "bar", "x": 54, "y": f"{y + 3:g}", "height": f"{tall - 6:g}", "rx": 2}
        go(drawing, "rect", start, bar, width=1 + 110 * table[:, j])
        place = {"class": "number", "x": 198, "y": middle, "text-anchor": "end"}
        go(drawing, "text", start, place, text=[f"{share:.0%}" for share in table[:, j]])
    lines = [
        f"At temperature {tau:.2f}, “{names[0]}” has a chance of {row[0]:.0%}."
        for tau, row in zip(taus, table, strict=True)
    ]
    task = "Turn the heat up, and unlikely next words get a chance."
    page = "book/decoding/temperature"
    return Toy(page, "Temperature", task, "The temperature", drawing, lines, start, 130)


TOYS: tuple[Callable[[], Toy], ...] = (who_looks_at_whom, clocks, hot_and_cold)


def as_html(toy: Toy, href: str) -> str:
    """Return one toy as a part of a page; `href` is where its chapter is."""
    drawing = ET.tostring(toy.drawing, encoding="unicode")
    lines = escape("|".join(toy.lines))
    facts = f'data-lines="{lines}" data-start="{toy.start}" data-pace="{toy.pace}"'
    return (
        f'<div class="pf-toy" {facts} data-control="{escape(toy.control)}">'
        f'<p class="pf-toy-name"><a href="{escape(href)}">{escape(toy.title)}</a></p>'
        f"<p>{escape(toy.task)}</p>{drawing}"
        f'<p class="pf-toy-line">{escape(toy.lines[toy.start])}</p></div>'
    )


def render(folder: Path, toys: Iterable[Toy], uri: Callable[[str], str]) -> str:
    """Return the HTML of all `toys`, with the style sheet and the script that `folder` holds."""
    style, script = ((folder / name).read_text(encoding="utf-8") for name in FILES)
    parts = "".join(as_html(toy, uri(toy.page)) for toy in toys)
    return (
        f'<style>{style}</style>\n<div class="pf-toys">{parts}</div>\n<script>{script}</script>\n'
    )


class toys(nodes.General, nodes.Element):
    """The toys' place on a page; drawn when the page is written."""


class ToysDirective(SphinxDirective):
    """``:::{toys}``: all toys, side by side."""

    def run(self) -> list[nodes.Node]:
        """Return the toys' place; a change of their files or examples draws them again."""
        folder = Path(self.env.srcdir, "book", "map")
        for file in [*(folder / name for name in FILES), *EXAMPLES]:
            self.env.note_dependency(str(file))
        return [toys("", folder=str(folder))]


def visit_html(self: Any, node: toys) -> None:
    """Draw the toys whose chapters the book has."""
    builder, page = self.builder, self.builder.current_docname
    made = [toy for toy in (make() for make in TOYS) if toy.page in builder.env.found_docs]
    folder = Path(node["folder"])
    self.body.append(render(folder, made, lambda to: str(builder.get_relative_uri(page, to))))
    raise nodes.SkipNode


def visit_other(self: Any, node: toys) -> None:
    """Leave the toys out where there is no HTML."""
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the directive and its drawing."""
    other = (visit_other, None)
    app.add_node(toys, html=(visit_html, None), latex=other, text=other)
    app.add_directive("toys", ToysDirective)

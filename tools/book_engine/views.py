"""Read, Code and Everything: three views of one page, made from one text.

Every block belongs to a view by its kind. What a view does not show is a ``<details>`` that names,
in ``data-from``, the first view in which it stands open; ``views.js`` opens and closes them. In the
page's file all of them are open, so that without scripts everything shows.

========================================  ==========
block                                     open from
========================================  ==========
prose, formulas, guesses, figures, …      Read
a cell tagged ``essential``, its outputs  Read
other cells; exercises with their stubs   Code
a section marked ``{.deeper}``            Everything
derivations, listings, Q&A, deeper boxes, …Everything
a cell tagged ``checks``                  Everything
========================================  ==========

A cell that draws keeps its picture in every view, and folds its code. What the author hides
(``hide-input``, ``hide-output``, ``hide-cell``) is closed in all three: how a figure is drawn is
seldom the subject.

Most folds show the same word, "Code". What follows it is heard, not seen: each fold has a name of
its own (`name_folds`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_exercise.nodes import is_exercise_node, solution_node

from . import claims
from .boxes import box, box_title

CODE, EVERYTHING = "code", "everything"
ASKED = "asked"  # no view opens it
BOXES = {"derivation", "listing", "qa", "eli5", "cost", "deeper"}  # that only Everything opens
DEEPER = "deeper"  # the class of a section that only Everything opens
ESSENTIAL, STUB = "essential", "exercise"  # tags of cells


class fold(nodes.General, nodes.Element):
    """What a view folds away: `level` is the first view that opens it, `label` its one line.

    `name` is what a reader hears instead of the label, where several folds show the same one.
    """


class Views(SphinxPostTransform):
    """Fold each block of a page from its view on, when all outputs and titles are known."""

    default_priority = 320  # after myst-nb has chosen among outputs, and `folds` has made boxes
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the page's tree in place."""
        checked = 0
        for cell in list(self.document.findall(is_cell)):
            if f"tag_{claims.TAG}" in cell["classes"]:
                checked += fold_checks(cell)
            else:
                if f"tag_{STUB}" in cell["classes"]:
                    drop_outputs(cell)
                fold_cell(cell)
        name_folds(self.document)
        for number, node in enumerate(list(self.document.findall(is_exercise_node)), start=1):
            fold_exercise(node, number)
        for section in list(self.document.findall(nodes.section)):
            if DEEPER in section["classes"]:
                fold_section(section)
        for node in self.document.findall(box):
            if node["kind"] in BOXES:
                node["level"] = EVERYTHING
        if checked:
            sum_up(self.document, checked)


def is_cell(node: nodes.Node) -> bool:
    """True for a code cell with its outputs."""
    return isinstance(node, nodes.container) and "cell" in node["classes"]


def part(cell: nodes.Element, name: str) -> nodes.Element | None:
    """Return the input or the output of a cell, ``cell_input`` or ``cell_output``; None without."""
    for node in cell.findall(nodes.container):
        if name in node["classes"]:
            return node
    return None


def draws(cell: nodes.Element) -> str:
    """Return what a cell shows, "picture" or "widget"; an empty text where it draws nothing."""
    output = part(cell, "cell_output")
    if output is None:
        return ""
    raw = [node.astext() for node in output.findall(nodes.raw)]
    if any("pf-widget" in text for text in raw):
        return "widget"
    drawn = any("<svg" in text or "<img" in text for text in raw)
    return "picture" if drawn or any(output.findall(nodes.image)) else ""


def fold_cell(cell: nodes.Element) -> None:
    """Fold what the author hides; then the rest of the cell, or its code alone where it draws.

    What is hidden comes last: a picture first, and its code in the row of folds below it.
    """
    hidden = [child for child in cell.children if isinstance(child, HideCodeCellNode)]
    drawn = draws(cell)
    made: list[nodes.Node] = []
    for node in hidden:
        cell.remove(node)
        label = "Output" if part(node, "cell_input") is None else "Code"
        if node.children:  # a stub's output may have been hidden before it was dropped
            content = nodes.container("", *node.children, classes=["cell"])
            made.append(fold("", content, level=ASKED, label=label, drawn=drawn))
    code = part(cell, "cell_input")
    open_always = any(f"tag_{tag}" in cell["classes"] for tag in (ESSENTIAL, STUB))
    if not cell.children:
        put(cell, made)
    elif open_always or (code is None and draws(cell)):
        put(cell, [cell, *made])
    elif code is not None and draws(cell):
        around = fold("", level=CODE, label="Code", drawn=drawn)
        put(code, [around])
        around += code
        put(cell, [cell, *made])
    else:
        whole = fold("", level=CODE, label="Output" if code is None else "Code")
        put(cell, [whole, *made])
        whole += cell


def put(node: nodes.Element, made: Sequence[nodes.Node]) -> None:
    """Put other blocks in the place of a node; the first of them takes its names.

    docutils' own ``replace_self`` leaves the names on both, and an id would stand twice.
    """
    parent = node.parent
    assert parent is not None
    place = parent.index(node)
    parent[place : place + 1] = list(made)
    first = made[0] if made else None
    if isinstance(first, nodes.Element) and first is not node:
        first["ids"], node["ids"] = [*first["ids"], *node["ids"]], []


def fold_checks(cell: nodes.Element) -> int:
    """Put a cell of checks behind its badge; return how many claims it holds."""
    code = part(cell, "cell_input")
    assert code is not None, "myst-nb writes the input of a cell"
    before, found = claims.read_claims(code.astext())
    body: list[nodes.Node] = [python(before)] if before else []
    for claim in found:
        body += [nodes.paragraph("", claim.words, classes=["pf-claim"]), python(claim.code)]
    output = part(cell, "cell_output")
    if output is not None:
        body.append(nodes.paragraph("", "Measured:", classes=["pf-measured"]))
        body.append(output.deepcopy())
    made = fold("", level=EVERYTHING, label=claims.announce(len(found)), classes=["pf-checks"])
    made += nodes.container("", *body, classes=["cell", "pf-claims"])
    put(cell, [made])
    return len(found)


def python(source: str) -> nodes.literal_block:
    """Return code as a cell's input shows it."""
    return nodes.literal_block(source, source, language="ipython3")


def name_folds(document: nodes.document) -> None:
    """Give every fold a name that tells it from the others: "Code: The long tail, 2 of 4"."""
    folds = list(document.findall(fold))
    for node in folds:
        of = f" of the {node['drawn']}" if node.get("drawn") else ""
        node["name"] = f"{node['label']}{of}: {subject(node)}"
    total, seen = Counter(node["name"] for node in folds), Counter[str]()
    for node in folds:
        name = node["name"]
        seen[name] += 1
        if total[name] > 1:
            node["name"] = f"{name}, {seen[name]} of {total[name]}"


def subject(node: nodes.Element) -> str:
    """Return what a fold is about: the claim or question before it, its box, or its section."""
    parent = node.parent
    assert parent is not None
    for before in reversed(parent.children[: parent.index(node)]):
        if isinstance(before, box) and before["kind"] in ("misconception", "qa"):
            return title_of(before)
        if not isinstance(before, fold) and not is_cell(before):
            break
    while not isinstance(parent, box | nodes.section | nodes.document):
        assert parent is not None
        parent = parent.parent
    return title_of(parent)


def title_of(node: nodes.Element) -> str:
    """Return the title of a box or a section as plain text."""
    for title in node.findall(lambda each: isinstance(each, box_title | nodes.title)):
        text = " ".join(title.astext().split())
        return text or str(title["label"])  # type: ignore[index]
    return "this page"


def drop_outputs(cell: nodes.Element) -> None:
    """Drop what a stub prints: "nothing here yet" tells a reader of the page nothing."""
    output = part(cell, "cell_output")
    if output is not None:
        output.parent.remove(output)


def fold_exercise(node: nodes.Element, number: int) -> None:
    """Fold an exercise with its stub and its solution; its title is the line that stays."""
    assert node.parent is not None
    siblings = node.parent.children
    place = siblings.index(node)
    end = place + 1
    while end < len(siblings) and belongs(siblings[end]):
        end += 1
    group = siblings[place:end]
    title = node.children[0]
    name = " ".join(title.astext().split()).removeprefix("(").removesuffix(")")
    made = fold("", level=CODE, label=f"Exercise {number} · {name}", classes=["pf-exercise"])
    made["ids"], node["ids"] = node["ids"], []
    node.remove(title)
    parent = node.parent
    for each in group:
        parent.remove(each)
    made += group
    parent.insert(place, made)


def belongs(node: nodes.Node) -> bool:
    """True for what follows an exercise and is part of it: its stub, its solution."""
    if isinstance(node, solution_node) or (isinstance(node, box) and node["kind"] == "solution"):
        return True
    return is_cell(node) and f"tag_{STUB}" in node["classes"]  # type: ignore[index]


def fold_section(section: nodes.section) -> None:
    """Fold a section below its heading, which stays."""
    title, *rest = section.children
    made = fold("", level=EVERYTHING, label="", classes=["pf-further"])
    section.children = []
    made += [title, *rest]
    section += made


def sum_up(document: nodes.document, checked: int) -> None:
    """Say at the end of the page how many of its claims were checked, and where to see them."""
    words = (
        f"✓ {checked} claims on this page were checked when it was built. "
        if checked > 1
        else "✓ One claim on this page was checked when it was built. "
    )
    line = nodes.paragraph("", words, classes=["pf-checked"])
    line += nodes.reference("", "Show everything", refuri="?view=everything")
    line += nodes.Text(" to see how.")
    (document.next_node(nodes.section) or document).append(line)


def visit_fold(self: Any, node: fold) -> None:
    """Open a fold; a section's heading is its own line."""
    classes = " ".join(["pf-view-fold", *node["classes"]])
    first, *others = node["ids"] or [""]
    name_of = f' id="{first}"' if first else ""
    state = "" if node["level"] == ASKED else " open"
    self.body.append(f'<details class="{classes}"{name_of} data-from="{node["level"]}"{state}>\n')
    # Its other names stand here, where a closed fold shows them, too.
    spans = "".join(f'<span id="{each}"></span>' for each in others)
    if node["label"]:
        heard = f' aria-label="{escape(node["name"])}"' if "name" in node else ""
        self.body.append(f"<summary{heard}>{spans}{escape(node['label'])}</summary>\n")
    else:
        title = node.children[0]
        node.remove(title)
        title.parent = node.parent  # a title asks its section how deep it stands
        self.body.append("<summary>")
        start = len(self.body)
        title.walkabout(self)
        # A link inside what opens and closes cannot be reached by every reader.
        heading = re.sub(r'<a class="headerlink".*?</a>', "", "".join(self.body[start:]))
        self.body[start:] = [heading, "</summary>\n"]


def depart_fold(self: Any, node: fold) -> None:
    """Close it."""
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Register the transform and its node."""
    app.add_node(fold, html=(visit_fold, depart_fold))
    app.add_post_transform(Views)

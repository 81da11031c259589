"""Folds that need no script: exercises' solutions and ``dropdown`` admonitions.

Other extensions mark these by a class and leave the folding to a script of their own. Here they
become `boxes.box` nodes, which a keyboard opens and print shows. `views` folds hidden cells.

Solutions can be left out of the pages: `make book SOLUTIONS=no`, for a teacher who hosts a copy.
They are still in the sources, and in the package.
"""

from __future__ import annotations

import os
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component
from sphinx_exercise.nodes import is_exercise_node, solution_node

from .boxes import box, box_title

SETTING = "PLAINFORMER_SOLUTIONS"  # environment variable: "no" leaves them out


class FoldBoxes(SphinxPostTransform):
    """Turn solutions and ``dropdown`` admonitions into folded boxes, their titles being known."""

    default_priority = 300
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the page's tree in place."""
        for node in list(self.document.findall(is_exercise_node)):
            unwrap_sections(node)
        if not self.config.book_solutions:
            for node in list(self.document.findall(solution_node)):
                node.parent.remove(node)
        for number, node in enumerate(list(self.document.findall(self.folds))):
            unwrap_sections(node)
            kind = "solution" if isinstance(node, solution_node) else "note"
            node.replace_self(folded(node, kind, f"pf-fold-{number}"))

    @staticmethod
    def folds(node: nodes.Node) -> bool:
        """True for what is to fold."""
        if not isinstance(node, nodes.Element) or not isinstance(node, nodes.Admonition):
            return False
        return isinstance(node, solution_node) or "dropdown" in node["classes"]


class FoldDropdowns(SphinxPostTransform):
    """Turn sphinx-design's dropdowns into folded boxes, before it draws them its own way."""

    default_priority = 198
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the page's tree in place."""
        found = self.document.findall(lambda node: is_component(node, "dropdown"))
        for number, node in enumerate(list(found)):
            title_id = f"pf-dropdown-{number}"
            titled = bool(node["has_title"])
            label = "" if titled else "More"
            made = box("", kind="dropdown", folded=True, opened=node["opened"], title_id=title_id)
            made["ids"] = [*node["ids"], *(node[0]["ids"] if titled else [])]
            title = box_title("", "", label=label, title_id=title_id, folded=True)
            title += node[0].children if titled else []
            made += title
            made += node.children[titled:]
            node.replace_self(made)


def unwrap_sections(node: nodes.Element) -> None:
    """Replace sections inside a box by what they hold: they all have the same id."""
    for section in list(node.findall(nodes.section)):
        section["ids"] = []
        section.replace_self(section.children)


def folded(node: nodes.Element, kind: str, title_id: str) -> box:
    """Return the folded box of an admonition; its title is text, so that it holds no link."""
    first = node.children[0] if node.children else None
    titled = isinstance(first, nodes.title)
    title = " ".join(first.astext().split()) if first is not None and titled else kind.title()
    label = "Solution" if kind == "solution" else ""
    made = box("", kind=kind, folded=True, title_id=title_id, ids=node["ids"])
    claim = title.removeprefix(label).strip()
    made += box_title("", claim, label=label, title_id=title_id, folded=True)
    made += [child.deepcopy() for child in node.children[titled:]]
    return made


def setup(app: Sphinx) -> None:
    """Register the transforms, and the setting: another value writes all pages anew."""
    shown = os.environ.get(SETTING, "yes") != "no"
    app.add_config_value("book_solutions", shown, "html", bool)
    app.add_post_transform(FoldDropdowns)
    app.add_post_transform(FoldBoxes)

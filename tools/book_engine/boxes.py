"""The boxes of a chapter: directives that fix each box's title, meaning and fold.

A chapter writes ``:::{qa} Why bytes?`` and this module turns it into a fold that a keyboard opens
and print shows. Boxes are ``role="note"`` blocks or ``<details>``, never headings, so that the
page's outline stays that of its sections.

Not handled: builders other than HTML get the title in bold and the body, without frame or fold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective


@dataclass(frozen=True)
class Kind:
    """What one kind of box looks like: its label, whether it folds, and what its argument is."""

    name: str
    label: str
    folded: bool = False
    argument: str = "none"  # "none", "optional" title, or "required" title
    bare: bool = False  # whether its title may stand alone
    options: tuple[tuple[str, str], ...] = ()  # option name, label; without a label not shown
    classes: tuple[str, ...] = ()


KINDS = (
    Kind(
        "glance",
        "At a glance",
        options=(("time", "Time"), ("before", "Know before"), ("after", "Able to do after")),
    ),
    Kind("guess", "Before you read"),
    Kind("math-box", "Math", argument="optional"),
    Kind("derivation", "Derivation", folded=True, argument="optional"),
    Kind(
        "misconception",
        "Misconception",
        argument="required",
        bare=True,
        options=(("source", ""),),
    ),
    Kind("truth", "What is true"),
    Kind("qa", "Q&A", folded=True, argument="required"),
    Kind("eli5", "Like I’m five", folded=True, argument="optional"),
    Kind("cost", "Cost", folded=True, argument="optional"),
    Kind("deeper", "Deeper", folded=True, argument="required"),
    # On wide screens it is in the margin. The theme folds the table of contents away where it sees
    # a "popout", and margin.css lets it stay where there is room for both.
    Kind("margin-note", "Aside", argument="required", classes=("popout",)),
    Kind("next", "Next"),
)


class box(nodes.General, nodes.Element):
    """One box; its first child is a `box_title`, the rest is the body."""


class box_title(nodes.TextElement):
    """The line that names a box; `label` is the kind's own name, the text is the author's."""


class BoxDirective(SphinxDirective):
    """The directive of one kind of box; `Kind` decides the rest."""

    kind: ClassVar[Kind]
    has_content = True
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return the box with its title, its body and its facts."""
        kind = self.kind
        if not self.content and not kind.bare:
            raise self.error(f"the {kind.name} box is empty; it needs a body")
        number = self.env.new_serialno("pf-box")
        node = box("", kind=kind.name, folded=kind.folded, title_id=f"pf-box-{number}")
        node["classes"] += [*kind.classes, *self.options.get("class", [])]
        self.set_source_info(node)
        title = box_title("", "", label=kind.label, title_id=node["title_id"], folded=kind.folded)
        if self.arguments:
            children, messages = self.parse_inline(self.arguments[0])
            title += children
            node += messages
        node += title
        self.state.nested_parse(self.content, self.content_offset, node)
        facts = [
            (label, self.options[key])
            for key, label in kind.options
            if label and key in self.options
        ]
        if facts:
            node += self.facts(facts)
        self.add_name(node)
        return [node]

    def facts(self, facts: list[tuple[str, str]]) -> nodes.Element:
        """Return the box's options as a list of facts, each with its label."""
        table = nodes.definition_list(classes=["pf-facts"])
        for label, text in facts:
            children, messages = self.parse_inline(text)
            item = nodes.definition_list_item()
            item += nodes.term(label, label)
            item += nodes.definition("", nodes.paragraph("", "", *children), *messages)
            table += item
        return table


def data_of(node: box) -> list[tuple[str, str]]:
    """Return the ``data-`` attributes of a box, by their names without the prefix."""
    return list(node.get("data", {}).items())


def visit_box(self: Any, node: box) -> None:
    """Open the box as a fold or as a note that its title names."""
    classes = " ".join(["pf-box", f"pf-{node['kind']}", *node["classes"]])
    ids = f' id="{node["ids"][0]}"' if node["ids"] else ""
    if node["folded"]:
        opened = " open" if node.get("opened") else ""
        if "level" in node:  # `views` opens and closes it; without scripts it is open
            opened = f' data-from="{node["level"]}" open'
        self.body.append(f'<details class="{classes} pf-fold"{ids}{opened}>\n')
    else:
        data = "".join(f' data-{name}="{text}"' for name, text in data_of(node))
        role = "group" if node["kind"] in ("question", "practice") else "note"
        named = f'role="{role}" aria-labelledby="{node["title_id"]}"'
        self.body.append(f'<div class="{classes}"{ids}{data} {named}>\n')


def depart_box(self: Any, node: box) -> None:
    """Close what `visit_box` opened."""
    self.body.append("</div></details>\n" if node["folded"] else "</div>\n")


def visit_title(self: Any, node: box_title) -> None:
    """Write the kind's label, then the author's own words."""
    tag = "summary" if node["folded"] else "p"
    label = self.encode(node["label"])
    self.body.append(f'<{tag} class="pf-box-title" id="{node["title_id"]}">')
    # The box has its first id itself; the others stand here, where a closed fold shows them, too.
    self.body += [f'<span id="{name}"></span>' for name in node.parent["ids"][1:]]
    if label:
        self.body.append(f'<span class="pf-box-label">{label}</span> ')
    if node.children:
        self.body.append('<span class="pf-box-claim">')


def depart_title(self: Any, node: box_title) -> None:
    """Close the title; in a fold, open the part that folds."""
    if node.children:
        self.body.append("</span>")
    self.body.append('</summary>\n<div class="pf-fold-body">\n' if node["folded"] else "</p>\n")


def visit_plain(self: Any, node: nodes.Element) -> None:
    """Let other builders show the content alone."""


def depart_plain(self: Any, node: nodes.Element) -> None:
    """Nothing to close."""


def directive_for(kind: Kind) -> type[BoxDirective]:
    """Return the directive class of one kind of box."""
    specs: dict[str, Any] = {name: directives.unchanged for name, _ in kind.options}
    return type(
        f"{kind.name.title().replace('-', '')}Directive",
        (BoxDirective,),
        {
            "kind": kind,
            "required_arguments": int(kind.argument == "required"),
            "optional_arguments": int(kind.argument == "optional"),
            "option_spec": {
                "class": directives.class_option,
                "name": directives.unchanged,
                **specs,
            },
        },
    )


def setup(app: Sphinx) -> None:
    """Register the nodes and one directive for each kind."""
    plain = (visit_plain, depart_plain)
    app.add_node(box, html=(visit_box, depart_box), latex=plain, text=plain)
    app.add_node(box_title, html=(visit_title, depart_title), latex=plain, text=plain)
    for kind in KINDS:
        app.add_directive(kind.name, directive_for(kind))

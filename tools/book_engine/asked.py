"""What a chapter asks, and which widgets it has, read from its document.

A chapter asks in three kinds of boxes: a guess, a question, a misconception. Each becomes an `Item`
with all that the chapter says to its answers. `lessons` puts them on the pages for teachers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from docutils import nodes

from .boxes import box, box_title
from .misconceptions import find_pairs

STATE = re.compile(
    r'data-pf-widget="(?P<name>\w+)"><script type="application/json">(?P<state>.*?)</script>',
    re.DOTALL,
)


class LessonError(ValueError):
    """A page for teachers names something that no chapter has, or not only one."""


@dataclass(frozen=True)
class Item:
    """Something that a chapter asks.

    Attributes:
        kind: guess, question or misconception.
        anchor: where it is on its page.
        words: what is asked, as text.
        asked: the same as blocks.
        answers: what can be said, what to reply, and whether it is right; empty for an open one.
        told: the answer to an open one.
        number: whether a number is to be typed.
    """

    kind: str
    anchor: str
    words: str
    asked: list[nodes.Node]
    answers: list[tuple[list[nodes.Node], list[nodes.Node], bool]] = field(default_factory=list)
    told: list[nodes.Node] = field(default_factory=list)
    number: bool = False


def items_of(document: nodes.document) -> list[Item]:
    """Return what a chapter asks, in the order of its page."""
    truths = {id(claim): truth for claim, truth in find_pairs(document)}
    found = []
    for each in document.findall(box):
        if each["kind"] == "guess":
            found.append(_guess(each))
        elif each["kind"] == "question":
            found.append(_question(each))
        elif each["kind"] == "misconception":
            found.append(_claim(each, truths[id(each)]))
    return found


def _title(of: box) -> box_title:
    return next(iter(of.findall(box_title)))


def _guess(of: box) -> Item:
    """Return a guess, whose answer is in a dropdown."""
    body = [each for each in of.children if not isinstance(each, box_title)]
    folds = [each for each in body if _is_dropdown(each)]
    asked = [each for each in body if each not in folds]
    told = [part for fold in folds for part in fold.children if not isinstance(part, nodes.rubric)]
    return Item("guess", of["title_id"], _words(asked), asked, told=told)


def _is_dropdown(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Element) and node.get("design_component") == "dropdown"


def _question(of: box) -> Item:
    title = _title(of)
    listed = next(iter(of.findall(nodes.definition_list)))
    answers = []
    for item in listed.findall(nodes.definition_list_item):
        [term], [reply] = item.findall(nodes.term), item.findall(nodes.definition)
        right = "pf-right" in term["classes"]
        answers.append((list(term.children), list(reply.children), right))
    number = not any(isinstance(each, nodes.bullet_list) for each in of.children)
    asked = nodes.paragraph("", "", *(each.deepcopy() for each in title.children))
    return Item("question", of["title_id"], _words([title]), [asked], answers, number=number)


def _claim(of: box, truth: box) -> Item:
    title = _title(of)
    asked: list[nodes.Node] = [nodes.paragraph("", "", *(each.deepcopy() for each in title))]
    asked += [each for each in of.children if each is not title]
    told = [each for each in truth.children if each is not _title(truth)]
    return Item("misconception", of["title_id"], _words([title]), asked, told=told)


def _words(parts: Iterable[nodes.Node]) -> str:
    return " ".join(" ".join(part.astext() for part in parts).split())


def find_item(items: Sequence[Item], start: str) -> Item:
    """Return the one item whose words begin with `start`; quotation marks may be plain.

    Raises `LessonError` for none, or more than one.
    """
    wanted = _plain(start)
    found = [each for each in items if _plain(each.words).startswith(wanted)]
    if len(found) != 1:
        raise LessonError(f"{len(found)} of its questions begin with {start!r}, and one should")
    return found[0]


def _plain(text: str) -> str:
    """Text without what typographers and formulas change."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def widgets_of(document: nodes.document) -> list[tuple[str, dict[str, Any]]]:
    """Return the widgets of a page in order, each with its traits."""
    raw = "".join(each.astext() for each in document.findall(nodes.raw))
    return [(each["name"], json.loads(each["state"])) for each in STATE.finditer(raw)]


def query_for(widgets: Sequence[tuple[str, dict[str, Any]]], toy: str, wanted: Any) -> str:
    """Return the address's end that opens a widget in a state, as `kit/links.js` reads it.

    Args:
        widgets: of the page.
        toy: the widget's name; with `.1` for the second of a kind. The first one if it is empty.
        wanted: its traits.

    Raises `LessonError` where the page has no such widget, or the widget no such trait.

    >>> query_for([("dial", {"angle": 0.0})], "", {"angle": 45})
    '?toy=dial&toy.angle=45'
    """
    if not widgets:
        raise LessonError("the page has no widget")
    name, _, number = (toy or widgets[0][0]).partition(".")
    states = [state for each, state in widgets if each == name]
    index = int(number or 0)
    if index >= len(states):
        raise LessonError(f"the page has no widget {toy}")
    query = {"toy": toy or name}
    for trait, value in wanted.items():
        have = states[index].get(trait)
        if trait not in states[index] or (have is not None and not _alike(have, value)):
            raise LessonError(f"{name} has no trait {trait} that could be {value!r}")
        query[f"toy.{trait}"] = value if isinstance(value, str) else json.dumps(value)
    return "?" + urlencode(query)


def _alike(have: Any, value: Any) -> bool:
    numbers = (int, float)
    both = isinstance(have, numbers) and isinstance(value, numbers)
    return type(have) is type(value) or (both and isinstance(have, bool) is isinstance(value, bool))

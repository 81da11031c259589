"""What a teacher uses of the chapters: their questions with what to say to each answer, the known
mistakes of an exercise, and links to widgets in a chosen state.

A chapter says each of these once. Here it is taken over when the page is written, so that a chapter
is changed and the pages for teachers follow::

    :::{ask} attention/masking
    Without a mask, the two cats
    :::                       a question, a guess or a misconception that begins like this

    :::{mistakes} attention.masking.1
    :::                       wrong answers to an exercise, each with its hint

    :::{project} attention/masking
    :set: {"causal": false}
    What changes?
    :::                       a link that opens the first widget of the page in this state

``{for-class} attention`` lists everything that `ask` knows of a part, or of a page such as
``glass``, for a sheet without answers; with ``:answers:`` it is the key to that sheet, numbered in
the same way.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import urlencode

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from plainformer.exercises.registry import exercise

from .boxes import box, box_title
from .chapters import pages_in_order
from .misconceptions import content_for, find_pairs
from .search_sections import spoken

LABELS = {"guess": "Guess", "question": "Question", "misconception": "Claim"}
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
    for item in listed.children:
        term, reply = item.children
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


class place(nodes.General, nodes.Element):
    """Where something of a chapter is to go; filled when every chapter has been read."""


class FromChapter(SphinxDirective):
    """A directive whose argument is a chapter, such as ``attention/masking``."""

    required_arguments = 1
    has_content = True
    kind: ClassVar[str]

    def placed(self, **values: Any) -> list[nodes.Node]:
        """Return the place, with a number for the box that it becomes."""
        number = self.env.new_serialno("pf-box")
        chapter = f"book/{self.arguments[0]}"
        made = place(kind=self.kind, chapter=chapter, title_id=f"pf-box-{number}", **values)
        self.set_source_info(made)
        return [made]


class Ask(FromChapter):
    """A question of a chapter, with all answers."""

    kind = "ask"

    def run(self) -> list[nodes.Node]:
        """Return the place of the question."""
        return self.placed(start=" ".join(self.content).strip())


class Project(FromChapter):
    """A widget in a state, and what to ask about it."""

    kind = "project"
    option_spec: ClassVar[Any] = {"toy": directives.unchanged, "set": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the place of the link, which holds what to ask."""
        try:
            wanted = json.loads(self.options.get("set", "{}"))
        except ValueError as problem:
            raise self.error(f":set: is JSON; {problem}") from problem
        [made] = self.placed(toy=self.options.get("toy", ""), wanted=json.dumps(wanted))
        self.state.nested_parse(self.content, self.content_offset, made)
        return [made]


class Mistakes(SphinxDirective):
    """The wrong answers of an exercise that change one line, and what is said to each."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[Any] = {"most": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """Return the box."""
        asked = exercise(self.arguments[0])
        file = inspect.getsourcefile(inspect.unwrap(asked.reference))
        self.env.note_dependency(str(file))
        found = [pair for pair in asked.mutants.items() if isinstance(pair[1], str)]
        if not found:
            raise self.error(f"{asked.id} has no wrong answer that changes a line")
        number = self.env.new_serialno("pf-box")
        made = box("", kind="mistakes", folded=False, title_id=f"pf-box-{number}")
        self.set_source_info(made)
        title = box_title("", "", label="Mistakes", title_id=made["title_id"], folded=False)
        title += nodes.Text(f"{asked.title}, in code")
        listed = nodes.definition_list(classes=["pf-replies"])
        for hint, change in found[: self.options.get("most", len(found))]:
            words, messages = self.parse_inline(hint)
            term = nodes.term("", "", *_change(str(change)))
            reply = nodes.definition("", nodes.paragraph("", "", *words, *messages))
            listed += nodes.definition_list_item("", term, reply)
        made += [title, listed]
        return [made]


def _change(change: str) -> list[nodes.Node]:
    """Return what a wrong answer writes, and instead of what.

    >>> [each.astext() for each in _change("a <= b -> a < b")]
    ['a < b', ' instead of ', 'a <= b']
    """
    found: list[nodes.Node] = []
    for part in change.split("; "):
        old, _, new = part.partition(" ->")
        shown = [nodes.literal(text=new.strip()), nodes.Text(" instead of ")]
        shown = shown if new.strip() else [nodes.Text("without ")]
        found += [*([nodes.Text(", ")] if found else []), *shown, nodes.literal(text=old.strip())]
    return found


class ForClass(SphinxDirective):
    """All that the chapters of a part ask; its argument is the folder of the part, or a page."""

    required_arguments = 1
    option_spec: ClassVar[Any] = {"answers": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the place of the list."""
        return [place(kind="for class", part=self.arguments[0], key="answers" in self.options)]


class Fill(SphinxPostTransform):
    """Fill the places, before links are resolved (at 9 and 10)."""

    default_priority = 5

    def run(self, **kwargs: Any) -> None:
        """Put what the chapters say in each place's stead."""
        for each in list(self.document.findall(place)):
            if each["kind"] == "for class":
                each.replace_self(list(self.sections(each["part"], key=each["key"])))
                continue
            make = {"ask": self.ask, "project": self.project}[each["kind"]]
            try:
                each.replace_self(make(each))
            except (LessonError, KeyError, OSError) as problem:
                raise LessonError(f"{self.env.docname}: {each['chapter']}: {problem}") from problem

    def ask(self, at: place) -> box:
        """Return a question of a chapter with every answer, as a box."""
        item = find_item(items_of(self.env.get_doctree(at["chapter"])), at["start"])
        made = box("", kind="ask", folded=False, title_id=at["title_id"])
        label = {"misconception": "They will say", "guess": "Let them guess"}.get(item.kind, "Ask")
        title = box_title("", "", label=label, title_id=at["title_id"], folded=False)
        asked = content_for(self.env.docname, at["chapter"], item.asked)
        for number, part in enumerate(asked):
            title += [nodes.Text(" ")] if number else []
            title += part.children if isinstance(part, nodes.paragraph) else [part]
        made += [title, *self.answers(at["chapter"], item, lettered=False)]
        made += nodes.paragraph("", "", self.link(at["chapter"], item))
        return made

    def answers(self, chapter: str, item: Item, *, lettered: bool) -> list[nodes.Node]:
        """Return what to say: to each answer, or to all; with the letters that a sheet has."""
        page = self.env.docname
        if not item.answers:
            return content_for(page, chapter, item.told)
        listed = nodes.definition_list(classes=["pf-replies"])
        for letter, (words, reply, right) in zip("abcdefgh", item.answers, strict=False):
            term = nodes.term("", "", *content_for(page, chapter, words))
            if lettered and not item.number:
                term.insert(0, nodes.Text(f"{letter}. "))
            if right:
                term["classes"] = ["pf-right"]
                term += nodes.inline("", " (right)", classes=["pf-said-right"])
            told = nodes.definition("", *content_for(page, chapter, reply))
            listed += nodes.definition_list_item("", term, told)
        return [listed]

    def project(self, at: place) -> box:
        """Return a link to a widget in its state, and what to ask, as a box."""
        widgets = widgets_of(self.env.get_doctree(at["chapter"]))
        end = query_for(widgets, at["toy"], json.loads(at["wanted"]))
        address = self.app.builder.get_relative_uri(self.env.docname, at["chapter"]) + end
        made = box("", kind="project", folded=False, title_id=at["title_id"])
        title = box_title("", "", label="Project", title_id=at["title_id"], folded=False)
        words = f"{self.env.titles[at['chapter']].astext()}, ready to show"
        title += nodes.reference("", words, refuri=address, internal=True)
        made += [title, *at.children]
        return made

    def sections(self, part: str, *, key: bool) -> Iterable[nodes.section]:
        """Yield a section for each chapter of a part that asks something."""
        for chapter in pages_in_order(Path(self.env.srcdir, "_toc.yml")):
            if not f"{chapter}/".startswith(f"book/{part}/"):
                continue
            items = items_of(self.env.get_doctree(chapter))
            if not items:
                continue
            name = chapter.rsplit("/")[-1]
            made = nodes.section(ids=[f"asked-{name}"], classes=["pf-for-class"])
            made += nodes.title("", self.env.titles[chapter].astext())
            listed = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
            for item in items:
                listed += self.entry(chapter, item, key=key)
            made += listed
            yield made

    def entry(self, chapter: str, item: Item, *, key: bool) -> nodes.list_item:
        """Return an entry of the sheet, or of its key."""
        label = nodes.strong("", f"{LABELS[item.kind]}. ")
        if key:
            words = spoken(item.words)
            short = words if len(words) < 70 else words[:66].rsplit(" ", 1)[0] + " …"
            head = nodes.paragraph("", "", label, self.link(chapter, item, short))
            return nodes.list_item("", head, *self.answers(chapter, item, lettered=True))
        made = nodes.list_item("", *content_for(self.env.docname, chapter, item.asked))
        first = made.children[0]
        if isinstance(first, nodes.paragraph):
            first.insert(0, label)
        if item.answers and not item.number:
            listed = nodes.enumerated_list(enumtype="loweralpha", prefix="", suffix=".")
            for words, _, _ in item.answers:
                text = nodes.paragraph("", "", *content_for(self.env.docname, chapter, words))
                listed += nodes.list_item("", text)
            made += listed
        return made

    def link(self, chapter: str, item: Item, words: str = "") -> nodes.reference:
        """Return the way to where a chapter asks it, named so that links differ when heard."""
        builder, page = self.app.builder, self.env.docname
        shown = nodes.Text(words or "Where the chapter asks it")
        link = make_refnode(builder, page, chapter, item.anchor, shown)
        if not words:
            link += nodes.inline("", f": {spoken(item.words)}", classes=["pf-sr-only"])
        return link


def setup(app: Sphinx) -> None:
    """Register the directives, and what fills their places."""
    app.add_node(place)
    for name, directive in (
        ("ask", Ask),
        ("project", Project),
        ("mistakes", Mistakes),
        ("for-class", ForClass),
    ):
        app.add_directive(name, directive)
    app.add_post_transform(Fill)

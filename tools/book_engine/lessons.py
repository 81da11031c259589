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

    In a sentence, {toy}`open this head <glass: {"selected": "layers.3.heads.2"}>` is such a link.

``{for-class} attention`` lists everything that `ask` knows of a part, or of a page such as
``glass``, for a sheet without answers; with ``:answers:`` it is the key to that sheet, numbered in
the same way.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective, SphinxRole
from sphinx.util.nodes import make_refnode

from plainformer.exercises.registry import exercise

from .asked import Item, LessonError, find_item, items_of, query_for, widgets_of
from .boxes import box, box_title
from .chapters import pages_in_order
from .misconceptions import content_for
from .search_sections import spoken

LABELS = {"guess": "Guess", "question": "Question", "misconception": "Claim"}


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


class Toy(SphinxRole):
    """A link in a sentence to the first widget of a page, in a state: words <page: traits>."""

    TEXT: ClassVar[Any] = re.compile(r"^(.+?)\s+<([\w/]+):\s*(\{.*\})>$", re.DOTALL)

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the place of the link, which holds its words."""
        try:
            words, chapter, wanted = self.TEXT.match(self.text).groups()
            json.loads(wanted)
        except (AttributeError, ValueError):
            problem = f"a toy is written: words <page: traits as JSON>; got {self.text!r}"
            message = self.inliner.reporter.error(problem, line=self.lineno)
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        made = place("", nodes.Text(words), kind="toy", chapter=f"book/{chapter}", toy="")
        made["wanted"] = wanted
        return [made], []


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
            make = {"ask": self.ask, "project": self.project, "toy": self.toy}[each["kind"]]
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
        address = self.address(at)
        made = box("", kind="project", folded=False, title_id=at["title_id"])
        title = box_title("", "", label="Project", title_id=at["title_id"], folded=False)
        words = f"{self.env.titles[at['chapter']].astext()}, ready to show"
        title += nodes.reference("", words, refuri=address, internal=True)
        made += [title, *at.children]
        return made

    def toy(self, at: place) -> nodes.reference:
        """Return a link to a widget in its state, for a sentence."""
        return nodes.reference("", at.astext(), refuri=self.address(at), internal=True)

    def address(self, at: place) -> str:
        """Return the address that opens a widget in its state, seen from the page being written."""
        widgets = widgets_of(self.env.get_doctree(at["chapter"]))
        end = query_for(widgets, at["toy"], json.loads(at["wanted"]))
        return f"{self.app.builder.get_relative_uri(self.env.docname, at['chapter'])}{end}"

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
            for choice, _, _ in item.answers:
                text = nodes.paragraph("", "", *content_for(self.env.docname, chapter, choice))
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
    app.add_role("toy", Toy())
    app.add_post_transform(Fill)

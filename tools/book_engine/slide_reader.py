"""What a marked block becomes on a slide, and what the speaker reads beside it; see `slides`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from lxml import html

SENTENCE = re.compile(r"(?<=[.!?…])(?P<after>[”’\")]*)\s+(?=[^a-z]|$)")
KINDS = {"p": "text", "ul": "list", "ol": "list", "dl": "list", "table": "table"}
KEYS = "Arrow keys turn the slides. S: speaker’s notes, D: dark, F: full screen, Esc: all slides"
POINTER = 'class="std std-ref"'  # of a link to a place by its name

Mark = tuple[str, str, list[str]]  # "slide" or "also", a title or "", the first words of sentences
Element = Any  # lxml says no types


@dataclass
class Slide:
    """One slide: its title, what it shows, what the speaker reads, and its kinds of blocks."""

    title: str
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)

    def as_html(self) -> str:
        """Return the slide as reveal.js expects it."""
        kinds = " ".join(f"pf-has-{kind}" for kind in dict.fromkeys(self.kinds))
        return (
            f'<section class="{kinds}"><h2>{self.title}</h2>\n'
            f'<div class="pf-room"><div class="pf-fit">{"".join(self.parts)}</div></div>\n'
            f'<aside class="notes">{"".join(dict.fromkeys(self.notes))}</aside></section>\n'
        )


def every(element: Element, name: str) -> list[Element]:
    """Return the elements of a class below `element`, and itself, in order."""
    path = f"descendant-or-self::*[contains(concat(' ', normalize-space(@class), ' '), ' {name} ')]"
    return list(element.xpath(path))


def whole(element: Element) -> str:
    """Return an element as HTML, without the text that follows it."""
    return str(html.tostring(element, encoding="unicode", with_tail=False))


def inner(element: Element) -> str:
    """Return the HTML inside an element.

    >>> inner(html.fromstring("<p>a &lt; <em>b</em>.</p>"))
    'a &lt; <em>b</em>.'
    """
    inside = [str(html.tostring(each, encoding="unicode")) for each in element]
    return escape(element.text or "", quote=False) + "".join(inside)


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph's HTML.

    >>> sentences("<b>Play first.</b> Press <em>Next.</em> Then (see <i>B.</i>) wait. <i>A</i> is.")
    ['<b>Play first.</b>', 'Press <em>Next.</em>', 'Then (see <i>B.</i>) wait.', '<i>A</i> is.']
    """
    found: list[str] = []
    now, depth, ends = "", 0, False
    for piece in re.split(r"(<[^>]*>)", text):
        if piece.startswith("<"):
            depth += -1 if piece.startswith("</") else int(not re.match(r"<(br|img|wbr)\b", piece))
            now += piece
            continue
        if depth == 0 and ends and re.match(r"\s+[^a-z\s]", piece):
            found, now, piece = [*found, now], "", piece.lstrip()
        parts = SENTENCE.split(piece) if depth == 0 else [piece]
        for before, after in zip(parts[::2], parts[1::2], strict=False):
            found, now = [*found, now + before + after], ""
        now += parts[-1]
        ends = now.endswith((".", "?", "!")) if piece else ends
    return [each.strip() for each in [*found, now] if each.strip()]


def letters(text: str) -> str:
    """Return what typographers, tags and formulas leave of a text."""
    text = re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", text, flags=re.DOTALL)
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


def pick(found: Sequence[str], picks: Sequence[str]) -> list[str]:
    """Return those that begin with the words of `picks`, all of them where it is empty.

    Raises `ValueError` unless just one begins so.

    >>> pick(["A cat.", "The dog."], ["the"])
    ['The dog.']
    """
    chosen = []
    for words in picks:
        fitting = [each for each in found if f"{letters(each)} ".startswith(letters(words))]
        if len(fitting) != 1:
            raise ValueError(f"{len(fitting)} sentences or items begin with {words!r}, not one")
        chosen += fitting
    return chosen or list(found)


class Reader:
    """Reads the marked blocks of one finished page."""

    def __init__(self, text: str, projected: Sequence[str] = ()) -> None:
        self.body: Element = html.fromstring(text).xpath("//article | //main")[-1]
        self.projected = projected  # what the lesson plans ask about its widgets
        for each in self.body.xpath(".//noscript | .//a[contains(@class, 'headerlink')]"):
            each.drop_tree()
        for each in self.body.xpath(".//a"):
            each.drop_tag()  # a slide is read, not left
        for each in self.body.xpath(".//*[@id][not(ancestor-or-self::*[name()='svg'])]"):
            del each.attrib["id"]

    def slides(self, marks: Sequence[Mark]) -> Iterator[Slide]:
        """Yield the slides of the page: its title, what is marked, what it says at a glance.

        Raises `ValueError` where a mark asks for what its block does not have.
        """
        if not (glances := every(self.body, "pf-glance")):
            raise ValueError("the last slide is the box {glance}, which the page does not have")
        title = self.body.xpath(".//h1")[0]
        lead = f'<p class="pf-lead">{inner(title.xpath("following::p")[0])}</p>'
        facts = "".join(map(whole, every(glances[0], "pf-facts")))
        yield Slide(inner(title), [f'{lead}<p class="pf-keys">{KEYS}</p>'], [facts], ["title"])
        for group in grouped(marks):
            yield self.slide(group)
        listed = "".join(map(whole, glances[0].xpath("./ul")))
        ends = [whole(each) for each in every(self.body, "pf-next")[-1:]]
        yield Slide("At a glance", [listed], ends, ["list", "glance"])

    def slide(self, group: Sequence[tuple[int, Mark]]) -> Slide:
        """Return the slide of some marks, each with its number."""
        made: Slide | None = None
        for number, (kind, name, picks) in group:
            blocks = every(self.body, f"pf-slide-{number}")
            if not blocks:
                raise ValueError(f"what the mark {name or kind!r} stands above is not on the page")
            made = made or Slide(escape(name, quote=False) or self.heading(blocks[0]))
            self.put(made, blocks[0], picks)
        assert made is not None, "a group has a mark"
        return made

    def heading(self, block: Element) -> str:
        """Return a block's own title, or that of its section."""
        asked = is_one_of(block, "question", "guess", "misconception")
        claims = [] if asked else every(block, "pf-box-claim")
        if labels := every(block, "pf-box-label"):
            return inner((claims or labels)[0])
        return inner(block.xpath("preceding::*[self::h1 or self::h2 or self::h3]")[-1])

    def put(self, slide: Slide, block: Element, picks: Sequence[str]) -> None:
        """Add a block to a slide, in the way of its kind."""
        if is_one_of(block, "question"):
            kind, shown, notes = "question", *self.question(block)
        elif is_one_of(block, "guess"):
            kind, shown, notes = "question", *self.guess(block)
        elif is_one_of(block, "misconception"):
            kind, shown, notes = "question", *self.misconception(block)
        elif is_one_of(block):
            kind, shown, notes = "math", *self.box(block, picks)
        elif "cell" in str(block.get("class")).split():
            kind, shown, notes = self.cell(block)
        elif picks:
            kind, shown, notes = "text", listed(pick(pieces(block), picks)), whole(block)
        else:
            kind, shown, notes = KINDS.get(block.tag, "math"), whole(block), ""
        slide.parts.append(f'<div class="pf-part pf-{kind}-part">{shown}</div>')
        slide.kinds.append(kind)
        before = block.xpath("preceding::p[not(ancestor::*[contains(@class, 'pf-widget')])]")
        slide.notes.append(notes or whole(before[-1]))

    def question(self, block: Element) -> tuple[str, str]:
        """A question, its choices, and the right answer when a key is pressed."""
        told, wrong = "", ""
        for term in every(block, "pf-replies")[0].xpath("./dt"):
            reply = said(term.getnext())
            if "pf-right" in str(term.get("class")).split():
                told = f"<strong>{inner(term)}.</strong> {reply}"
            else:
                wrong += f"<dt>{inner(term)}</dt><dd>{reply}</dd>"
        choices = "".join(f"<li>{said(each)}</li>" for each in block.xpath("./ul/li"))
        choices = f'<ol class="pf-choices">{choices}</ol>' if choices else ""
        asked = inner(every(block, "pf-box-claim")[0])
        shown = f'<p class="pf-asked">{asked}</p>{choices}{answer(told)}'
        return shown, f"<p>To a wrong answer:</p><dl>{wrong}</dl>"

    def guess(self, block: Element) -> tuple[str, str]:
        """A guess, and what it was when a key is pressed."""
        asked = block.xpath("./p[not(contains(@class, 'pf-box-title'))]")
        told = "".join(map(without_pointers, block.xpath("./details//p")))
        shown = f'<div class="pf-asked">{"".join(map(whole, asked))}</div>{answer(told)}'
        return shown, "<p>Collect all guesses before you go on.</p>"

    def misconception(self, block: Element) -> tuple[str, str]:
        """A claim, and what is true when a key is pressed."""
        [claim] = every(block, "pf-box-claim")
        truth = next(each for each in block.xpath("following::div") if is_one_of(each, "truth"))
        told = "".join(map(without_pointers, truth.xpath("./p")[1:]))
        shown = f'<p class="pf-asked">“{inner(claim)}”</p>{answer(told)}'
        return shown, "<p>Let everybody write down what is wrong with it.</p>"

    def cell(self, block: Element) -> tuple[str, str, str]:
        """A widget, a picture, or code with what it prints."""
        if widgets := every(block, "pf-widget"):
            near = block.xpath("following-sibling::*[position() < 3]")  # its code may come between
            told = [part for each in near if is_one_of(each, "dropdown") for part in each[1:]]
            notes = [*self.projected, *map(whole, told)]
            return "widget", whole(widgets[0]), "".join(notes)
        if pictures := every(block, "pf-picture"):
            alts = [each.get("aria-label", "") for each in block.xpath(".//*[@aria-label]")]
            described = "".join(f"<p>{escape(each, quote=False)}</p>" for each in alts)
            return "picture", "".join(map(whole, pictures)), described
        code = every(block, "cell_input") if every(block, "tag_essential") else []
        shown = [*code, *every(block, "cell_output")]
        return "code", "".join(map(whole, shown)), ""

    def box(self, block: Element, picks: Sequence[str]) -> tuple[str, str]:
        """The formulas and the lists of a box; with `picks`, the formulas and these sentences."""
        told = block.xpath("./*[not(contains(@class, 'pf-box-title'))][not(self::summary)]")
        told = list(told[0]) if block.tag == "details" else told
        shown = [each for each in told if each.tag not in ("p", "dl")]
        wanted = pick([one for each in told for one in pieces(each)], picks) if picks else []
        parts = []
        for each in told if picks else shown:
            parts += [listed([one for one in pieces(each) if one in wanted])] if picks else []
            parts += [whole(each)] if each.tag == "div" or not picks else []
        notes = "".join(whole(each) for each in told if each.tag in ("p", "ul"))
        return "".join(parts) or notes, notes


def grouped(marks: Sequence[Mark]) -> list[list[tuple[int, Mark]]]:
    """Return the marks of each slide, with their numbers.

    >>> [[number for number, _ in group] for group in grouped([
    ...     ("slide", "One", []), ("also", "", []), ("slide", "Two", [])])]
    [[0, 1], [2]]
    """
    found: list[list[tuple[int, Mark]]] = []
    for number, mark in enumerate(marks):
        if mark[0] == "slide" or not found:
            found.append([])
        found[-1].append((number, mark))
    return found


def pieces(element: Element) -> list[str]:
    """Return the sentences of a paragraph, or the items of a list; nothing of anything else."""
    if element.tag == "p":
        return sentences(inner(element))
    return [said(each) for each in element] if element.tag in ("ul", "ol") else []


def listed(found: Sequence[str]) -> str:
    """Return several sentences as a list, a single one as a paragraph.

    >>> listed(["One."]), listed(["One.", "Two."])
    ('<p>One.</p>', '<ul><li>One.</li><li>Two.</li></ul>')
    """
    if len(found) < 2:
        return "".join(f"<p>{each}</p>" for each in found)
    return f"<ul>{''.join(f'<li>{each}</li>' for each in found)}</ul>"


def without_pointers(paragraph: Element) -> str:
    """Return a paragraph without the sentences that send a reader to another place."""
    kept = [each for each in sentences(inner(paragraph)) if POINTER not in each]
    return f"<p>{' '.join(kept)}</p>" if kept else ""


def answer(told: str) -> str:
    """Return what shows when a key is pressed."""
    return f'<div class="fragment pf-told">{told}</div>'


def said(element: Element) -> str:
    """Return what an item says, without the paragraph around it."""
    return " ".join(inner(each) for each in element.xpath("./p")) or inner(element)


def is_one_of(element: Element, *kinds: str) -> bool:
    """True for a box of one of these kinds; of any kind where none is named."""
    names = str(element.get("class")).split()
    return "pf-box" in names and (not kinds or any(f"pf-{kind}" in names for kind in kinds))

"""What can be referred to: every label, heading, figure, equation and exercise of the book.

The whole book is read once, before any notebook is written, so that a reference to another page
finds its title and its notebook. Figures, tables, equations and exercises are numbered in the
order of the page, from 1 on each page.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from book_engine.transformer_map import load_chapters

from .blocks import Block, Directive, Prose, parse
from .citations import Bibliography

LABEL = re.compile(r"^[ \t>]*\((?P<label>[\w:.+-]+)\)=[ \t]*$")
HEADING = re.compile(r"^(?P<marks>#{1,6})[ \t]+(?P<title>.*?)[ \t]*#*$")
EQUATION = re.compile(r"(?:\$\$.+?\$\$)[ \t]*\((?P<label>[\w:.-]+)\)", re.DOTALL)
FOOTNOTE = re.compile(r"^\[\^(?P<name>[^\]\s]+)\]:[ \t]*(?P<text>.*(?:\n[ \t]+\S.*)*)", re.M)
DEFINITION = re.compile(r"^\[(?P<name>[^\]^]+)\]:[ \t]+(?P<url>\S+).*$", re.M)
FRONT_MATTER = re.compile(r"\A---[ \t]*\n.*?^---[ \t]*\n", re.DOTALL | re.MULTILINE)
ATTRIBUTES = re.compile(r"^[ \t>]*\{(?P<inside>[.#][^}\n]*)\}[ \t]*$")

LITERAL = {  # directives whose body is no Markdown
    "code-block", "code", "sourcecode", "math", "raw", "literalinclude", "code-cell", "doctest",
    "list-table", "csv-table", "bibliography", "image", "parsed-literal", "contents", "index",
}  # fmt: skip
HIDDEN = {"solution"}  # directives that no notebook shows, with everything in them
NUMBERED = {
    "figure": "figure", "figure-md": "figure", "table": "table", "list-table": "table",
    "csv-table": "table", "exercise": "exercise", "exercise-start": "exercise",
}  # fmt: skip


@dataclass(frozen=True)
class Target:
    """Something that a page can refer to."""

    page: str
    kind: str  # page, section, figure, table, equation, exercise or text
    title: str = ""
    number: int = 0

    @property
    def heading(self) -> str:
        """The heading that stands over this target in its notebook, "" where there is none."""
        if self.kind == "exercise":
            return exercise_title(self)
        return self.title if self.kind == "section" else ""


def exercise_title(target: Target) -> str:
    """Return "Exercise 2 · Count the pairs"."""
    name = f"Exercise {target.number}" if target.number else "Exercise"
    return f"{name} · {target.title}" if target.title else name


def heading_anchor(title: str) -> str:
    """Return Jupyter's anchor of a heading: its plain text with hyphens for spaces.

    >>> heading_anchor("What `encode` *does*")
    'What-encode-does'
    """
    return re.sub(r"\s+", "-", re.sub(r"(?<!\w)[*_]+|[*_]+(?!\w)|`", "", title))


def slug(title: str) -> str:
    """Return the anchor that MyST gives to a heading."""
    plain = re.sub(r"[^\w\s-]", "", title.casefold())
    return re.sub(r"\s", "-", plain.strip())


@dataclass
class PageIndex:
    """What one page defines; `name` is its path below book/ without the suffix."""

    name: str
    path: Path
    text: str
    shown: str = ""  # the path that messages show, from the root of the project
    title: str = ""
    labels: dict[str, Target] = field(default_factory=dict)
    slugs: dict[str, Target] = field(default_factory=dict)
    numbers: dict[int, Target] = field(default_factory=dict)  # by the line of the directive
    footnotes: dict[str, str] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)
    has_notebook: bool = False  # whether it stands in the folder of a part of the course

    @property
    def has_sheet(self) -> bool:
        """Whether the page has exercises, and so a sheet of them beside its notebook."""
        kinds = {target.kind for target in self.numbers.values()}
        return self.has_notebook and "exercise" in kinds


class Book:
    """Every page below book/, what can be referred to, and the bibliography."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pages: dict[str, PageIndex] = {}
        parts = {one.part for one in load_chapters(root / "book" / "map" / "chapters.yml")}
        for path in sorted((root / "book").rglob("*.md")):
            page = read_index(path, root)
            part, _, rest = page.name.partition("/")
            page.has_notebook = part in parts and bool(rest)
            self.pages[page.name] = page
        bibliography = root / "references.bib"
        self.bibliography = Bibliography(bibliography) if bibliography.is_file() else None
        self.labels = {
            label: target for page in self.pages.values() for label, target in page.labels.items()
        }

    @property
    def notebooks(self) -> set[str]:
        """Every notebook that the book makes: its path below notebooks/ without the suffix."""
        chapters = {name for name, page in self.pages.items() if page.has_notebook}
        return chapters | {f"{name}_exercises" for name in chapters if self.pages[name].has_sheet}

    def page_at(self, path: str, beside: str) -> PageIndex | None:
        """Return the page that a relative path names, seen from the page `beside`."""
        path = path.removesuffix(".md")
        if path.startswith("/"):
            name = path.removeprefix("/book/").lstrip("/")
        else:
            name = posixpath.normpath(posixpath.join(posixpath.dirname(beside), path))
        return self.pages.get(name)


def without_front_matter(text: str) -> str:
    """Return the page with its YAML header blanked, so that line numbers stay."""
    return FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), text)


def read_index(path: Path, root: Path) -> PageIndex:
    """Read one page of the book at `root` and note what it defines."""
    name = path.relative_to(root / "book").with_suffix("").as_posix()
    shown = path.relative_to(root).as_posix()
    page = PageIndex(name, path, path.read_text(encoding="utf-8"), shown)
    _Reader(page).read(parse(without_front_matter(page.text), shown))
    page.title = page.title or name
    return page


class _Reader:
    """Walks the blocks of a page, nested ones included, in the order of the text."""

    def __init__(self, page: PageIndex) -> None:
        self.page = page
        self.pending: list[str] = []  # labels that wait for what they label
        self.counts: Counter[str] = Counter()

    def read(self, blocks: list[Block]) -> None:
        for block in blocks:
            if isinstance(block, Prose):
                self.prose(block.text)
            elif isinstance(block, Directive):
                self.directive(block)

    def prose(self, text: str) -> None:
        page = self.page
        page.footnotes.update({one["name"]: one["text"] for one in FOOTNOTE.finditer(text)})
        page.definitions.update(
            {one["name"].casefold(): one[0] for one in DEFINITION.finditer(text)}
        )
        for line in text.split("\n"):
            if label := LABEL.match(line):
                self.pending.append(label["label"])
            elif attributes := ATTRIBUTES.match(line):
                self.pending += re.findall(r"#([\w:.+-]+)", attributes["inside"])
            elif heading := HEADING.match(line):
                target = Target(page.name, "section", heading["title"])
                if len(heading["marks"]) == 1 and not page.title:
                    page.title = heading["title"]
                    target = Target(page.name, "page", heading["title"])
                page.slugs.setdefault(slug(heading["title"]), target)
                self.settle(target)
            elif line.strip() and not line.lstrip().startswith("%"):
                self.settle(Target(page.name, "text"))
        for equation in EQUATION.finditer(text):
            self.equation(equation["label"])

    def directive(self, block: Directive) -> None:
        if block.name in HIDDEN:
            return
        kind = NUMBERED.get(block.name, "text")
        label = block.options.get("label") or block.options.get("name") or ""
        if block.name == "math" and label:
            self.equation(label)
            label = ""
        number = 0
        untitled = kind == "table" and not block.argument
        if kind != "text" and "nonumber" not in block.options and not untitled:
            self.counts[kind] += 1
            number = self.counts[kind]
        target = Target(self.page.name, kind, block.argument if kind != "figure" else "", number)
        if kind != "text":
            self.page.numbers[block.line] = target
        self.pending += [label] if label else []
        self.settle(target)
        if block.name not in LITERAL:
            self.read(parse(block.body, self.page.shown, block.body_line))

    def equation(self, label: str) -> None:
        self.counts["equation"] += 1
        number = self.counts["equation"]
        self.page.labels[label] = Target(self.page.name, "equation", "", number)

    def settle(self, target: Target) -> None:
        for label in self.pending:
            self.page.labels[label] = target
        self.pending = []

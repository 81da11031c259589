"""What each role, link, image and footnote of a page becomes in a portable notebook."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .index import Target, exercise_title
from .inline import one_line_math

if TYPE_CHECKING:
    from .render import Renderer

TITLED = re.compile(r"^(?P<title>.*?)\s*<(?P<target>[^<>]+)>$", re.DOTALL)
CODE = {
    "code", "literal", "file", "samp", "command", "program", "option", "envvar", "class", "mod",
    "attr", "data", "exc", "obj", "const", "func", "meth", "function", "method",
}  # fmt: skip
CALLED = {"func", "meth", "function", "method"}
WRAPPED = {
    "kbd": "<kbd>{}</kbd>", "sub": "<sub>{}</sub>", "sup": "<sup>{}</sup>",
    "subscript": "<sub>{}</sub>", "superscript": "<sup>{}</sup>", "math": "${}$",
    "strong": "**{}**", "guilabel": "**{}**", "menuselection": "**{}**", "dfn": "*{}*",
    "emphasis": "*{}*", "abbr": "{}", "abbreviation": "{}", "index": "",
}  # fmt: skip
CITED: dict[str, str] = {
    "cite": "p", "cite:p": "p", "cite:ps": "p", "cite:t": "t", "cite:ts": "t",
    "cite:author": "author", "cite:authorpar": "author", "cite:year": "year",
}  # fmt: skip


def split_title(content: str) -> tuple[str, str]:
    """Return the title and the target of ``title <target>``; the title is "" where none is given.

    >>> split_title("the loop <train>"), split_title("train")
    (('the loop', 'train'), ('', 'train'))
    """
    found = TITLED.match(content)
    return (found["title"], found["target"]) if found else ("", content)


def code_span(text: str) -> str:
    """Return `text` as a code span, whatever backticks it holds.

    >>> code_span("a`b")
    '``a`b``'
    """
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


@dataclass
class Voice:
    """Speaks for one paragraph of a page (see `inline.Speaker`)."""

    renderer: Renderer
    text: str
    line: int

    def line_at(self, at: int) -> int:
        """Return the line of the page at an offset of the paragraph."""
        return self.line + self.text.count("\n", 0, at)

    def role(self, name: str, content: str, at: int) -> str:
        """Return plain Markdown for a role; an unknown one is an error."""
        name = name.removeprefix("py:")
        title, target = split_title(content)
        if name in CITED:
            return self._cite(CITED[name], content, at)
        if name in WRAPPED:
            return WRAPPED[name].format(content)
        if name in CODE:
            shown = title or (target.rpartition(".")[2] if target.startswith("~") else target)
            call = "()" if name in CALLED and not title and not shown.endswith(")") else ""
            return code_span(shown + call)
        speak: Callable[[str, str, int], str] | None = {
            "ref": self._ref, "numref": self._numref, "eq": self._eq, "doc": self._doc,
            "any": self._ref, "term": lambda title, target, at: title or target,
            "download": self.link,
            "pep": lambda title, target, at: self._pep(title, target),
        }.get(name)  # fmt: skip
        if speak is None:
            raise self.renderer.error(self.line_at(at), f"unknown role {{{name}}}")
        return speak(title, target, at)

    def link(self, text: str, destination: str, at: int) -> str:
        """Return a link that works from a notebook, or else its text."""
        destination = re.sub(r"^(project|path|doc):", "", destination)
        if re.match(r"^(https?:|mailto:)", destination):
            return f"[{text or destination}]({destination})"
        path, _, fragment = destination.partition("#")
        renderer = self.renderer
        if not path:
            target = renderer.book.labels.get(fragment) or renderer.page.slugs.get(fragment)
            if target is None:
                raise renderer.error(self.line_at(at), f"nothing is labelled {fragment!r}")
            return renderer.reference(target, text)
        page = renderer.book.page_at(path, renderer.page.name)
        if page is not None:
            whole = Target(page.name, "page", page.title)
            found = page.labels.get(fragment) or page.slugs.get(fragment)
            return renderer.reference(found if fragment and found else whole, text)
        root = renderer.book.root
        folder = root if path.startswith("/") else renderer.page.path.parent
        place = (folder / path.lstrip("/")).resolve()
        shown = posixpath.relpath(place.as_posix(), root.resolve().as_posix())
        notebook = shown.removeprefix("notebooks/").removesuffix(".ipynb")
        if shown == f"notebooks/{notebook}.ipynb" and notebook in renderer.book.notebooks:
            return renderer.notebook(notebook, text)  # which this very run may write
        if not place.exists():
            raise renderer.error(self.line_at(at), f"the link to {destination!r} leads nowhere")
        return f"{text} ({code_span(shown)})" if text and text != path else code_span(shown)

    def image(self, alt: str, destination: str, at: int) -> str:
        """Return an image whose file comes along inside the notebook."""
        return self.renderer.image(alt, destination, self.line_at(at))

    def footnote(self, name: str, at: int) -> str:
        """Return the number of a footnote, whose text follows at the end of the cell."""
        return self.renderer.footnote(name, self.line_at(at))

    def equation(self, tex: str, label: str, at: int) -> str:
        """Return a displayed equation with its number where it has a label."""
        target = self.renderer.page.labels.get(label) if label else None
        return one_line_math(tex, str(target.number) if target else "")

    def _cite(self, form: str, content: str, at: int) -> str:
        book = self.renderer.book
        keys = [key.strip() for key in content.split(",")]
        for key in keys:
            if book.bibliography is None or key not in book.bibliography:
                raise self.renderer.error(self.line_at(at), f"references.bib has no entry {key!r}")
        assert book.bibliography is not None
        self.renderer.cited.update(keys)
        if form == "p":
            return book.bibliography.parenthetical(keys)
        if form == "t":
            return book.bibliography.textual(keys)
        return ", ".join(getattr(book.bibliography, form)(key) for key in keys)

    def _target(self, label: str, at: int) -> Target:
        target = self.renderer.book.labels.get(label)
        if target is None:
            raise self.renderer.error(self.line_at(at), f"nothing is labelled {label!r}")
        return target

    def _ref(self, title: str, label: str, at: int) -> str:
        return self.renderer.reference(self._target(label, at), title)

    def _numref(self, title: str, label: str, at: int) -> str:
        target = self._target(label, at)
        title = title.replace("%s", str(target.number)).replace("{number}", str(target.number))
        return self.renderer.reference(target, title.replace("{name}", target.title))

    def _eq(self, title: str, label: str, at: int) -> str:
        return self.renderer.reference(self._target(label, at), title)

    def _doc(self, title: str, path: str, at: int) -> str:
        page = self.renderer.book.page_at(path, self.renderer.page.name)
        if page is None:
            raise self.renderer.error(self.line_at(at), f"there is no page {path!r}")
        return self.renderer.reference(Target(page.name, "page", page.title), title)

    def _pep(self, title: str, number: str) -> str:
        return f"[{title or f'PEP {number}'}](https://peps.python.org/pep-{int(number):04d}/)"


def shown_as(target: Target) -> str:
    """Return what a reference says where the author gave it no text."""
    if target.kind == "exercise":
        return exercise_title(target)
    if target.kind == "equation":
        return f"({target.number})"
    if target.kind in ("figure", "table"):
        return f"{target.kind.title()} {target.number}"
    return target.title

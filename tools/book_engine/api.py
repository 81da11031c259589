"""``{api} attention``: every public name of a part, from its source and its docstring.

An entry says how the name is called, what its docstring says (shapes, errors, an example, the
paper), which chapter teaches it, and, folded, how it is done. On the chapters, the first mention of
each name that the page imports becomes a link to its entry.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from .boxes import box, box_title
from .chapters import pages_in_order
from .docstrings import as_nodes
from .glossary import LEFT_ALONE, is_folded
from .listings import without_docstring
from .public_names import PACKAGE, Name, anchor_of, names_of

PARTS = ("inputs", "attention", "blocks", "decoding", "training", "assistant")
# The page of each part. What a chapter needs beside its part stands on two more.
PAGES = {
    **{part: f"api_{part}" for part in (*PARTS, "widgets")},
    **dict.fromkeys(("data", "verify", "plots", "exercises"), "api_helpers"),
}
FOLDER = "book/appendix"
TAUGHT = {  # what is used long before it is told, or by the program that a chapter runs
    "TransformerConfig": "book/blocks/transformer",
    "check_logits": "book/decoding/next_token",
    "left_padding_mask": "book/attention/masking",
    "Ranks": "book/training/many_machines",
    "process_group": "book/training/many_machines",
}
SHEET = "sheet_"  # how the page of a part's cheat sheet begins
LONGEST = 150  # lines of source that a page shows; of what is longer it names the file
KNOWN = "book_engine_api"  # environment attribute: the public names of the last build
IMPORT = re.compile(r"^from plainformer\.(\w+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
LISTED = re.compile(r"/src/plainformer/(\w+)/\S+\n:pyobject: (\w+)")


def imported(text: str) -> set[tuple[str, str]]:
    """Return the names that a page's cells import from a part, each with the part.

    >>> sorted(imported("from plainformer.inputs import embed, one_hot"))
    [('inputs', 'embed'), ('inputs', 'one_hot')]
    """
    return {
        (part, name)
        for part, inside, line in IMPORT.findall(text)
        for name in re.findall(r"\w+", inside or line)
    }


def taught_in(root: Path, names: list[Name]) -> dict[str, str]:
    """Return for each name the page that teaches it, if there is one.

    That is the chapter of its part whose name its file or folder has; else the first that shows its
    source, or imports it, or mentions it, in its part before all others. A name that no chapter
    mentions goes with another of its file.
    """
    pages = [each for each in pages_in_order(root / "_toc.yml") if not each.startswith(FOLDER)]
    texts = {page: (root / f"{page}.md").read_text(encoding="utf-8") for page in pages}
    shown = {page: set(LISTED.findall(text)) for page, text in texts.items()}
    uses = {page: imported(text) for page, text in texts.items()}
    found = {}
    for name in names:
        own = [page for page in pages if page.startswith(f"book/{name.part}/")]
        at_home = {*name.path.parts, name.path.stem}
        word = re.compile(rf"\b{name.name}\b" if re.search("[A-Z_]", name.name) else "(?!)")
        ways = [
            [page for page in pages if page == TAUGHT.get(name.name)],
            [page for page in own if page.rsplit("/")[-1] in at_home],
            *(
                way
                for some in (own, pages)
                for way in (
                    [page for page in some if (name.part, name.name) in shown[page]],
                    [page for page in some if (name.part, name.name) in uses[page]],
                    [page for page in some if word.search(texts[page])],
                )
            ),
        ]
        first = next((page for way in ways for page in way), None)
        if first is not None:
            found[name.name] = first
    beside = {name.path: found[name.name] for name in names if name.name in found}
    return {
        **{name.name: beside[name.path] for name in names if name.path in beside},
        **found,
    }


class Api(SphinxDirective):
    """The directive; its argument is a part."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return a section for each public name of the part."""
        root, part = Path(self.env.srcdir), self.arguments[0]
        try:
            names = names_of(root, part)
        except (OSError, ValueError) as problem:
            raise self.error(f"{part}: {problem}") from problem
        chapters = taught_in(root, names)
        watched = [*(root / PACKAGE / part).rglob("__init__.pyi"), *(name.path for name in names)]
        watched += [root / f"{page}.md" for page in set(chapters.values())]
        for path in watched:
            self.env.note_dependency(str(path))
        return [self.entry(name, chapters.get(name.name)) for name in names]

    def entry(self, name: Name, chapter: str | None) -> nodes.section:
        """Return one name's section."""
        title = nodes.title("", "", nodes.literal("", name.name))
        made = nodes.section("", title, ids=[name.anchor], names=[name.anchor])
        made["classes"] = ["pf-api"]
        made += nodes.literal_block(name.signature, name.signature, language="python")
        made += as_nodes(name.doc)
        methods = name.methods
        if methods:
            listed = nodes.definition_list(classes=["pf-arguments"])
            for called, said in methods:
                told = nodes.definition("", nodes.paragraph("", said.replace("`", "")))
                term = nodes.term("", "", nodes.literal("", called))
                listed += nodes.definition_list_item("", term, told)
            made += listed
        if chapter is not None:
            link, messages = self.parse_inline(f"[](/{chapter})")
            how = "Taught in " if name.part in PARTS else "First used in "
            made += nodes.paragraph("", how, *link, nodes.Text("."), *messages)
        lines = name.source.count("\n")
        if 0 < lines <= LONGEST:
            made += self.source(name)
        elif lines:
            where = name.path.relative_to(Path(self.env.srcdir, "src")).as_posix()
            made += nodes.paragraph("", "Source: ", nodes.literal("", where), nodes.Text("."))
        return made

    def source(self, name: Name) -> box:
        """Return the fold that shows how it is done."""
        try:
            code = without_docstring(name.source)
        except (SyntaxError, ValueError):
            code = name.source
        number = self.env.new_serialno("pf-box")
        made = box("", kind="listing", folded=True, title_id=f"pf-box-{number}")
        title = box_title("", "", label="Code", title_id=made["title_id"], folded=True)
        where = name.path.relative_to(Path(self.env.srcdir, "src")).as_posix()
        title += [nodes.literal("", name.name), nodes.Text(f" in {where}")]
        made += [title, nodes.literal_block(code, code, language="python")]
        return made


class LinkNames(SphinxPostTransform):
    """Turn a page's first mention of each name that it imports into a link."""

    default_priority = 331
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Change the page's tree in place."""
        page, env = self.env.docname, self.env
        if page.startswith(f"{FOLDER}/api_") or f"{FOLDER}/api_attention" not in env.found_docs:
            return
        text = Path(env.doc2path(page)).read_text(encoding="utf-8")
        wanted = {name: part for part, name in imported(text) if part in PAGES}
        sheet = page.removeprefix(f"{FOLDER}/{SHEET}")
        if sheet != page:  # it imports nothing, and calls what the parts have
            for part in (*PAGES, sheet):  # its own part comes last, and wins
                wanted |= dict.fromkeys(known(env).get(part, ()), part)
        literals = [each for each in self.document.findall(nodes.literal) if may_link(each)]
        for literal in sorted(literals, key=lambda each: is_folded(each.children[0])):
            match = re.fullmatch(r"(\w+)(\(.*\))?", literal.astext())
            if match is None or match[1] not in wanted:
                continue
            part = wanted.pop(match[1])
            if match[1] not in known(env)[part]:
                continue
            to = self.app.builder.get_relative_uri(page, f"{FOLDER}/{PAGES[part]}")
            link = nodes.reference(
                "",
                "",
                refuri=f"{to}#{anchor_of(part, match[1])}",
                internal=True,
                classes=["pf-name"],
            )
            literal.replace_self(link)
            link += literal


def may_link(literal: nodes.literal) -> bool:
    """True for code in a line of text in which a link may stand."""
    parent = literal.parent
    while parent is not None:
        busy = isinstance(parent, box) and parent["kind"] in ("question", "answers", "next")
        if busy or isinstance(parent, LEFT_ALONE) or "pf-claims" in parent.get("classes", ()):
            return False
        parent = parent.parent
    return literal.parent is not None


def known(env: Any) -> dict[str, set[str]]:
    """Return the public names of every part."""
    return getattr(env, KNOWN, None) or {part: set() for part in PAGES}


def rewrite(app: Sphinx, env: Any) -> list[str]:
    """Return all pages when the public names changed: other mentions are links now."""
    root = Path(app.srcdir)
    if not (root / PACKAGE).is_dir():
        return []
    now = {part: {name.name for name in names_of(root, part)} for part in PAGES}
    changed = getattr(env, KNOWN, None) != now
    setattr(env, KNOWN, now)
    return sorted(env.all_docs) if changed else []


def setup(app: Sphinx) -> None:
    """Register the directive and what links to its entries."""
    app.add_directive("api", Api)
    app.add_post_transform(LinkNames)
    app.connect("env-updated", rewrite)

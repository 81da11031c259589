"""Puts right what other extensions write: roles that no longer exist, files that nothing loads.

And what browsers do: they break a line between a formula and the comma behind it, and without
scripts they show the picture of a widget, which does not say why it does not move.

`mend` works on the text of one page's body; `tidy` on the folder of the site.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import sphinx
from docutils import nodes
from sphinx.application import Sphinx

# docutils marks references by roles that ARIA has withdrawn, in a list that has no items.
WITHDRAWN = (
    ('<div role="list" class="citation-list">', '<div class="citation-list">'),
    (' role="doc-biblioentry"', ""),
    (' role="doc-backlink"', ""),
)
# A formula in a line of text, with the marks that lean on it.
FORMULA = re.compile(r"""[(\[“‘]*<math>.*?</math>[)\].,;:!?”’…]*""", re.DOTALL)
WIDGET = '<div class="pf-widget" data-pf-widget='
WITHOUT_SCRIPTS = (
    '<noscript><p class="pf-noscript">JavaScript is off, so the toys on this page are shown as '
    "pictures. Turn it on to play with them.</p></noscript>"
)
UNUSED = (
    "searchindex.js",  # of a site that was built when Sphinx still made its own index
    "_static/language_data.js",
    "_static/sbt-webpack-macros.html",
    "_static/searchtools.js",
    "_static/vendor",
    "_static/locales",
    "_static/images",
    "_static/webpack-macros.html",
    "_static/pf/mathjax",  # of a site that was built before formulas were MathML
    "_static/sphinx_highlight.js",  # ours stands in pf/
)
MARKER = Path(sphinx.__file__).with_name("themes") / "basic" / "static" / "sphinx_highlight.js"
MARKED = "      pos >= 0 &&\n"  # the condition for marking a found word, in MARKER
MENU = "book_engine_menu"  # environment attribute: the pages and titles of the last build
MADE_BY_SPHINX = {"search", "genindex", "py-modindex"}


def mend(body: str) -> str:
    """Return a page's body without the roles in `WITHDRAWN`, its formulas held together with marks.

    Before the first widget, a reader without JavaScript is told what it takes.

    >>> mend('<div class="citation" id="a" role="doc-biblioentry">')
    '<div class="citation" id="a">'
    >>> mend("for <math><mi>x</mi></math>. Now")
    'for <span class="pf-together"><math><mi>x</mi></math>.</span> Now'
    """
    for wrong, right in WITHDRAWN:
        body = body.replace(wrong, right)
    body = body.replace(WIDGET, WITHOUT_SCRIPTS + WIDGET, 1)
    return FORMULA.sub(hold_together, body)


def hold_together(found: re.Match[str]) -> str:
    """Return the formula with its marks in an element that has no line break; alone, as it was."""
    whole = found[0]
    alone = whole.startswith("<") and whole.endswith(">")
    return whole if alone else f'<span class="pf-together">{whole}</span>'


def mend_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mend a page before it is written."""
    if context.get("body"):
        context["body"] = mend(context["body"])


def spare_drawings(script: str) -> str:
    """Return Sphinx's script that marks the words a reader searched for, sparing drawings.

    It would mark words in the titles of an SVG, too, fails there, and leaves an error behind.

    >>> spare_drawings(MARKER.read_text(encoding="utf-8")).count('.closest("svg") &&')
    1

    Raises ValueError when the script is not the one that this knows.
    """
    if script.count(MARKED) != 1:
        raise ValueError(
            f"script must hold {MARKED!r} once; it holds it {script.count(MARKED)} times"
        )
    return script.replace(MARKED, f'{MARKED}      !parent.closest("svg") &&\n')


def rewrite_menus(app: Sphinx, env: Any) -> list[str]:
    """Return all pages when a page or a title came, went or changed: every page has the menu."""
    menu = [(name, env.titles[name].astext()) for name in sorted(env.all_docs)]
    changed = getattr(env, MENU, None) != menu
    setattr(env, MENU, menu)
    return sorted(env.all_docs) if changed else []


def number_exercises(app: Sphinx, env: Any) -> None:
    """Count the exercises of every page from 1, as their checks do, not through the whole book.

    It is done before every writing, and not kept: what is kept between builds is Sphinx's own
    numbers, which it compares with the next build's.
    """
    for kinds in env.toc_fignumbers.values():
        labels = kinds.get("exercise", {})
        labels.update({label: (number,) for number, label in enumerate(labels, start=1)})


def tidy(folder: Path, pages: set[str]) -> None:
    """Delete from the site what no page loads, and pages that the book no longer has."""
    for name in UNUSED:
        path = folder / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    for path in folder.glob("_static/**/*.map"):
        path.unlink()
    for path in folder.rglob("*.html"):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if not name.startswith("_") and name not in pages | MADE_BY_SPHINX:
            path.unlink()


def tidy_site(app: Sphinx, error: Exception | None) -> None:
    """Tidy up after a build that came to its end."""
    if error is None and app.builder.format == "html":
        tidy(Path(app.outdir), set(app.env.all_docs))


def setup(app: Sphinx) -> None:
    """Mend pages as they are written, and the folder before the checks look at it."""
    app.connect("env-updated", rewrite_menus)
    app.connect("write-started", lambda app, builder: number_exercises(app, app.env))
    # LaTeX and one-page builders write without saying so; this comes only after a page was read.
    app.connect("env-check-consistency", number_exercises)
    app.connect("html-page-context", mend_page)
    app.connect("build-finished", tidy_site, priority=800)

"""Puts right what other extensions write: roles that no longer exist, files that nothing loads.

`mend` works on the text of one page's body; `tidy` on the folder of the site.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# docutils marks references by roles that ARIA has withdrawn, in a list that has no items.
WITHDRAWN = (
    ('<div role="list" class="citation-list">', '<div class="citation-list">'),
    (' role="doc-biblioentry"', ""),
    (' role="doc-backlink"', ""),
)
UNUSED = ("_static/vendor", "_static/locales", "_static/images", "_static/webpack-macros.html")
MENU = "book_engine_menu"  # environment attribute: the pages and titles of the last build
MADE_BY_SPHINX = {"index", "search", "genindex", "py-modindex"}


def mend(body: str) -> str:
    """Return a page's body without the roles in `WITHDRAWN`.

    >>> mend('<div class="citation" id="a" role="doc-biblioentry">')
    '<div class="citation" id="a">'
    """
    for wrong, right in WITHDRAWN:
        body = body.replace(wrong, right)
    return body


def mend_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Mend a page before it is written."""
    if context.get("body"):
        context["body"] = mend(context["body"])


def rewrite_menus(app: Sphinx, env: Any) -> list[str]:
    """Return all pages when a page or a title came, went or changed: every page has the menu."""
    menu = [(name, env.titles[name].astext()) for name in sorted(env.all_docs)]
    changed = getattr(env, MENU, None) != menu
    setattr(env, MENU, menu)
    return sorted(env.all_docs) if changed else []


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
    app.connect("html-page-context", mend_page)
    app.connect("build-finished", tidy_site, priority=800)

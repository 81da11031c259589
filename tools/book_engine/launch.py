"""The menu *Run* of a page that has a notebook: take the notebook along, or open it elsewhere.

The committed notebooks travel with the site, so that a copy on a disk offers them as well, and so
does one zip of them all with the package (`downloads`). Colab and a JupyterHub fetch a notebook
from the repository: where none is known (`public_address`), the menu does not name them. A page
without a notebook has no menu.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from public_address import DOWNLOADS

from .public import address_of

KINDS = (("notebook", ""), ("exercises", "_exercises"))


def notebook_of(page: str, ending: str = "") -> str:
    """Return the notebook of a page, from the root of the project.

    >>> notebook_of("book/inputs/embedding", "_exercises")
    'notebooks/inputs/embedding_exercises.ipynb'
    """
    return f"notebooks/{page.removeprefix('book/')}{ending}.ipynb"


def take_along(app: Sphinx, doctree: nodes.document) -> None:
    """Put a page's notebooks among the files that the site offers, as ``{download}`` does."""
    page = app.env.docname
    for _, ending in KINDS:
        path = notebook_of(page, ending)
        if (Path(app.srcdir) / path).is_file():
            app.env.dlfiles.add_file(page, path)
            app.env.dependencies[page].add(path)


def offer(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Tell the page's template which notebooks there are and where they can be opened."""
    files = app.env.dlfiles
    here = {kind: notebook_of(page, ending) for kind, ending in KINDS}
    taken = {kind: f"_downloads/{files[path][1]}" for kind, path in here.items() if path in files}
    if "notebook" not in taken:
        return
    zipped, megabytes = app.config.book_engine_downloads or ("", 0)
    address = address_of(app)
    context["pf_launch"] = {
        "files": taken,
        "name": here["notebook"].rpartition("/")[2],
        "zip": zipped and f"{DOWNLOADS}/{zipped}",
        "inside": here["notebook"].removeprefix("notebooks/"),
        "megabytes": megabytes,
        "colab": address.colab(here["notebook"]),
        "hub": address.hub_query(here["notebook"]),
    }
    app.add_js_file("launch.js", loading_method="defer")


def setup(app: Sphinx) -> None:
    """Take the notebooks along when a page is read, and offer them when it is written."""
    app.connect("doctree-read", take_along)
    app.connect("html-page-context", offer)

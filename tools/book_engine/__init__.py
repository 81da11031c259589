"""The book's engine: a Sphinx extension that executes, trims and checks the pages.

Loaded by ``_config.yml``, so that ``jupyter-book build .`` and ``make book`` do the same.
Reading order: `boxes` (what an author writes); `recorder`, `execution`, `records`, `pages` (how cells
run, and when again).
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from . import boxes, pages, transformer_map


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect every part of the engine to Sphinx."""
    app.add_config_value("book_engine_package", "src/plainformer", "env", str)
    app.add_config_value("comments_config", {}, "")  # Jupyter Book always sets it
    boxes.setup(app)
    pages.setup(app)
    transformer_map.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

"""The book's engine: a Sphinx extension that executes, trims and checks the pages.

Loaded by ``_config.yml``, so that ``jupyter-book build .`` and ``make book`` do the same.
Reading order: what an author writes (`boxes`, `folds`, `transformer_map`); how cells run, and when again
(`recorder`, `execution`, `records`, `pages`); what pages load (`icons`, `mathjax`, `assets`).
"""

from __future__ import annotations

from typing import Any

from sphinx.application import Sphinx

from . import assets, boxes, folds, pages, transformer_map


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect every part of the engine to Sphinx."""
    app.add_config_value("comments_config", {}, "")  # Jupyter Book always sets it
    boxes.setup(app)
    folds.setup(app)
    pages.setup(app)
    transformer_map.setup(app)
    assets.setup(app)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

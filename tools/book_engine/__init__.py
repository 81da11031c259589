"""The book's engine: a Sphinx extension that executes, trims and checks the pages.

Loaded by ``_config.yml``, so that ``jupyter-book build .`` and ``make book`` do the same.
Reading order: what an author writes (`boxes`, `listings`, `questions`, `practice`, `folds`,
`transformer_map`, `route`, `toys`, `citations`); what each view of a page shows (`claims`,
`views`); what readers look up (`misconceptions`, `glossary`, `public_names`, `docstrings`, `api`),
and what teachers do (`asked`, `lessons`, `needs`, `slides`, `slide_reader`);
how cells run, in what order, and when again (`recorder`, `execution`, `records`, `first_pages`,
`pages`); how formulas and code are drawn (`formulas`, `math_font`, `code_lines`); what pages load
(`icons`, `assets`); where they are public, where their notebooks run, and what these run with
(`cards`, `public`, `launch`, `downloads`); what is put right at the end, what a search finds, what
is wrong (`mending`, `search_sections`, `search_index`, `checks`). `turns` keeps two builds apart.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect every part of the engine to Sphinx."""
    # Imported here: `make book` asks `records` alone, and Sphinx takes two seconds.
    from . import (
        api,
        assets,
        boxes,
        checks,
        citations,
        code_lines,
        downloads,
        folds,
        formulas,
        glossary,
        launch,
        lessons,
        listings,
        mending,
        misconceptions,
        needs,
        pages,
        practice,
        public,
        questions,
        route,
        search_index,
        slides,
        toys,
        transformer_map,
        turns,
        views,
    )

    public.setup(app)
    turns.setup(app)
    app.add_config_value("comments_config", {}, "")  # Jupyter Book always sets it
    boxes.setup(app)
    listings.setup(app)
    questions.setup(app)
    practice.setup(app)
    folds.setup(app)
    views.setup(app)
    pages.setup(app)
    transformer_map.setup(app)
    route.setup(app)
    toys.setup(app)
    citations.setup(app)
    misconceptions.setup(app)
    lessons.setup(app)
    needs.setup(app)
    glossary.setup(app)
    api.setup(app)
    downloads.setup(app)
    launch.setup(app)
    formulas.setup(app)
    code_lines.setup(app)
    assets.setup(app)
    mending.setup(app)
    search_index.setup(app)
    slides.setup(app)
    checks.setup(app)
    # Another engine may read the same source otherwise: its pages are read again.
    code = b"".join(file.read_bytes() for file in sorted(Path(__file__).parent.glob("*.py")))
    return {
        "version": "1",
        "env_version": int(hashlib.sha256(code).hexdigest()[:12], 16),
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }

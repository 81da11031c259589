"""Before Sphinx reads: run the pages that are outdated, and say which must be read again.

Sphinx calls `refresh` when it knows its pages. Outdated ones run in parallel and their outputs go
to jupyter-cache, where myst-nb looks; so reading executes nothing. Each page has a cache of its
own, because jupyter-cache knows notebooks by their code cells alone: two pages with equal cells
may stand in different folders and print different things. Sphinx's own list of changed
pages knows nothing of outputs: each page's entry in the environment names the outputs that it was
read with, and a page whose outputs are newer is read again, also after a build that failed halfway.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from myst_nb.core.read import create_nb_reader
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import SphinxError
from sphinx.util import logging

from plainformer.data import cache_folder

from . import execution, records
from .execution import Page
from .first_pages import expected_seconds

LOGGER = logging.getLogger(__name__)
# The tests set this on machines that do other work as well; nobody else need know of it.
PATIENCE = "PLAINFORMER_CELL_SECONDS"
READ_WITH = "book_engine_read_with"  # environment attribute: page -> digest of its outputs


class PageFailed(SphinxError):
    """A cell raised, took too long, or killed its kernel: the book is not built."""

    category = "A page failed"


def workers() -> int:
    """Return how many pages may run at once: one for each core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


def find_pages(env: BuildEnvironment) -> list[Page]:
    """Return every page that has cells to run, read the way myst-nb reads it."""
    found = []
    for name in sorted(env.found_docs):
        path = Path(env.doc2path(name))
        text = path.read_text(encoding="utf-8")
        config: Any = getattr(env, "mystnb_config")  # noqa: B009 (myst-nb adds it)
        markdown: Any = getattr(env, "myst_config")  # noqa: B009
        reader = create_nb_reader(str(path), markdown, config, text)
        if reader is None:
            continue
        notebook = reader.read(text)
        config = config.copy(**notebook.metadata.get(config.metadata_key, {}))
        has_code = any(cell.cell_type == "code" for cell in notebook.cells)
        if has_code and config.execution_mode == "cache":
            seconds = int(os.environ.get(PATIENCE) or config.execution_timeout)
            found.append(Page(name, path, notebook, seconds))
    return found


def used_roots(source: Path) -> list[Path]:
    """Return the folders whose opened files count: the project, and where corpora lie."""
    corpora = os.environ.get("PLAINFORMER_DATA")
    return [source, cache_folder(), *([Path(corpora)] if corpora else [])]


def show_outputs(app: Sphinx, page: str, source: list[str]) -> None:
    """Before Sphinx reads a page: make myst-nb look into the page's own cache."""
    env: Any = app.env
    folder = str(records.outputs_folder(Path(app.outdir).parent, page))
    env.mystnb_config = env.mystnb_config.copy(execution_cache_path=folder)


def refresh(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> list[str]:
    """Run what is outdated; return the pages whose outputs Sphinx has not read yet.

    Raises `PageFailed`, after every other page has run, where a cell failed.
    """
    config: Any = getattr(env, "mystnb_config", None)
    if config is None or config.execution_mode != "cache":
        return []
    pages = find_pages(env)
    build, root = Path(app.outdir).parent, Path(app.srcdir)
    kept = records.Records(records.folder(build))
    for gone in kept.all().keys() - {page.name for page in pages}:
        kept.forget(gone)
        shutil.rmtree(records.outputs_folder(build, gone), ignore_errors=True)
    surroundings = records.surroundings_digest(root / "requirements.txt")
    outdated: list[tuple[float, Page]] = []
    for page in pages:
        record = kept.read(page.name)
        cells = records.cells_digest(page.notebook)
        reason = record.reason(cells, surroundings, root) if record else "it has not run yet"
        if not reason and not is_cached(records.outputs_folder(build, page.name), page.notebook):
            reason = "its outputs are gone"
        if reason:
            LOGGER.info("%s will run: %s", page.name, reason)
            outdated.append((expected_seconds(page.name, record), page))
    slowest_first = [page for _, page in sorted(outdated, key=lambda pair: -pair[0])]
    excluded = [build, *(root / name for name in (".venv", ".git", "_build"))]
    errors = []
    for result in execution.run_pages(
        slowest_first, workers=workers(), roots=used_roots(root), excluded=excluded
    ):
        name = result.page.name
        if result.error:
            kept.forget(name)
            errors.append(result.error)
            LOGGER.info("%s failed after %.1f s", name, result.seconds)
            continue
        cells = records.cells_digest(result.notebook)
        keep_outputs(records.outputs_folder(build, name), result)
        files = records.note_files(result.files, root, result.started, result.listings)
        outputs = records.digest(json.dumps(result.notebook, sort_keys=True).encode())
        kept.write(name, records.Record(cells, surroundings, files, result.seconds, outputs))
        LOGGER.info("%s ran in %.1f s", name, result.seconds)
    if errors:
        raise PageFailed("\n\n".join(["", *errors]))
    return list(unread(env, pages, kept))


def is_cached(folder: Path, notebook: Any) -> bool:
    """True where the page's jupyter-cache has outputs for these cells."""
    if not folder.is_dir():
        return False
    try:
        get_cache(folder).match_cache_notebook(notebook)
    except KeyError:
        return False
    return True


def keep_outputs(folder: Path, result: execution.Result) -> None:
    """Hand the outputs to the page's jupyter-cache, in place of all that it held."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    bundle = CacheBundleIn(
        result.notebook, str(result.page.path), data={"execution_seconds": result.seconds}
    )
    get_cache(folder).cache_notebook_bundle(bundle, check_validity=False)


def unread(env: BuildEnvironment, pages: Iterable[Page], kept: records.Records) -> Iterable[str]:
    """Yield the pages whose newest outputs Sphinx has not read, and note them as read now."""
    read_with: dict[str, str] = getattr(env, READ_WITH, {})
    now = {page.name: record.outputs for page in pages if (record := kept.read(page.name))}
    setattr(env, READ_WITH, now)
    yield from (name for name, outputs in now.items() if read_with.get(name) != outputs)


def setup(app: Sphinx) -> None:
    """Run pages once Sphinx knows them; myst-nb's configuration exists by then."""
    app.connect("env-get-outdated", refresh)
    app.connect("source-read", show_outputs)

"""Runs the cells of pages, each page in a clean kernel of its own, several at a time.

The kernel is always this interpreter's (never one that a user installed under the same name), in
the page's own folder, without the user's IPython profile, Matplotlib settings, ``PYTHON...``
variables, language and time zone. The kernels are processes, so pages run in parallel; a thread for
each only carries messages. Where many pages run, their kernels share the import of the libraries
(`warm_kernels.py`).
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from plainformer import assertions
from plainformer.widgets.kit.front_end import PAGE_HAS_HOST
from warm_kernels import warm_kernels

from . import recorder

ANSI = re.compile(r"\x1b\[[0-9;]*m")
# Sent to a kernel as text, so that neither counts as something that the page has imported.
RECORDER = Path(recorder.__file__).read_text(encoding="utf-8")
ASSERTIONS = Path(assertions.__file__).read_text(encoding="utf-8")
HABITS = ("PYTHON", "LANG", "LC_")  # how the names of variables begin that no kernel gets
MANY = 4  # so many pages are worth the import of libraries that few of them may need
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Page:
    """One page to run."""

    name: str  # "book/inputs/tokenization"
    path: Path  # the source file
    notebook: Any  # an nbformat notebook without outputs
    timeout: int = 120  # seconds for one cell


@dataclass
class Result:
    """What came of running a page: the notebook with its outputs, or the error."""

    page: Page
    notebook: Any
    seconds: float
    started: float  # seconds since the epoch
    files: list[str] = field(default_factory=list)  # absolute paths of what the page used
    listings: dict[str, list[str] | None] = field(default_factory=dict)  # folder -> names in it
    error: str = ""  # page, cell, line and traceback, ready to print


def run_pages(
    pages: Sequence[Page], *, workers: int, roots: Sequence[Path], excluded: Sequence[Path]
) -> Iterator[Result]:
    """Run the pages, at most `workers` at a time, and yield each result as it comes.

    Pages start in the order given. `roots` and `excluded` say which files count as used by a page
    (see `recorder.report`). An error in one page does not stop the others.
    """
    with (
        kernels_for(len(pages)) as kernels,
        ThreadPoolExecutor(max_workers=max(1, workers)) as pool,
    ):
        waiting = [pool.submit(run_page, page, kernels, roots, excluded) for page in pages]
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


@contextmanager
def kernels_for(pages: int) -> Iterator[KernelSpecManager]:
    """Yield what knows this interpreter's kernel: a warm one where it serves many pages."""
    if pages < MANY:
        yield KernelSpecManager(kernel_dirs=[])
        return
    with tempfile.TemporaryDirectory(prefix="kernels-") as scratch:
        folder = Path(scratch)
        with warm_kernels(folder, variables=kernel_environment(folder)):
            found = [str(folder / "kernels")]
            yield KernelSpecManager(kernel_dirs=found, ensure_native_kernel=False)


def run_page(
    page: Page, kernels: KernelSpecManager, roots: Sequence[Path], excluded: Sequence[Path]
) -> Result:
    """Run one page from its first cell to its last, or to the first that fails."""
    return asyncio.run(_run_page(page, kernels, roots, excluded))


def kernel_environment(scratch: Path) -> dict[str, str]:
    """Return the environment of a kernel: this one's, with chance and habit taken out.

    Two empty things go into `scratch`: the user's IPython profile and Matplotlib settings.
    """
    settings = scratch / "matplotlibrc"
    settings.touch()
    fixed = {
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
        "IPYTHONDIR": str(scratch),  # no startup files of the user
        "MATPLOTLIBRC": str(settings),
        "TZ": "UTC",
        PAGE_HAS_HOST: "1",
    }
    around = {name: value for name, value in os.environ.items() if not name.startswith(HABITS)}
    # One thread: a sum of floats does not depend on how many cores a machine has.
    return {**around, **fixed, **dict.fromkeys(THREADS, "1")}


async def _run_page(
    page: Page, kernels: KernelSpecManager, roots: Sequence[Path], excluded: Sequence[Path]
) -> Result:
    notebook = page.notebook
    started, clock = time.time(), time.perf_counter()
    result = Result(page, notebook, 0.0, started)
    with tempfile.TemporaryDirectory(prefix="page-") as scratch:
        report = Path(scratch) / "files.json"
        client = NotebookClient(
            notebook,
            km=AsyncKernelManager(kernel_name="python3", kernel_spec_manager=kernels),
            timeout=page.timeout,
            record_timing=False,  # times would change the key under which the cache keeps a page
            store_widget_state=False,  # the page bakes in its own state
            # A print may arrive in pieces. MyST-NB would join them with a line break each.
            coalesce_streams=True,
            extra_arguments=["--log-level=50"],
        )
        environment = kernel_environment(Path(scratch))
        client.reset_execution_trackers()
        index = -1
        try:
            async with client.async_setup_kernel(
                env=environment, cwd=str(page.path.parent), cleanup_kc=True
            ):
                await _silently(client, RECORDER, "install()")
                await _silently(client, ASSERTIONS, "explain_assertions()")
                await _note_language(client)
                for index, cell in enumerate(notebook.cells):
                    await client.async_execute_cell(
                        cell, index, execution_count=client.code_cells_executed + 1
                    )
                arguments = [str(report), [str(x) for x in roots], [str(x) for x in excluded]]
                await _silently(client, RECORDER, "report(" + ", ".join(map(repr, arguments)) + ")")
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            result.error = describe_error(page, index, error)
        else:
            used = json.loads(report.read_text(encoding="utf-8"))
            result.files, result.listings = used["files"], used["listings"]
    result.seconds = time.perf_counter() - clock
    return result


async def _silently(client: Any, module: str, call: str) -> None:
    """Run a module's text and a call of it in the kernel; no cell, no output, no counter."""
    code = f"exec({module + chr(10) + call + chr(10)!r}, {{'__name__': 'book_engine'}})"
    reply = await client.async_wait_for_reply(client.kc.execute(code, silent=True))
    if reply["content"]["status"] != "ok":
        raise RuntimeError(f"{call} failed in the kernel: {reply['content']}")


async def _note_language(client: Any) -> None:
    """Write into the notebook which language its cells are in, as the kernel tells it."""
    reply = await client.async_wait_for_reply(client.kc.kernel_info())
    client.nb.metadata["language_info"] = reply["content"]["language_info"]


def describe_error(page: Page, index: int, error: Exception) -> str:
    """Return a message that names the page, the cell and its line, with the traceback."""
    cells = page.notebook.cells
    source_map = page.notebook.metadata.get("source_map", [])
    code_cells = [i for i, cell in enumerate(cells) if cell.cell_type == "code"]
    number = code_cells.index(index) + 1 if index in code_cells else 0
    where = f"{page.name}: code cell {number} of {len(code_cells)}"
    if index < len(source_map):
        where += f" (line {source_map[index] + 1})"
    if isinstance(error, CellTimeoutError):
        source = cells[index].source
        return f"{where} took longer than {page.timeout} s:\n\n{source}"
    if isinstance(error, CellExecutionError):
        return f"{where} raised {error.ename}: {error.evalue}\n\n{ANSI.sub('', error.traceback)}"
    return f"{where}: the kernel died ({error})"

"""A real JupyterLab for the tests: its own folders, a free port, no news, no token; and its use."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight exist, too
}

DRAWN = """() => {
  const live = "[data-mime-type='application/vnd.jupyter.widget-view+json']";
  return [...document.querySelectorAll(live)].every((each) => each.querySelector(".pf-card"));
}"""


@contextmanager
def running_lab(folder: Path, kernels: str, patience: float = 600) -> Iterator[str]:
    """Serve a folder in JupyterLab; yields the server's address, and ends it afterwards.

    `kernels` is the JUPYTER_PATH under which it finds the Python for its notebooks.
    """
    home = folder.parent / "jupyter-home"
    for name, values in SETTINGS.items():
        file = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(values), encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
        *(f"--ServerApp.port={port}", "--ServerApp.port_retries=0", "--ServerApp.ip=127.0.0.1"),
        *("--IdentityProvider.token=", f"--ServerApp.root_dir={folder}"),
        *(f"--LabApp.user_settings_dir={home / 'settings'}", "--LabApp.extension_manager=readonly"),
        f"--LabApp.workspaces_dir={home / 'workspaces'}",
        "--ServerApp.disable_check_xsrf=True",  # `end_kernels` is no browser
    ]
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_PATH": kernels,
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
    }
    log = home / "log.txt"
    with log.open("wb") as out:
        server = subprocess.Popen(command, env=environment, stdout=out, stderr=out, cwd=folder)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/api", server, log, patience)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait_for(address: str, server: subprocess.Popen[bytes], log: Path, patience: float) -> None:
    """Return when the server answers; raise with its log when it ends or takes too long."""
    until = time.monotonic() + patience
    while server.poll() is None and time.monotonic() < until:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8')[-3000:]}")


def notebook_of(cells: list[str]) -> nbformat.NotebookNode:
    """Return a notebook of these code cells."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return notebook


def open_and_run(page: "Page", address: str, cells: int) -> None:
    """Open a notebook of so many cells, run all of it, and see that no cell failed.

    Its last cell must print "read back:" and what the test wants to know. All widgets are drawn
    then; what Python has set since, Jupyter brings a little later: `expect` waits for it.
    """
    page.set_default_timeout(600_000)
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").nth(cells - 1).wait_for(state="attached")
    page.get_by_text("| Idle").wait_for()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    page.locator(".jp-OutputArea-output", has_text="read back:").wait_for()
    errors = page.locator('[data-mime-type="application/vnd.jupyter.error"]')
    assert errors.all_inner_texts() == []
    still = page.locator('[data-mime-type="text/html"] .pf-widget')
    assert still.count() == 0, f"no widget is live: {sys.prefix}/share/jupyter has its extensions?"
    page.wait_for_function(DRAWN)


def end_kernels(address: str) -> None:
    """End every kernel of the server: a test leaves none behind."""
    with urllib.request.urlopen(f"{address}/api/sessions") as answer:
        sessions = json.load(answer)
    for session in sessions:
        path = f"{address}/api/sessions/{session['id']}"
        urllib.request.urlopen(urllib.request.Request(path, method="DELETE")).close()


def run_cell(page: "Page", number: int) -> "Locator":
    """Run one cell; return it once it is no longer busy."""
    cell = page.locator(f'.jp-Notebook > * .jp-Cell[data-windowed-list-index="{number}"]')
    count = cell.locator(".jp-InputArea-prompt")
    before = count.text_content()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(
        "([prompt, before]) => prompt.textContent !== before && /\\d/.test(prompt.textContent)",
        arg=[count.element_handle(), before],
    )
    return cell


def read_back(page: "Page", number: int, expected: str) -> str:
    """What Python says the widget's traits are, once it says what is expected.

    Jupyter sends a widget's changes one at a time, so the last of several may come after a cell.
    """
    answer = ""
    for _ in range(20):
        output = run_cell(page, number).locator(".jp-OutputArea-output")
        output.get_by_text("read back:").wait_for()
        answer = output.inner_text().strip().removeprefix("read back: ")
        if answer.startswith(expected):
            return answer
    raise AssertionError(f"expected {expected!r} ...; Python says {answer!r}")

"""Forked kernels are as separate as started ones, and none of them is left behind."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient.exceptions import DeadKernelError
from tests.notebooks.test_execution import run

from warm_kernels import warm_kernels

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kernels are forked on Linux only")


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with warm_kernels(tmp_path_factory.mktemp("kernels")) as folder:
        yield folder


@pytest.fixture(autouse=True)
def warm(kernels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_PATH", str(kernels))


def printed(source: str, folder: Path) -> str:
    """Return what a cell prints in a kernel of its own."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
    run(notebook, folder)
    return "".join(output.get("text", "") for output in notebook.cells[0].outputs)


def test_a_kernel_has_the_libraries_and_nothing_of_another_kernel(tmp_path: Path) -> None:
    asked = (
        "import sys\nprint('numpy' in sys.modules, 'plainformer' in sys.modules, 'mine' in dir())\n"
        "import plainformer\nmine = 1"
    )
    assert [printed(asked, tmp_path) for _ in range(2)] == ["True False False\n"] * 2


def test_folder_variables_and_paths_are_those_of_a_started_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = (
        "import os, sys\nprint(os.getcwd(), os.environ['COLOUR'], sys.path, sys.executable,\n"
        "  os.environ['MPLBACKEND'], os.getpgid(0) == os.getpid(), os.environ['JPY_PARENT_PID'])"
    )
    monkeypatch.setenv("COLOUR", "red")
    forked = printed(asked, tmp_path)
    monkeypatch.delenv("JUPYTER_PATH")
    assert forked == printed(asked, tmp_path)
    assert forked.startswith(f"{tmp_path} red")


def test_a_kernel_is_interrupted_and_goes_on(tmp_path: Path) -> None:
    manager, client = start_new_kernel(cwd=str(tmp_path))
    try:
        # A kernel may abort what arrives soon after an error, unless it is told not to.
        client.execute("print('begun', flush=True)\nwhile True: pass", stop_on_error=False)
        while client.get_iopub_msg(timeout=None)["msg_type"] != "stream":
            pass
        manager.interrupt_kernel()
        while (reply := client.get_shell_msg(timeout=None))["msg_type"] != "execute_reply":
            pass
        assert reply["content"]["ename"] == "KeyboardInterrupt"
        assert client.execute("1", reply=True, timeout=None)["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_kernel_that_dies_is_missed(tmp_path: Path) -> None:
    with pytest.raises(DeadKernelError):
        printed("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", tmp_path)


def test_a_kernel_ends_with_its_client(tmp_path: Path) -> None:
    """A program that waits for the end of a pipe, of which the kernel has the other end."""
    manager: KernelManager
    manager, client = start_new_kernel(cwd=str(tmp_path))
    os.mkfifo(tmp_path / "pipe")
    client.execute("import os\nheld = os.open('pipe', os.O_WRONLY)")
    with (tmp_path / "pipe").open() as pipe:  # opens once both ends do
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        assert pipe.read() == ""

"""Jupyter kernels that begin with the big libraries imported, because they are forked.

To import torch, transformers and Matplotlib takes a kernel five seconds, longer than most pages
compute. `warm_kernels` therefore starts one process that imports them once, and a kernel is a fork
of that process, with an environment, a folder and variables of its own. It has imported nothing of
the course, so each kernel still imports the package for itself.

Jupyter starts a kernel as the program that a kernel.json names, which here is this file as a
client: it hands its arguments, variables and folder to the process with the libraries, and lives
exactly as long as the kernel. Forking is only safe on Linux; elsewhere a kernel starts as usual.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# What pages import; what an environment does not have is left out. pyplot is not among them,
# because it asks, once, whether it runs in a kernel.
LIBRARIES = (
    "ipykernel.kernelapp", "ipykernel.ipkernel", "IPython.core.completer", "numpy", "torch",
    "matplotlib.figure", "matplotlib.backends.backend_agg", "matplotlib_inline.config",
    "ipywidgets", "anywidget", "transformers.models.llama.modeling_llama",
)  # fmt: skip
KERNEL = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]


@contextmanager
def warm_kernels(
    folder: Path, python: Path | None = None, variables: dict[str, str] | None = None
) -> Iterator[Path]:
    """Offer the kernel "python3" in `folder`, which JUPYTER_PATH may name, and yield the folder.

    Its interpreter is `python`, this one's by default, which imports the libraries with those
    `variables`. A kernel that is still running at the end ends as well.
    """
    import subprocess

    place = folder / "kernels" / "python3" / "kernel.json"
    place.parent.mkdir(parents=True)
    start = [str(python or sys.executable), *KERNEL[1:]]
    if sys.platform != "linux":
        write_spec(place, start)
        yield folder
        return
    with socket.socket(socket.AF_UNIX) as waiting:
        waiting.bind(f"\0plainformer-kernels-{os.getpid()}-{id(waiting)}")  # a name, and no file
        waiting.listen()
        name = str(waiting.getsockname()[1:], "ascii")
        write_spec(place, [start[0], "-S", "-E", __file__, name, "{connection_file}"])
        ready, imported = os.pipe()
        handed = (waiting.fileno(), imported)
        server = subprocess.Popen(
            [start[0], __file__, *map(str, handed)],
            pass_fds=handed, stdin=subprocess.PIPE, cwd=folder, env=variables,
        )  # fmt: skip
    try:
        # Jupyter gives a kernel a minute to answer, which is not to pass with the import.
        os.close(imported)
        os.read(ready, 1)
        os.close(ready)
        yield folder
    finally:
        if server.stdin:
            server.stdin.close()
        server.wait()


def write_spec(place: Path, argv: list[str]) -> None:
    """Write the kernel.json of a kernel that starts with these arguments."""
    spec = {"argv": argv, "display_name": "Python 3", "language": "python"}
    place.write_text(json.dumps(spec), encoding="utf-8")


def serve(waiting: socket.socket, imported: int) -> None:
    """Import the libraries, and fork a kernel for every client until standard input ends.

    The pipe `imported` is closed once the libraries are there.
    """
    import importlib
    import select

    global __file__
    del sys.path[0], __file__  # no page has this file, or what is beside it
    os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # a kernel ends with the process it came from
    for each in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(each)
    os.close(imported)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that kernels that have ended are gone
    while sys.stdin not in select.select([waiting, sys.stdin], [], [])[0]:
        line, _ = waiting.accept()
        if os.fork() == 0:
            waiting.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                be_kernel(line)
            finally:
                os._exit(1)
        line.close()


def be_kernel(line: socket.socket) -> None:
    """Run a kernel in this process, as the client at the other end of the line describes it."""
    import threading

    from ipykernel import kernelapp

    with line.makefile(encoding="utf-8") as text:
        told = json.loads(text.readline())
    os.setsid()
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["variables"])
    sys.argv = ["ipykernel_launcher", "-f", *told["arguments"]]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)

    def obey() -> None:
        """Interrupt the kernel as often as the client is interrupted, and end with it."""
        while line.recv(1):
            os.kill(os.getpid(), signal.SIGINT)
        os.killpg(0, signal.SIGKILL)

    threading.Thread(target=obey, daemon=True).start()
    kernelapp.launch_new_instance()
    sys.stdout.flush()
    os._exit(0)


def ask(name: str, arguments: list[str]) -> None:
    """Ask for a kernel with these arguments, and wait until it has ended."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(f"\0{name}")
        told = {"arguments": arguments, "variables": dict(os.environ), "folder": str(Path.cwd())}
        line.sendall(json.dumps(told).encode() + b"\n")
        signal.signal(signal.SIGINT, lambda *_: line.sendall(b"i"))
        # A kernel that is killed may reset the connection instead of closing it.
        with suppress(ConnectionResetError):
            line.recv(1)


if __name__ == "__main__":
    if sys.argv[1].isdigit():
        serve(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]))
    else:
        ask(sys.argv[1], sys.argv[2:])

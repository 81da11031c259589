"""A real JupyterLab for a test: its own folders, a free port, no news, no token."""

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

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # cells out of sight exist, too
}


@contextmanager
def running_lab(folder: Path, patience: float = 90) -> Iterator[str]:
    """Serve a folder in JupyterLab; yields the server's address, and ends it afterwards."""
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
    ]
    environment = os.environ | {
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
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

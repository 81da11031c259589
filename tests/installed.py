"""The course's wheel, built once for the whole run and installed outside the checkout.

`installed` is an environment as a reader has it: what pip unpacked from the wheel, and beside it
the packages that this run has. `bare` has nothing but the wheel and what it asks for: no torch.
`without_package` is what Colab or a fresh Jupyter has: a kernel, pip, libraries, no plainformer. In
none of them can the checkout's own source be imported. They share one folder with the other
workers, so the first that asks builds them and the others wait.
"""

import importlib.metadata
import json
import os
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock
from packaging.requirements import Requirement

from build_wheel import build


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it."""

    folder: Path

    @property
    def wheel(self) -> Path:
        """The wheel that was installed."""
        (found,) = (self.folder.parent / "wheel").glob("*.whl")
        return found

    @property
    def python(self) -> Path:
        """The environment's Python."""
        windows = sys.platform == "win32"
        return self.folder / ("Scripts/python.exe" if windows else "bin/python")

    @property
    def packages(self) -> Path:
        """Where pip put the wheel."""
        return next(self.folder.rglob("site-packages"))

    @property
    def jupyter_path(self) -> str:
        """What to set JUPYTER_PATH to, so that Jupyter starts its kernels with this Python."""
        return str(self.folder / "jupyter")

    def run(self, code: str, **options: object) -> "subprocess.CompletedProcess[str]":
        """Run a program in a process of its own, away from the checkout."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "COV"))}
        return subprocess.run(
            [self.python, "-c", code], cwd=self.folder, env=clean | {"PYTHONUTF8": "1"},
            capture_output=True, text=True, encoding="utf-8", check=False,
        )  # fmt: skip


def shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder of temporary files that all workers of this run share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def environment(folder: Path, beside: Iterable[Path]) -> Installed:
    """Make an environment that has packages in other folders, and a kernel that Jupyter finds."""
    venv.EnvBuilder(with_pip=False, symlinks=os.name != "nt").create(folder)
    made = Installed(folder)
    # A folder that a .pth names is searched, and its own .pth files, such as the one that an
    # editable install leaves, are not read.
    (made.packages / "beside.pth").write_text("\n".join(map(str, beside)), encoding="utf-8")
    kernel = folder / "jupyter" / "kernels" / "python3" / "kernel.json"
    kernel.parent.mkdir(parents=True)
    start = [str(made.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel.write_text(json.dumps({"argv": start, "display_name": "Python 3", "language": "python"}))
    return made


def install(folder: Path, wheel: Path, beside: Iterable[Path]) -> Installed:
    """Make an environment of a wheel and, beside it, packages in other folders."""
    made = environment(folder, beside)
    pip = [sys.executable, "-m", "pip", f"--python={made.python}", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", wheel], check=True)
    return made


def needed(names: Iterable[str], found: dict[str, importlib.metadata.Distribution]) -> None:
    """Add to `found` the packages of these names and all that they need, but no extra."""
    for text in names:
        requirement = Requirement(text)
        marker = requirement.marker
        if requirement.name.lower() in found or (marker and not marker.evaluate({"extra": ""})):
            continue
        package = importlib.metadata.distribution(requirement.name)
        found[requirement.name.lower()] = package
        needed(package.requires or [], found)


def link(package: importlib.metadata.Distribution, folder: Path) -> None:
    """Show a package in another folder: a link for each of its own files and folders."""
    for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
        place, source = folder / top, Path(str(package.locate_file(top)))
        if source.exists() and not place.exists():
            place.symlink_to(source, target_is_directory=source.is_dir())


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, beside everything that this run has."""
    place = shared_folder(tmp_path_factory) / "installed"
    with FileLock(f"{place}.lock"):
        if not (place / "done").exists():
            (place / "wheel").mkdir(parents=True)
            wheel = build(place / "wheel")
            around = [Path(path) for path in sys.path if path.endswith("site-packages")]
            install(place / "venv", wheel, around)
            (place / "done").touch()
    return Installed(place / "venv")


@pytest.fixture(scope="session")
def bare(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel, beside what it says that it needs, and no more."""
    place = shared_folder(tmp_path_factory) / "installed"
    with FileLock(f"{place}.lock"):
        if not (place / "bare").exists():
            (place / "needed").mkdir()
            found: dict[str, importlib.metadata.Distribution] = {}
            (info,) = installed.packages.glob("plainformer-*.dist-info")
            needed(importlib.metadata.Distribution.at(info).requires or [], found)
            for package in found.values():
                link(package, place / "needed")
            install(place / "bare", installed.wheel, [place / "needed"])
    return Installed(place / "bare")


@pytest.fixture
def without_package(
    installed: Installed, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    """A kernel, pip, the libraries that plainformer asks for, two peers; but no plainformer.

    Each test has its own, because its notebook installs the package there. What the wheel asks for
    is there already, as in Colab, so that no test depends on a package index.
    """
    place = shared_folder(tmp_path_factory) / "installed"
    with FileLock(f"{place}.lock"):
        if not (place / "around").exists():
            found: dict[str, importlib.metadata.Distribution] = {}
            (info,) = installed.packages.glob("plainformer-*.dist-info")
            asked = importlib.metadata.Distribution.at(info).requires or []
            needed([*asked, "ipykernel", "pip", "tiktoken", "tokenizers"], found)
            (place / "around.part").mkdir(exist_ok=True)
            for package in found.values():
                link(package, place / "around.part")
            (place / "around.part").rename(place / "around")
    return environment(tmp_path / "environment", [place / "around"])

"""Create a virtual environment: the one for the book and the tests, or a small one.

This script needs only Python itself, so it imports nothing but the standard library. ``COURSE`` is
``.venv``, with the exact versions in ``requirements.txt`` and an editable install of the course's
own package. ``WHEEL`` contains only what is needed to build the package's wheel, and takes seconds
to create. When an environment is complete, it gets a file named ``.ready``; ``is_ready`` compares
the date of that file with the dates of the files that define the environment.

An environment is created with the Python that runs this script. If there already is one that was
created with another Python, it is deleted and created again. A plain ``make`` runs the Python in
``.venv`` if there is one (see the ``Makefile``) and so keeps the environment, whereas
``make PYTHON=python3.12`` replaces an environment that has another Python.

On Linux, the torch on the Python Package Index brings several gigabytes of GPU libraries that the
course does not use. torch is therefore installed first, on its own, with PyTorch's index of CPU
builds as an additional source; if that cannot be reached, the ordinary package is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("requirements.txt", "pyproject.toml", "tools/setup_venv.py")  # define an environment
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"


@dataclass(frozen=True)
class Environment:
    """Where an environment is, and the arguments of each pip install that fills it."""

    folder: str
    installs: tuple[tuple[str, ...], ...]
    torch: bool = False
    takes: str = "a few seconds"


COURSE = Environment(
    ".venv", (("-r", "requirements.txt"), ("--no-deps", "-e", ".")), torch=True,
    takes="a few minutes",
)  # fmt: skip
WHEEL = Environment("_build/wheel_tools", (("-c", "requirements.txt", "hatchling"),))


class SetUpError(Exception):
    """Raised if an environment cannot be created; the message says why, and what to do."""


def is_ready(environment: Environment, root: Path = ROOT) -> bool:
    """True if an environment is up to date and was created with the Python that runs this."""
    target = root / environment.folder
    ready = target / ".ready"
    if not ready.is_file() or not python_of(target).exists() or another_python(target):
        return False
    made = ready.stat().st_mtime
    return all((root / name).stat().st_mtime <= made for name in SOURCES)


def make(environment: Environment, root: Path = ROOT) -> int:
    """Create or update an environment; print a message and return 1 if that is impossible."""
    target = root / environment.folder
    try:
        prepare(environment, root)
        print(f"Installing the pinned requirements in {environment.folder} ...", flush=True)
        python = python_of(target)
        if environment.torch:
            install_torch(python)
        for step in environment.installs:
            if subprocess.run([*pip_install(python), *step], cwd=root).returncode != 0:
                raise SetUpError(f"pip install {' '.join(step)} failed: see above.")
        (target / ".ready").touch()
    except SetUpError as problem:
        print(problem, file=sys.stderr)
        return 1
    except (OSError, ValueError) as error:  # ValueError: a path that no environment can have
        print(f"The environment {target} cannot be created: {error}", file=sys.stderr)
        return 1
    return 0


def prepare(environment: Environment, root: Path) -> None:
    """Make sure that the environment exists, with pip, for the Python that is running."""
    target, name = root / environment.folder, environment.folder
    if target.exists() and not (target / "pyvenv.cfg").is_file():
        raise SetUpError(f"{target} is not a virtual environment: move it away and try again.")
    other = another_python(target)
    if not other and has_pip(target):
        return
    if find_spec("ensurepip") is None:
        raise SetUpError(
            f"{this_python()} lacks ensurepip, which installs pip in a new environment. On Debian "
            "and Ubuntu it is a separate package, which you can install with "
            "apt-get install python{}.{}-venv".format(*sys.version_info)
        )
    if other:
        print(f"{name} was created with {other}; recreating it with {this_python()}.", flush=True)
    print(f"Creating the environment {name}, which takes {environment.takes} ...", flush=True)
    # Like `python -m venv`, use a symlink: a copy of Python may not find its shared libraries.
    builder = venv.EnvBuilder(with_pip=True, clear=target.exists(), symlinks=os.name != "nt")
    try:
        builder.create(target)
    except subprocess.CalledProcessError as error:
        said = (error.output or b"").decode(errors="replace").strip() or "nothing"
        raise SetUpError(
            f"{this_python()} could not install pip in {target}: ensurepip failed with "
            f"status {error.returncode} and printed:\n{said}"
        ) from None


def this_python() -> str:
    """Return the version and path of the running Python, for use in messages."""
    return "Python {}.{}.{} ({})".format(*sys.version_info[:3], os.path.realpath(sys.executable))


def another_python(target: Path) -> str:
    """Return the version and path of an environment's Python if it is not the running one, else ''.

    Two Pythons count as the same if they have the same minor version and the same executable, so
    a patch release that was installed over the old one is not a different Python. The environment's
    own Python counts as the one that it was created with. An environment that was not created by
    ``venv`` may not record its Python, and is assumed to have the same.
    """
    settings = target / "pyvenv.cfg"
    if not settings.is_file() or Path(sys.prefix).resolve() == target.resolve():
        return ""
    lines = settings.read_text(encoding="utf-8").splitlines()
    said = {key.strip(): value.strip() for key, _, value in (line.partition("=") for line in lines)}
    version, executable = said.get("version", ""), said.get("executable", "")
    if not version or not executable:
        return ""
    same_version = version.split(".")[:2] == [str(number) for number in sys.version_info[:2]]
    same_file = os.path.normcase(executable) == os.path.normcase(os.path.realpath(sys.executable))
    return "" if same_version and same_file else f"Python {version} ({executable})"


def has_pip(target: Path) -> bool:
    """True if an environment has a working Python and pip; an interrupted set-up may have neither.

    >>> has_pip(Path("no such folder"))
    False
    """
    try:
        asked = [str(python_of(target)), "-m", "pip", "--version"]
        return subprocess.run(asked, capture_output=True).returncode == 0
    except OSError:
        return False


def python_of(environment: Path, platform: str = "") -> Path:
    """Return the Python of a virtual environment; its place is different on Windows.

    >>> python_of(Path(".venv"), "linux").as_posix(), python_of(Path(".venv"), "win32").as_posix()
    ('.venv/bin/python', '.venv/Scripts/python.exe')
    """
    windows = (platform or sys.platform) == "win32"
    return environment / ("Scripts/python.exe" if windows else "bin/python")


def pip_install(python: Path) -> list[str]:
    """Return the command with which this Python runs pip install, quietly."""
    return [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]


def install_torch(python: Path) -> None:
    """On Linux, install the CPU build of the pinned torch if PyTorch's index can be reached."""
    if sys.platform == "linux":
        cpu_only = ["--no-deps", "--retries=0", "--extra-index-url", CPU_BUILDS, torch_pin()]
        subprocess.run([*pip_install(python), *cpu_only], cwd=ROOT, capture_output=True)


def torch_pin() -> str:
    """Return the line of ``requirements.txt`` that pins torch; pyproject.toml only has a range."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))

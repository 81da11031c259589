"""Make a virtual environment: the one that the book and the tests run in, or a small one.

It needs nothing but Python and imports only the standard library. ``COURSE`` is ``.venv``, with the
exact versions in ``requirements.txt`` and the course's own package, editable. ``WHEEL`` has only
what builds the package's wheel, in seconds. A file ``.ready`` in an environment says that all of it
was installed; ``is_ready`` compares its date with those of the files that it was made from.

The Python that runs this is the one that an environment is made with. If the environment at hand
has another one, it is deleted and made again. A plain ``make`` runs the Python of ``.venv`` where
there is one (see the ``Makefile``), so it keeps what is there; ``make PYTHON=python3.12`` does not.

On Linux, the torch that the package index offers brings several gigabytes of GPU libraries that
the course does not use. So torch comes first and alone, and may come from the list of CPU builds
that PyTorch publishes; where that list cannot be reached, the ordinary one serves.
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
SOURCES = ("requirements.txt", "pyproject.toml", "tools/setup_venv.py")  # of an environment
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"


@dataclass(frozen=True)
class Environment:
    """Where an environment is, and what pip installs in it, one call after the other."""

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
    """An environment that cannot be made; the message says why, and what to do."""


def is_ready(environment: Environment, root: Path = ROOT) -> bool:
    """True where an environment is newer than what it is made from, and has the Python asked for.

    That Python is the one that runs this.
    """
    target = root / environment.folder
    ready = target / ".ready"
    if not ready.is_file() or not python_of(target).exists() or another_python(target):
        return False
    made = ready.stat().st_mtime
    return all((root / name).stat().st_mtime <= made for name in SOURCES)


def make(environment: Environment, root: Path = ROOT) -> int:
    """Create or update an environment; return 1, after a sentence, where that is impossible."""
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
        print(f"The environment {target} cannot be made: {error}", file=sys.stderr)
        return 1
    return 0


def prepare(environment: Environment, root: Path) -> None:
    """See to it that an environment of the running Python is there, with pip in it."""
    target, name = root / environment.folder, environment.folder
    if target.exists() and not (target / "pyvenv.cfg").is_file():
        raise SetUpError(f"{target} exists and is not a virtual environment, so it is left alone.")
    other = another_python(target)
    if not other and has_pip(target):
        return
    if find_spec("ensurepip") is None:
        raise SetUpError(
            f"{this_python()} lacks ensurepip, which puts pip into an environment. Debian and "
            "Ubuntu keep it in a package of its own: "
            "apt-get install python{}.{}-venv".format(*sys.version_info)
        )
    if other:
        print(f"{name} has {other}; it is made again with {this_python()}.", flush=True)
    print(f"Making the environment {name} (once; {environment.takes}) ...", flush=True)
    # As `python -m venv` does: a link finds the libraries beside the Python, which a copy may not.
    builder = venv.EnvBuilder(with_pip=True, clear=target.exists(), symlinks=os.name != "nt")
    try:
        builder.create(target)
    except subprocess.CalledProcessError as error:
        said = (error.output or b"").decode(errors="replace").strip() or "nothing"
        raise SetUpError(
            f"{this_python()} could not put pip into {target}: ensurepip ended with "
            f"status {error.returncode} and said:\n{said}"
        ) from None


def this_python() -> str:
    """The running Python's version and path, for a sentence."""
    return "Python {}.{}.{} ({})".format(*sys.version_info[:3], os.path.realpath(sys.executable))


def another_python(target: Path) -> str:
    """The version and path of an environment's Python if it is not the running one, else ''.

    Two are the same if the second number of the version and the file are: an update in place is
    no other Python, nor is the environment's own link to its Python. An environment that was not
    made by ``venv`` may not say what it was made with, and counts as the same.
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
    """True if an environment has a Python that starts, and pip; a set-up that was cut off may not.

    >>> has_pip(Path("no such folder"))
    False
    """
    try:
        asked = [str(python_of(target)), "-m", "pip", "--version"]
        return subprocess.run(asked, capture_output=True).returncode == 0
    except OSError:
        return False


def python_of(environment: Path, platform: str = "") -> Path:
    """The Python of a virtual environment, which Windows keeps elsewhere.

    >>> python_of(Path(".venv"), "linux").as_posix(), python_of(Path(".venv"), "win32").as_posix()
    ('.venv/bin/python', '.venv/Scripts/python.exe')
    """
    windows = (platform or sys.platform) == "win32"
    return environment / ("Scripts/python.exe" if windows else "bin/python")


def pip_install(python: Path) -> list[str]:
    """How pip installs quietly in the environment of a Python."""
    return [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]


def install_torch(python: Path) -> None:
    """On Linux, install the pinned torch as its CPU build, where the list of those is at hand."""
    if sys.platform == "linux":
        cpu_only = ["--no-deps", "--retries=0", "--extra-index-url", CPU_BUILDS, torch_pin()]
        subprocess.run([*pip_install(python), *cpu_only], cwd=ROOT, capture_output=True)


def torch_pin() -> str:
    """The line of ``requirements.txt`` that names torch's version; pyproject.toml has a range."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("torch=="))

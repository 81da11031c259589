"""Make the virtual environment that the book and the tests run in.

Runs with nothing but the system's Python, so it imports only the standard library. It installs
the exact versions in ``requirements.txt`` and then the course's own package, editable. A file
``.ready`` in the environment says that all of it succeeded; ``make`` compares its date.

On Linux, the torch that the package index offers brings several gigabytes of GPU libraries that
the course does not use. So torch comes first and alone, and may come from the list of CPU builds
that PyTorch publishes; where that list cannot be reached, the ordinary one serves.

Usage: ``python3 tools/setup_venv.py .venv``
"""

from __future__ import annotations  # so that an old Python comes as far as the sentence about it

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLDEST = (3, 11)
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"


def main(argv: list[str]) -> int:
    """Create or update the environment named by the first argument."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        newer = "python" + ".".join(map(str, OLDEST))
        print(
            f"Plainformer needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {found}.\n"
            f"Use another one: {newer} tools/course.py book, or make PYTHON={newer} book",
            file=sys.stderr,
        )
        return 1
    target = ROOT / (argv[0] if argv else ".venv")
    if target.exists() and not (target / "pyvenv.cfg").is_file():
        print(f"{target} is there and is no virtual environment: left alone.", file=sys.stderr)
        return 1
    python = python_of(target)
    if not python.exists():
        print(f"Making the environment {target.name} (once; a few minutes) ...", flush=True)
        try:
            venv.EnvBuilder(with_pip=True, clear=target.exists()).create(target)
        except subprocess.CalledProcessError:
            print(
                "This Python cannot make a virtual environment with pip. "
                "On Debian and Ubuntu: apt-get install python3-venv",
                file=sys.stderr,
            )
            return 1
    print("Installing the pinned requirements ...", flush=True)
    install_torch(python)
    pip = pip_install(python)
    for step in (["-r", "requirements.txt"], ["--no-deps", "-e", "."]):
        if subprocess.run([*pip, *step], cwd=ROOT).returncode != 0:
            print(f"pip install {' '.join(step)} failed: see above.", file=sys.stderr)
            return 1
    (target / ".ready").touch()
    return 0


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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

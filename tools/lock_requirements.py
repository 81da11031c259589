"""Pin every package anew: write ``requirements.txt`` from the extras in ``pyproject.toml``.

Installs the package with all its extras in a fresh environment, so that nothing that was once
tried by hand is pinned by accident, then writes down what is there. torch stays at the version that
stands in ``requirements.txt``: change that line by hand, then lock. (``pyproject.toml`` allows a
range, of which pip would take the newest, with gigabytes of GPU libraries.)

Usage: ``python tools/course.py lock``
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from setup_venv import install_torch, pip_install, python_of, torch_pin

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "requirements.txt"
HEADER = """\
# Every version that the book and the tests run with, direct and indirect, so that a clone
# made in a year builds the same pages. Made by `make lock` from the extras in pyproject.toml,
# where each direct dependency is explained; but torch's version is chosen here.
"""


def pins(freeze: str) -> list[str]:
    """The lines of ``pip freeze`` that name a version, without build tags such as ``+cpu``.

    >>> pins("numpy==2.4.6\\ntorch==2.13.0+cpu\\n-e /home/me/plainformer")
    ['numpy==2.4.6', 'torch==2.13.0']
    """
    return [line.split("+")[0] for line in freeze.splitlines() if "==" in line]


def main() -> int:
    """Resolve, freeze, write."""
    with tempfile.TemporaryDirectory() as folder:
        venv.EnvBuilder(with_pip=True).create(folder)
        python = python_of(Path(folder))
        install_torch(python)
        everything = ["-e", f"{ROOT}[torch,book,test]", torch_pin()]
        subprocess.run([*pip_install(python), *everything], check=True)
        freeze = subprocess.run(
            [python, "-m", "pip", "freeze"], check=True, capture_output=True, text=True
        )
    TARGET.write_text(HEADER + "\n".join(pins(freeze.stdout)) + "\n", encoding="utf-8")
    print(f"wrote {TARGET.name}: {len(pins(freeze.stdout))} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The set-up cell: it makes a notebook run from a clone, from the zip, in Colab, or on its own."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from public_address import PACKAGE, read_address
from release import package_version
from setup_venv import CPU_BUILDS

EXERCISE_IMPORTS = f"from {PACKAGE}.exercises import check, hint, points"
"""The functions that the exercises call; the feedback of `check` refers to `hint`."""

COMES_ALONG = {"ipywidgets", "IPython", "traitlets"}  # with Jupyter, or with the package

TRAINED = f"{PACKAGE}.training.tasks"  # opens trained models, for which the package needs torch

OTHER_NAMES = {"scikit-learn": "sklearn"}  # what pip calls it: what is imported

TEMPLATE = """\
# Run this cell first. It installs whatever this notebook needs and cannot find.
# Needed: Python {python} or newer, {needs}.
import sys

if sys.version_info < ({version}):
    raise RuntimeError("This notebook needs Python {python} or newer: choose another kernel.")

import importlib.metadata
import importlib.util
import re
import site
import subprocess
import tomllib
from os.path import isfile
from pathlib import Path

tested = {tested}

def installed(name):
    try:
        return importlib.metadata.version(name).partition("+")[0]  # 2.1.0+cpu is 2.1.0
    except importlib.metadata.PackageNotFoundError:
        return ""

def found():
    spec = importlib.util.find_spec("{package}")
    return spec is not None and spec.origin is not None  # a plain folder of that name has none

def install(*what):
    pip = [sys.executable, "-m", "pip", "install", "-qq", *what]
    done = subprocess.run(pip, capture_output=True, text=True)
    if site.ENABLE_USER_SITE:  # where pip may not write to the Python itself, as on many hubs
        site.addsitedir(site.getusersitepackages())
    importlib.invalidate_caches()
    return done.stderr if done.returncode else ""

here = Path.cwd()
needs = [f"{{name}}=={{tested[name]}}" for name in tested if name != "{package}"]
# A clone of the course may contain this notebook, or be in the same folder as it.
for clone in (here, *here.parents, *here.glob("*/")):
    if not found() and isfile(clone / "src" / "{package}" / "__init__.py"):
        sys.path.append(str(clone / "src"))
        project = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        needs += project["dependencies"]

wheels = sorted([*here.glob("{package}-*.whl"), *here.parent.glob("{package}-*.whl")], reverse=True)
was_here = found()
for source in {sources}:
    if not found():
        print(f"Installing {{getattr(source, 'name', source)}}: {short} ...")
        print(install(str(source)), end="")
if not found():
    raise RuntimeError(
        "This notebook needs the package {package}, which was not found and could not be"
        " installed: choose Run at the top of any page of the course{where}, download the zip of"
        " all notebooks, unpack it, and open this notebook from the unpacked folder on a computer"
        " where pip can reach the Python Package Index."
    )

missing = [one for one in needs if not installed(re.split("[<>=]", one)[0])]
if missing:
    print(f"Installing {{', '.join(missing)}}: {duration} ...")
{torch}    if said := install(*missing):
        raise RuntimeError(f"pip could not install {{', '.join(missing)}}: {{said}}")

import {package}
from {package}.assertions import explain_assertions

explain_assertions()  # a failed assert then says what was expected and what it got
print("Ready: {package}", {package}.__version__)
if not was_here:
    print("If Python does not see what you change in a widget, reload the page and run it again.")
for name in tested:
    there = {package}.__version__ if name == "{package}" else installed(name)
    if there != tested[name]:
        print(f"Tested with {{name}} {{tested[name]}}; found {{there}}, so results may differ.")
"""

SHORT = "about a minute"
LONG = (
    "200 MB, two to five minutes (or several gigabytes on Linux if download.pytorch.org is blocked)"
)

TORCH = """\
    if not installed("torch"):  # try the CPU-only build first: it needs no GPU libraries
        cpu = ("--no-deps", "--retries=0", "--extra-index-url={list}")
        install(*cpu, f"torch=={{tested['torch']}}")
"""


def setup_source(root: Path, code: list[str]) -> str:
    """Return the source of the set-up cell of a notebook with these code cells.

    Raises ValueError if a cell imports a package that requirements.txt does not pin, because pip
    would install whatever has that name on the package index. Raises AddressError if the public
    address cannot be right.
    """
    extra, pins = extra_imports(code, root), _pins(root)
    if unpinned := [name for name in extra if name not in pins]:
        raise ValueError(f"a cell imports {', '.join(unpinned)}, which requirements.txt lacks")
    version, address = package_version(root), read_address(root)
    tested = ({PACKAGE: version} if version else {}) | dict(pins[name] for name in extra)
    known = [f'"{one}"' for one in address.sources(version)]
    python = str(_project(root).get("requires-python", ">=3.11")).removeprefix(">=")
    return TEMPLATE.format(
        python=python,
        version=python.replace(".", ", "),
        needs=", ".join([PACKAGE, *(pins[name][0] for name in extra)]),
        tested=json.dumps(tested),
        sources="wheels" if not known else f"(*wheels, {', '.join(known)})",
        where=address.pages and f" ({address.pages})",
        duration=LONG if "torch" in extra else SHORT,
        short=SHORT,
        torch=TORCH.format(list=CPU_BUILDS) if "torch" in extra else "",
        package=PACKAGE,
    ).rstrip()


def extra_imports(code: list[str], root: Path) -> list[str]:
    """Return what code cells import beyond Python, the package, and what the package brings."""
    found: set[str] = set()
    for source in code:
        plain = "\n".join("" if line.lstrip()[:1] in "%!" else line for line in source.split("\n"))
        for node in ast.walk(_parsed(plain)):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add("torch" if node.module == TRAINED else node.module.partition(".")[0])
    return sorted(found - set(sys.stdlib_module_names) - {PACKAGE} - COMES_ALONG - _brought(root))


def imports_for(stubs: list[str], code: list[str]) -> list[str]:
    """Return the imports of `code` that the exercises' stubs need and do not make themselves.

    >>> imports_for(["f(np.pi)"], ["import numpy as np, os", "from a import f, g"])
    ['import numpy as np', 'from a import f']
    """
    used: set[str] = set()
    own: set[str] = set()
    for node in (one for stub in stubs for one in ast.walk(_parsed(stub))):
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            own |= {_bound(alias) for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            own.add(node.name)
    lines: list[str] = []
    for node in (one for cell in code for one in _parsed(cell).body):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names = [alias for alias in node.names if _bound(alias) in used - own]
        if names:
            own |= {_bound(alias) for alias in names}
            node.names = names
            lines.append(ast.unparse(node))
    return lines


def _bound(alias: ast.alias) -> str:
    return alias.asname or alias.name.partition(".")[0]


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a cell that is meant to fail, or one with notebook syntax
        return ast.Module(body=[], type_ignores=[])


def _brought(root: Path) -> set[str]:
    """Return the modules that come with the package, because it depends on them."""
    return {_module(one) for one in _project(root).get("dependencies", [])}


def _pins(root: Path) -> dict[str, tuple[str, str]]:
    """Return the pinned packages: for each module, the name that pip uses and the version."""
    path = root / "requirements.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    named = [line.split("#")[0].split(";")[0].strip().partition("==") for line in lines]
    return {_module(name): (name, version) for name, _, version in named if version}


def _module(requirement: str) -> str:
    """Return the module that a requirement installs, usually of the same name.

    >>> _module("array-api-compat>=1.11,<2"), _module("scikit-learn==1.9.1")
    ('array_api_compat', 'sklearn')
    """
    name = re.split(r"[^\w.-]", requirement)[0]
    return OTHER_NAMES.get(name, name.replace("-", "_"))


def _project(root: Path) -> dict[str, Any]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}
    project: dict[str, Any] = tomllib.loads(path.read_text("utf-8")).get("project", {})
    return project

"""The cell that makes a notebook work anywhere: in a checkout, installed, and in Colab."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

PACKAGE = "plainformer"
INSTALL_FROM = "plainformer"
"""What pip installs where the package is missing, unless pyproject.toml names a repository."""

EXERCISE_IMPORTS = f"from {PACKAGE}.exercises import check, hint, points"
"""What a reader of exercises calls; a check's verdict names `hint`."""

DISTRIBUTIONS = {"PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}
COMES_ALONG = {"ipywidgets", "IPython", "traitlets"}  # with Jupyter, or with the package

TEMPLATE = """\
# Run this cell first: it finds what this notebook needs, and installs what is missing.
# Needed: Python 3.11 or newer, {needs}.
import importlib.util
import sys
from pathlib import Path

wanted = {wanted}
for folder in (Path.cwd(), *Path.cwd().parents):  # are we in a copy of the course?
    if (folder / "src" / "{package}").is_dir() and (folder / "pyproject.toml").is_file():
        sys.path.append(str(folder / "src"))
        break
missing = [f'"{{wanted[name]}}"' for name in wanted if importlib.util.find_spec(name) is None]
if missing:
    missing = " ".join(missing)
    %pip install --quiet {{missing}}

try:
    import {package}.inputs
    print("Ready: {package}", {package}.__version__)
except ImportError as problem:
    print(f"Not ready: {{problem}}. In the folder of your copy of the course: pip install -e .")
"""


def setup_source(root: Path, code: list[str]) -> str:
    """Return the source of the set-up cell of a notebook with these code cells."""
    wanted = {PACKAGE: install_from(root)} | {
        name: DISTRIBUTIONS.get(name, name) for name in extra_imports(code, root)
    }
    return TEMPLATE.format(needs=", ".join(wanted), wanted=repr(wanted), package=PACKAGE).rstrip()


def install_from(root: Path) -> str:
    """Return what pip is to install: the project's repository where pyproject.toml names one."""
    urls = _project(root).get("urls", {})
    lower = {str(name).lower(): str(url) for name, url in urls.items()}
    url = next((lower[name] for name in ("repository", "source", "code") if name in lower), "")
    return f"{INSTALL_FROM} @ git+{url}" if url else INSTALL_FROM


def extra_imports(code: list[str], root: Path) -> list[str]:
    """Return what code cells import beyond Python, the package, and what the package brings."""
    found: set[str] = set()
    for source in code:
        plain = "\n".join("" if line.lstrip()[:1] in "%!" else line for line in source.split("\n"))
        for node in ast.walk(_parsed(plain)):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
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
    """Return the modules that come with the package's own dependencies."""
    names = [str(one) for one in _project(root).get("dependencies", [])]
    bare = {name.split(">")[0].split("=")[0].split("<")[0].split("[")[0].strip() for name in names}
    return {name.replace("-", "_") for name in bare}


def _project(root: Path) -> dict[str, dict[str, str]]:
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}
    project: dict[str, dict[str, str]] = tomllib.loads(path.read_text("utf-8")).get("project", {})
    return project

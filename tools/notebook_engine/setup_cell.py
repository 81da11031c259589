"""The cell that makes a notebook work anywhere: in a checkout, installed, and in Colab."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

PACKAGE = "plainformer"
EXERCISE_IMPORTS = f"from {PACKAGE}.exercises import check, hint, points"
"""What a reader of exercises calls; a check's verdict names `hint`."""

COMES_ALONG = {"ipywidgets", "IPython", "traitlets"}  # with Jupyter, or with the package

OTHER_NAMES = {"scikit-learn": "sklearn"}  # what pip calls it: what is imported

TEMPLATE = """\
# Run this cell first: it finds what this notebook needs, and installs what is missing.
# Needed: Python {python} or newer, {needs}.
import importlib.util
import sys
from os.path import isfile
from pathlib import Path

if sys.version_info < ({version}):
    raise RuntimeError("This notebook needs Python {python} or newer: choose another kernel.")

wanted = {wanted}

def absent(name):
    found = importlib.util.find_spec(name)
    return found is None or found.origin is None  # a mere folder of that name does not count

missing = [f'"{{wanted[name]}}"' for name in wanted if absent(name)]
if absent("{package}"):
    here = Path.cwd()
    for folder in (here, *here.parents, *here.glob("*/")):  # is a copy of the course nearby?
        if isfile(folder / "src" / "{package}" / "__init__.py"):
            sys.path.append(str(folder / "src"))
            break
{otherwise}if missing:
    missing = " ".join(missing)
    %pip install --quiet {{missing}}
    importlib.invalidate_caches()

missing = [name for name in wanted if absent(name)]
if absent("{package}"):
    print("Not ready: there is no {package}. Put a copy of the course beside this notebook,")
    print("then run this cell again.")
elif missing:
    print("Not ready: pip could not install", ", ".join(missing))
else:
    import {package}
    print("Ready: {package}", {package}.__version__)
"""

FROM_REPOSITORY = """\
    else:
        missing.append('"{address}"')
"""


def setup_source(root: Path, code: list[str]) -> str:
    """Return the source of the set-up cell of a notebook with these code cells.

    Raises ValueError where a cell imports what pyproject.toml does not name: pip would be sent for
    whatever bears that name on the package index.
    """
    extra = extra_imports(code, root)
    unnamed = [name for name in extra if name not in _named(root)]
    if unnamed:
        raise ValueError(f"a cell imports {', '.join(unnamed)}, which pyproject.toml does not name")
    wanted = _brought(root) | {name: _named(root)[name] for name in extra}
    address = repository(root)
    listed = "".join(f'    "{module}": "{name}",\n' for module, name in wanted.items())
    python = str(_project(root).get("requires-python", ">=3.11")).removeprefix(">=")
    return TEMPLATE.format(
        python=python,
        version=python.replace(".", ", "),
        needs=", ".join([PACKAGE, *extra]),
        wanted=f"{{  # what is imported: what pip calls it\n{listed}}}",
        otherwise=FROM_REPOSITORY.format(address=address) if address else "",
        package=PACKAGE,
    ).rstrip()


def repository(root: Path) -> str:
    """Return what pip installs the package from: the repository that pyproject.toml names, or "".

    Never a bare name: whoever registers it first with a package index would be run here.
    """
    urls = _project(root).get("urls", {})
    lower = {str(name).lower(): str(url) for name, url in urls.items()}
    url = next((lower[name] for name in ("repository", "source", "code") if name in lower), "")
    return f"{PACKAGE} @ git+{url}" if url else ""


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
    return sorted(
        found - set(sys.stdlib_module_names) - {PACKAGE} - COMES_ALONG - _brought(root).keys()
    )


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


def _brought(root: Path) -> dict[str, str]:
    """Return the package's own dependencies: the module of each, and what pip calls it."""
    return {_module(one): one for one in _project(root).get("dependencies", [])}


def _named(root: Path) -> dict[str, str]:
    """Return what the book and the tests need besides: the module of each, and its bare name.

    The exact versions there are this checkout's own, so a reader's notebook does not ask for them.
    """
    groups = _project(root).get("optional-dependencies", {}).values()
    named = [re.split(r"[^\w.-]", one)[0] for group in groups for one in group]
    return {_module(one): one for one in named}


def _module(requirement: str) -> str:
    """Return the module that a requirement brings, which bears its name but for a few.

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

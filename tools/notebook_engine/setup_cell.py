"""The cell that makes a notebook work anywhere: in a checkout, installed, and in Colab."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from public_address import PACKAGE, read_address
from release import package_version

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

if absent("{package}"):
    here = Path.cwd()
    for folder in (here, *here.parents, *here.glob("*/")):  # is a copy of the course nearby?
        if isfile(folder / "src" / "{package}" / "__init__.py"):
            sys.path.append(str(folder / "src"))
            break
{otherwise}missing = [f'"{{wanted[name]}}"' for name in wanted if absent(name)]
if missing:
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
{other_version}"""

FROM_ADDRESS = """\
for source in (
{listed}):
    if absent("{package}"):
        print("Installing", source, "...")
        %pip install --quiet "{{source}}"
        importlib.invalidate_caches()
"""

OTHER_VERSION = """\
    if {package}.__version__ != "{version}":
        print("This notebook was made for {package} {version}. If a cell fails, take the notebook")
        print("of the version that you have, or install {version}.")
"""


def setup_source(root: Path, code: list[str]) -> str:
    """Return the source of the set-up cell of a notebook with these code cells.

    Raises ValueError where a cell imports what pyproject.toml does not name: pip would be sent for
    whatever bears that name on the package index. Raises AddressError where the public address
    cannot be right.
    """
    extra = extra_imports(code, root)
    unnamed = [name for name in extra if name not in _named(root)]
    if unnamed:
        raise ValueError(f"a cell imports {', '.join(unnamed)}, which pyproject.toml does not name")
    wanted = _brought(root) | {name: _named(root)[name] for name in extra}
    version = package_version(root)
    sources = "".join(f'    "{one}",\n' for one in read_address(root).wheels(version))
    listed = "".join(f'    "{module}": "{name}",\n' for module, name in wanted.items())
    python = str(_project(root).get("requires-python", ">=3.11")).removeprefix(">=")
    return TEMPLATE.format(
        python=python,
        version=python.replace(".", ", "),
        needs=", ".join([PACKAGE, *extra]),
        wanted=f"{{  # what is imported: what pip calls it\n{listed}}}",
        otherwise=FROM_ADDRESS.format(listed=sources, package=PACKAGE) if sources else "",
        other_version=OTHER_VERSION.format(version=version, package=PACKAGE) if version else "",
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

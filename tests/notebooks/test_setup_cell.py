"""The set-up cell: ready where the package is installed, in a checkout, and without either."""

import json
import subprocess
import sys

import pytest

from notebook_engine.setup_cell import (
    extra_imports,
    imports_for,
    setup_source,
)

# Runs the cell as Jupyter does, with the installed package out of sight and pip only recorded.
ELSEWHERE = """
import importlib.machinery, json, sys
from IPython.core.interactiveshell import InteractiveShell

find = importlib.machinery.PathFinder.find_spec
def hidden(name, path=None, target=None):
    if name == "plainformer":
        path = [folder for folder in sys.path if folder.startswith(sys.argv[1])]
    return find(name, path, target)
importlib.machinery.PathFinder.find_spec = hidden
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
shell = InteractiveShell.instance()
asked = []
shell.register_magic_function(lambda line: asked.append(line), "line", "pip")
result = shell.run_cell(open("cell.py").read())
print(json.dumps({"asked": asked, "failed": not result.success}))
"""


def run_elsewhere(folder, source):
    """Run the set-up cell in `folder`; return what it printed, and what it asked of pip."""
    (folder / "cell.py").write_text(source, encoding="utf-8")
    # -B: a package that a test changes twice in a second must not be read from its bytecode.
    done = subprocess.run(
        [sys.executable, "-B", "-c", ELSEWHERE, str(folder.parent)],
        cwd=folder, capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    *printed, facts = done.stdout.strip().split("\n")
    return printed, json.loads(facts)


@pytest.fixture
def checkout(tmp_path):
    tmp_path = tmp_path / "shelf" / "course"  # what other tests leave is not beside it
    package = tmp_path / "src" / "plainformer"
    (package / "inputs").mkdir(parents=True)
    (package / "__init__.py").write_text("__version__ = 'of the checkout'\n")
    (package / "inputs" / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['numpy>=2']\n")
    folder = tmp_path / "notebooks"
    folder.mkdir()
    return folder


def test_a_checkout_above_the_notebook_is_used(checkout):
    printed, facts = run_elsewhere(checkout, setup_source(checkout.parent, []))
    assert printed == ["Ready: plainformer of the checkout"]
    assert facts == {"asked": [], "failed": False}


def test_a_checkout_beside_the_notebook_is_used_too(checkout):
    folder = checkout.parent.parent
    printed, _ = run_elsewhere(folder, setup_source(checkout.parent, []))
    assert printed == ["Ready: plainformer of the checkout"]


def test_what_a_checkout_needs_is_installed(checkout):
    project = checkout.parent / "pyproject.toml"
    project.write_text("[project]\ndependencies = ['numpy>=2', 'no-such-thing>=1,<2']\n")
    printed, facts = run_elsewhere(checkout, setup_source(checkout.parent, []))
    assert printed == ["Not ready: pip could not install no_such_thing"]
    assert facts["asked"] == ['install --quiet "no-such-thing>=1,<2"']


def test_without_a_checkout_it_says_what_to_do(tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    printed, facts = run_elsewhere(folder, setup_source(tmp_path, []))
    assert facts == {"asked": [], "failed": False}
    assert " ".join(printed) == (
        "Not ready: there is no plainformer. Put a copy of the course beside this notebook, "
        "then run this cell again."
    )


def test_a_checkout_that_is_called_like_the_package_is_found(checkout):
    checkout.parent.rename(course := checkout.parent.with_name("plainformer"))
    folder = course.parent
    printed, _ = run_elsewhere(folder, setup_source(course, []))
    assert printed == ["Ready: plainformer of the checkout"]


def test_a_python_that_is_too_old_stops_the_notebook(checkout):
    project = checkout.parent / "pyproject.toml"
    project.write_text("[project]\nrequires-python = '>=3.99'\n")
    printed, facts = run_elsewhere(checkout, setup_source(checkout.parent, []))
    assert facts == {"asked": [], "failed": True}
    assert "needs Python 3.99 or newer: choose another kernel" in " ".join(printed)


def test_without_a_checkout_the_repository_is_installed(tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    url = "https://example.org/course"
    (tmp_path / "pyproject.toml").write_text(f"[project]\nurls.Repository = '{url}'\n")
    _, facts = run_elsewhere(folder, setup_source(tmp_path, []))
    assert facts["asked"] == [f'install --quiet "plainformer @ git+{url}"']


def test_an_old_package_that_is_installed_wins_over_the_checkout(checkout):
    source = setup_source(checkout.parent, [])
    assert "sys.path.append" in source and "sys.path.insert" not in source


def test_the_wheel_of_its_version_comes_first(tmp_path):
    folder = tmp_path / "alone"
    folder.mkdir()
    course = tmp_path / "far" / "away"
    course.mkdir(parents=True)
    url = "https://github.com/ada/course"
    (course / "pyproject.toml").write_text(f"[project]\nurls.Repository = '{url}/'\n")
    package = course / "src" / "plainformer"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.3"\n')
    _, facts = run_elsewhere(folder, setup_source(course, []))
    wheel = f"{url}/releases/download/v1.2.3/plainformer-1.2.3-py3-none-any.whl"
    assert facts["asked"] == [
        f'install --quiet "plainformer @ {wheel}"',
        f'install --quiet "plainformer @ git+{url}"',
    ]


def test_a_bare_name_is_never_installed(tmp_path):
    assert "%pip install --quiet {missing}" in setup_source(tmp_path, [])
    assert "for source in" not in setup_source(tmp_path, [])


def test_a_notebook_of_another_version_says_so(checkout):
    package = checkout.parent / "src" / "plainformer" / "__init__.py"
    package.write_text('__version__ = "1.2.3"\n')
    source = setup_source(checkout.parent, [])
    assert run_elsewhere(checkout, source)[0] == ["Ready: plainformer 1.2.3"]
    package.write_text('__version__ = "1.3.0"\n')
    printed, facts = run_elsewhere(checkout, source)
    assert " ".join(printed) == (
        "Ready: plainformer 1.3.0 This notebook was made for plainformer 1.2.3. If a cell fails, "
        "take the notebook of the version that you have, or install 1.2.3."
    )
    assert not facts["failed"]


def test_what_a_notebook_needs_besides_the_package(checkout):
    project = checkout.parent / "pyproject.toml"
    with project.open("a") as file:
        file.write("[project.optional-dependencies]\ntest = ['tokenizers==0.23.3']\n")
    code = [
        "import os, tokenizers\nfrom plainformer.inputs import x",
        "%matplotlib inline\nimport numpy as np",
        "this is no Python",
    ]
    assert extra_imports(code, checkout.parent) == ["tokenizers"]
    source = setup_source(checkout.parent, code)
    assert "# Needed: Python 3.11 or newer, plainformer, tokenizers.\n" in source
    assert '"tokenizers": "tokenizers"' in source


def test_what_pyproject_does_not_name_is_never_asked_of_pip(checkout):
    with pytest.raises(ValueError, match=r"imports PIL, which pyproject\.toml does not name"):
        setup_source(checkout.parent, ["from PIL import Image"])


def test_a_stub_that_imports_for_itself_gets_nothing():
    assert imports_for(["import math\nmath.pi"], ["import math"]) == []
    assert imports_for(["def f(): ...\nf()"], ["from a import f"]) == []

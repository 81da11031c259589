"""The set-up cell: what it finds, what it asks of pip and in which order, and what it says.

What comes of it with a real pip, in an environment that has nothing, is in `test_alone.py`.
"""

import json
import subprocess
import sys

import pytest

from notebook_engine.setup_cell import extra_imports, imports_for, setup_source

# Runs the cell with the installed package and torch out of sight. Pip is only recorded: it installs
# nothing, and says what the test wants.
ELSEWHERE = """
import importlib.machinery, importlib.metadata, json, subprocess, sys, types

find = importlib.machinery.PathFinder.find_spec
def hidden(name, path=None, target=None):
    if name == "plainformer":
        path = [folder for folder in sys.path if folder.startswith(sys.argv[1])]
    return find(name, path, target)
importlib.machinery.PathFinder.find_spec = hidden
sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
version = importlib.metadata.version
def version_but_for_torch(name):
    return version("no-torch" if name == "torch" else name)
importlib.metadata.version = version_but_for_torch
asked, raised = [], ""
def pip(command, **options):
    before, asks = command[:5], command[5:]
    assert before == [sys.executable, "-m", "pip", "install", "-qq"], before
    asked.append(" ".join(asks))
    return types.SimpleNamespace(returncode=int(bool(sys.argv[2])), stderr=sys.argv[2])
subprocess.run = pip
try:
    exec(open("cell.py", encoding="utf-8").read(), {})
except RuntimeError as error:
    raised = str(error)
print(json.dumps([asked, raised]))
"""


def run_elsewhere(folder, source, pip_says=""):
    """Run the set-up cell in `folder`; return what it printed, asked of pip, and raised."""
    (folder / "cell.py").write_text(source, encoding="utf-8")
    # -B: a package that a test changes twice in a second must not be read from its bytecode.
    done = subprocess.run(
        [sys.executable, "-B", "-c", ELSEWHERE, str(folder.parent), pip_says],
        cwd=folder, capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    *printed, facts = done.stdout.strip().split("\n")
    return printed, *json.loads(facts)


@pytest.fixture
def checkout(tmp_path):
    tmp_path = tmp_path / "shelf" / "course"  # what other tests leave is not beside it
    package = tmp_path / "src" / "plainformer"
    (package / "inputs").mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (package / "assertions.py").write_text("def explain_assertions(): pass\n")
    (package / "inputs" / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['numpy>=2']\n")
    folder = tmp_path / "notebooks"
    folder.mkdir()
    return folder


@pytest.fixture
def alone(tmp_path):
    """A folder with nothing in it, and nothing beside it."""
    folder = tmp_path / "far" / "alone"
    folder.mkdir(parents=True)
    return folder


def course(folder, project):
    """Return a course of version 1.2.3 with these lines in pyproject.toml, away from the rest."""
    root = folder / "a" / "b" / "course"
    package = root / "src" / "plainformer"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text('__version__ = "1.2.3"\n')
    (package / "assertions.py").write_text("def explain_assertions(): pass\n")
    (root / "pyproject.toml").write_text(f"[project]\n{project}")
    return root


READY = ["Ready: plainformer 1.2.3"]


def test_a_clone_around_the_notebook_is_used(checkout):
    assert run_elsewhere(checkout, setup_source(checkout.parent, [])) == (READY, [], "")


def test_a_clone_beside_the_notebook_is_used_too(checkout):
    folder = checkout.parent.parent
    assert run_elsewhere(folder, setup_source(checkout.parent, [])) == (READY, [], "")


def test_a_clone_that_is_called_like_the_package_is_found(checkout):
    checkout.parent.rename(clone := checkout.parent.with_name("plainformer"))
    assert run_elsewhere(clone.parent, setup_source(clone, [])) == (READY, [], "")


def test_a_package_that_is_installed_wins_over_the_clone(checkout):
    source = setup_source(checkout.parent, [])
    assert "sys.path.append" in source and "sys.path.insert" not in source


def test_what_a_clone_needs_is_installed(checkout):
    project = checkout.parent / "pyproject.toml"
    project.write_text("[project]\ndependencies = ['numpy>=2', 'no-such-thing>=1,<2']\n")
    source = setup_source(checkout.parent, [])
    printed, asked, raised = run_elsewhere(checkout, source, "ERROR: there is none")
    assert printed == ["Installing no-such-thing>=1,<2: about a minute ..."]
    assert asked == ["no-such-thing>=1,<2"]
    assert raised == "pip could not install no-such-thing>=1,<2: ERROR: there is none"


def test_a_python_that_is_too_old_stops_the_notebook(checkout):
    project = checkout.parent / "pyproject.toml"
    project.write_text("[project]\nrequires-python = '>=3.99'\n")
    _, asked, raised = run_elsewhere(checkout, setup_source(checkout.parent, []))
    assert asked == []
    assert raised == "This notebook needs Python 3.99 or newer: choose another kernel."


def test_with_nothing_at_hand_one_sentence_says_what_to_do(alone, tmp_path):
    printed, asked, raised = run_elsewhere(alone, setup_source(tmp_path, []))
    assert (printed, asked) == ([], [])
    assert raised == (
        "This notebook needs the package plainformer, which was not found and could not be "
        "installed: choose Run at the top of any page of the course, download the zip of all "
        "notebooks, unpack it, and open this notebook from the unpacked folder on a computer "
        "where pip can reach the Python Package Index."
    )


@pytest.mark.parametrize("place", [".", ".."])
def test_a_wheel_here_or_in_the_folder_above_comes_before_any_address(alone, tmp_path, place):
    wheel = alone / place / "plainformer-1.2.3-py3-none-any.whl"
    wheel.write_bytes(b"")
    root = course(tmp_path, "urls.Homepage = 'https://ada.org/course/'\n")
    printed, asked, raised = run_elsewhere(alone, setup_source(root, []), "ERROR: no network\n")
    there = wheel.resolve()
    assert asked == [str(there), f"https://ada.org/course/downloads/{wheel.name}"]
    assert printed == [
        f"Installing {wheel.name}: about a minute ...",
        "ERROR: no network",
        "Installing "
        "https://ada.org/course/downloads/plainformer-1.2.3-py3-none-any.whl: "
        "about a minute ...",
        "ERROR: no network",
    ]
    assert (
        "at the top of any page of the course (https://ada.org/course/), download the zip" in raised
    )


def test_the_index_comes_first_where_the_course_is_published_there(alone, tmp_path):
    github = "https://github.com/ada/course"
    root = course(
        tmp_path,
        f"urls.Homepage = 'https://ada.org/course/'\nurls.Repository = '{github}/'\n"
        "urls.Package = 'https://pypi.org/project/plainformer/'\n",
    )
    wheel = "plainformer-1.2.3-py3-none-any.whl"
    assert run_elsewhere(alone, setup_source(root, []))[1] == [
        "plainformer==1.2.3",
        f"https://ada.org/course/downloads/{wheel}",
        f"{github}/releases/download/v1.2.3/{wheel}",
        f"git+{github}",
    ]


TORCH = "import torch\nimport no_such_thing"
PINS = "torch==9.8.7\nno-such-thing==1.0\n"


def test_nothing_is_installed_for_a_notebook_that_cannot_have_the_package(alone, tmp_path):
    (tmp_path / "requirements.txt").write_text(PINS)
    _, asked, raised = run_elsewhere(alone, setup_source(tmp_path, [TORCH]))
    assert asked == [] and raised.startswith("This notebook needs the package plainformer")


def test_torch_comes_as_it_was_tested_and_first_without_what_a_gpu_needs(checkout):
    (checkout.parent / "requirements.txt").write_text(PINS)
    source = setup_source(checkout.parent, [TORCH])
    assert "# Needed: Python 3.11 or newer, plainformer, no-such-thing, torch.\n" in source
    printed, asked, _ = run_elsewhere(checkout, source)
    assert printed[0].startswith(
        "Installing no-such-thing==1.0, torch==9.8.7: 200 MB, two to five minutes"
    )
    cpu = "--no-deps --retries=0 --extra-index-url=https://download.pytorch.org/whl/cpu"
    assert asked == [f"{cpu} torch==9.8.7", "no-such-thing==1.0 torch==9.8.7"]


def test_a_notebook_without_torch_does_not_speak_of_it(checkout):
    (checkout.parent / "requirements.txt").write_text(PINS)
    assert "torch" not in setup_source(checkout.parent, ["import no_such_thing"])


def test_other_versions_than_the_tested_ones_are_named(checkout):
    (checkout.parent / "requirements.txt").write_text("pytest==1.0\n")
    source = setup_source(checkout.parent, ["import pytest"])
    package = checkout.parent / "src" / "plainformer" / "__init__.py"
    package.write_text('__version__ = "1.3.0"\n')
    printed, asked, raised = run_elsewhere(checkout, source)
    assert (asked, raised) == ([], "")
    assert printed == [
        "Ready: plainformer 1.3.0",
        "Tested with plainformer 1.2.3; found 1.3.0, so results may differ.",
        f"Tested with pytest 1.0; found {pytest.__version__}, so results may differ.",
    ]


def test_what_a_notebook_needs_besides_the_package(checkout):
    (checkout.parent / "requirements.txt").write_text("scikit-learn==1.9.1  # a peer\n")
    code = [
        "import os, sklearn\nfrom plainformer.inputs import x",
        "%matplotlib inline\nimport numpy as np",
        "this is no Python",
    ]
    assert extra_imports(code, checkout.parent) == ["sklearn"]
    source = setup_source(checkout.parent, code)
    assert "# Needed: Python 3.11 or newer, plainformer, scikit-learn.\n" in source
    assert 'tested = {"plainformer": "1.2.3", "scikit-learn": "1.9.1"}\n' in source


def test_what_is_not_pinned_is_never_asked_of_pip(checkout):
    with pytest.raises(ValueError, match=r"imports PIL, which requirements\.txt lacks"):
        setup_source(checkout.parent, ["from PIL import Image"])


def test_a_stub_that_imports_for_itself_gets_nothing():
    assert imports_for(["import math\nmath.pi"], ["import math"]) == []
    assert imports_for(["def f(): ...\nf()"], ["from a import f"]) == []

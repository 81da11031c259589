"""What is installed where: ranges for whoever installs the package, exact pins for a checkout."""

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import lock_requirements
import setup_venv

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = {
    name: [Requirement(one) for one in group]
    for name, group in PROJECT["optional-dependencies"].items()
}
FOR_OTHERS = [*map(Requirement, PROJECT["dependencies"]), *EXTRAS["torch"]]


def key(name: str) -> str:
    """Return a package's name as pip compares it."""
    return name.lower().replace("_", "-")


LINES = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
PINS = {key(name): pin for name, _, pin in (line.partition("==") for line in LINES) if pin}


@pytest.mark.parametrize("wanted", FOR_OTHERS, ids=lambda wanted: wanted.name)
def test_whoever_installs_the_package_gets_a_range_with_the_tested_version_in_it(
    wanted: Requirement,
) -> None:
    assert wanted.specifier.contains(PINS[key(wanted.name)])
    operators = {one.operator for one in wanted.specifier}
    assert ">=" in operators and not operators & {"==", "==="}


def test_a_checkout_gets_exactly_what_is_pinned() -> None:
    for wanted in [*EXTRAS["book"], *EXTRAS["test"]]:
        assert [(one.operator, one.version) for one in wanted.specifier] == [
            ("==", PINS[key(wanted.name)])
        ]
    assert setup_venv.torch_pin() == f"torch=={PINS['torch']}"


class Commands:
    """Stands in for subprocess.run: notes what would run."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, command: list[object], **_: Any) -> "subprocess.CompletedProcess[str]":
        self.lines.append(" ".join(map(str, command)))
        return subprocess.CompletedProcess([], 0, stdout="torch==2.13.0+cpu\nnumpy==2.4.6\n")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    noted = Commands()
    monkeypatch.setattr(subprocess, "run", noted)
    return noted


def test_the_lock_keeps_the_torch_that_was_chosen(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lock_requirements.venv.EnvBuilder, "create", lambda self, folder: None)
    monkeypatch.setattr(lock_requirements, "TARGET", tmp_path / "requirements.txt")
    assert lock_requirements.main() == 0
    (resolve,) = [line for line in commands.lines if "[torch,book,test]" in line]
    assert resolve.endswith(f" {setup_venv.torch_pin()}")
    written = (tmp_path / "requirements.txt").read_text("utf-8")
    assert written.endswith("torch==2.13.0\nnumpy==2.4.6\n")
    assert written.startswith("\n".join(LINES[:3]))


@pytest.mark.parametrize(
    ("platform", "python"), [("linux", "bin/python"), ("win32", "Scripts/python.exe")]
)
def test_the_set_up_installs_the_pins_and_then_the_package(
    commands: Commands,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    platform: str,
    python: str,
) -> None:
    environment = tmp_path / ".venv"
    (environment / python).parent.mkdir(parents=True)
    (environment / python).touch()
    (environment / "pyvenv.cfg").touch()
    monkeypatch.setattr(sys, "platform", platform)
    assert setup_venv.main([str(environment)]) == 0
    assert all(line.startswith(str(environment / python)) for line in commands.lines)
    *torch, pins, package = commands.lines
    assert pins.endswith("-r requirements.txt") and package.endswith("--no-deps -e .")
    assert [line.split()[-1] for line in torch] == (
        [setup_venv.torch_pin()] if platform == "linux" else []
    )
    assert (environment / ".ready").exists()

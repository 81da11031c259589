"""What is installed where: ranges for whoever installs the package, exact pins for a checkout."""

import errno
import json
import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

import lock_requirements
import setup_venv
from course import OLDEST
from setup_venv import COURSE, WHEEL

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
    """Stands in for subprocess.run: notes what would run; pip resolves two packages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def __call__(self, command: list[object], **_: Any) -> "subprocess.CompletedProcess[str]":
        words = [str(word) for word in command]
        self.lines.append(" ".join(words))
        if "--report" in words:
            found = [{"name": "torch", "version": "2.13.0+cpu"}, {"name": "NumPy", "version": "2"}]
            report = {"install": [{"metadata": one} for one in found]}
            Path(words[words.index("--report") + 1]).write_text(json.dumps(report))
        return subprocess.CompletedProcess([], 0)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> Commands:
    noted = Commands()
    monkeypatch.setattr(subprocess, "run", noted)
    return noted


def test_the_oldest_python_is_the_one_that_is_promised() -> None:
    assert PROJECT["requires-python"] == ">=" + ".".join(map(str, OLDEST))


def test_the_lock_is_resolved_for_the_oldest_python_and_keeps_the_torch_that_was_chosen(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "version_info", (*OLDEST, 7))
    monkeypatch.setattr(lock_requirements, "TARGET", tmp_path / "requirements.txt")
    assert lock_requirements.main() == 0
    *cpu, resolve = commands.lines
    assert all(" download " in line for line in cpu) and len(cpu) == (sys.platform == "linux")
    assert " --python-version 3.11.0 " in resolve and " --ignore-installed " in resolve
    extras = [one for group in PROJECT["optional-dependencies"].values() for one in group]
    for one in [*PROJECT["dependencies"], *extras, setup_venv.torch_pin()]:
        assert f" {one}" in resolve
    written = (tmp_path / "requirements.txt").read_text("utf-8")
    assert written.endswith("\nNumPy==2\ntorch==2.13.0\n")
    assert written.startswith("\n".join(LINES[:3]))


def test_the_lock_is_not_made_with_a_newer_python(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """pip would leave out what only the oldest needs, since it asks the Python that runs it."""
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    assert lock_requirements.main() == 1 and commands.lines == []
    said = capsys.readouterr().err
    assert "this is 3.13.0. Run `make PYTHON=python3.11 lock`." in said


def environment(target: Path, *, executable: str = "", version: str = "") -> Path:
    """Lay out an environment that a Python has made, by default this one; return its Python."""
    python = setup_venv.python_of(target)
    python.parent.mkdir(parents=True)
    python.touch()
    version = version or ".".join(map(str, sys.version_info[:3]))
    executable = executable or os.path.realpath(sys.executable)
    (target / "pyvenv.cfg").write_text(f"version = {version}\nexecutable = {executable}\n")
    return python


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that stands in for the checkout."""
    for name in setup_venv.SOURCES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, bool]]:
    """Stands in for venv: notes which environments would be made, and which of them emptied."""
    noted: list[tuple[Path, bool]] = []

    def create(self: venv.EnvBuilder, folder: Path) -> None:
        assert self.with_pip and self.symlinks == (os.name != "nt")
        noted.append((folder, self.clear))

    monkeypatch.setattr(venv.EnvBuilder, "create", create)
    return noted


@pytest.mark.parametrize("platform", ["linux", "win32"])
def test_the_set_up_installs_the_pins_and_then_the_package(
    commands: Commands, monkeypatch: pytest.MonkeyPatch, root: Path, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    python = environment(root / ".venv")
    assert setup_venv.make(COURSE, root) == 0
    assert all(line.startswith(str(python)) for line in commands.lines)
    pip, *torch, pins, package = commands.lines
    assert pip.endswith("-m pip --version")
    assert pins.endswith("-r requirements.txt") and package.endswith("--no-deps -e .")
    assert [line.split()[-1] for line in torch] == (
        [setup_venv.torch_pin()] if platform == "linux" else []
    )
    assert setup_venv.is_ready(COURSE, root)


def test_the_wheel_needs_only_what_builds_it_at_the_pinned_versions(
    commands: Commands, root: Path
) -> None:
    environment(root / WHEEL.folder)
    assert setup_venv.make(WHEEL, root) == 0
    _, build = commands.lines
    assert build.endswith("install --quiet -c requirements.txt hatchling")
    assert setup_venv.is_ready(WHEEL, root) and not setup_venv.is_ready(COURSE, root)


def test_an_environment_of_another_python_is_made_again(
    commands: Commands,
    made: list[tuple[Path, bool]],
    root: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environment(root / ".venv", executable="/opt/other/python3.99", version="3.99.1")
    (root / ".venv" / ".ready").touch()
    assert not setup_venv.is_ready(COURSE, root)
    assert setup_venv.make(COURSE, root) == 0
    assert made == [(root / ".venv", True)]
    said = capsys.readouterr().out
    ours = f"{sys.version_info[0]}.{sys.version_info[1]}.{sys.version_info[2]}"
    assert (
        ".venv was created with Python 3.99.1 (/opt/other/python3.99); recreating it with " in said
    )
    assert f"with Python {ours} ({os.path.realpath(sys.executable)})" in said


@pytest.mark.parametrize(
    ("change", "another"),
    [
        ({}, False),
        ({"version": "{}.{}.99"}, False),  # an update in place
        ({"version": "3.99.1"}, True),
        ({"executable": "/opt/other/python3"}, True),  # the same version from elsewhere
    ],
    ids=["same", "update", "version", "file"],
)
def test_what_counts_as_another_python(
    tmp_path: Path, change: dict[str, str], another: bool
) -> None:
    change = {key: text.format(*sys.version_info) for key, text in change.items()}
    environment(tmp_path / "env", **change)
    assert bool(setup_venv.another_python(tmp_path / "env")) is another


def test_an_environment_s_own_python_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plain `make` runs the Python of .venv, so it keeps what is there."""
    target = tmp_path / "env"
    environment(target, executable="/opt/other/python3.99")
    assert setup_venv.another_python(target)
    monkeypatch.setattr(sys, "prefix", str(target))
    assert setup_venv.another_python(target) == ""


def test_one_that_does_not_say_what_made_it_is_kept(tmp_path: Path) -> None:
    environment(tmp_path / "env")
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr/bin\nuv = 0.9\n")
    assert setup_venv.another_python(tmp_path / "env") == ""


def test_a_set_up_that_was_cut_off_begins_again_where_pip_is_missing(
    commands: Commands, made: list[tuple[Path, bool]], root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(root / ".venv")
    assert setup_venv.make(COURSE, root) == 0 and made == []
    monkeypatch.setattr(setup_venv, "has_pip", lambda target: False)
    assert setup_venv.make(COURSE, root) == 0 and made == [(root / ".venv", True)]


def test_another_folder_of_that_name_is_left_alone(
    root: Path, made: list[tuple[Path, bool]], capsys: pytest.CaptureFixture[str]
) -> None:
    (root / ".venv").mkdir()
    assert setup_venv.make(COURSE, root) == 1 and made == []
    assert "is not a virtual environment: move it away and try again." in capsys.readouterr().err


def test_a_python_without_ensurepip_is_told_which_package_has_it(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(setup_venv, "find_spec", lambda name: None)
    assert setup_venv.make(COURSE, root) == 1 and not (root / ".venv").exists()
    said = capsys.readouterr().err
    assert "lacks ensurepip" in said and "apt-get install python3." in said


def test_where_pip_cannot_be_put_in_for_another_cause_that_cause_is_shown(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: venv.EnvBuilder, folder: Path) -> None:
        said = b"libpython3.13.so.1.0: cannot open shared object file"
        raise subprocess.CalledProcessError(127, ["python"], output=said)

    monkeypatch.setattr(venv.EnvBuilder, "create", fail)
    assert setup_venv.make(COURSE, root) == 1
    said = capsys.readouterr().err
    assert "ensurepip failed with status 127 and printed:\nlibpython3.13.so.1.0: cannot" in said
    assert "apt-get" not in said


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device", "/mnt/.venv"),
        ValueError("it contains the PATH separator :"),
    ],
    ids=["full", "colon"],
)
def test_a_folder_in_which_no_environment_can_be_gets_a_sentence(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
) -> None:
    def fail(self: venv.EnvBuilder, folder: Path) -> None:
        raise error

    monkeypatch.setattr(venv.EnvBuilder, "create", fail)
    assert setup_venv.make(COURSE, root) == 1
    assert f"{root / '.venv'} cannot be created: {error}" in capsys.readouterr().err


def test_what_pip_cannot_install_leaves_the_environment_unready(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(command: list[object], **_: Any) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess([], int("-r" in command))

    environment(root / ".venv")
    monkeypatch.setattr(subprocess, "run", run)
    assert setup_venv.make(COURSE, root) == 1
    assert "pip install -r requirements.txt failed: see above." in capsys.readouterr().err
    assert not setup_venv.is_ready(COURSE, root)


@pytest.mark.slow
def test_an_environment_is_linked_as_python_m_venv_does_and_has_pip(root: Path) -> None:
    """For real, with nothing to install."""
    bare = setup_venv.Environment("env", ())
    assert setup_venv.make(bare, root) == 0 and setup_venv.is_ready(bare, root)
    python = setup_venv.python_of(root / "env")
    assert python.is_symlink() == (os.name != "nt")
    done = subprocess.run([python, "-m", "pip", "--version"], capture_output=True, text=True)
    assert str(root / "env") in done.stdout

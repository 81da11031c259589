"""The search for browsers: who is asked, in which order, and what is said when there is none."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.browser import required

import browsers
from browsers import CHROMIUM, FIREFOX, KINDS, WEBKIT, Kind

MINE = replace(CHROMIUM, names=("chromium-for-this-test", "google-for-this-test"), mac=None)


def program(path: Path, *, status: int = 0) -> Path:
    """Write a program that ends with ``status``, as a stand-in for a browser."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\nexit {status}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any browser; returns the one folder of its path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/bin")
    for kind in KINDS:
        monkeypatch.delenv(kind.setting, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(browsers, "CHROMIUM", MINE)
    monkeypatch.setattr(browsers, "KINDS", (MINE,))
    monkeypatch.setattr(browsers, "playwright_chromium", lambda: None)
    return folder


def test_the_setting_comes_first(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(bare / "chromium-for-this-test")
    mine = program(tmp_path / "mine")
    monkeypatch.setenv("PLAINFORMER_CHROMIUM", str(mine))
    assert browsers.find_browser(MINE) == mine


@pytest.mark.parametrize("setting", ["missing", "broken", "a folder"])
def test_a_wrong_setting_is_reported_and_nothing_else_is_taken(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    program(bare / "chromium-for-this-test")
    program(tmp_path / "broken", status=1)
    (tmp_path / "a folder").mkdir()
    monkeypatch.setenv("PLAINFORMER_CHROMIUM", str(tmp_path / setting))
    with pytest.raises(ValueError, match=f"PLAINFORMER_CHROMIUM .*{setting}"):
        browsers.find_browser(MINE)
    assert browsers.main() == 1


def test_names_are_tried_in_order_and_one_that_does_not_run_is_passed_over(bare: Path) -> None:
    second = program(bare / "google-for-this-test")
    assert browsers.find_browser(MINE) == second
    first = program(bare / "chromium-for-this-test")
    assert browsers.find_browser(MINE) == first
    program(first, status=1)
    assert browsers.find_browser(MINE) == second


def test_a_snap_is_passed_over_though_it_runs(tmp_path: Path) -> None:
    """It cannot read the profile that a test keeps in /tmp; Ubuntu's script starts one."""
    script, ours = tmp_path / "firefox", tmp_path / "snap" / "firefox"
    ours.parent.mkdir()
    script.write_text("#!/bin/sh\ntrue || exec /snap/bin/firefox\n", encoding="utf-8")
    ours.write_text("#!/bin/sh\ntrue\n", encoding="utf-8")
    for path in (script, ours):
        path.chmod(0o755)
        assert not browsers.runs(path)


def test_playwrights_own_comes_last(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(tmp_path / "own")
    monkeypatch.setattr(browsers, "playwright_chromium", lambda: own)
    assert browsers.find_browser(MINE) == own
    on_path = program(bare / "google-for-this-test")
    assert browsers.find_browser(MINE) == on_path


def test_nothing_is_installed_where_one_is_found(bare: Path) -> None:
    found = program(bare / "chromium-for-this-test")

    def run(commands: Sequence[Sequence[str]]) -> bool:
        raise AssertionError(f"nothing should be installed, but {commands} was")

    assert browsers.find_or_install(MINE, run) == found


@pytest.mark.parametrize(("apt_works", "ways_tried"), [(True, 1), (False, 2)])
def test_root_on_debian_asks_apt_and_then_playwright(
    bare: Path, monkeypatch: pytest.MonkeyPatch, apt_works: bool, ways_tried: int
) -> None:
    monkeypatch.setattr(browsers, "is_root", lambda: True)
    monkeypatch.setattr(browsers, "is_debian", lambda: True)
    tried: list[Sequence[Sequence[str]]] = []

    def run(commands: Sequence[Sequence[str]]) -> bool:
        tried.append(commands)
        if commands[0][0] == "apt-get" and not apt_works:
            return False
        program(bare / "chromium-for-this-test")
        return True

    assert browsers.find_or_install(MINE, run) == bare / "chromium-for-this-test"
    assert len(tried) == ways_tried
    package = "chromium-headless-shell"
    assert tried[0] == [["apt-get", "update"], ["apt-get", "install", "-y", package]]


@pytest.mark.parametrize(("root", "debian"), [(False, True), (True, False), (False, False)])
def test_everybody_else_asks_playwright_alone(root: bool, debian: bool) -> None:
    [[command]] = browsers.install_commands(CHROMIUM, root=root, debian=debian)
    assert command[1:5] == ["-m", "playwright", "install", "chromium"]


def test_an_installation_that_leaves_nothing_that_runs_is_no_success(bare: Path) -> None:
    assert browsers.find_or_install(MINE, lambda commands: True) is None


def test_the_first_command_that_fails_ends_the_way(tmp_path: Path) -> None:
    late = tmp_path / "late"
    assert not browsers.run_all([["false"], ["touch", str(late)]])
    assert not browsers.run_all([["no-such-program-anywhere"]])
    assert not late.exists()
    assert browsers.run_all([["true"], ["touch", str(late)]])
    assert late.exists()


@pytest.mark.parametrize(
    ("text", "expected"), [("ID=debian\n", True), ("ID=ubuntu\nID_LIKE=debian\n", False)]
)
def test_debian_is_told_from_its_relatives(tmp_path: Path, text: str, expected: bool) -> None:
    (tmp_path / "os-release").write_text(text)
    assert browsers.is_debian(tmp_path / "os-release") is expected
    assert not browsers.is_debian(tmp_path / "absent")


@pytest.mark.parametrize(
    ("kind", "root", "ci", "debian", "begins"),
    [
        (FIREFOX, True, False, True, ["apt-get", "update"]),
        (FIREFOX, False, False, True, None),  # a person's own machine is left alone
        (FIREFOX, False, True, True, ["sudo", "-n", "apt-get", "update"]),
        (FIREFOX, True, True, False, None),  # a snap
        (WEBKIT, True, True, False, ["apt-get", "update"]),
    ],
)
def test_packages_are_installed_where_that_is_allowed(
    bare: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: Kind,
    root: bool,
    ci: bool,
    debian: bool,
    begins: list[str] | None,
) -> None:
    for name in ("sudo", "apt-get"):
        program(bare / name)
    if ci:
        monkeypatch.setenv("CI", "true")
    ways = browsers.install_commands(kind, root=root, debian=debian)
    assert [way[0] for way in ways] == ([begins] if begins else [])


def test_a_browser_without_what_it_needs_is_none(bare: Path) -> None:
    kind = replace(MINE, needs=("screen-for-this-test",))
    found = program(bare / "chromium-for-this-test")
    assert browsers.find_browser(kind) is None
    program(bare / "screen-for-this-test")
    assert browsers.find_browser(kind) == found


@pytest.mark.parametrize(("ci", "status"), [(None, 0), ("false", 0), ("true", 1)])
def test_without_a_browser_one_line_says_so_and_only_ci_fails(
    bare: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ci: str | None,
    status: int,
) -> None:
    if ci is not None:
        monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(browsers, "find_or_install", lambda kind: None)
    assert browsers.main() == status
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Chromium was not found" in said.err

    outcome = pytest.fail.Exception if status else pytest.skip.Exception
    with pytest.raises(outcome, match="Chromium was not found"):
        required(MINE)


def test_the_paths_are_all_that_stands_on_stdout(
    bare: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = program(bare / "chromium-for-this-test")
    assert browsers.main() == 0
    assert capsys.readouterr().out == f"{found}\n"

"""Every pin installs on every Python that is promised, and one that does not is named."""

from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import pytest

import check_pins
from check_pins import problems, refused


def test_the_pins_of_this_checkout_keep_the_promise(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_pins.main() == 0, capsys.readouterr().err
    assert "pins allow every Python >=3.11" in capsys.readouterr().out


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[str, str | None]]:
    """The version and the Requires-Python of each package that seems to be installed."""
    packages: dict[str, tuple[str, str | None]] = {}

    def distribution(name: str) -> SimpleNamespace:
        if name not in packages:
            raise PackageNotFoundError(name)
        version, needs = packages[name]
        told = {} if needs is None else {"requires_python": needs}
        return SimpleNamespace(version=version, metadata=SimpleNamespace(json=told))

    monkeypatch.setattr(check_pins, "distribution", distribution)
    return packages


def test_a_pin_that_some_promised_python_refuses_is_named(
    installed: dict[str, tuple[str, str | None]],
) -> None:
    """soupsieve 4.1.1 was pinned once, and Debian 12 has Python 3.11.2."""
    installed.update(
        soupsieve=("4.1.1", ">=3.11.5"), torch=("2.13.0+cpu", ">=3.10"), idle=("1.0", None)
    )
    (said,) = problems({"soupsieve": "4.1.1", "torch": "2.13.0", "idle": "1.0"}, ">=3.11")
    assert said.startswith(
        "soupsieve==4.1.1 needs Python >=3.11.5, but pyproject.toml supports >=3.11, "
        "so it cannot be installed on Python 3.11.0."
    )
    assert problems({"soupsieve": "4.1.1"}, ">=3.11.5") == []


def test_only_the_installed_version_can_be_asked(
    installed: dict[str, tuple[str, str | None]],
) -> None:
    installed["numpy"] = ("2.4.6", ">=3.11")
    other, missing = problems({"numpy": "2.4.7", "tqdm": "4.70.1"}, ">=3.11")
    assert other.startswith("numpy==2.4.7 is pinned, but 2.4.6 is installed: run ")
    assert missing.startswith("tqdm==4.70.1 is pinned but not installed: run ")


@pytest.mark.parametrize(
    ("needs", "oldest"),
    [
        ("", None),
        (">=3.11.0", None),
        (">=2.7, !=3.0.*, <4", None),
        ("!=3.14.1,>=3.11", "3.14.1"),
        (">=3.12", "3.11.0"),
        (">=3.9,<3.15", "3.15.0"),
    ],
)
def test_a_promise_is_kept_from_its_first_python_to_its_last(
    needs: str, oldest: str | None
) -> None:
    found = refused(needs, ">=3.11")
    assert (found and str(found)) == oldest

"""The wheel is in order, and one that is not is told apart: what is wrong, and what to do."""

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.installed import Installed

import build_wheel
from build_wheel import ROOT, WheelError, build, main, problems, sizes


def test_the_wheel_is_in_order(installed: Installed) -> None:
    assert problems(installed.wheel) == []
    weights = sizes(installed.wheel)
    assert sum(weights.values()) == installed.wheel.stat().st_size
    assert weights["checkpoints"] > 1_000_000 and weights["widgets"] > 100_000


def changed(wheel: Path, folder: Path, change: Callable[[dict[str, bytes]], object]) -> Path:
    """Return a copy of a wheel with other files in it."""
    with zipfile.ZipFile(wheel) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    change(files)
    copy = folder / wheel.name
    with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as written:
        for name, content in files.items():
            written.writestr(name, content)
    return copy


HOST = "plainformer/widgets/kit/host.js"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda files: files.pop(HOST), f"the wheel lacks {HOST}: build it again"),
        (
            lambda files: [files.pop(n) for n in list(files) if "/course_lm/" in n],
            "the wheel lacks plainformer/checkpoints/course_lm/card.json and 13 more: build it",
        ),
        (lambda files: files.pop("plainformer/py.typed"), "the wheel lacks plainformer/py.typed"),
        (
            lambda files: files.update({HOST: b"// old"}),
            f"differs from src: {HOST}: build the wheel again from this tree",
        ),
        (
            lambda files: files.update({"tests/test_a.py": b""}),
            "the wheel has tests/test_a.py: not a file of the package",
        ),
        (
            lambda files: [files.pop(n) for n in list(files) if n.endswith("LICENSES.md")],
            "the wheel lacks licenses/LICENSES.md: build it again",
        ),
    ],
    ids=["script", "checkpoint", "types", "other version", "stray file", "licences"],
)
def test_a_wheel_that_is_not_in_order_is_refused(
    installed: Installed,
    tmp_path: Path,
    change: Callable[[dict[str, bytes]], object],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([str(changed(installed.wheel, tmp_path, change))]) == 1
    assert f"error: {said}" in capsys.readouterr().err


def test_what_is_left_in_the_packages_folder_is_not_shipped_by_mistake(
    installed: Installed, tmp_path: Path
) -> None:
    """The package as it was installed stands in for the tree."""
    (tmp_path / "src").mkdir()
    package = tmp_path / "src" / "plainformer"
    package.symlink_to(installed.packages / "plainformer", target_is_directory=True)
    (tmp_path / "LICENSES.md").write_bytes((ROOT / "LICENSES.md").read_bytes())
    wheel = changed(
        installed.wheel, tmp_path, lambda f: f.update({"plainformer/words.csv": b"a word"})
    )
    said = "\n".join(problems(wheel, tmp_path))
    assert "the wheel has plainformer/words.csv: not a file of the package" in said
    assert "the wheel has plainformer/words.csv: the package has no files of this kind" in said
    assert "LICENSES.md has no row for plainformer/words.csv: add one that says" in said


def test_a_line_of_licences_for_what_is_not_shipped_is_told(
    installed: Installed, tmp_path: Path
) -> None:
    wheel = changed(
        installed.wheel, tmp_path, lambda f: f.pop("plainformer/checkpoints/scaling.json")
    )
    said = problems(wheel)
    assert (
        "LICENSES.md lists plainformer/checkpoints/scaling.json: the wheel has no such file" in said
    )


def test_a_wheel_that_is_too_heavy_is_refused(
    installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_wheel, "MOST", 1000)
    (said,) = problems(installed.wheel)
    assert re.fullmatch(
        r"the wheel has [12],\d{3},\d{3} bytes without checkpoints; at most 1,000 allowed", said
    )


def test_a_file_that_is_no_wheel_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.whl")]) == 1
    assert capsys.readouterr().err == f"error: there is no file {tmp_path / 'none.whl'}\n"
    cut = tmp_path / "cut.whl"
    cut.write_bytes(b"PK\x03\x04 and no more")
    assert main([str(cut)]) == 1
    assert "cut.whl is damaged" in capsys.readouterr().err


def test_nothing_half_built_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    dist = tmp_path / "dist"
    monkeypatch.setattr(build_wheel, "DIST", dist)
    monkeypatch.setattr(build_wheel, "MOST", 1000)
    assert main([]) == 1
    assert list(dist.iterdir()) == []
    monkeypatch.undo()
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(WheelError, match="the wheel was not built"):
        build(dist, tmp_path)
    capsys.readouterr()


def test_without_hatchling_it_says_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build_wheel, "find_spec", lambda name: None)
    with pytest.raises(WheelError, match=r"run `make wheel`, or use the Python in"):
        build(tmp_path)

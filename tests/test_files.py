"""`plainformer.files`: the old file or the new one, never a piece of each."""

import os
from pathlib import Path

import pytest

from plainformer.files import atomic_open, atomic_write


def test_writes_bytes_and_text_exactly(tmp_path: Path) -> None:
    path = tmp_path / "a"
    atomic_write(path, "line\r\nline\n\u00e9")
    assert path.read_bytes() == "line\r\nline\n\u00e9".encode()
    atomic_write(str(path), b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_failure_midway_leaves_the_old_file_and_no_other(
    tmp_path: Path, error: BaseException
) -> None:
    path = tmp_path / "a"
    atomic_write(path, "old and whole")
    with pytest.raises(type(error)), atomic_open(path) as file:
        file.write(b"half of the n")
        raise error
    assert path.read_text() == "old and whole"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_failing_rename_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    atomic_write(path, "old and whole")

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(PermissionError):
        atomic_write(path, "new")
    assert path.read_text() == "old and whole"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")
def test_keeps_permissions_and_follows_links(tmp_path: Path) -> None:
    path, plain, link = tmp_path / "a", tmp_path / "plain", tmp_path / "link"
    plain.write_text("")
    atomic_write(path, "new")
    assert path.stat().st_mode == plain.stat().st_mode
    path.chmod(0o640)
    link.symlink_to(path)
    atomic_write(link, "through the link")
    assert link.is_symlink()
    assert path.read_text() == "through the link"
    assert path.stat().st_mode & 0o777 == 0o640


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="data must be bytes or str; got list"):
        atomic_write(tmp_path / "a", [])  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "no such folder" / "a", "x")
    assert list(tmp_path.iterdir()) == []

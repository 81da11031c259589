"""`plainformer.files`: the old file or the new one, never a piece of each."""

import os
import signal
import subprocess
import sys
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


posix = pytest.mark.skipif(os.name != "posix", reason="permissions and links as POSIX has them")


@posix
@pytest.mark.parametrize("length", [242, 255])
def test_long_names(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("a" * length)
    atomic_write(path, "new")
    assert path.read_text() == "new"


@posix
def test_a_write_protected_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="may be written"):
        atomic_write(path, "new")
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@posix
def test_a_pipe_and_a_device_and_a_folder_are_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path, error in ((pipe, ValueError), (Path(os.devnull), ValueError), (tmp_path, ValueError)):
        with pytest.raises(error, match="path must be a regular file"):
            atomic_write(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["pipe"]
    assert pipe.is_fifo()


KILLED = """
import os, signal, sys
from plainformer.files import atomic_open
with atomic_open(sys.argv[1]) as file:
    file.write(b"half of the n")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@posix
def test_a_killed_program_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"


def test_a_full_disk_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plainformer.files.os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*note\.txt'"):
        atomic_write(tmp_path / "note.txt", "new")
    assert list(tmp_path.iterdir()) == []


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="list"):
        atomic_write(tmp_path / "a", [])  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "no such folder" / "a", "x")
    assert list(tmp_path.iterdir()) == []

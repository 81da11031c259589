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
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away"
)


@posix
@pytest.mark.parametrize("length", [242, 255])
def test_long_names(tmp_path: Path, length: int) -> None:
    path = tmp_path / ("a" * length)
    atomic_write(path, "new")
    assert path.read_text() == "new"


@posix
def test_hard_links_go_on_sharing_one_content(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "b"
    path.write_text("old and long")
    other.hardlink_to(path)
    atomic_write(path, "new")
    assert other.read_text() == "new"
    assert path.samefile(other)
    assert len(list(tmp_path.iterdir())) == 2


@posix
@as_root
def test_the_owner_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    os.chown(path, 1234, 4321)
    path.chmod(0o640)
    atomic_write(path, "new")
    status = path.stat()
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (1234, 4321, 0o640)


@posix
def test_an_owner_who_cannot_be_kept_is_written_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_text("old and long")
    inode = path.stat().st_ino

    def refuse(*_: object) -> None:
        raise PermissionError("not yours")

    monkeypatch.setattr(os, "chown", refuse)
    atomic_write(path, "new")
    assert path.read_text() == "new"
    assert path.stat().st_ino == inode


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
    for path, error in ((pipe, ValueError), (Path(os.devnull), ValueError), (tmp_path, OSError)):
        with pytest.raises(error, match="path must be a file"):
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
def test_what_a_killed_program_left_is_taken_away_and_what_is_being_written_is_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2
    with atomic_open(tmp_path / "b") as file:  # takes the leftover away
        assert len(list(tmp_path.iterdir())) == 2
        atomic_write(path, "new")  # and leaves alone what is being written
        file.write(b"whole")
    assert path.read_text() == "new"
    assert (tmp_path / "b").read_text() == "whole"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b"]


@posix
def test_a_finished_file_is_not_taken_for_a_leftover_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.replace

    def replace(temporary: Path, target: Path) -> None:
        if target.name == "a":
            atomic_write(tmp_path / "b", "another writer, at the worst moment")
        rename(temporary, target)

    monkeypatch.setattr(Path, "replace", replace)
    atomic_write(tmp_path / "a", "new")
    assert (tmp_path / "a").read_text() == "new"


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="data must be bytes or str; got list"):
        atomic_write(tmp_path / "a", [])  # type: ignore[arg-type]  # the mistake under test
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "no such folder" / "a", "x")
    assert list(tmp_path.iterdir()) == []

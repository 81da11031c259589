"""Submissions in git: a list of repositories, each looked at without ever being checked out.

The list is a text file with a line `student,address` for each. Only the last commit of a
repository is fetched, into a bare one. Its files are never written to disk, which avoids links,
hooks, filters and submodules; the notebooks are read from it one by one.

An address may be one that a student gave: a neighbour's repository, the teacher's own, or a folder
of this machine. So it is fetched as a stranger would: from the network alone, without the
teacher's keys, helpers and settings. A teacher who wrote the addresses says so (`trusted`).

The time of a commit is what its author's machine said, and lateness is decided by that.
"""

from __future__ import annotations

import csv
import datetime
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.incoming import MAX_DEPTH, File
from plainformer.classroom.notebook import MAX_BYTES, NotebookError, too_large

__all__ = ["Fetched", "fetched", "read_list"]

MAX_REPOSITORY = 200 << 20  # bytes of one, packed
MAX_MEMORY = 2 << 30  # of git
MAX_SECONDS = 120  # to fetch one, and of each question about it
MAX_LIST = 4 << 20  # bytes of a list of addresses
MAX_LISTED = 64 << 20  # bytes of the names of its files
PUBLIC = re.compile(r"(https?|git)://", re.IGNORECASE)  # what needs no key
LINE = "must have lines like `ann,https://example.org/ann.git`"


@dataclass(frozen=True)
class Fetched:
    """What the last commit of a repository holds.

    Attributes:
        files: all of them; submodules and links are named as such.
        committed: when, by its own word; None for a repository without one.
    """

    files: list[File]
    committed: datetime.datetime | None


def read_list(path: Path) -> list[tuple[str, str]]:
    """Students and the addresses of their repositories.

    Raises:
        CourseError: the file is no such list; with the line that is wrong.
    """
    try:
        if path.stat().st_size > MAX_LIST:
            raise OSError("it is too large for a list")
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CourseError(
            f"{path} must be a zip, a folder, or a list of git repositories; {error}"
        ) from None
    found: list[tuple[str, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            parts = [part.strip() for part in next(csv.reader([line]))]
        except csv.Error:
            parts = []
        if len(parts) != 2 or not all(parts):
            raise CourseError(f"{path}, line {number}: a list of repositories {LINE}")
        if number == 1 and parts[0].lower() == "student":
            continue  # a heading
        student, address = parts
        beside = path.parent / address
        with suppress(OSError):  # longer than a name here may be
            address = str(beside.resolve()) if beside.is_dir() else address
        found.append((student, address))
    if not found:
        raise CourseError(f"{path} {LINE}; it has none")
    return found


@contextmanager
def fetched(address: str, *, trusted: bool = False) -> Iterator[Fetched]:
    """The last commit of a repository, as long as it is open.

    Args:
        address: any that git knows.
        trusted: fetch it as the teacher would, from a folder or with their keys too.

    Raises:
        NotebookError: it cannot be fetched, or is too large; with what to say.
    """
    if shutil.which("git") is None:
        raise CourseError("git must be installed to collect from repositories")
    if not trusted and not PUBLIC.match(address):
        raise NotebookError(
            f"The address {address[:200]!r} is no public one, such as https://example.org/ann.git. "
            "Your teacher can fetch it all the same: collect --trust-addresses."
        )
    with tempfile.TemporaryDirectory(prefix="plainformer-git-") as folder:
        _fetch(address, Path(folder), trusted)
        yield Fetched(list(_files(folder)), _committed(folder))


def _git(*arguments: str) -> list[str]:
    off = {
        "core.hooksPath": os.devnull,
        "core.fsmonitor": "false",
        "submodule.recurse": "false",
        "protocol.ext.allow": "never",
        "gc.auto": "0",
        "log.mailmap": "false",  # a file of the repository's, which git would read whole
        "pack.threads": "1",  # each would have a part of the memory
        "core.bigFileThreshold": str(MAX_BYTES),  # larger files go through, not into memory
    }
    return ["git", *(part for pair in off.items() for part in ("-c", "=".join(pair))), *arguments]


def _limited(command: list[str]) -> list[str]:
    """With a limit of memory: what a small pack holds may be large."""
    first = ["sh", "-c", f'ulimit -v {MAX_MEMORY >> 10} 2>/dev/null; exec "$@"', "sh"]
    return [*first, *command] if os.name == "posix" else command


def _environment(folder: str | Path, *, trusted: bool = False) -> dict[str, str]:
    # Names of another repository (GIT_DIR and the like) would lead git astray.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    quiet = {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "LC_ALL": "C",
    }
    if not trusted:
        # Without a home, git finds no settings, helpers, .netrc or keys.
        quiet |= dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "USERPROFILE"), str(folder))
        quiet |= {"GIT_ALLOW_PROTOCOL": "git:http:https", "GIT_CONFIG_GLOBAL": os.devnull}
        kept.pop("SSH_AUTH_SOCK", None)
    return {**kept, **quiet}


def _fetch(address: str, folder: Path, trusted: bool) -> None:
    # An empty helper puts away those that the machine's own settings name.
    alone = [] if trusted else ["-c", "credential.helper="]
    command = _git(
        *alone, "clone", "--quiet", "--bare", "--depth=1", "--single-branch", "--no-tags",
        "--no-local", "--template=", "--", address, str(folder / "it"),
    )  # fmt: skip
    with (
        tempfile.TemporaryFile() as said,
        subprocess.Popen(
            _limited(command),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            env=_environment(folder, trusted=trusted),
            start_new_session=True,  # git has helpers of its own; they end with it
        ) as process,
    ):
        try:
            _watch(process, folder)
        finally:
            if process.poll() is None:
                _end(process)
        if process.returncode:
            said.seek(0)
            lines = said.read(10_000).decode("utf-8", "replace").strip().splitlines()
            raise NotebookError(
                f"The repository cannot be fetched: {lines[-1] if lines else 'git says nothing'}"
            )
    if _bytes_in(folder) > MAX_REPOSITORY:  # it came faster than it was looked at
        raise NotebookError(f"The repository has more than {MAX_REPOSITORY >> 20} MiB.")


def _watch(process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait for a process, but not for ever, and not for any amount."""
    ends = time.monotonic() + MAX_SECONDS
    while process.poll() is None:
        if _bytes_in(folder) > MAX_REPOSITORY:
            raise NotebookError(
                f"The repository has more than {MAX_REPOSITORY >> 20} MiB. Keep data and models "
                "out of it."
            )
        if time.monotonic() > ends:
            raise NotebookError(
                f"The repository could not be fetched within {MAX_SECONDS} seconds."
            )
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _bytes_in(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(parent, name)).st_size  # noqa: PTH118
            except OSError:  # git has moved it meanwhile
                continue
    return total


def _ask(folder: str, *arguments: str, limit: int) -> bytes | None:
    """What git says of the fetched repository; None for an error, or more than the limit.

    A few trees that hold one another, and no file, are a list that never ends nor begins.
    """
    command = _limited(_git("--git-dir", f"{folder}/it", *arguments))
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(folder),
    ) as process:
        assert process.stdout is not None
        late = threading.Timer(MAX_SECONDS, process.kill)
        late.start()
        try:
            data = process.stdout.read(limit + 1)
        finally:
            late.cancel()
        if len(data) > limit:
            process.kill()
            return None
    return None if process.returncode else data


def _committed(folder: str) -> datetime.datetime | None:
    said = _ask(folder, "log", "-1", "--format=%cI", limit=100)
    try:
        return datetime.datetime.fromisoformat((said or b"").decode("ascii").strip())
    except ValueError:
        return None


def _files(folder: str) -> Iterator[File]:
    listed = _ask(folder, "ls-tree", "-r", "-l", "-z", "HEAD", limit=MAX_LISTED)
    for line in (listed or b"").split(b"\0"):
        about, _, name = line.partition(b"\t")
        words = about.split()
        if len(words) != 4:
            continue
        mode, kind, number, size = (word.decode("ascii", "replace") for word in words)
        path = name.decode("utf-8", "replace")
        problem = ""
        if mode == "120000" or kind != "blob":
            problem = "It is no file but a link or a submodule. Commit the notebook itself."
        elif path.count("/") > MAX_DEPTH:
            problem = f"It lies more than {MAX_DEPTH} folders deep, so it was not taken."
        elif int(size) > MAX_BYTES:
            problem = too_large(int(size))
        yield File(path, "", _reader(folder, number), problem)


def _reader(folder: str, number: str) -> Callable[[], bytes]:
    def read() -> bytes:
        data = _ask(folder, "cat-file", "blob", number, limit=MAX_BYTES)
        if data is None:
            raise NotebookError("The file cannot be read out of the repository.")
        return data

    return read

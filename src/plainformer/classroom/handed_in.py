"""Who handed in what: the files of a source, put together by student."""

from __future__ import annotations

import datetime
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from plainformer.classroom.course import CourseError
from plainformer.classroom.incoming import File, files_in
from plainformer.classroom.lms import canvas, moodle
from plainformer.classroom.lms.naming import Named
from plainformer.classroom.notebook import NotebookError
from plainformer.classroom.repositories import fetched, read_list

__all__ = ["HandIn", "hand_ins"]


@dataclass
class HandIn:
    """What one student handed in, or a file that belongs to no known student.

    Attributes:
        whose: who, as the source names them; None if it does not.
        source: where it was found, for people.
        files: all of it, with the order that the source gives them.
        problem: why there is nothing to look at; empty if there is.
        late: whether it came after its time.
        timed: whether anything says when it came.
        when: it came; None where that is not known, even if it is known to be late.
        clock: what says so, to be read after "It was handed in late".
    """

    whose: Named | None
    source: str
    files: list[tuple[int, File]] = field(default_factory=list)
    problem: str = ""
    late: bool = False
    timed: bool = False
    when: datetime.datetime | None = None
    clock: str = ""


@contextmanager
def hand_ins(
    source: Path, due: datetime.datetime | None, *, trusted: bool = False
) -> Iterator[tuple[int, Iterator[HandIn]]]:
    """How many students a source has, and what each of them handed in.

    Args:
        source: a zip, a folder, or a list of git repositories.
        due: until when; only a repository says when it was written.
        trusted: whether the teacher answers for the addresses in a list; see `fetched`.

    Raises:
        CourseError: it is none of these.
    """
    if not source.exists():
        raise CourseError(f"there is no file and no folder {source}")
    if source.is_dir() or zipfile.is_zipfile(source):
        with files_in(source) as files:
            found = _by_student(files, source.name)
            yield len(found), iter(found)
        return
    listed = read_list(source)
    yield len(listed), (each for line in listed for each in _of_repository(*line, due, trusted))


def _of_repository(
    student: str, address: str, due: datetime.datetime | None, trusted: bool
) -> Iterator[HandIn]:
    whose = Named("", "", student, "")
    try:
        with fetched(address, trusted=trusted) as found:
            late = bool(due and found.committed and found.committed > due)
            files = [(0, each) for each in found.files]
            clock = ", by the date that its commit gives"
            when = found.committed
            yield HandIn(whose, address, files, late=late, timed=True, when=when, clock=clock)
    except NotebookError as error:
        yield HandIn(whose, address, problem=str(error))


def _by_student(files: list[File], source: str) -> list[HandIn]:
    """Each student's files, in the order of their names."""
    inner = _without_wrapper([each.path for each in files])
    naming = _naming(list(inner.values()))
    found: dict[tuple[str, str, str], HandIn] = {}
    nobodys: list[HandIn] = []
    for each in files:
        whose = naming(inner[each.path])
        if whose is None:
            nobodys.append(HandIn(None, source, [(0, each)]))
            continue
        # A number is one person's. Where there is none, the name has to do.
        key = (whose.lms, whose.id, "" if whose.id else whose.name)
        kept = found.setdefault(key, HandIn(whose, source))
        if whose.place and whose.order >= (kept.whose.order if kept.whose else 0):
            kept.whose = whose
        kept.late |= whose.late
        kept.timed |= whose.lms == "canvas"
        kept.files.append((whose.order, each))
    return [*(found[key] for key in sorted(found)), *nobodys]


def _without_wrapper(paths: list[str]) -> dict[str, str]:
    """Names below the one folder that contains all of them, unless that folder is a student's.

    It is not a student's if a system named what is below it, or if it contains several things,
    because packing a folder also packs the folder itself.
    """
    tops = {path.partition("/")[0] for path in paths}
    inner = {path: path.partition("/")[2] for path in paths}
    wrapped = len(tops) == 1 and all(inner.values()) and not moodle.named(paths[0])
    several = len({path.partition("/")[0] for path in inner.values()}) > 1
    if wrapped and (several or any(_by_a_system(path) for path in inner.values())):
        return inner
    return {path: path for path in paths}


def _by_a_system(path: str) -> Named | None:
    return moodle.named(path) or canvas.named(path)


def _naming(paths: list[str]) -> Callable[[str], Named | None]:
    """The way in which a source names its files: Moodle's, Canvas's, or a name for each student."""
    if any(moodle.named(path) for path in paths):
        return moodle.named
    flat = [path for path in paths if "/" not in path]
    if flat and 2 * sum(canvas.named(path) is not None for path in flat) > len(flat):
        return canvas.named
    return _plainly


def _plainly(path: str) -> Named | None:
    """A file, or a folder, that has a student's name."""
    first, _, inside = path.partition("/")
    if not inside:
        for ending in (".txt", ".json"):  # browsers and mail programs add them
            first = first.removesuffix(ending) if ".ipynb" in first else first
        first = first.rsplit(".", 1)[0] if "." in first[1:] else first
    return Named("", "", first, "") if first not in ("", ".", "..") else None

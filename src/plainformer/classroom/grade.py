"""Grade an assignment: every answer of every student that has no mark yet.

Answers are marked in parallel, each in its own sandbox, so that what goes wrong with one does not
affect the others. An answer that crashed or passed a limit is tried once more when nothing else
runs, before it costs a mark, because the machine may have been busy.

    plainformer-class grade week-1 --jobs 4
    plainformer-class grade week-1 --shard 2/8     one of eight machines; then `merge`
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path

from tqdm import tqdm

from plainformer.classroom.course import Course, CourseError, load_course
from plainformer.classroom.doctor import honest
from plainformer.classroom.judge import Mark, Status, judge
from plainformer.classroom.marks import AssignmentFiles, read_mark, students, write_mark
from plainformer.classroom.notebook import (
    Notebook,
    NotebookError,
    answer_id,
    read_notebook,
    said_of_copies,
)
from plainformer.classroom.overrides import with_overrides
from plainformer.classroom.sandbox import bubblewrap, choose
from plainformer.classroom.sandbox.leaving_out import without_imports
from plainformer.exercises.spec import Exercise

__all__ = ["Shard", "grade", "judged_marks", "marks_of", "to_mark"]

AGAIN = ("timeout", "memory", "crashed")  # tried once more, alone
NOTEBOOKS = 64  # that are kept in memory: one student's answers are looked at together
AT_ONCE = 4  # tasks a process is given ahead


@dataclass(frozen=True)
class Shard:
    """The i-th of n parts of the students, from 1."""

    i: int = 1
    n: int = 1

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read "2/8".

        >>> Shard.parse("2/8")
        Shard(i=2, n=8)
        """
        first, _, last = text.partition("/")
        if not (first.isdecimal() and last.isdecimal() and 1 <= int(first) <= int(last)):
            raise ValueError(f"a shard must be i/n with i from 1 to n, such as 2/8; got {text!r}")
        return cls(int(first), int(last))


@dataclass(frozen=True)
class Failure:
    """Why an answer has no mark: for the teacher, since it may name a hidden case."""

    said: str


@dataclass(frozen=True)
class Task:
    """One answer to be marked, by names: it goes to another process."""

    folder: Path
    assignment: str
    student: str
    exercise: str
    sandbox: str


def grade(
    folder: Path,
    assignment: str,
    *,
    jobs: int | None = None,
    shard: Shard | None = None,
    sandbox: str | None = None,
    quiet: bool = False,
) -> Counter[Status]:
    """Mark what is not marked; return how many marks of each status there are.

    Args:
        folder: of the course.
        assignment: its name.
        jobs: answers at the same time; as many as there are processors without it.
        shard: the part of the students that is marked here.
        sandbox: instead of the course's.
        quiet: show no progress.

    Raises:
        CourseError: the settings, or nothing to mark, or a sandbox that does not work or would show
            the course; or an exercise that fails, after all others are marked.
        OSError: there is no sandbox.
    """
    course = _anew(folder)
    files = AssignmentFiles(course, course.assignment(assignment))
    sandbox = sandbox or course.sandbox
    if sandbox not in ("unsafe", "container") and bubblewrap.shows(course.folder):
        raise CourseError(
            "a course must lie where no submission can read it, with its secret and solutions: not "
            f"in /usr, nor with Python or its packages; move {course.folder.resolve()}"
        )
    start = choose(sandbox, course.limits)  # says now that there is none, not a thousand times
    everyone = _tasks(files, shard or Shard(), sandbox)
    todo = [task for task in everyone if read_mark(_path(task)) is None]
    if todo and sandbox != "unsafe" and (said := honest(start)):
        raise CourseError(
            f"nobody was marked: in the sandbox of this machine an honest answer fails ({said}). "
            "`plainformer-class doctor` says more"
        )
    with tqdm(total=len(todo), unit="answers", delay=2, disable=quiet) as bar:
        failed: list[str] = []
        again = list(_side_by_side(todo, jobs or os.cpu_count() or 1, bar, failed))
        for task in again:
            _alone(task, failed)
            bar.update()
    if failed:
        raise CourseError(
            f"{len(failed)} answers have no mark, for the grader itself failed. The first: "
            f"{failed[0]}. Does `plainformer-class validate {assignment}` pass?"
        )
    marks = [read_mark(_path(task)) for task in everyone]
    return Counter(mark.status for mark in marks if mark is not None)


def to_mark(
    folder: Path, assignment: str, *, shard: Shard | None = None, sandbox: str | None = None
) -> tuple[Counter[str], int]:
    """What `grade` would mark: how many answers of which students, and of how many in all."""
    course = _anew(folder)
    files = AssignmentFiles(course, course.assignment(assignment))
    everyone = _tasks(files, shard or Shard(), sandbox or course.sandbox)
    todo = [task.student for task in everyone if read_mark(_path(task)) is None]
    return Counter(todo), len(everyone)


def marks_of(folder: Path, assignment: str, sandbox: str | None = None) -> dict[str, list[Mark]]:
    """Every hand-in's marks, in the order of the assignment, with what a person has set.

    Raises:
        CourseError: an answer has no mark yet, or the table of overrides is damaged.
    """
    found = judged_marks(folder, assignment, sandbox)
    course = _course(folder)
    return with_overrides(AssignmentFiles(course, course.assignment(assignment)), found)


def judged_marks(
    folder: Path, assignment: str, sandbox: str | None = None, *, partial: bool = False
) -> dict[str, list[Mark]]:
    """Every hand-in's marks as the judge gave them, in the order of the assignment.

    Args:
        folder: of the course.
        assignment: its name.
        sandbox: instead of the course's.
        partial: whether answers may be without a mark, and then wait for one.

    Raises:
        CourseError: an answer has no mark yet.
    """
    course = _anew(folder)
    files = AssignmentFiles(course, course.assignment(assignment))
    found: dict[str, list[Mark]] = {}
    tasks = _tasks(files, Shard(), sandbox or course.sandbox)
    for task in tqdm(tasks, unit="marks", delay=2, leave=False):
        mark = read_mark(_path(task))
        if mark is None and partial:
            mark = replace(_unread(_exercise(task), "missing", ""), waiting=True)
        if mark is None:
            raise CourseError(
                f"{task.student}'s {task.exercise} has no mark yet, or has changed since; "
                f"run `plainformer-class grade {assignment}` first"
            )
        found.setdefault(task.student, []).append(mark)
    return found


def _tasks(files: AssignmentFiles, shard: Shard, sandbox: str) -> list[Task]:
    names = list(students(files))[shard.i - 1 :: shard.n]
    return [
        Task(files.course.folder, files.assignment.name, name, exercise.id, sandbox)
        for name in names
        for exercise in files.assignment.exercises
    ]


def _side_by_side(todo: list[Task], jobs: int, bar: tqdm, failed: list[str]) -> Iterator[Task]:
    """Mark many; yield those that are to be tried once more, and note where we failed."""
    left = deque(todo)
    while left:
        with ProcessPoolExecutor(min(jobs, len(left)), initializer=_end_with_grader) as pool:
            running: dict[Future[Status | Failure], Task] = {}
            try:
                while left or running:
                    while left and len(running) < AT_ONCE * jobs:
                        running[pool.submit(_mark_and_keep, left[0])] = left[0]
                        left.popleft()
                    for done in wait(running, return_when=FIRST_COMPLETED).done:
                        result = done.result()
                        task = running.pop(done)
                        if result in AGAIN:
                            yield task
                            continue
                        bar.update()
                        if isinstance(result, Failure):
                            failed.append(result.said)
            except BrokenProcessPool:  # a process was ended, at an unknown task
                if not running:
                    raise
                yield from running.values()
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                raise


def _alone(task: Task, failed: list[str]) -> None:
    """Mark one answer while nothing else runs; if it ends our process, it gets no points."""
    with ProcessPoolExecutor(1, initializer=_end_with_grader) as pool:
        try:
            result = pool.submit(_mark_and_keep, task, last=True).result()
            if isinstance(result, Failure):
                failed.append(result.said)
        except BrokenProcessPool:
            said = "The grader itself was ended by this answer. Please tell your teacher."
            _keep(task, _unread(_exercise(task), "crashed", said))


def _end_with_grader() -> None:
    """End this process together with the one that started it; otherwise it would wait forever."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def _mark_and_keep(task: Task, *, last: bool = False) -> Status | Failure:
    """Mark one answer; keep the mark, unless it is to be tried once more."""
    try:
        mark = _mark(task)
    except Exception as error:  # ours, not the student's: no mark, and the batch goes on
        said = f"{task.student}'s {task.exercise}, {type(error).__name__}: {error}"
        return Failure(said)
    if last or mark.status not in AGAIN:
        _keep(task, mark)
    return mark.status


def _keep(task: Task, mark: Mark) -> None:
    write_mark(_path(task), mark, {"student": task.student, "sandboxed": task.sandbox != "unsafe"})


def _mark(task: Task) -> Mark:
    course, exercise, work = _course(task.folder), _exercise(task), _work(task)
    if isinstance(work, str):
        return _unread(exercise, "unreadable", work)
    name = answer_id(exercise.id)
    problem = work.problems.get(name) or work.problems.get("imports")
    if problem:
        return _unread(exercise, "unreadable", problem)
    if name not in work.answers:
        return _unread(
            exercise, "missing", f"There is no answer cell for {exercise.id} in your notebook."
        )
    cells = [without_imports(work.imports, exercise.forbids), work.answers[name]]
    torch = any("torch" in cell for cell in cells)
    mark = judge(
        exercise,
        cells,
        choose(task.sandbox, course.limits, torch=torch, forbids=exercise.forbids),
        secret=course.secret,
        student=task.student,
        seconds=course.seconds,
    )
    for each in (name, "imports"):
        if said := said_of_copies(work, each):
            mark = replace(mark, text=f"{mark.text}\n{said}")
    if task.sandbox == "unsafe":
        return replace(mark, text=f"{mark.text}\n(Marked without a sandbox.)")
    return mark


def _unread(exercise: Exercise, status: Status, text: str) -> Mark:
    return Mark(exercise.id, status, 0, exercise.points, text=text)


def _anew(folder: Path) -> Course:
    """The course as it is now, read again."""
    _course.cache_clear()
    _read.cache_clear()
    return _course(folder)


@cache
def _course(folder: Path) -> Course:
    return load_course(folder)


def _exercise(task: Task) -> Exercise:
    exercises = _course(task.folder).assignment(task.assignment).exercises
    return next(each for each in exercises if each.id == task.exercise)


def _work(task: Task) -> Notebook | str:
    return _read(task.folder, task.assignment, task.student)


@lru_cache(NOTEBOOKS)
def _read(folder: Path, assignment: str, student: str) -> Notebook | str:
    """A student's notebook, or why there is none."""
    course = _course(folder)
    files = AssignmentFiles(course, course.assignment(assignment))
    try:
        path = files.submissions / f"{student}.ipynb"
        found = read_notebook(path, secret=course.secret)
    except NotebookError as error:
        return str(error)
    if found.assignment and found.assignment != assignment:
        return f"This is the notebook of {found.assignment!r}, and this is {assignment!r}."
    return found


def _path(task: Task) -> Path:
    course, exercise, work = _course(task.folder), _exercise(task), _work(task)
    files = AssignmentFiles(course, course.assignment(task.assignment))
    if isinstance(work, str):
        text = work
    else:
        name = answer_id(exercise.id)
        copied = "\2".join(each for each in work.copied if each in (name, "imports"))
        parts = (work.imports, work.answers.get(name), work.problems.get(name), copied)
        text = "\1".join(part or "" for part in parts)
    return files.mark(task.student, exercise, files.key(exercise, text, task.sandbox, task.student))

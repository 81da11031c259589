"""The rules of marking as `course.toml` has them.

[grading.late]                     # for all assignments
per_day = 0.1                      # or per_hour; a share of the points, for each one begun
grace_minutes = 15
most = 0.5

[students."Ann Lee"]
extra_hours = 48
deadlines = { week-1 = 2027-01-20T18:00:00+01:00 }
exempt = ["week-2"]

[groups]
red = ["Ann Lee", "Bo Chen"]

[assignments.week-1]
groups = true                      # or a table of its own, like [groups]
late = false                       # or a table of its own, like [grading.late]

[assignments.week-1.rubric."course.window_mask"]
"loops over rows" = 0.5            # points that this name takes off
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from plainformer.classroom.rules import DAY, HOUR, Accommodation, LatePolicy
from plainformer.classroom.settings import Settings

__all__ = ["accommodations", "groups_of", "late_policy", "rubrics_of"]

Groups = tuple[tuple[str, ...], ...]
RUBRIC = 200  # characters of a deduction's name
SHARES = ("earned", "possible")


def late_policy(
    read: Settings, body: Mapping[str, Any], otherwise: LatePolicy | None
) -> LatePolicy | None:
    """What `late` says in a table; what holds otherwise if it says nothing."""
    given = body.get("late")
    if given is None:
        return otherwise
    if given is False:
        return None
    if not isinstance(given, dict):
        raise read.error("late", f"late must be a table, or false; got {given!r}")
    with read.within("late"):
        read.check_keys(given, "late")
        if ("per_day" in given) == ("per_hour" in given):
            raise read.error("late", "late must have either per_day or per_hour, such as 0.1")
        unit, key = (DAY, "per_day") if "per_day" in given else (HOUR, "per_hour")
        of = given.get("of", "earned")
        if of not in SHARES:
            raise read.error("of", f'of must be "earned" or "possible"; got {of!r}')
        return LatePolicy(
            read.number(given, key, 0, least=0, most=1),
            unit,
            datetime.timedelta(minutes=read.number(given, "grace_minutes", 0, least=0, most=1e6)),
            read.number(given, "most", 1, least=0, most=1),
            of,
        )


def accommodations(
    read: Settings, given: dict[str, Any], assignments: Collection[str]
) -> dict[str, Accommodation]:
    """What each student is granted, by name."""
    with read.within("students"):
        return dict(_granted(read, given, assignments))


def _granted(
    read: Settings, given: dict[str, Any], assignments: Collection[str]
) -> Iterator[tuple[str, Accommodation]]:
    for name, body in read.table(given, "students", keys=False).items():
        if not isinstance(body, dict):
            raise read.error(name, f'{name} must be a table, [students."{name}"]')
        with read.within(name):
            read.check_keys(body, "students")
            hours = read.number(body, "extra_hours", 0, least=0, most=1e6)
            own = body.get("deadlines", {})
            exempt = body.get("exempt", [])
            if not isinstance(own, dict):
                raise read.error("deadlines", "deadlines must be a table of assignments")
            if not isinstance(exempt, list):
                raise read.error("exempt", "exempt must be a list of assignments")
            for each in (*own, *exempt):
                _known(read, each, assignments, "assignment")
            deadlines = {each: read.time(own, each) for each in own}
        kept = {each: time for each, time in deadlines.items() if time is not None}
        yield name, Accommodation(datetime.timedelta(hours=hours), kept, tuple(exempt))


def rubrics_of(
    read: Settings, body: dict[str, Any], names: Collection[str]
) -> dict[str, dict[str, float]]:
    """The deductions of an assignment, by exercise or question."""
    found: dict[str, dict[str, float]] = {}
    with read.within("rubric"):
        for name, deductions in read.table(body, "rubric", keys=False).items():
            _known(read, name, names, "exercise or question")
            if not isinstance(deductions, dict):
                raise read.error(name, f"the rubric of {name} must be a table of deductions")
            with read.within(name):
                for each in deductions:
                    if ";" in each or not each.isprintable() or not 0 < len(each.strip()) <= RUBRIC:
                        raise read.error(
                            each, f"a deduction's name must be a line without ; got {each!r}"
                        )
                    read.number(deductions, each, 0, least=0)
            found[name] = dict(deductions)
    return found


def groups_of(read: Settings, given: Any, of_course: Groups) -> Groups:
    """Who hands in together: groups of their own, or those of the course for `true`."""
    if isinstance(given, bool):
        if given and not of_course:
            raise read.error("groups", "groups = true needs a table [groups] of the course")
        return of_course if given else ()
    if not isinstance(given, dict):
        raise read.error("groups", "groups must be true, or a table of lists of names")
    found: dict[str, str] = {}
    for group, members in given.items():
        if not isinstance(members, list) or not all(isinstance(each, str) for each in members):
            raise read.error(group, f"the group {group} must be a list of students' names")
        for name in members:
            if name in found:
                raise read.error(name, f"{name} is in {found[name]} and in {group}")
            found[name] = group
    return tuple(tuple(members) for members in given.values())


def _known(read: Settings, name: Any, names: Collection[str], what: str) -> None:
    if name not in names:
        near = difflib.get_close_matches(str(name), names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"there is {', '.join(names)}"
        raise read.error(str(name), f"there is no {what} {name!r}; {hint}")

"""The rules that stand between what an answer earned and the mark: deductions, lateness, more time.

They are applied in one order, and every step says what it took off and why:

1. the points that the judge gave, or a person instead;
2. less the named deductions of a rubric that a person applied, together and never below 0;
3. less a share for lateness, of what is then left.

A step only takes away, so no mark rises above what was earned. More time, a later deadline or an
exemption only makes the third step smaller, so an accommodation never lowers a mark.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from plainformer.classroom.verdict import Mark

__all__ = [
    "DAY",
    "HOUR",
    "NOBODYS",
    "Accommodation",
    "LatePolicy",
    "deadline",
    "spoken",
    "with_deductions",
    "with_lateness",
]

DAY, HOUR = datetime.timedelta(days=1), datetime.timedelta(hours=1)
NONE = datetime.timedelta()


@dataclass(frozen=True)
class LatePolicy:
    """What lateness costs.

    Attributes:
        share: taken off for each unit that has begun, from 0 to 1.
        unit: a day or an hour.
        grace: within it nothing is taken off; after it, lateness counts from the deadline.
        most: the largest share that is taken off, from 0 to 1.
        of: what it is a share of: the points that were "earned", or all that are "possible".
    """

    share: float
    unit: datetime.timedelta = DAY
    grace: datetime.timedelta = NONE
    most: float = 1.0
    of: Literal["earned", "possible"] = "earned"

    def share_for(self, late: datetime.timedelta) -> float:
        """The share that is taken off for work that came this much after its deadline.

        >>> policy = LatePolicy(0.1, DAY, grace=HOUR, most=0.5)
        >>> [policy.share_for(hours * HOUR) for hours in (-5, 1, 2, 25, 1000)]
        [0.0, 0.0, 0.1, 0.2, 0.5]
        """
        if late <= max(self.grace, NONE):
            return 0.0
        return min(self.most, self.share * self._begun(late), 1.0)

    def says(self, late: datetime.timedelta) -> str:
        """Why a share is taken off, for the student.

        >>> LatePolicy(0.1).says(27 * HOUR)
        'handed in 1 day 3 hours late: 10 % for each day that has begun, 20 % in all'
        """
        unit = "day" if self.unit == DAY else "hour"
        of = "" if self.of == "earned" else " of all points"
        share = self.share_for(late)
        capped = ", which is the most" if share < self.share * self._begun(late) else ""
        return (
            f"handed in {spoken(late)} late: {100 * self.share:.4g} %{of} for each {unit} that has "
            f"begun, {100 * share:.4g} % in all{capped}"
        )

    def _begun(self, late: datetime.timedelta) -> int:
        return -(-late // self.unit)


@dataclass(frozen=True)
class Accommodation:
    """What one student is granted.

    Attributes:
        extra: time after every deadline.
        deadlines: of their own, by the name of an assignment.
        exempt: assignments that need not be handed in.
    """

    extra: datetime.timedelta = NONE
    deadlines: Mapping[str, datetime.datetime] = field(default_factory=dict)
    exempt: tuple[str, ...] = ()


NOBODYS = Accommodation()


def deadline(
    due: datetime.datetime | None, assignment: str, granted: Accommodation = NOBODYS
) -> datetime.datetime | None:
    """Until when a student may hand in; None for no limit. It is never before the general one.

    >>> due = datetime.datetime(2027, 1, 15, 18, tzinfo=datetime.UTC)
    >>> earlier = Accommodation(deadlines={"week-1": due - DAY})
    >>> deadline(due, "week-1", earlier) == due
    True
    >>> deadline(due, "week-1", Accommodation(extra=2 * DAY)) - due
    datetime.timedelta(days=2)
    """
    if due is None:
        return None
    return max(due, granted.deadlines.get(assignment, due)) + max(granted.extra, NONE)


def with_deductions(mark: Mark, names: Iterable[str], rubric: Mapping[str, float]) -> Mark:
    """A mark without the points that these names of a rubric take off, whatever their order.

    >>> mark = with_deductions(Mark("a", "ok", 1, 4), ["slow", "long"], {"slow": 0.5, "long": 3})
    >>> mark.points, mark.taken
    (0, (('slow', 0.5), ('long', 0.5)))
    """
    chosen = {*names}
    applied = [(name, points) for name, points in rubric.items() if name in chosen]
    if not applied:
        return mark
    left = _rounded(mark.points - math.fsum(points for _, points in applied), mark.points)
    taken, before = [], mark.points
    for name, points in applied:
        after = max(left, _rounded(before - points, before))
        taken.append((name, round(before - after, 4)))
        before = after
    return replace(mark, points=_plain(left), taken=(*mark.taken, *taken))


def with_lateness(
    marks: Sequence[Mark], policy: LatePolicy, late: datetime.timedelta
) -> list[Mark]:
    """Marks of an assignment without the share for lateness.

    Every answer loses the same part of its points, so the columns of a table still add up to its
    sum. A share of all possible points takes no more than there is.

    >>> [mark.points for mark in with_lateness([Mark("a", "ok", 4, 4)], LatePolicy(0.1), HOUR)]
    [3.6]
    """
    share, earned = policy.share_for(late), math.fsum(mark.points for mark in marks)
    if not share or not earned:
        return list(marks)
    if policy.of == "possible":
        possible = math.fsum(mark.possible for mark in marks if not mark.waiting)
        share = min(1.0, share * possible / earned)
    why, found = policy.says(late), list[Mark]()
    for mark in marks:
        left = _rounded(mark.points * (1 - share), mark.points)
        lost = round(mark.points - left, 4)
        taken = (*mark.taken, (why, lost)) if lost else mark.taken
        found.append(replace(mark, points=_plain(left), taken=taken))
    return found


def _rounded(points: float, before: float) -> float:
    """Points to two decimals, never below 0, and not rounded up above what they were."""
    return min(before, max(0.0, round(points, 2)))


def _plain(points: float) -> float:
    return int(points) if float(points).is_integer() else points


def spoken(time: datetime.timedelta) -> str:
    """A time as people say it, without the smaller parts of a long one.

    >>> spoken(27 * HOUR), spoken(datetime.timedelta(minutes=61)), spoken(NONE)
    ('1 day 3 hours', '1 hour 1 minute', 'less than a minute')
    """
    minutes = int(time.total_seconds()) // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    parts = [(days, "day"), (hours, "hour"), (0 if days else minutes, "minute")]
    shown = [f"{n} {unit}{'' if n == 1 else 's'}" for n, unit in parts if n]
    return " ".join(shown) or "less than a minute"

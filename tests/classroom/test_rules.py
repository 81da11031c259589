"""The laws of the rules: no mark below 0 or above what was earned; no accommodation harms."""

import datetime
import math
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from plainformer.classroom.rules import (
    DAY,
    HOUR,
    Accommodation,
    LatePolicy,
    deadline,
    with_deductions,
    with_lateness,
)
from plainformer.classroom.verdict import Mark
from plainformer.classroom.weeks import Week, counted, total

DUE = datetime.datetime(2027, 1, 15, 18, tzinfo=datetime.UTC)
points = st.floats(0, 20, allow_subnormal=False)
times = st.timedeltas(-3 * DAY, 40 * DAY)
shares = st.floats(0, 1)
policies = st.builds(
    LatePolicy,
    shares,
    st.sampled_from([DAY, HOUR]),
    st.timedeltas(0 * DAY, 2 * DAY),
    shares,
    st.sampled_from(["earned", "possible"]),
)
grants = st.builds(
    Accommodation,
    st.timedeltas(0 * DAY, 9 * DAY),
    st.dictionaries(st.just("w"), times.map(lambda time: DUE + time)),
)


@st.composite
def rows(draw):
    """Marks of an assignment, within what is possible."""
    found = []
    for i in range(draw(st.integers(1, 5))):
        possible = draw(points)
        earned = possible * draw(shares)
        found.append(Mark(f"e{i}", "ok", earned, possible, waiting=draw(st.integers(0, 5)) == 0))
    return [replace(mark, points=0) if mark.waiting else mark for mark in found]


def sums(row):
    return math.fsum(mark.points for mark in row)


def within(before, after):
    """No mark below 0 or above before, and what was taken is the difference, to a rounding."""
    for old, new in zip(before, after, strict=True):
        assert 0 <= new.points <= old.points <= old.possible + 1e-9
        taken = math.fsum(lost for _, lost in new.taken) - math.fsum(lost for _, lost in old.taken)
        assert abs(old.points - new.points - taken) < 1e-3
        assert all(lost >= 0 and why for why, lost in new.taken)


@given(rows(), policies, times)
def test_lateness_takes_off_between_nothing_and_everything(row, policy, late):
    after = with_lateness(row, policy, late)
    within(row, after)
    if late <= policy.grace:
        assert after == row
    # No more than the most, and half a cent for each answer.
    base = sums(row) if policy.of == "earned" else sum(m.possible for m in row if not m.waiting)
    assert sums(row) - sums(after) <= policy.most * base + 0.0051 * len(row)


@given(rows(), policies, times, st.timedeltas(0 * DAY, 9 * DAY))
def test_the_later_the_less(row, policy, late, more):
    assert sums(with_lateness(row, policy, late + more)) <= sums(with_lateness(row, policy, late))


@given(rows(), policies, times, grants)
def test_an_accommodation_never_lowers_a_mark(row, policy, came, grant):
    own, general = deadline(DUE, "w", grant), deadline(DUE, "w")
    assert own >= general == DUE
    without = with_lateness(row, policy, DUE + came - general)
    with_it = with_lateness(row, policy, DUE + came - own)
    assert all(a.points >= b.points for a, b in zip(with_it, without, strict=True))
    # Nor does more of it.
    more = replace(grant, extra=grant.extra + DAY)
    assert sums(with_lateness(row, policy, DUE + came - deadline(DUE, "w", more))) >= sums(with_it)


@given(
    points,
    shares,
    st.dictionaries(st.text("abcd", min_size=1, max_size=2), points, max_size=6),
    st.randoms(use_true_random=False),
)
def test_deductions_are_within_the_mark_in_any_order(possible, share, rubric, random):
    mark = Mark("e", "ok", possible * share, possible)
    names = [name for name in rubric if random.random() < 0.7]
    after = with_deductions(mark, names, rubric)
    within([mark], [after])
    random.shuffle(names)
    assert with_deductions(mark, [*names, *names[:1]], rubric) == after
    assert [why for why, _ in after.taken] == [name for name in rubric if name in names]
    # One name more never adds points.
    assert with_deductions(mark, rubric, rubric).points <= after.points


@given(rows(), policies, times, points)
def test_a_deduction_before_lateness_never_adds_points(row, policy, late, off):
    fewer = [with_deductions(mark, ["x"], {"x": off}) for mark in row]
    within(row, with_lateness(fewer, policy, late))
    # A cent for each answer is the rounding of shares of other points.
    slack = 0.0101 * len(row)
    assert (
        sums(with_lateness(fewer, policy, late)) <= sums(with_lateness(row, policy, late)) + slack
    )


weeks = st.builds(
    lambda possible, share, exempt: Week(round(possible * share, 2), possible, exempt),
    st.integers(0, 20),
    shares,
    st.booleans(),
)


@given(st.lists(weeks, min_size=1, max_size=6))
def test_an_exemption_never_lowers_the_share_of_points(found):
    def share(row):
        earned, possible = total(counted({str(i): week for i, week in enumerate(row)}))
        return earned / possible if possible else 0.0

    everything = share([replace(week, exempt=False) for week in found])
    assert share(found) >= everything - 1e-9
    # Nor does one exemption more.
    for i, week in enumerate(found):
        more = [*found[:i], replace(week, exempt=True), *found[i + 1 :]]
        assert share(more) >= share(found) - 1e-9

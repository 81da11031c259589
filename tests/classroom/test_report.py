"""The teacher's page: counts what is there, shows text as text, and needs nothing from outside."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.classroom.test_collect import place  # noqa: F401
from tests.site.axe import axe_problems

from plainformer.classroom.commands import main
from plainformer.classroom.judge import Mark
from plainformer.classroom.questions import Question
from plainformer.classroom.record import Collected
from plainformer.classroom.report import overview
from plainformer.classroom.report_page import as_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FIRST, SECOND = "course.triple.1", "inputs.tokenization.2"
OK = (Mark(FIRST, "ok", 1, 1), Mark(SECOND, "ok", 2, 2))
WRONG = Mark(SECOND, "wrong", 0, 2, text="Expected: 6", hint="Is <b>every</b> pair joined?")
MARKS = {
    **{f"student {i}": OK for i in range(5)},
    "<script>alert(1)</script>": (OK[0], WRONG),
    "Bo & Co": (OK[0], WRONG),
    "slow": (replace(OK[0], status="timeout", points=0, text="No answer in 5 s."), OK[1]),
    "lost": tuple(replace(each, status="missing", points=0) for each in OK),
    "unlike": (replace(OK[0], status="wrong", points=0), replace(WRONG, hint=None)),
}
KNOWN = {"Bo & Co": Collected("Bo & Co", "late", "It was <late>.")}


@pytest.fixture
def page(place):  # noqa: F811
    asked = replace(place.assignment, questions=(Question("why", "Why & how", "", 3),))
    marked = {
        name: (*row, Mark("why", "ok", number % 4, 3))
        for number, (name, row) in enumerate(MARKS.items())
    }
    return as_report(place.course, asked, marked, KNOWN, sandboxed=False)


def test_what_is_counted_is_what_was_marked(place):  # noqa: F811
    found = overview(place.assignment, MARKS)
    assert found.distribution == (2, 0, 0, 2, 0, 0, 1, 0, 0, 0, 5)
    assert sum(found.distribution) == len(MARKS)
    assert (found.mean, found.median, found.possible) == (1.9, 2.5, 3)
    assert found.kinds[FIRST] == {
        "right": 7,
        "not right": 1,
        "stopped": 1,
        "nothing to mark": 1,
    }
    assert [(each.hint, len(each.students)) for each in found.mistakes] == [
        (WRONG.hint, 2),
        ("", 1),
        ("", 1),
    ]
    assert found.weak == ("lost", "unlike", "<script>alert(1)</script>", "Bo & Co")
    assert [student for student, _ in found.stopped] == ["slow"]


def test_names_and_hints_are_text_and_nothing_comes_from_outside(page):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "<script" not in page
    assert "Is &lt;b&gt;every&lt;/b&gt; pair joined?" in page and "It was &lt;late&gt;." in page
    assert "Why &amp; how" in page and "Why & how" not in page
    assert "No answer in 5 s." in page and "Marked without a sandbox" in page
    assert not re.search(r"(src|href)=|url\(|@import|//", page)


def test_a_browser_and_axe_find_nothing_wrong_with_it(page, browser: Browser, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(page, encoding="utf-8")
    for scheme, width in (("light", 1000), ("dark", 360)):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        view = context.new_page()
        said: list[str] = []
        view.on("console", lambda message, said=said: said.append(message.text))
        view.goto(path.as_uri())
        assert axe_problems(view) == [] and said == []
        assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()


def test_the_command_writes_it_from_marks(place, capsys):  # noqa: F811
    place.submissions.mkdir(parents=True)
    (place.submissions / "ann.ipynb").write_text("{")
    at = ["--course", str(place.course.folder)]
    assert main([*at, "grade", "week-1", "-j", "1"]) == 0
    assert main([*at, "report", "week-1"]) == 0
    text = (place.course.folder / "report" / "week-1.html").read_text(encoding="utf-8")
    assert "1 student, 3 points" in text and '<th scope="row">ann</th>' in text

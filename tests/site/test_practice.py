"""Practice in the page: every task answers as its key says, and the reader's progress is kept."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site import page_checks
from tests.site.axe import axe_problems
from tests.site.conftest import Open
from tests.site.report import expect_none

from plainformer.exercises import check, exercise, points
from plainformer.exercises.order import CHAPTERS
from plainformer.exercises.practice import page_tasks

if TYPE_CHECKING:
    from playwright.sync_api import Page

PRACTICE, MASKING = "book/practice.html", "book/attention/masking.html"
CHAPTER = "attention.masking"
TALL = {"width": 320, "height": 2400}  # the bar at the top covers nothing of the box

JUDGED = Path(__file__).with_name("practice.js").read_text(encoding="utf-8")


def test_every_task_of_the_book_is_judged_by_its_key(open_file: Open) -> None:
    with open_file(PRACTICE) as visit:
        found = visit.page.evaluate(JUDGED, list(CHAPTERS))
        expect_none(found["problems"] + visit.problems)
        counts = visit.page.evaluate("pfPracticeCounts")
        assert found["drawn"] == sum(counts.values()) > 400


def test_a_session_by_keyboard(open_either: Open) -> None:
    """The focus follows from the button to each task's title, and to what is said at the end."""
    with open_either(MASKING) as visit:
        page = visit.page
        page.locator(".pf-practice").get_by_role("button", name="Start").focus()
        tasks = page_tasks(CHAPTER)
        for task in tasks:
            page.keyboard.press("Enter")
            title = page.locator(".pf-practice-title")
            title.filter(has_text=task.title).wait_for()
            assert title.evaluate("title => title === document.activeElement")
            if task.kind == "value":
                page.keyboard.press("Tab")
                while page.locator("pre:focus").count():
                    page.keyboard.press("Tab")
                page.keyboard.type("no such value")
                page.keyboard.press("Enter")
                page.locator(".pf-practice .pf-is-wrong").wait_for()
            page.locator(".pf-practice-buttons").get_by_role("button").last.focus()
        page.keyboard.press("Enter")
        page.get_by_text(f"You got 0 of {len(tasks)} at the first try.").wait_for()
        page.get_by_role("link", name="More tasks like these").click()
        page.wait_for_url(f"**/{PRACTICE}")
        expect_none(visit.problems)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_kind_of_task_is_for_everybody(open_file: Open, scheme: str) -> None:
    """axe-core finds nothing when a task is answered, and at 320 pixels nothing is too wide."""
    with open_file(MASKING, color_scheme=scheme, viewport=TALL) as visit:
        page = visit.page
        box = page.locator(".pf-practice")
        box.get_by_role("button", name="Start").click()
        problems = []
        for task in page_tasks(CHAPTER)[:3]:
            if task.kind == "value":
                box.get_by_role("textbox").fill("7")
                box.get_by_role("button", name="Check").click()
            else:
                box.locator(".pf-code-line").first.click()
            problems += axe_problems(page, ".pf-practice") + page_checks.overflow_problems(page)
            box.get_by_role("button", name=re.compile("Skip|Next")).click()
        expect_none(problems + visit.problems)


def answer_rightly(page: Page) -> None:
    """Answer the first task on the page of masking, a value, as it should be."""
    box = page.locator(".pf-practice")
    box.get_by_role("button", name="Start").click()
    (first, *_) = page_tasks(CHAPTER)
    box.get_by_role("textbox").fill(first.shown)  # type: ignore[attr-defined]
    box.get_by_role("button", name="Check").click()
    box.locator(".pf-is-right").wait_for()


@pytest.mark.usefixtures("new_session")
def test_progress_is_kept_cleared_and_carried_to_another_browser(
    open_http: Open, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is on the map and in the list of chapters, and it comes from a notebook, too."""
    for each in ("attention.masking.1", "attention.masking.3", "decoding.search.2"):
        check(each, exercise(each).reference)
    points()
    line = capsys.readouterr().out.splitlines()[-1]
    with open_http(MASKING) as visit:
        page = visit.page
        answer_rightly(page)
        page.goto(visit.home + PRACTICE)
        page.get_by_role("button", name=re.compile(r"Masking: 1 of \d+ tasks right$")).wait_for()
        page.get_by_label("From a notebook").fill(line)
        page.get_by_role("button", name="Add").click()
        page.get_by_text("3 exercises were added to your progress.").wait_for()
        page.get_by_role("button", name="What is due").click()
        page.get_by_text("Nothing is due today; the next task comes tomorrow.").wait_for()
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").click()
        download.value.save_as(tmp_path / "mine.json")
        page.goto(visit.home)
        card = page.locator(".pf-map a[data-slug='masking']")
        assert "1 task right, 2 exercises passed" in str(card.text_content())
        expect_none(axe_problems(page, ".pf-map") + visit.problems)
    with open_http(PRACTICE) as visit:
        page = visit.page
        done = re.compile("^Masking: 1 of .* 2 exercises passed")
        masking = page.get_by_role("button", name=done)
        assert masking.count() == 0
        page.locator("input[type=file]").set_input_files(tmp_path / "mine.json")
        page.get_by_text("4 entries were added to your progress.").wait_for()
        masking.wait_for()
        page.get_by_role("button", name="Clear").click()
        assert masking.count() == 0
        page.get_by_role("button", name="Undo").click()
        masking.wait_for()
        expect_none(visit.problems)


@pytest.mark.parametrize("text", ["", "[]", '{"practice": {}}', "\x00", '{"course": "another"}'])
def test_a_file_that_is_not_an_export_is_refused_and_nothing_is_lost(
    open_http: Open, tmp_path: Path, text: str
) -> None:
    (tmp_path / "other.json").write_text(text)
    with open_http(PRACTICE) as visit:
        page = visit.page
        page.evaluate("pfProgress.record('attention.masking.1/order', true)")
        before = page.evaluate("pfProgress.write()")
        page.locator("input[type=file]").set_input_files(tmp_path / "other.json")
        page.get_by_text("This is not a file that the button Export has written.").wait_for()
        assert page.evaluate("pfProgress.write()") == before


def test_what_a_stranger_wrote_into_the_store_is_not_read(open_http: Open) -> None:
    bad = {"tasks": {"x": 1, "attention.masking.1/order": {"row": "<b>", "due": 1}}, "passed": 3}
    with open_http(PRACTICE) as visit:
        for kept in (json.dumps(bad), "{", "null", "7"):
            visit.page.evaluate("text => localStorage.setItem('plainformer.progress', text)", kept)
            visit.page.reload()
            visit.page.get_by_role("button", name=re.compile("^Masking: 0 of")).wait_for()
        expect_none(visit.problems)


def test_an_answer_to_a_question_is_there_again_after_a_reload(open_http: Open) -> None:
    with open_http(MASKING) as visit:
        page = visit.page
        question = page.locator(".pf-question:has(.pf-choices)").first
        question.get_by_role("button").nth(1).click()
        said = question.locator(".pf-reply").inner_text()
        page.reload()
        visit.settle()
        assert question.locator(".pf-reply").inner_text() == said
        assert question.get_by_role("button").nth(1).get_attribute("aria-pressed") == "true"
        expect_none(visit.problems)

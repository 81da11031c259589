"""Every page in a browser: quiet, readable by everybody, and at home on a phone."""

from pathlib import Path

import pytest
from tests.site import page_checks
from tests.site.conftest import Open
from tests.site.report import expect_none

MODES = ["light", "dark"]


def test_nothing_leaves_the_site_and_nothing_complains(open_either: Open, page_name: str) -> None:
    """Also when all is unfolded and scrolled through, and the theme is changed."""
    with open_either(page_name) as visit:
        visit.unfold()
        page_checks.scroll_through(visit)
        for switch in visit.page.locator("button.theme-switch-button:visible").all()[:1]:
            for _ in range(3):
                switch.click()
        visit.page.wait_for_load_state("networkidle")
        expect_none(visit.problems)


def test_every_picture_has_alternative_text_without_scripts(
    open_http: Open, page_name: str
) -> None:
    with open_http(page_name, java_script_enabled=False) as visit:
        expect_none(page_checks.picture_problems(visit.page))
        expect_none(visit.problems)


@pytest.mark.parametrize("mode", MODES)
def test_everybody_can_read_it(open_http: Open, page_name: str, mode: str) -> None:
    """With all unfolded, in both modes: axe-core finds nothing, nor do we in drawings."""
    with open_http(page_name, color_scheme=mode, reduced_motion="reduce") as visit:
        visit.unfold()
        problems = page_checks.mode_problems(visit.page, mode)
        problems += page_checks.picture_problems(visit.page)
        problems += page_checks.repeated_id_problems(visit.page)
        problems += page_checks.drawn_text_problems(visit.page)
        expect_none(problems + page_checks.axe_problems(visit.page))


def test_it_is_at_home_on_a_phone(open_http: Open, page_name: str) -> None:
    """Nothing is too wide, folded or not; and axe-core finds nothing.

    But for contrast, which is slow to measure and the same at every width.
    """
    with open_http(page_name, **page_checks.PHONE, reduced_motion="reduce") as visit:
        problems = page_checks.axe_problems(visit.page, without="color-contrast")
        problems += page_checks.overflow_problems(visit.page)
        visit.unfold()
        expect_none(problems + page_checks.overflow_problems(visit.page))


def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    open_http: Open, page_name: str
) -> None:
    """And its first stop leads past the menus."""
    with open_http(page_name) as visit:
        problems = page_checks.tab_problems(visit.page)
        expect_none(problems + page_checks.skip_link_problems(visit.page))


def test_the_root_leads_to_the_first_page(open_either: Open, site: Path) -> None:
    with open_either("index.html") as visit:
        visit.page.wait_for_url("**/book/index.html")
        visit.settle()
        assert visit.page.locator("main h1:visible").count() == 1
        expect_none(visit.problems)

"""Every page in a browser: quiet, readable by everybody, and at home on a phone."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site import page_checks, reactions, reading, visits, weight, widget_checks
from tests.site.axe import axe_problems
from tests.site.conftest import Kept, Open
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import Visit
from tests.site.walk import is_chapter

if TYPE_CHECKING:
    from playwright.sync_api import Page

LAPTOP = {"width": 1280, "height": reading.SCREEN}
WIDGETS = "[data-pf-widget]"
LONGEST = "book/attention/lookup.html"  # a page of some seven thousand elements
# Whether it is seen once a reader scrolls up, when the theme lets it.
BACK_TO_TOP = """() => {
  const button = document.getElementById("pst-back-to-top");
  button.style.display = "block";
  const seen = button.checkVisibility({ visibilityProperty: true });
  button.style.display = "";
  return seen;
}"""


def test_it_is_quiet_and_everybody_can_use_and_read_it(
    open_http: Open, kept: Kept, server: SiteServer, page_name: str
) -> None:
    """From a server, in light mode: as it opens, then by keyboard, then with all unfolded.

    It is light to load, and in Read it is short. The keyboard reaches everything and shows where
    it is; its first stop leads past the menus, which are the same on all pages: the keyboard goes
    through them on the first page and on one chapter. All has contrast, drawings too, and no code
    is cut off beside both menus. Nothing leaves the site and nothing complains. The rest of
    axe-core's rules are held below, where each widget shows its table as well.
    """
    known = kept(page_name)
    server.responses.clear()
    with open_http(page_name, color_scheme="light", viewport=LAPTOP) as visit:
        problems = weight.problems(visit.page, server, page_name, known)
        problems += reading.problems(visit.page) if is_chapter(page_name) else []
        menus = page_name in (weight.INDEX, LONGEST)
        problems += page_checks.tab_problems(visit.page, "body" if menus else "main")
        problems += page_checks.skip_link_problems(visit.page)
        page_checks.leave(visit.page)
        change_theme(visit.page)
        visit.page.emulate_media(reduced_motion="reduce")
        visit.unfold()
        problems += page_checks.cut_code_problems(visit.page, narrow=False)
        problems += page_checks.overflow_problems(visit.page)
        problems += page_checks.formula_problems(visit.page)
        problems += look_at(visit.page, "light")
        problems += page_checks.repeated_id_problems(visit.page)
        problems += axe_problems(visit.page, rules="contrast")
        expect_none(problems + noise(visit))


def test_from_the_disk_in_dark_it_is_at_home_on_a_phone(open_file: Open, page_name: str) -> None:
    """As legible as in light mode, and nothing is too wide or cut off; hands work every widget.

    A link into any fold opens it. What is too wide may be folded or not, on a phone, or in
    a laptop's window at 400 %. Keys, pointer and finger try each widget; axe-core looks at the
    page once all has been moved and each widget shows its table. In print, a picture stands in for
    it.
    """
    options = {**page_checks.PHONE, "color_scheme": "dark", "reduced_motion": "reduce"}
    with open_file(page_name, **options) as visit:
        page = visit.page
        assert not page.evaluate(BACK_TO_TOP), "a button floats over the page"
        problems = page_checks.overflow_problems(page)
        if is_chapter(page_name):
            problems += page_checks.late_toy_problems(page) + page_checks.fold_problems(page)
        visit.unfold()
        problems += look_at(page, "dark") + page_checks.cut_code_problems(page, narrow=True)
        problems += page_checks.overflow_at(page, [320, 390, 360])
        reactions.hurry(page)
        widgets = range(page.locator(WIDGETS).count())
        for number in widgets:
            with widget_checks.alone(page, number) as widget:
                found = widget_checks.touch(page, widget, most=1)
                found += widget_checks.hand_problems(page, widget)
            problems += [f"widget {number}: {each}" for each in found]
        problems += page_checks.overflow_problems(page)
        page_checks.scroll_through(visit)  # and back to the top, where its bar hides no button
        problems += axe_problems(page)
        page.emulate_media(media="print")
        for number in widgets:
            found = widget_checks.stand_in_problems(widget_checks.widget_at(page, number))
            problems += [f"widget {number}, in print: {each}" for each in found]
        expect_none(problems + visit.problems)


@pytest.mark.parametrize("page", [weight.INDEX, LONGEST])
def test_beside_its_menus_it_is_as_legible_in_dark(open_http: Open, page: str) -> None:
    """The menus, which a phone folds away, are the same on all pages; so are the margins."""
    with open_http(page, color_scheme="dark", viewport=LAPTOP, reduced_motion="reduce") as visit:
        visit.unfold()
        problems = look_at(visit.page, "dark") + axe_problems(visit.page, rules="contrast")
        expect_none(problems + noise(visit))


def test_where_motion_is_reduced_a_change_of_theme_moves_nothing(open_http: Open) -> None:
    """A transition in every element, however short, runs from each to its children for seconds."""
    with open_http(LONGEST, reduced_motion="reduce") as visit:
        moving = visit.page.evaluate(
            """async () => {
              const { dataset } = document.documentElement;
              dataset.theme = dataset.theme === "dark" ? "light" : "dark";
              await pfFrame();
              return document.getAnimations().length;
            }"""
        )
        assert moving == 0


def look_at(page: "Page", mode: str) -> list[str]:
    """Return what is wrong to the eye on a page that is open in one mode."""
    problems = page_checks.mode_problems(page, mode) + page_checks.picture_problems(page)
    return problems + page_checks.drawn_text_problems(page)


def change_theme(page: "Page") -> None:
    """Press the switch of the theme once round."""
    for switch in page.locator("button.theme-switch-button:visible").all()[:1]:
        for _ in range(3):
            switch.click()


def noise(visit: Visit) -> list[str]:
    """Scroll through the page; return what left the site or complained so far."""
    visit.page.emulate_media(reduced_motion="no-preference")  # with the motion that most see
    page_checks.scroll_through(visit)
    # What this asks for is drawn and loaded; "networkidle" would not tell, for it tells of one time
    # only, soon after the page was opened, and from the disk it may never come.
    visit.settle()
    visit.page.wait_for_function(visits.LOADED, polling=50)
    return visit.problems


def test_pictures_stand_in_for_everything_without_scripts(open_http: Open, toy_page: str) -> None:
    with open_http(toy_page, java_script_enabled=False) as visit:
        problems = page_checks.picture_problems(visit.page)
        visit.page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        for widget in visit.page.locator(WIDGETS).all():
            problems += widget_checks.stand_in_problems(widget)
        expect_none(problems + visit.problems)


def test_the_root_is_the_first_page(open_http: Open, site: Path) -> None:
    """The address of the site alone shows the book: no page in between, and no second copy."""
    assert [path.relative_to(site).as_posix() for path in site.rglob("index.html")] == [
        "index.html"
    ]
    with open_http("") as visit:
        assert visit.page.url == visit.home
        assert visit.page.locator("main h1:visible").count() == 1
        visit.page.locator("main a[href='book/inputs/tokenization.html']:visible").first.click()
        visit.page.wait_for_url(f"{visit.home}book/inputs/tokenization.html")
        expect_none(visit.problems)


def test_the_name_of_the_book_leads_home(open_either: Open, site: Path) -> None:
    with open_either("book/inputs/tokenization.html") as visit:
        visit.page.locator("a.logo:visible").first.click()
        visit.page.wait_for_url(f"{visit.home}index.html")
        visit.settle()
        expect_none(visit.problems)

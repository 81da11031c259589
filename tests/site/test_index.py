"""The first page: something to play with at once, and a map whose parts lead to the chapters."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.site import page_checks, widget_checks
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import Visit
from tests.site.weight import INDEX

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHAPTERS = Path(__file__).parents[2] / "book" / "map" / "chapters.yml"
SCREENS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "phone": dict(page_checks.PHONE),
}
PARTS = """() => [...document.querySelectorAll(".pf-map [data-slug]")]
  .filter(el => el.checkVisibility())
  .map(el => ({slug: el.dataset.slug, link: el.localName === "a", href: el.getAttribute("href"),
    name: el.textContent}))"""


def pages_of_chapters(site: Path) -> dict[str, str | None]:
    """Return each chapter's slug, and its page relative to the index where it is written."""
    parts = yaml.safe_load(CHAPTERS.read_text(encoding="utf-8"))
    paths = {
        chapter["slug"]: f"book/{part['part']}/{chapter['slug']}.html"
        for part in parts
        for chapter in part["chapters"]
    }
    return {slug: path if (site / path).is_file() else None for slug, path in paths.items()}


# Fonts, pictures and the theme's own scripts: what a widget must not wait for.
EXTRAS = re.compile(r"\.(woff2?|png|svg|ico)$|/scripts/(bootstrap|pydata)")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_widget_stands_above_the_fold_and_is_ready_at_once(
    browser: "Browser", server: SiteServer, screen: str
) -> None:
    """What can be moved must be in sight without scrolling, and waits for nothing but itself.

    Here no font or picture ever arrives, and no script that the page runs behind it.
    """
    context = browser.new_context(**SCREENS[screen])
    context.set_default_timeout(60_000)
    try:
        page = context.new_page()
        context.route(EXTRAS, lambda route: None)  # asked for, and never answered
        page.goto(server.url + INDEX, wait_until="commit")
        page.locator("[data-pf-widget][data-pf-ready]").first.wait_for()
        widget = widget_checks.widget_at(page, 0)
        assert widget.get_attribute("data-pf-ready") is not None
        assert page.evaluate("() => scrollY") == 0
        controls = widget_checks.visible(widget, widget_checks.CONTROLS)
        bottoms = [box["y"] + box["height"] for c in controls if (box := c.bounding_box())]
        assert min(bottoms) <= page.evaluate("() => innerHeight"), bottoms
    finally:
        context.close()


@pytest.mark.parametrize("screen", SCREENS)
def test_every_part_of_the_map_is_a_link_or_says_that_it_is_not_written(
    open_http: Open, site: Path, screen: str
) -> None:
    with open_http(INDEX, **SCREENS[screen]) as visit:
        parts = visit.page.evaluate(PARTS)
        pages = pages_of_chapters(site)
        assert sorted(part["slug"] for part in parts) == sorted(pages), "one map, all chapters"
        assert any(part["link"] for part in parts)
        for part in parts:
            expected = pages[part["slug"]]
            assert part["link"] is (expected is not None), part
            assert part["href"] == expected, part
            assert ("Not written yet" in part["name"]) is (expected is None), part


@pytest.mark.parametrize("screen", SCREENS)
def test_the_map_is_used_by_keyboard(open_either: Open, site: Path, screen: str) -> None:
    """Tab stops at every written chapter; Enter opens it."""
    written = {slug for slug, page in pages_of_chapters(site).items() if page}
    with open_either(INDEX, **SCREENS[screen]) as visit:
        page, reached = visit.page, set()
        page.evaluate(page_checks.TO_THE_TOP)
        for _ in range(page_checks.TABS):
            page.keyboard.press("Tab")
            slug = page.evaluate("() => document.activeElement.dataset.slug")
            if slug:
                reached.add(slug)
            elif reached or page.evaluate("() => document.activeElement === document.body"):
                break
        assert reached == written
        last = sorted(reached)[-1]
        page.locator(f".pf-map [data-slug='{last}']").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{pages_of_chapters(site)[last]}")
        assert visit.problems == []


@pytest.mark.parametrize("screen", SCREENS)
def test_the_first_line_promises_and_a_button_starts(open_http: Open, screen: str) -> None:
    """Free, nothing to install, for whom; and what begins it is in sight without scrolling."""
    with open_http(INDEX, **SCREENS[screen]) as visit:
        promise = visit.page.locator("main h1 + p").inner_text().lower()
        for word in ("free", "nothing to install", "python", "chatbots"):
            assert word in promise
        start = visit.page.locator("main a.pf-start:visible")
        box = start.bounding_box()
        assert box and box["y"] + box["height"] <= visit.page.evaluate("() => innerHeight")
        start.click()
        visit.page.wait_for_url(f"{visit.home}book/inputs/tokenization.html")


# Of each toy: how its drawing looks, what it says, whether its slider's own words say the same.
TOY = """toy => ({
  look: [...toy.querySelectorAll("[data-go], [data-say]")].map(el => el.outerHTML).join(""),
  says: toy.querySelector(".pf-toy-line").textContent,
  told: toy.querySelector("input").getAttribute("aria-valuetext"),
  at: Number(toy.querySelector("input").value),
  lines: toy.dataset.lines.split("|"),
  start: Number(toy.dataset.start),
})"""


def test_the_toys_stand_still_for_who_prefers_that_and_their_sliders_lead(
    open_either: Open,
) -> None:
    with open_either(INDEX, reduced_motion="reduce") as visit:
        toys = visit.page.locator(".pf-toy").all()
        assert len(toys) >= 3
        for toy in toys:
            toy.scroll_into_view_if_needed()
            visit.page.evaluate("() => new Promise(requestAnimationFrame)")
            before = toy.evaluate(TOY)
            assert before["at"] == before["start"], "it has moved by itself"
            assert toy.locator("button").is_hidden()
            slider = toy.locator("input[type=range]")
            for key, place in (("End", -1), ("Home", 0)):
                slider.press(key)
                after = toy.evaluate(TOY)
                assert after["says"] == after["told"] == after["lines"][place]
                assert after["look"] != before["look"]
                before = after
            assert toy.locator("a").get_attribute("href") in pages_of_chapters_of(visit)
        expect_none(visit.problems)


def pages_of_chapters_of(visit: Visit) -> list[str]:
    """Return the addresses that the map on the page that is open leads to."""
    return [part["href"] for part in visit.page.evaluate(PARTS) if part["link"]]


PLAYING = """() => [...document.querySelectorAll(".pf-toy button")]
  .map(each => each.ariaLabel.startsWith("Pause"))"""


def test_the_toys_play_once_one_after_the_other_and_can_be_stopped(open_http: Open) -> None:
    """Their pace is taken from the machine: here a step lasts for ever, or no time at all."""
    with open_http(INDEX, **SCREENS["laptop"]) as visit:
        page = visit.page
        toys = [page.locator(".pf-toy").nth(number) for number in range(3)]
        for toy in toys:
            toy.evaluate("toy => { toy.dataset.pace = 1e12; }")
        assert page.evaluate(PLAYING) == [False, False, False], "none is in sight"
        page.locator(".pf-toys").evaluate("el => el.scrollIntoView({block: 'center'})")
        for number, toy in enumerate(toys):
            alone = [number == other for other in range(3)]
            page.wait_for_function(f"alone => ({PLAYING})().join() === alone.join()", arg=alone)
            if number == 0:
                toy.evaluate("toy => { toy.dataset.pace = 1e-3; }")  # it comes to its end
            else:
                toy.locator("button").click()  # it is stopped
        page.wait_for_function(f"() => !({PLAYING})().includes(true)")
        places = [toy.evaluate(TOY) for toy in toys]
        assert places[0]["says"] == places[0]["lines"][-1], "played to the end"
        assert places[1]["says"] == places[1]["lines"][0], "stopped where it was"
        expect_none(visit.problems)

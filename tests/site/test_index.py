"""The first page: something to play with at once, and a map whose parts lead to the chapters."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.site import page_checks, widget_checks
from tests.site.conftest import Open
from tests.site.server import SiteServer
from tests.site.weight import INDEX

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHAPTERS = Path(__file__).parents[2] / "book" / "map" / "chapters.yml"
SCREENS: dict[str, dict[str, Any]] = {
    "laptop": {"viewport": {"width": 1280, "height": 720}},
    "phone": dict(page_checks.PHONE),
}
PARTS = """() => [...document.querySelectorAll("svg [data-slug]")]
  .filter(el => el.checkVisibility())
  .map(el => ({slug: el.dataset.slug, link: el.localName === "a", href: el.getAttribute("href"),
    name: el.getAttribute("aria-label") ?? ""}))"""


def pages_of_chapters(site: Path) -> dict[str, str | None]:
    """Return each chapter's slug, and its page relative to the index where it is written."""
    parts = yaml.safe_load(CHAPTERS.read_text(encoding="utf-8"))
    paths = {
        chapter["slug"]: f"book/{part['part']}/{chapter['slug']}.html"
        for part in parts
        for chapter in part["chapters"]
    }
    return {slug: path if (site / path).is_file() else None for slug, path in paths.items()}


# Fonts, pictures and formulas: what a widget must not wait for.
EXTRAS = re.compile(r"\.(woff2?|png|svg|ico)$|/mathjax/")


@pytest.mark.parametrize("screen", SCREENS)
def test_a_widget_stands_above_the_fold_and_is_ready_at_once(
    browser: "Browser", server: SiteServer, screen: str
) -> None:
    """What can be moved must be in sight without scrolling, and waits for nothing but itself.

    Here no font, picture or formula ever arrives.
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
            assert ("not written yet" in part["name"]) is (expected is None), part


@pytest.mark.parametrize("screen", SCREENS)
def test_the_map_is_used_by_keyboard(open_either: Open, site: Path, screen: str) -> None:
    """Tab stops at every written chapter; Enter opens it."""
    written = {slug for slug, page in pages_of_chapters(site).items() if page}
    with open_either(INDEX, **SCREENS[screen]) as visit:
        page, reached = visit.page, set()
        page.evaluate(page_checks.TO_THE_TOP)
        for _ in range(page_checks.TABS):
            page.keyboard.press("Tab")
            slug = page.evaluate(
                "() => document.activeElement.closest('svg') && document.activeElement.dataset.slug"
            )
            if slug:
                reached.add(slug)
            elif reached or page.evaluate("() => document.activeElement === document.body"):
                break
        assert reached == written
        last = sorted(reached)[-1]
        page.locator(f"svg [data-slug='{last}']:visible").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/{pages_of_chapters(site)[last]}")
        assert visit.problems == []

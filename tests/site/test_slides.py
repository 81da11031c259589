"""The decks of slides: every slide fits, by keyboard, for everybody, from the disk and on paper."""

import re
from pathlib import Path

import pytest
import yaml
from bs4 import Tag
from playwright.sync_api import Page, expect
from tests.site import html_checks, weight
from tests.site.axe import axe_problems
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.server import SiteServer
from tests.site.visits import Visit
from tests.site.walk import DECKS, ROOT, find_chapters, find_decks, parse

SCREEN = {"width": 1280, "height": 720}
LESSONS = "book/appendix/lessons.html"
ONE = f"{DECKS}/self_attention.html"
LETTERS = 15  # pixels of the smallest in a widget; where there is room, they have 720 / 45 = 16
ORNAMENT = "aside.notes, .pf-keys, .pf-widget, .pf-picture, annotation, h1, h2"  # not of the text
FITS = """() => {
  const slide = Reveal.getCurrentSlide();
  const room = slide.querySelector(".pf-room"), inside = slide.querySelector(".pf-fit");
  const { width, height, right, bottom } = inside.getBoundingClientRect();
  const seen = [...inside.querySelectorAll(".pf-live :not(svg *, .pf-sr-only)")].filter(
    (e) => e.checkVisibility() && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
  const size = (e) => parseFloat(getComputedStyle(e).fontSize) * (e.currentCSSZoom ?? 1);
  const letters = seen.map(size);
  return {
    over: Math.max(slide.scrollHeight - 720, slide.scrollWidth - 1280, right - 1280, bottom - 720,
                   room.scrollHeight - room.clientHeight, room.scrollWidth - room.clientWidth),
    empty: !width || !height,
    size: Number(inside.style.zoom),
    letters: Math.min(99, ...letters),
    title: slide.querySelector("h2").textContent,
  };
}"""


def wait(visit: Visit) -> None:
    """Wait until the deck shows its slide."""
    visit.page.wait_for_function("window.Reveal?.isReady()")
    visit.settle()


def number(page: Page) -> int:
    """Return which slide is shown, from 0 on."""
    return int(page.evaluate("Reveal.getState().indexh"))


def walk(visit: Visit, rules: str) -> list[str]:
    """Go through a deck with the arrow key, and return what is wrong with its slides."""
    wait(visit)
    page, problems, seen = visit.page, [], -1
    for _ in range(99):
        visit.settle()
        found = page.evaluate(FITS)
        name = f"slide {number(page) + 1}, {found['title']}"
        if found["over"] > 1 or found["empty"]:
            problems.append(f"{name}: does not fit: {found}")
        if found["size"] < 0.7:
            problems.append(f"{name}: its type is too small: {found['size']}")
        if found["letters"] < LETTERS:
            problems.append(f"{name}: a widget has letters of {found['letters']:.1f} px")
        waits = page.locator(".fragment:visible:not(.visible)").count()
        if number(page) > seen and not waits:
            problems += [f"{name}: {each}" for each in axe_problems(page, rules=rules)]
            seen = number(page)
        if page.evaluate("Reveal.isLastSlide()") and not waits:
            assert number(page) + 1 == page.evaluate("Reveal.getTotalSlides()") >= 7
            return problems
        page.keyboard.press("ArrowRight")
    raise AssertionError("the arrow key does not come to the end")


def test_every_chapter_of_the_route_has_a_deck_and_leads_to_it(site: Path) -> None:
    evenings = yaml.safe_load((ROOT / "book" / "map" / "route.yml").read_text(encoding="utf-8"))
    stops = {slug for evening in evenings for slug in evening["chapters"]}
    assert {Path(deck).stem for deck in find_decks(site)} == stops
    for chapter in find_chapters(site):
        links = [str(a["href"]) for a in parse(site / chapter).select(".pf-way a[href*='slides/']")]
        slug = Path(chapter).stem
        assert [Path(each).stem for each in links] == [slug] * (slug in stops), chapter
    listed = {Path(str(a["href"])).stem for a in parse(site / LESSONS).select(".pf-decks a")}
    assert listed == stops


def test_it_says_what_the_chapter_says(site: Path, deck: str) -> None:
    """Every sentence and every item stands in the chapter, word for word."""
    soup = parse(site / deck)
    back = str(soup.select_one(".pf-foot a")["href"])
    chapter = squeezed(parse((site / deck).parent.joinpath(back).resolve()).select_one("article"))
    for slide in soup.select("main > section"):
        for each in slide.select("p, li, td, pre"):
            if each.find_parent(class_=["pf-widget", "notes"]) or each.get("class") == ["pf-keys"]:
                continue
            assert squeezed(each) in chapter, each
        assert squeezed(slide.select_one("aside.notes")), slide.h2


def squeezed(element: Tag) -> str:
    """Return an element's letters and digits."""
    copied = "".join(
        str(text) for text in element.find_all(string=True) if not text.find_parent("annotation")
    )
    return re.sub(r"\W+", "", copied)


def test_its_html_is_in_order(site: Path, deck: str) -> None:
    problems = html_checks.head_problems(site, deck) + html_checks.heading_problems(site, deck)
    problems += html_checks.repeated_ids(site, deck) + html_checks.formula_problems(site, deck)
    expect_none(problems)


def test_every_slide_fits_and_everybody_can_read_it(
    open_http: Open, server: SiteServer, deck: str
) -> None:
    server.responses.clear()
    options = {"viewport": SCREEN, "color_scheme": "light", "reduced_motion": "reduce"}
    with open_http(deck, **options) as visit:
        wait(visit)
        first = weight.cost_so_far(visit.page, server)
        limit = weight.FIRST_VISIT + weight.granted(server.folder, deck)
        problems = [f"too heavy: {first}"] if first.size > limit else []
        expect_none(problems + walk(visit, "all") + visit.problems)


def test_it_works_as_well_from_the_disk_in_dark(open_file: Open, deck: str) -> None:
    options = {"viewport": SCREEN, "color_scheme": "dark", "reduced_motion": "reduce"}
    with open_file(deck, **options) as visit:
        wait(visit)
        assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"
        expect_none(walk(visit, "contrast") + visit.problems)


def test_it_grows_with_the_projector(open_http: Open) -> None:
    with open_http(ONE, viewport={"width": 1920, "height": 1080}) as visit:
        wait(visit)
        box = visit.page.locator("section.present").bounding_box()
        assert box is not None and (round(box["width"]), round(box["height"])) == (1920, 1080)


def test_keys_belong_to_the_widget_until_escape(open_either: Open) -> None:
    """A presenter's keys turn the slides from there, too."""
    with open_either(ONE, viewport=SCREEN, reduced_motion="reduce") as visit:
        wait(visit)
        page = visit.page
        page.keyboard.press("ArrowRight")
        visit.settle()
        assert number(page) == 1
        inside = "document.activeElement.closest('.pf-widget') !== null"
        for _ in range(9):
            page.keyboard.press("Tab")
            if page.evaluate(inside):
                break
        assert page.evaluate(inside)
        page.keyboard.press("ArrowRight")
        assert number(page) == 1
        page.keyboard.press("PageDown")
        assert number(page) == 2 and not page.evaluate(inside)
        page.keyboard.press("PageUp")
        page.locator("section.present .pf-widget button:visible").first.focus()
        page.keyboard.press("Escape")
        assert not page.evaluate(inside) and not page.evaluate("Reveal.isOverview()")
        page.keyboard.press("Escape")
        assert page.evaluate("Reveal.isOverview()")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
        assert not page.evaluate("Reveal.isOverview()") and number(page) == 2
        expect_none(visit.problems)


def test_an_answer_waits_for_a_key(open_http: Open) -> None:
    with open_http(ONE, viewport=SCREEN) as visit:
        wait(visit)
        page = visit.page
        while not page.locator("section.present .pf-choices").count():
            page.keyboard.press("ArrowRight")
        told = page.locator("section.present .pf-told")
        expect(told).to_have_css("visibility", "hidden")
        page.keyboard.press("ArrowRight")
        expect(told).to_have_css("visibility", "visible")


def test_the_speaker_has_a_window_of_notes(open_either: Open) -> None:
    with open_either(ONE, viewport=SCREEN) as visit:
        wait(visit)
        page = visit.page
        with page.expect_popup() as opened:
            page.keyboard.press("s")
        notes = opened.value
        expect(notes.locator("#title")).to_have_text(re.compile("^1 of "))
        page.keyboard.press("ArrowRight")
        expect(notes.locator("#title")).to_have_text(re.compile("^2 of "))
        expect(notes.locator("#notes")).to_contain_text("Which word will it attend to most?")
        notes.keyboard.press("ArrowRight")
        expect(notes.locator("#title")).to_have_text(re.compile("^3 of "))
        assert number(page) == 2
        expect_none(axe_problems(notes) + visit.problems)


def test_d_darkens_the_room(open_http: Open) -> None:
    with open_http(ONE, viewport=SCREEN, color_scheme="light") as visit:
        wait(visit)
        visit.page.keyboard.press("d")
        assert visit.page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("notes", ["", "&notes"])
def test_it_prints_a_slide_on_each_page(open_file: Open, notes: str) -> None:
    """With the speaker's notes, there is a page of them behind each."""
    with open_file(f"{ONE}?print-pdf{notes}", viewport=SCREEN, color_scheme="dark") as visit:
        page = visit.page
        page.wait_for_selector(".pdf-page")
        page.wait_for_function("window.pfPrinted")
        slides = page.locator("main section").count()
        assert page.locator(".pf-live:visible").count() == 0
        assert page.locator(".pf-widget .pf-fallback:visible").count() >= 1
        printed = page.pdf(prefer_css_page_size=True, print_background=True, tagged=True)
        pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", printed))
        assert pages >= 2 * slides if notes else pages == slides
        assert b"/StructTreeRoot" in printed
        expect_none(visit.problems)

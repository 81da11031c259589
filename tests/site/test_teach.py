"""The pages for teachers: lesson plans that add up, links that open what they say, a sheet without
answers and its key, what needs what, and a statement that names tests which exist."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from bs4 import Tag
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.walk import ROOT, find_chapters, find_pages, parse

FOLDER = "book/appendix/"
LESSONS, SHEET, KEY = (f"{FOLDER}{each}.html" for each in ("lessons", "questions", "answer_key"))
NEEDS, ACCESS = f"{FOLDER}prerequisites.html", f"{FOLDER}accessibility.html"
ITEMS = ".pf-guess, .pf-question, .pf-misconception"
STATE = """name => {
  const [kind, number] = name.split("."), { widgets } = window.plainformer;
  const each = widgets.filter(one => one.name === kind)[Number(number ?? 0)];
  return each && new Proxy({}, { get: (_, trait) => each.model.get(trait) });
}"""


def links(site: Path) -> list[str]:
    """Return the addresses that the lesson plans project, each once."""
    found = parse(site / LESSONS).select(".pf-project a[href*='toy=']")
    return list(dict.fromkeys(str(each["href"]) for each in found))


def test_the_minutes_of_every_unit_add_up(site: Path) -> None:
    """Nine units of 45, and a lecture of 60."""
    sums = []
    for table in parse(site / LESSONS).select("table"):
        if table.select_one("th").get_text(strip=True) == "minutes":
            rows = table.select("tbody tr")
            sums.append(sum(int(row.select_one("td").get_text()) for row in rows))
    assert sums == [45] * 9 + [60]


def test_every_unit_has_something_to_guess_to_project_and_to_ask(site: Path) -> None:
    units = parse(site / LESSONS).select("section > section:has(table)")
    assert len(units) == 10
    for unit in units:
        name = unit.select_one("h2").get_text()
        labels = {each.get_text() for each in unit.select(".pf-box-label")}
        assert {"Let them guess", "Project"} <= labels, name
        assert labels & {"Ask", "They will say"}, name
        assert unit.select(".pf-ask .pf-replies dd"), name


def test_what_is_said_to_an_answer_is_what_the_chapter_says(site: Path) -> None:
    """Word for word; and each question leads to its place."""
    asked = parse(site / LESSONS).select(".pf-ask")
    assert len(asked) > 25
    for box in asked:
        link = box.select("a[href]")[-1]
        page, _, anchor = str(link["href"]).partition("#")
        chapter = parse((site / FOLDER / page).resolve())
        place = chapter.select_one(f"#{anchor}").parent
        text = squeezed(place) + squeezed(place.find_next_sibling(class_="pf-truth"))
        for reply in box.select("dd"):
            assert squeezed(reply) in text, anchor


def squeezed(element: Tag | None) -> str:
    """Return an element's letters and digits."""
    return re.sub(r"\W+", "", element.get_text()) if element else ""


@pytest.mark.parametrize("number", range(16))
def test_a_link_opens_its_widget_in_its_state(
    site: Path, open_http: Open, open_file: Open, number: int
) -> None:
    """From a server, and every third from the disk too."""
    every = links(site)
    assert 10 <= len(every) <= 16
    if number >= len(every):
        pytest.skip("fewer links")
    address = urlsplit(every[number])
    wanted = {key: value[0] for key, value in parse_qs(address.query).items()}
    page = (site / FOLDER / address.path).resolve().relative_to(site).as_posix()
    toy = wanted.pop("toy")
    for way in (open_http, open_file) if number % 3 == 0 else (open_http,):
        with way(f"{page}?{address.query}", reduced_motion="reduce") as visit:
            visit.settle()
            for key, value in wanted.items():
                trait = key.removeprefix("toy.")
                read = f"([toy, trait]) => ({STATE})(toy)?.[trait]"
                have = visit.page.evaluate(read, [toy, trait])
                assert have == (value if isinstance(have, str) else json.loads(value)), key
            top = visit.page.locator(f"[data-pf-widget='{toy.split('.')[0]}']").first
            box = top.bounding_box()
            height = visit.page.viewport_size["height"]
            assert box is not None and -5 <= box["y"] < height, "the widget is not in sight"
            expect_none(visit.problems)


def entries(site: Path, page: str) -> Iterator[tuple[str, list[Tag]]]:
    """Yield each chapter of a sheet, by its title, with its entries."""
    for section in parse(site / page).select(".pf-for-class"):
        yield section.select_one("h3").get_text().rstrip("#"), section.select(":scope > ol > li")


def test_the_sheet_and_its_key_have_every_item_of_the_book_once(site: Path) -> None:
    """In the same order, under the same numbers."""
    sheet, key = dict(entries(site, SHEET)), dict(entries(site, KEY))
    assert list(sheet) == list(key)
    inside = {}
    for page in find_pages(site):
        soup = parse(site / page)
        if items := soup.select(ITEMS):
            inside[soup.select_one("h1").get_text().rstrip("#")] = len(items)
    assert {name: len(each) for name, each in sheet.items()} == inside
    assert {name: len(each) for name, each in key.items()} == inside
    kinds = [
        [li.strong.get_text() for each in have.values() for li in each] for have in (sheet, key)
    ]
    assert kinds[0] == kinds[1] and len(kinds[0]) > 150


def test_the_sheet_gives_no_answer_away(site: Path) -> None:
    replies = [squeezed(each) for each in parse(site / KEY).select(".pf-for-class dd")]
    assert len(replies) > 200
    text = squeezed(parse(site / SHEET).select_one("article"))
    assert [each for each in replies if len(each) > 20 and each in text] == []
    assert not parse(site / SHEET).select(".pf-right, .pf-said-right")


@pytest.mark.parametrize(("page", "sheets"), [(SHEET, 30), (KEY, 60), (LESSONS, 30), (NEEDS, 10)])
def test_it_prints(open_http: Open, page: str, sheets: int) -> None:
    with open_http(page) as visit:
        printed = visit.page.pdf(format="A4", prefer_css_page_size=False)
        assert 2 <= len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) <= sheets
        expect_none(visit.problems)


def test_what_needs_what_is_what_the_chapters_say(site: Path) -> None:
    """For each chapter, the links of its own line are the first that the list has."""
    listed = parse(site / NEEDS).select(".pf-needed > dt")
    chapters = find_chapters(site)
    assert len(listed) == len(chapters)
    for term in listed:
        page = (site / FOLDER / str(term.a["href"])).resolve()
        said = term.find_next_sibling("dd")
        needs = said.p.select("a") if said.p.get_text().startswith("Needs") else []
        have = {(site / FOLDER / str(each["href"])).resolve() for each in needs}
        assert have == known_before(page, site), page.name
    assert len(parse(site / NEEDS).select(".pf-needs circle")) == len(chapters)


def known_before(page: Path, site: Path) -> set[Path]:
    """Return the chapters that a page names under *Know before*."""
    facts = parse(page).select(".pf-glance .pf-facts dt")
    [line] = [each.find_next_sibling("dd") for each in facts if each.get_text() == "Know before"]
    targets = {(page.parent / str(a["href"]).partition("#")[0]).resolve() for a in line.select("a")}
    return targets & {(site / each).resolve() for each in find_chapters(site)} - {page}


def test_the_statement_of_accessibility_names_tests_that_there_are(site: Path) -> None:
    named = [each.get_text() for each in parse(site / ACCESS).select("article code")]
    files = [each for each in named if each.endswith(".py")]
    assert len(set(files)) >= 6 and all((ROOT / each).is_file() for each in files)
    pages = [(site / each).read_text("utf-8") for each in find_pages(site)]
    assert not [each for each in pages if re.search(r"<(?:audio|video)[ >]", each)]  # as it says

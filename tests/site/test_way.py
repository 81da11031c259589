"""The way through the book: Next boxes, the short route, works named as they are cited."""

import re
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from tests.site.report import expect_none
from tests.site.walk import ROOT, is_chapter, parse


def words(element: Tag) -> str:
    """Return an element's text in one line."""
    return " ".join(element.get_text().split())


def test_a_next_box_leads_where_the_button_leads(site: Path, page_name: str) -> None:
    """Every link in it: a box that tempts a reader elsewhere is not the way on."""
    if not is_chapter(page_name):
        pytest.skip("no chapter")
    soup = parse(site / page_name)
    [box] = soup.select(".pf-next")
    button = {str(link["href"]) for link in soup.select("a.right-next")}
    assert len(button) <= 1
    assert {str(link["href"]).split("#")[0] for link in box.select("a[href]")} == button


def test_the_line_below_says_where_the_short_route_goes_on(site: Path, page_name: str) -> None:
    if not is_chapter(page_name):
        pytest.skip("no chapter")
    evenings = yaml.safe_load((ROOT / "book" / "map" / "route.yml").read_text(encoding="utf-8"))
    named = [slug for evening in evenings for slug in evening["chapters"]]
    written = {path.stem: path for path in (site / "book").rglob("*.html")}
    stops = [slug for slug in named if slug in written]
    slug = Path(page_name).stem
    [line] = parse(site / page_name).select(".pf-next + .pf-way")
    leads_to = [Path(str(link["href"])).stem for link in line.select("a")]
    if slug in stops:
        number = stops.index(slug) + 1
        assert words(line).startswith("On the short route")
        assert leads_to == stops[number : number + 1]
        assert str(number if leads_to else len(stops)) in re.findall(r"\d+", words(line))
    else:
        assert words(line).startswith("Deeper: ")
        assert len(leads_to) == 1 and leads_to[0] in stops


def test_an_evening_of_the_route_takes_as_long_as_the_first_page_says(site: Path) -> None:
    [section] = parse(site / "index.html").select("#the-short-route")
    evenings = yaml.safe_load((ROOT / "book" / "map" / "route.yml").read_text(encoding="utf-8"))
    stops = [f"book/*/{slug}.html" for evening in evenings for slug in evening["chapters"]]
    if not all(list(site.glob(stop)) for stop in stops):
        pytest.skip("not the whole book")
    assert "two evenings, of about two hours each" in words(section)
    for evening in evenings:
        minutes = 0
        for slug in evening["chapters"]:
            [page] = site.glob(f"book/*/{slug}.html")
            [facts] = parse(page).select(".pf-glance .pf-facts")
            minutes += sum(map(int, re.findall(r"Read (\d+) minutes", words(facts))))
        assert 110 <= minutes <= 140, evening["evening"]


def citation_problems(soup: BeautifulSoup) -> list[str]:
    """Report works that a page lists by another name than it cites, or does not cite at all."""
    names, problems = {}, []
    for work in soup.select(".citation"):
        label = work.select_one(".label")
        assert label is not None
        names[str(work["id"])] = words(label).strip("[]")
    cited = set()
    for citation in soup.select(".bibtex-citation"):
        for link in citation.select("a[href^='#']"):
            name, text = names.get(str(link["href"])[1:], ""), words(link)
            cited.add(name)
            author, _, year = name.rpartition(", ")
            in_text = text == name or (text == year and f"{author} [" in words(citation))
            if not name or not in_text:
                problems.append(f"{words(citation)!r} is {name!r} in the list")
    return problems + [f"{name!r} is never cited" for name in names.values() if name not in cited]


def test_works_are_listed_by_the_name_that_the_text_uses(site: Path, page_name: str) -> None:
    expect_none(citation_problems(parse(site / page_name)))


def test_another_name_in_the_list_is_reported() -> None:
    page = """<span class="bibtex-citation">[<a href="#id1">Shannon, 1948</a>]</span>
      <span class="bibtex-citation">Cho <em>et al.</em> [<a href="#id2">2014</a>]</span>
      <div class="citation" id="id1"><span class="label">[Shannon, 1948]</span></div>
      <div class="citation" id="id2"><span class="label">[Cho et al., 2014]</span></div>"""
    assert citation_problems(BeautifulSoup(page, "html.parser")) == []
    other = page.replace("[Cho et al., 2014]", "[CVM14]")
    assert len(citation_problems(BeautifulSoup(other, "html.parser"))) == 1
    uncited = page.replace('href="#id2"', 'href="#id1"')
    assert len(citation_problems(BeautifulSoup(uncited, "html.parser"))) == 2

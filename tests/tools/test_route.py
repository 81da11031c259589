"""The short route: one list, the ends of the chapters, and the list on the first page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from tests.tools.toy_book import ToyBook

from book_engine import route as rt
from book_engine.chapters import Chapter, load_chapters, pages_in_order

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "map"

CHAPTERS = [Chapter("p", "1 P", slug, slug.upper(), "A line.") for slug in "abcdefg"]
PAGES = [chapter.page for chapter in CHAPTERS]


def a_route(folder: Path, text: str, written: str = "abcdefg") -> rt.Route:
    """Return the route of a file with this text, with the written chapters in the book's order."""
    path = folder / "route.yml"
    path.write_text(text, encoding="utf-8")
    return rt.load_route(path, CHAPTERS, [f"book/p/{slug}" for slug in written])


@pytest.fixture
def route(tmp_path: Path) -> rt.Route:
    """B, then E, then D back in the book, then F, which is not written; A, C and G lie beside."""
    text = "- {evening: One, chapters: [b, e]}\n- {evening: Two, chapters: [d, f]}\n"
    return a_route(tmp_path, text, "abcdeg")


def test_the_route_of_the_book_is_two_evenings_of_its_chapters() -> None:
    pages = pages_in_order(ROOT / "_toc.yml")
    book = rt.load_route(FOLDER / "route.yml", load_chapters(FOLDER / "chapters.yml", pages), pages)
    slugs = [page.rsplit("/", 1)[1] for page in book.stops]
    first = "tokenization embedding positions lookup self_attention masking"
    second = "multi_head feed_forward residual_norm transformer next_token temperature"
    assert slugs == f"{first} {second}".split()
    assert len(book.evenings) == 2


def test_a_stop_has_its_number_and_a_chapter_beside_the_route_has_none(route: rt.Route) -> None:
    numbers = {page[-1]: route.number(page) for page in PAGES}
    assert numbers == {"a": None, "b": 1, "c": None, "d": 3, "e": 2, "f": None, "g": None}


def test_every_chapter_knows_where_the_route_goes_on(route: rt.Route) -> None:
    """A stop: to the next one. One beside: as after the stop that it follows in the book."""
    after = {page[-1]: (route.after(page) or "")[-1:] for page in route.order}
    assert after == {"a": "b", "b": "e", "c": "e", "d": "", "e": "d", "g": "d"}


def said(route: rt.Route, slug: str) -> str:
    """Return the line at a chapter's end, with each link in brackets."""

    def link(page: str) -> nodes.Node:
        return nodes.reference("", f"[{page[-1]}]")

    line = rt.way_on(route, f"book/p/{slug}", link)
    return line.astext() if line else ""


def test_the_line_at_the_end_of_a_chapter(route: rt.Route, tmp_path: Path) -> None:
    assert said(route, "b") == "On the short route (1 of 3): next is [e]."
    assert said(route, "d") == "On the short route, this was the last of 3 chapters."
    assert said(route, "c") == (
        "Deeper: this chapter is beside the short route, which goes on with [e]."
    )
    assert said(route, "f") == "", "not written, or no chapter at all"
    ended = a_route(tmp_path, "- {evening: One, chapters: [b]}", "abc")
    assert said(ended, "c") == (
        "Deeper: this chapter is beside the short route, which ended with [b]."
    )


def test_the_list_names_every_chapter_and_links_those_that_are_written(route: rt.Route) -> None:
    soup = BeautifulSoup(rt.as_list(route, lambda page: f"{page}.html"), "html.parser")
    assert [each.p.get_text() for each in soup.select(".pf-evening")] == ["One", "Two"]
    items = [(each.get("value"), each.a and each.a["href"]) for each in soup.select("li")]
    assert items == [
        *(("1", "book/p/b.html"), ("2", "book/p/e.html"), ("3", "book/p/d.html")),
        (None, None),
    ]
    assert "F (not written yet)" in soup.get_text()


@pytest.mark.parametrize(
    ("chapters", "message"),
    [
        ("[b, z]", r"route\.yml: z is no chapter of the course"),
        ("[b, c, b]", r"route\.yml: b is on the route 2 times"),
    ],
)
def test_a_mistake_in_the_route_is_named(tmp_path: Path, chapters: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        a_route(tmp_path, f"- {{evening: One, chapters: {chapters}}}")


NEXT = "# {name}\n\nThis page says a few words, and then it says what comes after it.\n\n"
NEXT += ":::{{next}}\nWhat comes now is another page.\n:::\n"


@pytest.mark.slow
def test_a_next_box_leads_where_the_button_leads_also_when_the_order_changes(
    tmp_path: Path,
) -> None:
    pages = {name: NEXT.format(name=name.title()) for name in ("one", "two", "three")}
    book = ToyBook(
        tmp_path, {"index": "# A toy\n\nThree pages, one after the other, follow.\n"} | pages
    )
    for order in (["one", "two", "three"], ["two", "one", "three"]):
        toc = re.sub(r"(  - file: book/\w+\n)+", "", (book.folder / "_toc.yml").read_text("utf-8"))
        book.write("_toc.yml", toc + "".join(f"  - file: book/{name}\n" for name in order))
        outcome = book.build()
        assert outcome.status == 0, outcome.said
        for name, following in zip(order, [*order[1:], None], strict=True):
            soup = BeautifulSoup(book.read(name), "html.parser")
            links = [link["href"] for link in soup.select(".pf-next a")]
            button = [link["href"] for link in soup.select("a.right-next")]
            assert links == button == ([f"{following}.html"] if following else []), (order, name)

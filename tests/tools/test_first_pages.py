"""The pages that take longest run first, so that none of them is left alone at the end."""

from pathlib import Path

from book_engine.chapters import pages_in_order
from book_engine.first_pages import LONG_PAGES, expected_seconds
from book_engine.records import Record

ROOT = Path(__file__).resolve().parents[2]


def test_every_long_page_is_a_page_of_the_book() -> None:
    assert set(LONG_PAGES) <= set(pages_in_order(ROOT / "_toc.yml"))


def test_what_a_page_took_the_last_time_counts_for_more_than_the_table() -> None:
    page = max(LONG_PAGES, key=lambda name: LONG_PAGES[name])
    assert expected_seconds(page, None) == LONG_PAGES[page]
    assert expected_seconds(page, Record("", "", seconds=2.0)) == 2.0


def test_a_new_page_starts_before_those_that_are_known_to_be_short() -> None:
    short = Record("", "", seconds=5.0)
    assert expected_seconds("book/new", None) > expected_seconds("book/old", short)
    assert expected_seconds("book/new", None) < min(LONG_PAGES.values())

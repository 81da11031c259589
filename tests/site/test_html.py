"""Every page's HTML: heads, headings, formulas, and what the search index leads to."""

from collections import Counter
from pathlib import Path

import pytest
from tests.site import html_checks
from tests.site.report import expect_none
from tests.site.walk import find_pages, find_widgets, has_content, parse


def test_every_page_says_what_it_is(site: Path, page_name: str) -> None:
    expect_none(html_checks.head_problems(site, page_name))


def test_headings_are_in_order(site: Path, page_name: str) -> None:
    if not has_content(page_name):
        pytest.skip("made by Sphinx, without text of its own")
    expect_none(html_checks.heading_problems(site, page_name))


def test_no_id_stands_twice(site: Path, page_name: str) -> None:
    expect_none(html_checks.repeated_ids(site, page_name))


def test_formulas_need_no_script(site: Path, page_name: str) -> None:
    expect_none(html_checks.formula_problems(site, page_name))


def test_every_formula_of_the_text_is_on_the_page(site: Path, page_name: str) -> None:
    doctrees = site.parent / ".doctrees"
    if not has_content(page_name):
        pytest.skip("made by Sphinx, without text of its own")
    if not doctrees.is_dir():
        pytest.skip("a site without its build has no text to compare with")
    read = html_checks.formulas_read(doctrees, page_name)
    assert read - html_checks.formulas_written(site, page_name) == Counter()


def test_every_widget_is_live(site: Path, page_name: str) -> None:
    """A widget whose state is too large for the page is written without its name."""
    still = parse(site / page_name).select(".pf-widget:not([data-pf-widget])")
    expect_none([str(each)[:200] for each in still])


def test_every_widget_is_tested(site: Path) -> None:
    """`find_widgets` looks for their tags only; here the pages are parsed."""
    parsed = [
        (page, number, widget["data-pf-widget"])
        for page in find_pages(site)
        for number, widget in enumerate(parse(site / page).select("[data-pf-widget]"))
    ]
    assert [(each.page, each.number, each.name) for each in find_widgets(site)] == parsed


def test_titles_and_descriptions_are_the_pages_own(site: Path) -> None:
    pages = [page for page in find_pages(site) if has_content(page)]
    titles = [str(parse(site / page).title) for page in pages]
    assert len(set(titles)) == len(pages)
    descriptions = [str(parse(site / page).select('meta[name="description"]')) for page in pages]
    assert len(set(descriptions)) == len(pages)


def test_style_sheets_name_only_what_is_there(site: Path) -> None:
    expect_none(html_checks.style_problems(site))


def test_every_page_is_reached_from_the_first(site: Path) -> None:
    """By links alone, starting at the root: a page that nothing leads to is lost."""
    reached, waiting = set(), ["index.html"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += html_checks.linked_pages(site, page)
    written = {page for page in find_pages(site) if has_content(page)}
    expect_none(sorted(written - reached))

"""The appendix: cheat sheets are one sheet of paper each, and basics is as short as a chapter."""

import re
from pathlib import Path

import pytest
from tests.site import reading
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.walk import find_pages

SHEETS = [f"book/appendix/sheet_{part}.html" for part in
          ("inputs", "attention", "blocks", "decoding", "training", "assistant")]  # fmt: skip
BASICS = "book/appendix/basics.html"
ENTRY = re.compile(r'<a class="pf-name reference internal" href="([^"]+)"')


@pytest.mark.parametrize("sheet", SHEETS)
def test_a_cheat_sheet_prints_on_one_sheet(open_http: Open, sheet: str) -> None:
    """Of A4 and of Letter, with its formulas drawn."""
    with open_http(sheet) as visit:
        for paper in ("A4", "Letter"):
            printed = visit.page.pdf(format=paper, prefer_css_page_size=False)
            assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) == 1, paper
        expect_none(visit.problems)


def test_every_part_has_a_cheat_sheet_that_leads_to_its_functions(site: Path) -> None:
    found = [page for page in find_pages(site) if page.startswith("book/appendix/sheet_")]
    assert sorted(found) == sorted(SHEETS)
    for page in found:
        assert len(ENTRY.findall((site / page).read_text(encoding="utf-8"))) >= 8, page


def test_basics_is_a_chapter_to_read(open_http: Open) -> None:
    with open_http(BASICS, viewport={"width": 1280, "height": reading.SCREEN}) as visit:
        expect_none(reading.problems(visit.page))

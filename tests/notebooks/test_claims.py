"""Proof stands behind a badge: no cell that a reader reads asserts anything."""

import pytest
import yaml
from tests.notebooks.committed import ROOT

from book_engine.claims import TAG, ClaimError, count_assertions, read_claims
from notebook_engine.blocks import Directive
from notebook_engine.index import Book
from notebook_engine.pages import STUB

PAGES = [page for page in Book(ROOT).pages.values() if page.has_notebook]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_assertions_stand_in_cells_of_checks_alone(page):
    cells = [block for block in page.blocks if getattr(block, "name", "") == "code-cell"]
    claims = 0
    for cell in cells:
        assert isinstance(cell, Directive)
        tags = yaml.safe_load(cell.options.get("tags", "[]"))
        if TAG in tags:
            claims += len(read_claims(cell.body)[1])
        elif STUB not in tags:
            assert count_assertions(cell.body) == 0, f"{page.shown}:{cell.line} asserts"
    assert claims > 0


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("assert True", "says what it checks"),
        ("# Two is two.\nprint(2)", "nothing checks the claim 'Two is two.'"),
        ("# One.\n# Two.\nx = 1\n# Three.\nassert x", "nothing checks the claim 'One. Two.'"),
    ],
)
def test_a_claim_without_a_check_is_refused(source, problem):
    with pytest.raises(ClaimError, match=problem):
        read_claims(source)

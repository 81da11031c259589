"""What axe-core is not asked of hides no fault: code, formulas, drawings, texts like earlier ones."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site import toy
from tests.site.axe import axe_problems
from tests.site.visits import file_home, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TOP = "<h1>First</h1>"
FAINT = "style='color: #999; background: #fff'"
UNDER = (
    "<div style='position: relative'><div style='background: #222; height: 40px'></div>"
    "<p style='position: absolute; top: 0; margin: 0'>like a, but on dark</p></div>"
)


def code(last: str) -> str:
    """Return a block of code, coloured word by word, whose last word has these attributes."""
    return (
        "<style>.k { color: #a00 } .f { color: #999 }</style><pre><span class='k'>if</span> "
        f"<span class='k'>not</span> x: <span {last}>pass</span></pre>"
    )


def formula(attributes: str = "") -> str:
    """Return a formula as a page has it, with a letter that has these attributes."""
    return (
        f"<p>Let <math><semantics><mrow><mi {attributes}>x</mi><mo>=</mo><mn>1</mn></mrow>"
        "<annotation encoding='application/x-tex'>x = 1</annotation></semantics></math></p>"
    )


def drawing(attributes: str = "") -> str:
    """Return a drawing whose only shape has these attributes."""
    return (
        "<svg role='img' aria-label='a line' viewBox='0 0 9 9'><g>"
        f"<path d='M0 0 9 9' {attributes}/></g></svg>"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site without a fault."""
    return toy.build(tmp_path)


def look(browser: "Browser", folder: Path, more: str, rules: str = "all") -> list[str]:
    """Return what is found on the first page with ``more`` on it; the page must stay as it was."""
    first = folder / "first.html"
    if more not in first.read_text(encoding="utf-8"):
        toy.spoil(folder, "first.html", TOP, TOP + more)
    with open_page(browser, file_home(folder), "first.html") as visit:
        before = visit.page.locator("body").inner_html()
        found = axe_problems(visit.page, rules=rules)
        assert visit.page.locator("body").inner_html() == before
        return found


@pytest.mark.parametrize(
    "more",
    [
        "<p>a</p><p>b</p><p>c</p>",
        formula(),
        formula().replace("p>", "h2>"),
        code("class='k'"),
        code("class='k'") * 2,
        drawing(),
    ],
)
def test_what_is_good_is_left_in_peace(browser: "Browser", folder: Path, more: str) -> None:
    assert look(browser, folder, more) == []


@pytest.mark.parametrize(
    ("more", "report"),
    [
        # a text after one of the same look, on another ground, or after one that is not drawn
        (f"<p>a</p><p>b</p><p {FAINT}>faint</p>", "color-contrast"),
        ("<p>a</p><div style='background: #333'><p>on dark</p></div>", "color-contrast"),
        (f"<p>a</p>{UNDER}", "color-contrast"),
        (f"<p {FAINT} hidden>not drawn</p><p {FAINT}>faint</p>", "color-contrast"),
        (f"<div hidden><p {FAINT}>no</p></div><div><p {FAINT}>faint</p></div>", "color-contrast"),
        # code, on the same ground as earlier code or on another
        (code("class='f'"), "color-contrast"),
        (code("class='k'") + code("class='f'"), "color-contrast"),
        (code("class='k'") + f"<div style='background: #500'>{code('')}</div>", "color-contrast"),
        (code("class='k' role='slider'"), "aria-"),
        (code("class='k' aria-hiden='true'"), "aria-valid-attr"),
        # formulas, of whose letters axe asks no contrast: they have the colour of the text
        (formula("role='nonsense'"), "aria-roles"),
        # drawings
        (drawing("role='nonsense'"), "aria-roles"),
    ],
)
def test_a_fault_among_many_like_it_is_found(
    browser: "Browser", folder: Path, more: str, report: str
) -> None:
    for rules in ("all", "contrast") if report == "color-contrast" else ("all", "structure"):
        found = look(browser, folder, more, rules)
        assert any(problem.startswith(report) for problem in found), found

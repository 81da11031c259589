"""A notebook that was run and exported by `jupyter nbconvert --to html`: its widgets live on.

The page is opened from disk, and nothing answers: nbconvert's own pages ask the internet for
MathJax and for a loader of scripts, and the widgets do without.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.installed import Installed
from tests.widgets.pages import FRAME, slider

from plainformer.widgets import LookupDial
from plainformer.widgets.kit import site
from plainformer.widgets.kit.front_end import PAGE_HAS_HOST

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CELLS = [
    "from plainformer.widgets import *\nLookupDial()",
    "TemperatureLab()",
    "LookupDial(angle=45)",
    "BeamTree()",
]
SPOKEN = "() => [...document.querySelectorAll('.pf-sr-only[aria-live]')].every(e => e.textContent)"
NBCONVERTS_OWN = ("require_js_url", "mathjax_url", "mermaid_js_url", "mermaid_layout_elk_js_url")


@pytest.fixture
def exported(tmp_path: Path, installed: Installed, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page of a notebook as JupyterLab saves it: with outputs, without widgets' own state."""
    # Not at the top: the package's own tests run without Jupyter, too.
    import nbformat
    from nbclient import NotebookClient
    from nbconvert import HTMLExporter

    monkeypatch.setenv("JUPYTER_PATH", installed.jupyter_path)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS])
    NotebookClient(notebook, kernel_name="python3", store_widget_state=False).execute()
    page = tmp_path / "exported.html"
    page.write_text(HTMLExporter().from_notebook_node(notebook)[0], encoding="utf-8")
    return page


def opened(browser: "Browser", path: Path) -> "tuple[Page, list[str], list[str]]":
    """Open a page where no address answers; return it, the errors, and what was asked for."""
    page = browser.new_page(viewport={"width": 900, "height": 800})
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))

    def refuse(route: "object") -> None:
        asked.append(route.request.url)  # type: ignore[attr-defined]
        route.abort()  # type: ignore[attr-defined]

    page.route("http*://**", refuse)
    page.goto(path.as_uri())
    return page, errors, asked


def test_every_widget_of_an_exported_notebook_draws_and_reacts(
    exported: Path, browser: "Browser"
) -> None:
    page, errors, asked = opened(browser, exported)
    widgets = page.locator(".pf-widget")
    assert widgets.count() == len(CELLS)
    for widget in widgets.all():
        widget.scroll_into_view_if_needed()
        widget.and_(page.locator("[data-pf-ready]")).wait_for()
        assert widget.locator(".pf-fallback").is_hidden()
        assert widget.locator(".pf-card").bounding_box()["width"] > 500

    page.wait_for_function(SPOKEN)
    first, second = page.locator(".pf-live").nth(0), page.locator(".pf-live").nth(2)
    turn = slider(first, "Query points")
    before, angle = (first.inner_text(), second.inner_text()), turn.input_value()
    turn.press("ArrowRight")
    assert turn.input_value() != angle
    page.evaluate(FRAME)
    assert first.inner_text() != before[0]
    assert second.inner_text() == before[1], "two of a kind are two"
    assert slider(second, "Query points").input_value() == "45"

    # The styles came along: a card has a border, and follows the page's mode.
    card = first.locator(".pf-card")
    light = card.evaluate("card => getComputedStyle(card).backgroundColor")
    page.evaluate("document.body.dataset.jpThemeLight = 'false'")
    assert card.evaluate("card => getComputedStyle(card).backgroundColor") != light

    from nbconvert import HTMLExporter

    own = [getattr(HTMLExporter(), name) for name in NBCONVERTS_OWN]
    assert [url for url in asked if url not in own] == []
    assert errors == []
    page.close()


def test_what_comes_along_cannot_end_its_script() -> None:
    for name in site.assets():
        if name.endswith("/view.js"):
            live = site.alone(
                f'<div class="pf-widget" data-pf-widget="{name.split("/")[0]}"></div>'
            )
            assert live.count("<script>") == live.count("</") - 1 == 1


def test_what_is_a_picture_brings_its_style_and_no_script() -> None:
    class Silent(LookupDial):
        needs_python = True

    alone = Silent().standalone()
    assert "<style>" in alone and "<script" not in alone


def test_the_book_brings_the_host_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    widget = LookupDial()
    data, _ = widget._repr_mimebundle_()
    assert data["text/html"] == widget.standalone() != widget.html()
    monkeypatch.setenv(PAGE_HAS_HOST, "1")
    data, _ = widget._repr_mimebundle_()
    assert data["text/html"] == widget.html()

"""The pages that the widgets' tests look at: whoever waits for one that never draws is told so."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Error
from tests.site import visits
from tests.widgets.pages import FRAME, put, watched, write_page

from plainformer.widgets import GradientFlow

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_wait_for_a_frame_has_an_end(
    browser: "Browser", monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(visits, "PATIENCE", 100)
    with watched(browser) as (page, problems):
        page.goto(write_page(tmp_path, GradientFlow()))
        page.locator("[data-pf-ready]").wait_for()
        page.evaluate("window.requestAnimationFrame = () => 0")  # as on a page that is hidden
        for wait in (lambda: page.evaluate(FRAME), lambda: put(page, nudge=0.25)):
            with pytest.raises(Error, match=visits.STALLED):
                wait()
        assert problems == []

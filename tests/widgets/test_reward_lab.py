"""`RewardLab`: what it is given, what it says, what it refuses, and what its page does."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.widgets.pages import FRAME, open_page, trait

from plainformer.widgets import RewardLab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


def test_it_says_what_it_shows() -> None:
    said = RewardLab().description()
    assert "8 answers, 5 with a reward. The advantage is +0.72 with a reward and −1.21" in said
    assert "all advantages are 0" in RewardLab(rewards="00000000").description()
    assert RewardLab().picture().count("<tr>") == 9


def check(page: "Page", live: "Locator") -> RewardLab:
    """Hold the page's advantages against Python's, for the rewards that the page has now."""
    page.evaluate(FRAME)
    lab = RewardLab(rewards=trait(page, "rewards"))
    shown = json.loads(live.locator("[data-advantages]").evaluate("el => el.dataset.advantages"))
    np.testing.assert_allclose(shown, lab.advantages(), rtol=0, atol=1e-6)
    return lab


def test_the_page_agrees_with_python_and_rules_and_answers_can_be_pressed(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, RewardLab())
    status = live.get_by_role("status")
    check(page, live)
    live.get_by_role("radio", name="Ascending").check()
    assert check(page, live).rewards == "11111110"
    status.get_by_text("7 of 8 answers have a reward.").wait_for()
    live.get_by_role("radio", name="Reward all").check()
    assert set(check(page, live).advantages()) == {0.0}
    status.get_by_text("All advantages are 0, and nothing is learned.").wait_for()
    live.get_by_role("checkbox", name="answer 3,").uncheck()
    assert check(page, live).rewards == "11011111"
    assert live.get_by_role("radio", checked=True).count() == 0
    assert live.locator(".rw-row[data-way=down]").count() == 1

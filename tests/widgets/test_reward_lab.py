"""`RewardLab`: what it is given, what it says, what it refuses, and what its page does."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, trait

from plainformer.widgets import RewardLab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"prompt": "41"}, ValueError, "prompt and answers must be given together"),
    ({"prompt": "4x", "answers": ["14", "41"]}, ValueError, "prompt must consist of digits"),
    ({"prompt": "41", "answers": ["14"]}, ValueError, "answers must have 2 to 12 entries; got 1"),
    ({"prompt": "41", "answers": ["14", "1"]}, ValueError, "as many digits as the prompt"),
    ({"rewards": "11"}, ValueError, "rewards must have 8 characters; got 2"),
    ({"rewards": "1110201x"}, TypeError, "rewards must be a string of 0 and 1"),
    ({"rewards": [1, 0]}, TypeError, "rewards must be a string of 0 and 1"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        RewardLab(**options)


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


@pytest.mark.parametrize("width", [360, 900])
def test_nothing_below_moves(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 740})
    (live,) = open_page(page, tmp_path, RewardLab())
    foot = live.locator(".pf-tools")
    before = foot.bounding_box()
    for label in ("Ascending", "Reward all", "Right answer"):
        live.get_by_role("radio", name=label).check()
        page.evaluate(FRAME)
        assert foot.bounding_box() == before, label

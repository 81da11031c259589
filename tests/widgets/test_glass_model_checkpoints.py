"""GlassModel reads with earlier versions of its model, in Python and on a page."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.widgets.glass import computed, glass, growing, lm, random_decoder
from tests.widgets.pages import open_page

from plainformer.training.tasks import course_lm_steps
from plainformer.widgets import GlassModel
from plainformer.widgets.engine.travel import EARLIER_STEPS
from plainformer.widgets.kit.token_words import label, weight

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "your cat is a lovely cat. your cat is a lovely"


def test_the_site_has_all_checkpoints_that_were_kept() -> None:
    assert list(EARLIER_STEPS) == course_lm_steps()


def test_a_checkpoint_reads_with_its_own_weights() -> None:
    widget = glass(prompt=TEXT, **growing(58, 2982))
    last = widget.likeliest()
    widget.checkpoint = 58
    assert (
        widget.likeliest() == glass(prompt=TEXT, **growing(58), checkpoint=58).likeliest() != last
    )
    assert widget.likeliest() == GlassModel(lm(58).model, lm().tokenizer, prompt=TEXT).likeliest()
    assert "after 58 steps of training" in widget.description()
    widget.checkpoint = None
    assert widget.likeliest() == last


def test_jupyter_gets_the_weights_of_the_checkpoint_that_is_chosen() -> None:
    widget = glass(**growing(8, 2982))
    whole = widget.weights
    widget.checkpoint = 8
    assert (whole["step"], widget.weights["step"]) == (None, 8)
    assert widget.weights["data"] != whole["data"]
    assert widget.weights["code"] == whole["code"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"checkpoint": 8}, "checkpoint must be None or a step of checkpoints (there are none)"),
        (growing(8, 21) | {"checkpoint": 9}, "of checkpoints (8, 21); got 9"),
        (growing(8) | {"trained": None}, "trained must be"),
        (growing(8) | {"trained": 8}, "trained must be"),
        ({"checkpoints": {8: random_decoder(9)}, "trained": 9}, "checkpoints[8] must be the same"),
    ],
)
def test_what_cannot_be_a_checkpoint_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        glass(**options)


def test_the_slider_goes_through_training_and_shows_what_torch_computes(
    page: "Page", tmp_path: Path
) -> None:
    steps = (0, 58, 2982)
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT, **growing(*steps)))
    slider = live.get_by_label("Training:")
    assert slider.input_value() == "3"  # it opens at the end
    for step in reversed(steps):
        slider.press("ArrowLeft")
        computed(live)
        expected = glass(prompt=TEXT, **growing(*steps), checkpoint=step).likeliest(1)
        ((word, share),) = expected
        sentence = live.locator(".pf-sentence").inner_text()
        assert sentence.startswith(f"After {step:,} step")
        assert f"“{label(word)}” {weight(share)}" in sentence
    for key in ("End", "Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        slider.press(key)  # faster than the weights come
    computed(live)
    ((word, share),) = glass(prompt=TEXT, **growing(*steps), checkpoint=2982).likeliest(1)
    assert f"“{label(word)}” {weight(share)}" in live.locator(".pf-sentence").inner_text()
    live.get_by_role("button", name="Start over").click()
    computed(live)
    assert slider.input_value() == "3"

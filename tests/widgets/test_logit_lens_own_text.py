"""LogitLens of a text that a reader types: its numbers are torch's; the first text comes back."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tests.widgets.glass import lm, random_decoder
from tests.widgets.pages import FRAME, open_page, trait

from plainformer.blocks import trace
from plainformer.widgets import LogitLens

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

FIRST = "Once upon a time there was a"
HOSTILE = "<img src=x onerror=alert(1)> für x in range(10): print('🙂', x, end='')"


def lens(text: str, **options: Any) -> LogitLens:
    trained = lm()
    ids = torch.tensor([trained.tokenizer.encode(text)])
    names = ["embedding", *(f"layers.{i}.residual_2" for i in range(4))]
    with torch.no_grad():
        steps = trace(trained.model, ids)
        logits = [trained.model.head(trained.model.norm(steps[name]))[0] for name in names]
    last = [each[-16:] for each in logits]
    return LogitLens.from_logits(ids[0, -16:], last, trained.tokenizer, **options)


def shares(live: "Locator") -> list[float]:
    return live.locator(".tb-number").evaluate_all("all => all.map((e) => Number(e.dataset.value))")  # type: ignore[no-any-return]


def test_a_text_of_the_reader_s_own_is_read_by_the_model(page: "Page", tmp_path: Path) -> None:
    shown = lens(FIRST, model=lm().model, checkpoint="course-lm")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (live,) = open_page(page, tmp_path, shown)
    assert not [url for url in asked if "/weights/" in url]
    before = shares(live)
    box = live.get_by_label("A text of your own")
    box.fill("for")
    box.fill(HOSTILE)  # overtakes the other
    live.get_by_role("status").get_by_text("of which the last 16 are shown").wait_for()
    assert live.locator(".ll-map .hm-numbers > span").count() == 5 * 16

    own = lens(HOSTILE)
    own.row, own.column = 4, 15
    right = [share for _, share in own.likeliest]
    assert shares(live)[:5] == pytest.approx(right, abs=1e-4)
    assert live.locator(".ll-step:visible").count() == 0  # nobody knows what follows the last one
    assert "is not known" in live.locator(".ll-goal").inner_text()
    live.locator(".ll-map [role=slider], .ll-map [tabindex]").first.focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowDown"):
        page.keyboard.press(key)
        page.evaluate(FRAME)
    own.row, own.column = 3, 13
    assert live.locator(".ll-step:visible").count() == 5
    assert shares(live)[:5] == pytest.approx([share for _, share in own.likeliest], abs=1e-4)
    climb = [float(each) for each in live.locator(".ll-number").evaluate_all(
        "all => all.map((e) => e.dataset.value)")][::-1]  # fmt: skip
    assert climb == pytest.approx(own.climb, abs=1e-4)
    assert (trait(page, "row"), trait(page, "column")) == (shown.row, shown.column)

    box.fill("")
    live.get_by_role("status").get_by_text("The text of the page again").wait_for()
    page.evaluate(FRAME)
    assert shares(live) == before


BUSY = "live => live.querySelector('.ll-own').previousElementSibling.getAttribute('aria-busy')"
TYPED = f"""(live, text) => {{
  const box = live.querySelector("textarea");
  box.value = text;
  box.dispatchEvent(new Event("input"));
  return ({BUSY})(live);
}}"""


def test_the_lens_says_that_it_is_about_to_be_replaced(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, lens(FIRST, model=lm().model, checkpoint="course-lm"))
    assert live.evaluate(TYPED, "for") == "true"
    assert live.evaluate(TYPED, "for a") == "true"
    live.locator("[aria-busy=false]").wait_for()
    assert live.locator(".ll-own .pf-sentence").inner_text().startswith("3 tokens.")
    assert live.evaluate(TYPED, "") == "true"
    live.locator("[aria-busy=false]").wait_for()


def test_which_models_it_takes() -> None:
    trained = lm()
    with pytest.raises(ValueError, match=r"^name must be one of course-lm, .*; got 'mine'$"):
        lens(FIRST, model=trained.model, checkpoint="mine")
    vocab = trained.tokenizer.vocab_size
    other = random_decoder(vocab, n_layers=3, n_heads=2)
    with pytest.raises(ValueError, match=r"^model must have 4 layers, .* got 3$"):
        lens(FIRST, model=other)
    with pytest.raises(TypeError, match="tokenizer must be a BPETokenizer"):
        LogitLens(["a"], ["a"], [[[1.0]]], model=other)
    own = lens(FIRST, model=random_decoder(vocab, n_layers=4, n_heads=2))
    assert own.state()["weights"] is None  # a page could not fetch them
    assert own.weights is not None  # Jupyter has them

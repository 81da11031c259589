"""`ForwardPass`: its numbers are the model's, its page shows them, and it refuses the rest."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from tests.widgets.glass import forward_pass, lm, random_decoder
from tests.widgets.pages import FRAME, open_page

from plainformer.blocks import trace
from plainformer.inputs import BPETokenizer
from plainformer.widgets import ForwardPass

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "your cat is a lovely"


def test_every_stop_has_the_shape_of_what_it_computes() -> None:
    shown = forward_pass()
    assert [each.kind for each in shown.stops[:8]] == [
        "ids", "rows", "norm_1", "heads", "add_1", "norm_2", "units", "add_2",
    ]  # fmt: skip
    assert len(shown.stops) == 2 + 6 * 4 + 3
    ids = torch.tensor([lm().tokenizer.encode(TEXT)])
    steps = trace(lm().model, ids)
    names = {
        "ids": None, "rows": "embedding", "norm_1": "layers.{}.norm_1",
        "heads": "layers.{}.attention.weights", "add_1": "layers.{}.residual_1",
        "norm_2": "layers.{}.norm_2", "units": "layers.{}.feed_forward.activations",
        "add_2": "layers.{}.residual_2", "norm": "norm", "logits": "logits", "softmax": "logits",
    }  # fmt: skip
    for each in shown.stops:
        name = names[each.kind]
        made = ids if name is None else steps[name.format(each.layer)]
        assert each.shape == made.shape[1:], each


def test_the_lens_at_the_top_is_the_model_and_each_sum_is_a_sum() -> None:
    shown = forward_pass()
    with torch.no_grad():
        logits = lm().model(torch.tensor([lm().tokenizer.encode(TEXT)]))[0]
    for token in range(6):
        shown.token = token
        share, best = logits[token].softmax(-1).max(-1)
        assert shown.likeliest(8)[0] == (
            lm().tokenizer.decode([int(best)]),
            pytest.approx(float(share), abs=1e-5),
        )
    data = shown.data
    for s in (7, 10, 25):  # what is added, and the stream before, make the stream
        before = max(i for i in range(s) if data["stops"][i]["kind"] in ("rows", "add_1", "add_2"))
        total = torch.tensor(data["vectors"][before]) + torch.tensor(data["written"][s])
        assert torch.allclose(total, torch.tensor(data["vectors"][s]), atol=0.0016)


def test_what_it_cannot_draw_is_refused_with_a_sentence(tokenizer: BPETokenizer) -> None:
    size = tokenizer.vocab_size
    for options, said in (
        ({"norm_place": "post"}, "norm_place of model"),
        ({"n_layers": 7}, "n_layers of model must be from 1 to 6"),
        ({"n_layers": 1, "n_heads": 12}, "n_heads of model must be from 1 to 8"),
    ):
        model = random_decoder(size, **({"n_layers": 1, "n_heads": 2} | options))
        with pytest.raises(ValueError, match=said):
            ForwardPass(model, tokenizer, "a")
    with pytest.raises(ValueError, match="number of tokens in text"):
        forward_pass("your cat " * 9)
    with pytest.raises(TypeError, match="model must be a DecoderOnly"):
        ForwardPass(None, tokenizer)
    with pytest.raises(ValueError, match="stop must be from 0 to 28"):
        forward_pass(stop=29)


def test_by_keyboard_a_reader_climbs_to_the_answer(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, forward_pass(chapters=".."))
    sentence, shape = live.locator(".pf-sentence"), live.locator(".fp-shape")
    assert live.locator(".fp-says:visible").count() == 0
    assert shape.inner_text() == "(T,) = (6,)"
    live.get_by_role("button", name="Next").press("Enter")
    page.evaluate(FRAME)
    assert "Row 2,394 of the table" in sentence.inner_text()
    assert live.locator(".fp-says:visible").count() == 1
    live.get_by_role("slider").press("End")
    page.evaluate(FRAME)
    assert sentence.inner_text().endswith("After “lovely” comes “cat” with 0.63.")
    words = live.locator(".fp-says:visible .fp-word").all_inner_texts()
    assert words == ["lovely", "sister", ",", ",", "cat", ".", "friend", "cat", "cat", "cat"]
    assert shape.inner_text() == "(T, V) = (6, 2400)"
    link = live.get_by_role("link")
    assert link.get_attribute("href") == "../decoding/next_token.html"
    live.get_by_role("radio", name="a", exact=True).check()
    page.evaluate(FRAME)
    assert sentence.inner_text().endswith("After “a” comes “little” with 0.35.")


def test_play_goes_on_by_itself_and_a_reader_halts_it(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, forward_pass(stop=27))
    live.get_by_role("button", name="Play").click()
    live.get_by_text("Stop 29 of 29").wait_for()
    live.get_by_role("button", name="Play").click()  # from the beginning again
    live.get_by_role("button", name="Pause").click()
    assert live.get_by_role("button", name="Play").is_visible()

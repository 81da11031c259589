"""AttentionMap of a sentence that a reader types: its weights are torch's, the model comes late."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from tests.widgets.attention_maps import HEADS, numbers, running, status, words
from tests.widgets.glass import lm, random_decoder
from tests.widgets.pages import FRAME, open_page, trait

from plainformer.attention.example import TOKENS
from plainformer.training.heads import attention_maps
from plainformer.widgets import AttentionMap
from plainformer.widgets.kit.token_words import weight

if TYPE_CHECKING:
    from playwright.sync_api import Page

OWN = "The dog saw a <b>cat</b>"


def shown(text: str = "your cat is a lovely cat", **options: Any) -> AttentionMap:
    trained = lm()
    ids = trained.tokenizer.encode(text)
    maps = attention_maps(trained.model, torch.tensor([ids]))[:, :, 0]
    given = {"model": trained.model, "tokenizer": trained.tokenizer, "checkpoint": "course-lm"}
    return AttentionMap([trained.tokenizer.decode([i]) for i in ids], maps, **(given | options))


def test_the_model_comes_by_a_named_button_and_reads_what_is_typed(
    page: "Page", tmp_path: Path
) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (live,) = open_page(page, tmp_path, shown(layer=1, head=1, query=2))
    assert not [url for url in asked if "/weights/" in url]
    box = live.get_by_label("Your own sentence")
    assert not box.is_visible()
    live.get_by_role("button", name="Your own sentence (loads 1.1 MB)").press("Enter")
    live.get_by_text("7 tokens, read by the model in this page.").first.wait_for()
    assert box.input_value() == "your cat is a lovely cat"  # the page's, to be changed
    box.fill("for")
    box.fill(OWN)  # overtakes the other
    own = shown(OWN)
    live.get_by_text(f"{len(own.tokens)} tokens, read").first.wait_for()
    page.evaluate(FRAME)
    assert words(live).count() == len(own.tokens) > 7
    assert live.locator(".am-words b").count() == 0  # what is typed is never HTML
    words(live).nth(5).click()
    page.mouse.move(3, 3)  # or a page that scrolls moves another word under it
    live.get_by_role("radio", name="layer 3, head 4").press("Space")
    page.evaluate(FRAME)
    row = own.weights[2, 3, 5]
    assert numbers(live) == [weight(w) if j <= 5 else "–" for j, w in enumerate(row.round(6))]
    assert (trait(page, "layer"), trait(page, "query"), trait(page, "text")) == (1, 2, OWN)

    live.get_by_role("button", name="The page’s sentence again").press("Enter")
    status(live, "Layer 2, head 2: “cat” at position 2 gives")
    assert words(live).count() == 7 and not box.is_visible()
    focused = page.evaluate("document.activeElement.textContent")
    assert focused == "Your own sentence (loads 1.1 MB)"


def test_the_weights_in_the_page_are_torchs(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, shown(text="Once upon a time", layer=3, head=2))
    live.get_by_role("button", name="Your own sentence").click()
    live.get_by_label("Your own sentence").fill(OWN)
    own = shown(OWN, layer=3, head=2)
    live.get_by_text(f"{len(own.tokens)} tokens, read").first.wait_for()
    live.get_by_role("button", name="Show as table").click()
    rows = (
        live.locator("table")
        .nth(1)
        .locator("tbody tr")
        .evaluate_all(
            "all => all.map((row) => [...row.cells].slice(2, -2).map((c) => c.textContent))"
        )
    )
    found = [[0.0 if text == "masked" else float(text) for text in row] for row in rows]
    np.testing.assert_allclose(found, own.weights[3, 2], atol=1e-4)


def test_it_reads_a_sentence_beside_a_hand_made_example(page: "Page", tmp_path: Path) -> None:
    trained = lm()
    model = {"model": trained.model, "tokenizer": trained.tokenizer, "checkpoint": "course-lm"}
    (live,) = open_page(page, tmp_path, running(head=1, causal=False, **model))
    assert live.locator(".am-thumb").count() == 2
    live.get_by_role("button", name="Your own sentence").click()
    status(live, "Layer 1, head 1: “cat” at position 6")
    assert live.locator(".am-thumb").count() == 16
    live.get_by_label("Your own sentence").fill("")
    status(live, "Head 2: “cat” at position 1")
    assert live.get_by_label("Causal mask").is_visible()


def test_a_link_brings_a_sentence_and_waits_for_the_button(page: "Page", tmp_path: Path) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    open_page(page, tmp_path, shown())
    page.goto(f"{(tmp_path / 'index.html').as_uri()}?toy=attention_map&toy.text=The+dog+ran")
    page.locator("[data-pf-ready]").wait_for()
    live = page.locator(".pf-live")
    assert live.get_by_label("Your own sentence").input_value() == "The dog ran"
    assert words(live).count() == 7
    assert not [url for url in asked if "/weights/" in url]
    live.get_by_role("button", name="Your own sentence").click()
    live.get_by_text("4 tokens, read by the model").first.wait_for()


def test_which_models_it_takes() -> None:
    trained = lm()
    with pytest.raises(ValueError, match=r"^name must be one of course-lm, .*; got 'mine'$"):
        shown(checkpoint="mine")
    with pytest.raises(TypeError, match="tokenizer must be a BPETokenizer"):
        AttentionMap(TOKENS, HEADS, model=trained.model)
    own = random_decoder(trained.tokenizer.vocab_size, n_layers=3, n_heads=2)
    widget = AttentionMap(TOKENS, HEADS, model=own, tokenizer=trained.tokenizer)
    assert widget.state()["engine"] is None  # a page could not fetch it
    assert widget.engine is not None  # Jupyter has it
    widget.text = "a cat"
    assert widget.state()["text"] == "a cat"

"""Translator in a browser: it writes what the package's searches write, with their looks."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from tests.site.server import SiteServer
from tests.widgets.engine import packed, script
from tests.widgets.pages import (
    FRAME,
    open_page,
    put,
    slider,
    table_follows,
    trait,
    watched,
    write_page,
)
from tests.widgets.test_engine_translator import SENTENCES
from tests.widgets.translators import (
    random_translator,
    settled,
    swapped,
    trained,
    translator,
)

from plainformer.decoding import beam_search, greedy_search
from plainformer.training import Vocabulary
from plainformer.training.tasks.translation import alignment
from plainformer.widgets import Translator
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

SOS, EOS = Vocabulary.sos_id, Vocabulary.eos_id


def written(live: "Locator") -> list[int]:
    """The ids of the text that leads."""
    ids = live.locator(".pf-card").get_attribute("data-written") or ""
    return [int(each) for each in ids.split()]


def said(live: "Locator") -> str:
    return live.locator(".pf-sentence").inner_text()


def map_of(live: "Locator", page: "Page") -> np.ndarray:
    """The numbers of the first table, (T, S)."""
    cells = (
        live.locator("table")
        .first.locator("tbody tr")
        .evaluate_all(
            "rows => rows.map((row) => [...row.cells].slice(1).map((c) => Number(c.textContent)))"
        )
    )
    return np.array(cells)


@pytest.mark.parametrize("k", [1, 4])
def test_its_searches_are_those_of_the_package(page: "Page", tmp_path: Path, k: int) -> None:
    """Greedy search and beams, on the fifteen sentences of the engine's test."""
    (live,) = open_page(page, tmp_path, translator("cat", num_beams=k))
    model, vocabulary = trained().model, trained().vocabulary
    for text in SENTENCES:
        put(page, text=text.strip())
        settled(live)
        source = torch.tensor([vocabulary.encode(text.lower())])
        limits = {"max_new_tokens": 20, "eos_token_id": EOS}
        wanted = (
            greedy_search(model.bind(source), [SOS], **limits)
            if k == 1
            else beam_search(model.bind(source), [SOS], num_beams=k, **limits).sequences[0]
        )
        assert [SOS, *written(live)] == wanted, text


def test_it_opens_at_once_and_fetches_when_a_reader_types(page: "Page", tmp_path: Path) -> None:
    widget = translator()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (live,) = open_page(page, tmp_path, widget)
    assert "becomes “il tuo gatto è un gatto adorabile”" in said(live)
    assert not [url for url in asked if "/weights/" in url]
    live.get_by_role("button", name="Show as table").click()
    check_map(live, page, widget)

    for text in ("The dogs see a BIG cat", "your parrot is lovely"):
        live.get_by_role("textbox", name="English").fill(text)
        settled(live)
        widget.text = text
        assert f"becomes “{widget.translation}”" in said(live)
        check_map(live, page, widget)
    assert len([url for url in asked if "/weights/" in url]) == 2  # the weights and the code
    assert "It does not know “parrot”: it reads <unk> there" in said(live)
    assert live.locator(".tl-columns .tl-unknown").all_inner_texts() == ["parrot"]
    for layer, head in ((0, None), (0, 1), (1, 3)):
        slider(live, "^Head").fill(str(0 if head is None else head + 1))
        slider(live, "^Layer").fill(str(layer))
        widget.layer, widget.head = trait(page, "layer"), trait(page, "head")
        assert (widget.layer, widget.head) == (layer, head)
        check_map(live, page, widget)


def check_map(live: "Locator", page: "Page", widget: Translator) -> None:
    """The table has the weights of the package, to four decimals."""
    assert widget.alignment is not None
    page.evaluate(FRAME)
    for button in ("Hide table", "Show as table"):  # what is open may be of a moment ago
        live.get_by_role("button", name=button).click()
    layer = widget.alignment[widget.layer]
    wanted = layer.mean(0) if widget.head is None else layer[widget.head]
    np.testing.assert_allclose(map_of(live, page), wanted, rtol=0, atol=1.5e-4)


def test_it_writes_step_by_step(page: "Page", tmp_path: Path) -> None:
    widget = translator(num_beams=2, step=0)
    (live,) = open_page(page, tmp_path, widget)
    assert "Nothing is written yet." in said(live)
    tree = widget.tree
    assert tree is not None
    for step in range(1, 9):
        live.get_by_role("button", name="Next", exact=True).press("Enter")
        page.evaluate(FRAME)
        kept = [node for node in tree.nodes if node.step == step and node.status != "pruned"]
        assert written(live)[-1] == kept[0].token
        assert live.locator(".tl-best").count() == 1
        shares = live.locator("li.tl-kept:visible .tl-number").evaluate_all(
            "all => all.map((each) => Number(each.dataset.value))"
        )
        going = [np.exp(node.score) for node in kept if node.status == "kept"]
        assert shares == pytest.approx(going, abs=1e-5)
    put(page, step=2)
    live.locator(".hm-map").press("ArrowUp")
    page.evaluate(FRAME)
    assert trait(page, "row") == 0 and "To write “il” it looks" in said(live)
    page.clock.install(time=0)
    page.clock.pause_at(3_600_000)
    live.get_by_role("button", name="Play").click()
    page.clock.run_for(1000)
    live.get_by_role("button", name="Pause").click()
    page.clock.run_for(2000)
    assert trait(page, "step") == 4


def test_any_text_that_was_kept_shows_its_own_looks(page: "Page", tmp_path: Path) -> None:
    """By keyboard; its weights are those that the package finds for that very text."""
    widget = translator(num_beams=3)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    best = written(live)
    tree, radios = widget.tree, live.get_by_role("radio")
    assert tree is not None
    kept = [node for node in tree.nodes if node.status == "finished"]
    kept.sort(key=lambda node: -node.score)
    radios.first.focus()
    for rank, node in enumerate(kept[1:3], start=1):
        with table_follows(live):
            page.keyboard.press("ArrowDown")
        text = tree.tokens(tree.nodes.index(node))
        assert (written(live), trait(page, "rank")) == (text, rank)
        words = trained().vocabulary.decode(text)
        assert f"Text {rank + 1} after step" in said(live) and f": “{words}”." in said(live)
        looks = alignment(trained(), widget.text, words).numpy()[widget.layer].mean(0)
        np.testing.assert_allclose(map_of(live, page), looks, rtol=0, atol=1.5e-4)
    assert live.locator(".tl-best").get_by_role("radio").is_checked() is False
    radios.first.check()
    page.evaluate(FRAME)
    assert (written(live), trait(page, "rank")) == (best, None)
    radios.nth(1).check()
    live.get_by_role("button", name="Back").click()
    page.evaluate(FRAME)
    assert trait(page, "rank") is None and radios.first.is_checked()


@pytest.mark.parametrize("k", [1, 3])
def test_a_button_gives_a_word_its_vector_from_another_sentence(
    page: "Page", tmp_path: Path, k: int
) -> None:
    """By keyboard, and back by the same button; searches and looks are those of torch."""
    widget = translator("the letter is red", donor="the book is red", num_beams=k)
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    own = written(live)
    group = live.get_by_role("group", name="Take one vector from “the book is red”")
    names = ["the", "book", "is", "red"]
    assert group.get_by_role("button").all_inner_texts() == names
    for place in (3, 1, 0, 2):
        button = group.get_by_role("button").nth(place)
        with table_follows(live):
            button.press("Enter")
            settled(live)
        assert button.get_attribute("aria-pressed") == "true"
        assert group.locator("[aria-pressed=true]").count() == 1
        tree, looks = swapped(trained(), widget.ids, widget.donor, place, num_beams=k)
        assert [SOS, *written(live)] == tree.sequences[0]
        np.testing.assert_allclose(
            map_of(live, page), looks[widget.layer].mean(0), rtol=0, atol=1.5e-4
        )
        word = f"⇄ {widget.text.split()[place]}"
        assert f"“{word}” has its vector from “the book is red”." in said(live)
        assert live.locator(".tl-columns").get_by_text("⇄").all_inner_texts() == [word]
        assert trait(page, "patched") == place
    with table_follows(live):
        button.press("Space")
        settled(live)
    assert (trait(page, "patched"), written(live)) == (None, own)
    assert "has its vector" not in said(live) and group.locator("[aria-pressed=true]").count() == 0


def test_a_sentence_of_another_length_has_no_place_for_the_vector(
    page: "Page", tmp_path: Path
) -> None:
    widget = translator("the letter is red", donor="the book is red", patched=3)
    (live,) = open_page(page, tmp_path, widget)
    assert "becomes “la lettera è rosso”" in said(live)  # the first search came with the page
    live.get_by_role("textbox", name="English").fill("your letter is not red")
    settled(live)
    red = live.get_by_role("button", name="red", exact=True)
    assert (red.count(), trait(page, "patched")) == (0, None)
    live.get_by_role("button", name="Another sentence").click()
    settled(live)
    assert red.is_visible() and trait(page, "text") == "the letter is red"
    live.get_by_role("textbox", name="English").fill("the house is red")
    settled(live)
    red.click()
    settled(live)
    widget.text = "the house is red"
    assert f"becomes “{widget.translation}”" in said(live)


def test_what_cannot_be_translated_is_said(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, translator())
    box = live.get_by_role("textbox", name="English")
    box.fill("a " * 25)
    page.evaluate(FRAME)
    assert said(live) == "This has 25 words; the model reads 24 at most."
    assert trait(page, "text") == "your cat is a lovely cat"
    box.fill(" ")
    page.evaluate(FRAME)
    assert said(live) == "Type an English sentence."
    assert live.locator(".tl-both:visible").count() == 0
    box.fill("<b>cat</b>")
    settled(live)
    assert live.locator(".pf-card b").all_inner_texts() == ["Type a sentence, or press Play."]


def test_what_does_not_arrive_is_said_and_can_be_tried_again(
    browser: "Browser", tmp_path: Path
) -> None:
    with watched(browser) as (page, _):  # a file that is missing is an error of its console
        (live,) = open_page(page, tmp_path, translator())
        (file,) = (tmp_path / "weights").glob("course-translator-*.js")
        file.rename(tmp_path / "away.js")
        live.get_by_role("button", name="Another sentence").click()
        again = live.get_by_role("button", name="Try again")
        again.wait_for()
        assert "could not be loaded" in said(live)
        (tmp_path / "away.js").rename(file)
        again.click()
        settled(live)
        assert "aspettiamo le oche di nostra nonna" in said(live)
        assert again.count() == 0 or not again.is_visible()


def test_a_link_opens_a_sentence_on_a_site(page: "Page", tmp_path: Path) -> None:
    """From a server, with the weights fetched, and at the word that is linked to."""
    widget = translator()
    write_page(tmp_path, widget)
    link = "toy=translator&toy.text=those+eggs+are+not+very+beautiful&toy.num_beams=3&toy.step=3"
    with SiteServer(tmp_path) as server:
        page.goto(f"{server.url}index.html?{link}")
        live = page.locator(".pf-live")
        page.wait_for_function("document.querySelector('[data-written]')?.dataset.written")
        settled(live)
        assert "Step 3 of" in said(live)
        assert any(each.path.endswith(".bin") for each in server.responses)


@pytest.mark.parametrize("norm_place", ["pre", "post"])
def test_in_jupyter_any_translator_runs(page: "Page", norm_place: str) -> None:
    """Without a site: the weights are in a trait, and what Python sets is drawn."""
    some = random_translator(2, 3, norm_place=norm_place)
    widget = Translator(some, "a b donau", donor="h g f", num_beams=2)
    weights = widget.weights
    state = {**widget.state(), "weights": {"size": weights["size"], "code": weights["code"]}}
    script(
        page,
        """
          const { default: widget } = await load(x[0]);
          const [state, bytes] = [x[1], unpack(x[2])];
          state.weights.data = new DataView(bytes.buffer); // as a kernel's bytes come
          const heard = new Map();
          window.model = {
            get: (name) => state[name],
            set(name, value) { state[name] = value; heard.get(`change:${name}`)?.(); },
            on: (event, listener) => heard.set(event, listener),
            off() {},
            save_changes() {},
          };
          widget.render({ model, el: document.body });
        """,
        [bundle("translator/view"), state, packed(weights["data"])],
    )
    card = page.locator(".pf-card")
    for text, place in (("a b donau", None), ("a b donau", 2), ("Donau c d e", 2), ("c d e", 0)):
        page.evaluate(
            "(all) => { for (const each of all) model.set(...each); }",
            [["text", text], ["patched", place]],
        )
        page.evaluate(FRAME)
        page.locator(".pf-card:not(.tl-waits)").wait_for()
        widget.text, widget.patched = text, place
        assert widget.tree is not None
        ids = [int(each) for each in (card.get_attribute("data-written") or "").split()]
        assert [SOS, *ids] == widget.tree.sequences[0]

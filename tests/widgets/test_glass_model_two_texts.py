"""GlassModel with two texts: what is taken from one into the other is as torch's `patch` has it."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tests.widgets.engine import as_numpy, check_same, open_client, read, script, write_site
from tests.widgets.glass import computed, glass
from tests.widgets.pages import FRAME, open_page, put, trait, watched
from tests.widgets.test_glass_model_cache import rows

from plainformer.blocks import patch, trace
from plainformer.widgets.engine import Weights
from plainformer.widgets.kit.front_end import bundle
from plainformer.widgets.kit.token_words import label

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ONE, TWO = "your cat is a lovely", "your dog is a lovely"
LONGER = "Once upon a time your dog is a lovely"

LOOK = """
  const [code, state, ids, options] = x;
  const { makeSource } = await load(code);
  let news = () => {};
  const model = { get: (name) => state[name], on() {}, off() {} };
  const source = makeSource({ model, onNews: () => news() });
  const found = await new Promise((done) => {
    news = () => {
      const { steps } = source.ask(ids, options, "steps") ?? {};
      if (steps) done(steps);
    };
    news();
  });
  source.stop();
  return pack(found);
"""


@pytest.mark.parametrize("other", [TWO, LONGER])
def test_a_stream_taken_in_is_patch_s(page: "Page", tmp_path: Path, other: str) -> None:
    """Every step of the page's pass, whatever the layer, the token and the other experiments."""
    widget = glass(prompt=ONE, other=other, off=["1.2"])
    model = widget.model
    weights = Weights.of(model, name="course-lm")
    open_client(page, write_site(tmp_path, weights).as_uri())
    state = {"data": widget.data, "weights": weights.in_page()}
    first, second = (torch.tensor([ids]) for ids in (widget.ids, widget.other_ids))
    off = {"layers.1.attention.heads": widget_off(2)}
    with torch.no_grad():
        theirs, plain = patch(model, second, off), patch(model, first, off)
    for layer, token in ((0, 2), (1, 5), (3, 4)):
        name, at = f"layers.{layer}.residual_2", token + len(second[0]) - len(first[0])
        mixed = plain[name].clone()
        mixed[0, token] = theirs[name][0, at]
        with torch.no_grad():
            wanted = as_numpy(patch(model, first, {**off, name: mixed}))
        taken = {"layer": layer, "token": token, "other": widget.other_ids, "at": at}
        options = {"off": ["1.2"], "hidden": [], "positions": True, "patch": taken}
        code = bundle("glass_model/source")
        found = script(page, LOOK, [code, json.loads(json.dumps(state)), widget.ids, options])
        check_same(read(found), wanted)
        widget.patched = [layer, token]
        check_same(as_numpy(dict(widget.steps)), wanted, 1e-6)


def widget_off(head: int) -> Any:
    from plainformer.blocks import ablate

    return ablate(head)


def test_the_same_text_differs_nowhere_and_changes_nothing() -> None:
    """The law of a patch: what is already there can be taken in anywhere."""
    widget = glass(prompt=ONE, other=ONE)
    with torch.no_grad():
        wanted = trace(widget.model, torch.tensor([widget.ids]))["logits"]
    for place in itertools.product(range(4), range(6)):
        widget.patched = list(place)
        assert torch.equal(widget.steps["logits"], wanted)
    widget.other = "x"  # its three tokens are the partners of the last three
    widget.patched = [0, 2]
    assert torch.equal(widget.steps["logits"], wanted)


@pytest.fixture(scope="module")
def opened(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[tuple[Page, Any]]":
    with watched(browser) as (page, problems):
        (live,) = open_page(page, tmp_path_factory.mktemp("two"), glass(prompt=ONE, other=TWO))
        yield page, live
    assert problems == []


def ready(page: "Page", live: Any) -> None:
    page.evaluate(FRAME)
    computed(live)


def test_two_texts_by_keyboard(opened: "tuple[Page, Any]") -> None:
    page, live = opened
    live.get_by_role("button", name="Compare two texts").press("Enter")
    live.locator(".gm-two").wait_for()
    ready(page, live)
    live.locator(".hm-map").focus()
    spoken = "document.activeElement.getAttribute('aria-valuetext')"
    assert "“␣cat” (3) and “␣dog”" in page.evaluate(spoken)  # it starts where the texts differ
    page.keyboard.press("Enter")
    ready(page, live)
    assert trait(page, "patched") == [0, 2]
    said = live.locator(".pf-sentence").inner_text()
    assert "second text’s stream taken in after layer 1 at “␣cat” (3)" in said
    widget = glass(prompt=ONE, other=TWO)
    ((before, share),) = widget.likeliest(1)
    widget.patched = [0, 2]
    ((after, now),) = widget.likeliest(1)
    assert f"before “{label(before)}” {share:.2f} → now “{label(after)}” {now:.2f}" in said
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    ready(page, live)
    assert trait(page, "patched") == []
    page.keyboard.press("Enter")
    ready(page, live)
    assert trait(page, "patched") == [1, 4]
    page.keyboard.press("Escape")
    page.evaluate(FRAME)
    assert trait(page, "selected") == ""
    assert "taken in after layer 2" in live.locator(".pf-sentence").inner_text()
    live.get_by_role("button", name="Start over").click()
    assert trait(page, "patched") == []


@pytest.mark.parametrize("other", [TWO, LONGER, ""])
def test_their_distance_and_what_comes_next_are_torch_s(
    opened: "tuple[Page, Any]", other: str
) -> None:
    page, live = opened
    put(page, selected="compare", other=other, patched=[])
    ready(page, live)
    live.get_by_role("button", name="Show as table").click()
    widget = glass(prompt=ONE, other=other)
    T, S = len(widget.ids), len(widget.other_ids)
    mine, theirs = widget.steps, widget.other_steps
    caption = "How far the streams lie apart"
    for t, (_, _, *found) in enumerate(rows(live, caption)):
        for layer, text in enumerate(found):
            at, name = t + S - T, f"layers.{layer}.residual_2"
            if at < 0:
                assert text == ""
                continue
            a, b = mine[name][0, t], theirs[name][0, at]
            assert float(text) == pytest.approx(((a - b).norm() / b.norm()).item(), abs=1e-4)
    first = widget.probabilities
    second = theirs["logits"][0, -1].softmax(-1)
    names = {widget.tokenizer.decode([i]): i for i in range(widget.tokenizer.vocab_size)}
    listed = rows(live, "The likeliest tokens after")
    assert 4 <= len(listed) <= 6
    for token, *shares in listed:
        i = names[token.replace("␣", " ").replace("⏎", "\n")]
        wanted = [float(first[i]), float(second[i]), float(second[i]) - float(first[i])]
        assert [float(each) for each in shares] == pytest.approx(wanted, abs=1e-4)
    told = "paired from their ends" in live.locator(".gm-two").inner_text()
    assert told == (T != S)
    live.get_by_role("button", name="Hide table").click()

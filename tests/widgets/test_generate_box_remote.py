"""GenerateBox asks a model in Python, token by token, in a page that plays Jupyter."""

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.generate_box import V, press, slider, status
from tests.widgets.pages import FRAME

from plainformer.decoding.example import tokenizer
from plainformer.widgets import GenerateBox
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


ASKS = """async ([code, data, delay]) => {
  const listeners = new Map();
  const state = { ...data, sent: [], saved: 0 };
  window.fake = {
    get: (name) => state[name],
    set(name, value) {
      state[name] = value;
      (listeners.get(`change:${name}`) ?? []).forEach((each) => each());
    },
    on: (name, f) => listeners.set(name, [...(listeners.get(name) ?? []), f]),
    off: (name, f) =>
      listeners.set(name, (listeners.get(name) ?? []).filter((each) => each !== f)),
    save_changes: () => (state.saved += 1),
    send: ({ kind, ids }) => state.sent.push({ kind, ids }),
    answer: (message, ...numbers) => {
      const buffers = numbers.map((each) => new DataView(Float64Array.from(each).buffer));
      (listeners.get("msg:custom") ?? []).forEach((each) => each(message, buffers));
    },
    count: () => [...listeners.values()].flat().length,
  };
  const blob = new Blob([code], { type: "text/javascript" });
  const { default: widget } = await import(URL.createObjectURL(blob));
  const el = document.body.appendChild(document.createElement("div"));
  el.className = "pf-live";
  window.stopIt = widget.render({ model: window.fake, el });
}"""


def open_remote(page: "Page", **options: Any) -> tuple["Locator", GenerateBox]:
    rows = np.random.default_rng(0).normal(0, 2, (V, V))
    box = GenerateBox(lambda x: rows[x[:, -1]], tokenizer(), prompt="your cat", **options)
    page.set_content("<!doctype html><html lang=en><title>x</title><body></body></html>")
    page.evaluate(ASKS, [bundle("generate_box/view"), json.loads(json.dumps(box.state())), 0])
    return page.locator(".pf-live"), box


def answer(page: "Page", box: GenerateBox) -> list[int]:
    """Answer the last question as Python would; return what was asked."""
    page.wait_for_function("fake.get('sent').length > 0")
    sent = page.evaluate("fake.get('sent').splice(0)")
    for question in sent:
        assert question["kind"] == "ask"
        logits = box._logits(question["ids"]).tolist()
        page.evaluate(
            "([ids, logits]) => fake.answer({ kind: 'logits', ids }, logits)",
            [question["ids"], logits],
        )
    page.evaluate(FRAME)
    asked: list[int] = sent[-1]["ids"]
    return asked


def test_a_model_in_python_is_asked_token_by_token(page: "Page") -> None:
    live, box = open_remote(page, seed=8, top_k=30, max_new_tokens=3)
    assert live.locator(".gen-title").inner_text() == "Waiting for the model in Python"
    assert answer(page, box) == box.ids
    top = live.locator(".gen-number:visible").first.get_attribute("data-value")
    assert abs(float(top or 0) - box.probabilities.max()) < 1e-9
    live.locator("summary").click()
    slider(live, "Temperature").fill("0.5")
    page.evaluate(FRAME)
    assert page.evaluate("fake.get('sent')") == []  # what Python said is enough for a slider
    box.temperature = 0.5
    press(live, "Continue")
    for _ in range(3):
        answer(page, box)
    page.wait_for_function("fake.get('output').length === 3")
    assert page.evaluate("fake.get('output')") == box.continued(3)
    assert page.evaluate("fake.get('saved')") >= 2  # Python heard of the slider and the tokens
    assert live.get_by_role("button", name="Continue", exact=True).count() == 1


def test_an_error_in_python_is_told_and_can_be_got_over(page: "Page") -> None:
    live, box = open_remote(page, max_new_tokens=5)
    answer(page, box)
    press(live, "Continue")
    page.wait_for_function("fake.get('sent').length > 0")
    ids_ = page.evaluate("fake.get('sent').splice(0)[0].ids")
    page.evaluate(
        "(ids) => fake.answer({ kind: 'error', ids, text: 'IndexError: only <b>4</b> places' })",
        ids_,
    )
    page.evaluate(FRAME)
    status(live, "The model could not answer. IndexError: only <b>4</b> places")
    assert live.get_by_role("button", name="Continue", exact=True).count() == 1
    assert page.evaluate("fake.get('sent')") == []  # nor is it asked again at once
    press(live, "One token")
    answer(page, box)
    answer(page, box)
    page.wait_for_function("fake.get('output').length === 2")
    status(live, "1 token added")


def test_stopped_before_python_answers(page: "Page") -> None:
    live, box = open_remote(page)
    answer(page, box)
    press(live, "Continue")
    page.wait_for_function("fake.get('sent').length > 0")
    press(live, "Stop")
    answer(page, box)  # too late
    page.evaluate(FRAME)
    assert len(page.evaluate("fake.get('output')")) == 1
    page.evaluate("stopIt()")
    assert page.evaluate("fake.count()") == 0


@pytest.mark.parametrize(("name", "value"), [("prompt", "a cat"), ("output", [9, 8])])
def test_another_text_from_python_stops_what_was_being_added(
    name: str, value: Any, page: "Page"
) -> None:
    live, box = open_remote(page)
    answer(page, box)
    press(live, "Continue")
    answer(page, box)
    page.wait_for_function("fake.get('output').length === 2")
    if name == "prompt":  # Python forgets the output with it
        page.evaluate("fake.set('output', [])")
    page.evaluate("([name, value]) => fake.set(name, value)", [name, value])
    answer(page, box)  # the question that was open, and one about the new text
    page.evaluate(FRAME)
    assert page.evaluate("fake.get('output')") == ([] if name == "prompt" else value)
    assert live.get_by_role("button", name="Continue", exact=True).count() == 1


def test_a_slow_model_gets_every_press(page: "Page") -> None:
    live, box = open_remote(page)
    answer(page, box)
    press(live, "One token")
    press(live, "One token")
    press(live, "One token")
    answer(page, box)
    answer(page, box)
    answer(page, box)
    page.wait_for_function("fake.get('output').length === 3")
    assert page.evaluate("fake.get('output')") == box.continued(3)


def test_nothing_is_asked_after_a_stop(page: "Page") -> None:
    """As when a cell is run again while tokens come."""
    live, box = open_remote(page)
    answer(page, box)
    press(live, "Continue")
    answer(page, box)
    page.evaluate("window.stopIt()")
    page.evaluate("fake.get('sent').splice(0)")
    reads = page.evaluate(
        """async () => {
            const { get } = fake;
            let reads = 0;
            fake.get = (name) => ((reads += name !== "sent"), get(name));
            for (let i = 0; i < 4; i += 1) await pfFrame();
            fake.get = get;
            return reads;
        }"""
    )
    assert reads == 0
    assert page.evaluate("fake.get('sent')") == []

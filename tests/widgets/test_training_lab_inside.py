"""`TrainingLab` opens the model that it trains in a `GlassModel`, the same to the last number."""

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from safetensors.torch import load
from tests.site.server import SiteServer
from tests.widgets.case import look_inside
from tests.widgets.engine import as_numpy, check_same, read, script
from tests.widgets.glass import computed
from tests.widgets.pages import open_page, write_page

from plainformer.blocks import DecoderOnly, TransformerConfig, trace
from plainformer.widgets import TrainingLab
from plainformer.widgets.engine import glass_trait, pack_model, trainer_trait
from plainformer.widgets.kit.front_end import bundle
from plainformer.widgets.training_lab.texts import STORY

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

INSIDE = ".tl-inside"
TRAIN = """
  const options = { learningRate: 0.005, ...x.ways };
  t.begin({ text: x.text, seed: 0 });
  const { checkpoint } = t.train({ steps: x.steps, options });
  const { bytes, config, names, unknown } = t.pack();
"""


@pytest.fixture
def session(page: "Page") -> "Page":
    """A page with a session that trains as `t`, and the engine's global name."""
    codes = [trainer_trait()["code"], json.loads(glass_trait()["code"])["engine"]]
    make = "window.t = plainformerTraining.makeSession();"
    script(page, f"for (const each of x) await load(each); {make}", codes)
    return page


def opened(data: str) -> tuple[DecoderOnly, bytes]:
    """The model that a page packed, as torch's, and the bytes."""
    raw = base64.b64decode(data)
    file = raw[32:]
    assert hashlib.sha256(file).digest() == raw[:32]
    size = int.from_bytes(file[:8], "little")
    config = json.loads(json.loads(file[8 : 8 + size])["__metadata__"]["config"])
    model = DecoderOnly(TransformerConfig(**config))
    model.load_state_dict(load(file), strict=False)  # a tied table is there once
    assert set(load(file)) == {name for name, _ in model.named_parameters()}
    return model.eval(), raw


def trained(page: "Page", steps: int, text: str = STORY) -> tuple[DecoderOnly, list[str]]:
    """The model that the lab has after so many steps at its usual settings, and its characters."""
    body = f"""{TRAIN} return [pack([["", {{ shape: [], data: bytes }}]])[0][2], names];"""
    data, names = script(page, body, {"text": text, "steps": steps, "ways": {}})
    return opened(data)[0], names


def test_the_engine_computes_what_the_lab_and_torch_compute(session: "Page") -> None:
    """Every step of the model that was handed over, to 1e-5 of the lab's own and of torch's."""
    body = f"""{TRAIN}
      const {{ forward, load: open }} = plainformerEngine;
      const handed = open(bytes);
      const ids = Array.from(x.read, (each) => names.indexOf(each));
      const weights = Array.from(checkpoint.weights, ([name, data]) =>
        [name, {{ shape: handed.tensors.get(name).shape, data }}]);
      const own = forward({{ config, tensors: new Map(weights) }}, ids);
      const seen = t.attention({{ text: x.read, layer: 1 }}).attention;
      const kept = {{ shape: [bytes.length], data: bytes }};
      const all = [forward(handed, ids), own, [["", seen]]].map(pack);
      return [ids, pack([["", kept]])[0][2], ...all];
    """
    given = {"text": STORY, "steps": 30, "ways": {}, "read": "The cat lived in the light"}
    ids, data, found, own, seen = script(session, body, given)
    model, raw = opened(data)
    with torch.no_grad():
        wanted = as_numpy(dict(trace(model, torch.tensor([ids]))))
    check_same(read(found), wanted, atol=1e-5)
    check_same(read(own), wanted, atol=1e-5)
    [weights] = read(seen).values()
    np.testing.assert_array_equal(weights, read(found)["layers.1.attention.weights"])
    python = pack_model(model, "float32")
    tensors = load(python[32:])
    assert all(torch.equal(each, tensors[name]) for name, each in load(raw[32:]).items())


def test_to_look_inside_does_not_change_the_run(session: "Page") -> None:
    body = """
      const options = { learningRate: 0.005 };
      t.begin({ text: x, seed: 0 });
      const straight = t.train({ steps: 8, options }).losses;
      t.begin({ text: x, seed: 0 });
      const first = t.train({ steps: 4, options }).losses;
      t.pack();
      return [straight, [...first, ...t.train({ steps: 4, options }).losses]];
    """
    straight, looked = script(session, body, STORY)
    assert straight == looked


def test_a_model_that_diverged_is_refused(session: "Page") -> None:
    body = """
      t.begin({ text: x, seed: 0 });
      t.train({ steps: 1, options: { learningRate: NaN } });
      try { t.pack(); } catch (error) { return error.message; }
    """
    assert script(session, body, STORY).startswith("the model's weights must be finite; ")


@pytest.fixture
def lab(page: "Page", tmp_path: Path) -> "Locator":
    """A lab on a page that was opened from a disk."""
    return open_page(page, tmp_path, TrainingLab(chapters=".."))[0]


def press(live: "Locator", name: str) -> None:
    live.get_by_role("button", name=name, exact=True).click()


def train(live: "Locator", start: str = "Start") -> None:
    press(live, start)
    expect(live.locator(".pf-sentence").first).to_contain_text(" a second")


def steps_of(live: "Locator") -> int:
    """After how many steps the model was opened."""
    says = live.locator(f"{INSIDE} > .pf-row")
    expect(says).to_contain_text(re.compile(r"The model after [\d,]+ steps?\."))
    return int(re.findall(r"[\d,]+", says.inner_text())[0].replace(",", ""))


def inside(live: "Locator") -> "Locator":
    """The glass model, once it has computed."""
    found = live.locator(INSIDE)
    expect(found).to_be_visible()
    found.locator(".gm-bar").first.wait_for()
    computed(live)
    return found


def bars(glass: "Locator") -> list[tuple[str, float]]:
    """The likeliest next characters and their probabilities, as the table has them."""
    glass.get_by_role("button", name="Show as table").click()
    rows = glass.locator("table").first.locator("tbody tr").all()
    cells = [row.locator("td").all_inner_texts() for row in rows]
    glass.get_by_role("button", name="Hide table").click()
    return [(name, float(share)) for name, share in cells]


def test_it_opens_that_very_model_by_keyboard(lab: "Locator", page: "Page") -> None:
    """The same run, trained apart from the page's, has the same probabilities in torch."""
    expect(lab.locator(INSIDE)).to_be_hidden()
    train(lab)
    lab.get_by_role("button", name="New run").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    glass = inside(lab)
    expect(glass).to_be_focused()
    expect(glass.get_by_label("Type any text")).to_have_value(STORY[:18])
    expect(glass.get_by_role("slider", name="Training")).to_be_hidden()  # no checkpoints
    steps, found = steps_of(lab), bars(glass)
    codes = [trainer_trait()["code"]]
    make = "window.t = plainformerTraining.makeSession();"
    script(page, f"for (const each of x) await load(each); {make}", codes)
    model, names = trained(page, steps)
    with torch.no_grad():
        logits = model(torch.tensor([[names.index(each) for each in STORY[:18]]]))
    shares = logits[0, -1].softmax(-1)
    order = shares.argsort(descending=True)[: len(found)].tolist()
    assert [name for name, _ in found] == [names[i].replace(" ", "␣") for i in order]
    np.testing.assert_allclose([s for _, s in found], shares[order].numpy(), rtol=0, atol=6e-5)


def test_a_logit_is_told_by_its_writers(lab: "Locator", page: "Page") -> None:
    """Logit attribution applies to this architecture; places of strongest units do not."""
    train(lab)
    press(lab, "Look inside")
    glass = inside(lab)
    glass.get_by_role("slider", name="The model: arrow keys").focus()
    page.keyboard.press("Enter")  # it stands on the likeliest next token
    expect(glass.locator(".gm-stage")).to_contain_text("layer 2, head 4")
    computed(lab)
    link = glass.get_by_role("link", name="The chapter that explains it")
    assert link.get_attribute("href") == "../blocks/lm_head.html"
    page.keyboard.press("Escape")
    computed(lab)
    glass.locator(".gm-map").first.click()
    expect(glass.get_by_role("button", name="Where is this head strongest?")).to_be_hidden()
    expect(glass.locator(".gm-crumbs")).to_contain_text("Head 1")


def test_going_back_loses_nothing(lab: "Locator", page: "Page") -> None:
    """Of the run, and of what was typed and opened inside; and one worker is left."""
    train(lab)
    press(lab, "Look inside")
    glass = inside(lab)
    first = steps_of(lab)
    assert len(page.workers) == 2
    glass.get_by_label("Type any text").fill("the sea")
    press(lab, "Back to training")
    expect(lab.get_by_role("button", name="Go on")).to_be_focused()
    expect(glass).to_be_hidden()
    expect(lab.locator(".pf-sentence").first).to_contain_text(f"After {first:,} step")
    curve = lab.locator(".tl-losses .tl-now").get_attribute("d") or ""
    train(lab, "Go on")
    press(lab, "Look inside")
    inside(lab)
    assert steps_of(lab) > first
    assert (lab.locator(".tl-losses .tl-now").get_attribute("d") or "").count("L") > curve.count(
        "L"
    )
    expect(glass.get_by_label("Type any text")).to_have_value("the sea")
    assert len(page.workers) == 2  # that of the earlier model has ended


def test_another_text_is_read_from_its_beginning(lab: "Locator") -> None:
    """And what the vocabulary lacks is said, as of any tokenizer."""
    train(lab)
    press(lab, "Look inside")
    glass = inside(lab)
    press(lab, "Back to training")
    lab.get_by_text("Your own").click()
    own = "b<i>a</i>n" * 12
    lab.get_by_label("Your text").fill(own)
    train(lab)
    press(lab, "Look inside")
    inside(lab)
    box = glass.get_by_label("Type any text")
    expect(box).to_have_value(own[:18])
    assert glass.locator("i", has_text="a").count() == 0
    box.fill("bz")
    expect(glass.locator(".pf-sentence")).to_contain_text("The tokenizer has no token for “z”")


def test_a_text_of_many_characters_has_a_place_for_the_others(page: "Page", tmp_path: Path) -> None:
    own = "".join(map(chr, range(0x4E00, 0x4E00 + 170))) * 2
    lab = open_page(page, tmp_path, TrainingLab(own=own))[0]
    train(lab)
    press(lab, "Look inside")
    glass = inside(lab)
    glass.get_by_label("Type any text").fill(own[:3] + "z")
    expect(glass.locator(".gm-token")).to_have_text([*own[:3], "�"])


def test_it_leaves_full_screen_where_the_lab_is_alone(lab: "Locator", page: "Page") -> None:
    lab.get_by_role("button", name="Full screen").click()
    page.wait_for_function("document.fullscreenElement !== null")
    train(lab)
    press(lab, "Look inside")
    inside(lab)
    page.wait_for_function("document.fullscreenElement === null")


def test_without_residuals_it_says_why_not_and_without_a_mask_how(lab: "Locator") -> None:
    lab.page.evaluate("plainformer.widgets[0].model.set('broken', 'residuals')")
    train(lab)
    press(lab, "Look inside")
    sentence = lab.locator(".pf-sentence").first
    expect(sentence).to_contain_text("without residuals no layer adds to one")
    expect(lab.locator(INSIDE)).to_be_hidden()
    lab.get_by_text("Mask").click()
    press(lab, "New run")
    train(lab)
    press(lab, "Look inside")
    expect(inside(lab)).to_contain_text("It reads as it writes")


def test_it_opens_over_http_and_says_when_its_file_does_not_come(
    page: "Page", tmp_path: Path
) -> None:
    write_page(tmp_path, TrainingLab())
    with SiteServer(tmp_path) as server:
        page.route("**/weights/glass-*", lambda route: route.fulfill(body=""))
        page.goto(f"{server.url}index.html")
        lab = page.locator(".pf-live")
        train(lab)
        assert not any("glass-" in each.path for each in server.responses)
        press(lab, "Look inside")
        expect(lab.locator(".pf-sentence").first).to_contain_text("file is damaged")
        page.unroute("**/weights/glass-*")
        press(lab, "Look inside")
        inside(lab)


def test_it_opens_in_jupyter_and_ends_with_the_lab(page: "Page") -> None:
    """There the code and the kit's sheets come in the widget's trait."""
    lab = TrainingLab()
    names = ("engine", "glass", "texts", "text", "rate", "broken", "own")
    state = {name: getattr(lab, name) for name in names}
    page.evaluate(
        """async ([code, state]) => {
          const blob = new Blob([code], { type: "text/javascript" });
          const { default: widget } = await import(URL.createObjectURL(blob));
          const model = { get: (name) => state[name], on() {}, off() {}, save_changes() {} };
          window.stopLab = widget.render({ model, el: document.body });
        }""",
        [bundle("training_lab/view"), state],
    )
    live = page.locator("body")
    look_inside(live)
    assert ".pf-besides" in (live.locator(f"{INSIDE} style").text_content() or "")
    trainer, engine = page.workers
    with trainer.expect_event("close"), engine.expect_event("close"):
        page.evaluate("stopLab()")
    assert page.workers == []

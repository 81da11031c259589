"""What every widget owes whoever makes it, and the page that holds more than one.

How it looks is in `test_every_widget_looks.py`, what hands do in `test_every_widget_hands.py`, and
what it says of a mistake in `test_every_widget_refuses.py`.
"""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING

from tests.site.weight import STATE
from tests.widgets.cases import CASES, Case, every
from tests.widgets.pages import FRAME, bundled, open_page

import plainformer.widgets
from plainformer.inputs import BPETokenizer
from plainformer.widgets.kit.base import MAX_STATE_BYTES

if TYPE_CHECKING:
    from playwright.sync_api import Page

# What a widget has drawn, without ids, which differ in each, and without the sentence for screen
# readers, which waits until the reader rests.
LOOK = """(live) => {
  const copy = live.cloneNode(true);
  copy.querySelectorAll("[role=status]").forEach((each) => each.replaceChildren());
  return copy.innerHTML.replace(/ (id|for|name|href|clip-path|aria-[a-z]+)="[^"]*"/g, "");
}"""

# Push every slider and every choice of a widget, as a reader would.
PUSH = """(live) => {
  for (const slider of live.querySelectorAll("input[type=range]")) {
    slider.value = slider.value === slider.max ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (const choice of live.querySelectorAll("[type=radio]:not(:checked)")) choice.click();
}"""

# Render the bundle thrice and stop it thrice, as Jupyter does when a cell is run again; count the
# listeners on the model and the observers, while it stands and after the stop.
LEFT = """async ([code, state]) => {
  const counts = new Map();
  const count = (name, by) => counts.set(name, (counts.get(name) ?? 0) + by);
  const model = {
    get: (name) => state[name],
    set: (name, value) => { state[name] = value; },
    on: (name) => count(name, 1),
    off: (name) => count(name, -1),
    save_changes() {},
  };
  const Real = window.ResizeObserver;
  window.ResizeObserver = class extends Real {
    observe(...all) { if (!this.on) count("observer", 1); this.on = true; super.observe(...all); }
    disconnect() { if (this.on) count("observer", -1); this.on = false; super.disconnect(); }
  };
  const { default: widget } = await import(
    URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const el = document.body.appendChild(document.createElement("div"));
  const sum = () => [...counts.values()].reduce((a, b) => a + b, 0);
  const found = [];
  for (let i = 0; i < 3; i += 1) {
    const stop = await widget.render({ model, el });
    await pfFrame().then(() => new Promise((go) => setTimeout(go)));
    found.push(sum());
    stop();
    found.push(sum());
    el.replaceChildren();
  }
  return found;
}"""

# Bytes, gzipped, of script and sheet, where they are more than 20,000: true sizes, rounded up. Five
# bring or ask a model of their own, and the glass model is five widgets, one within the other.
CODE = {
    "attention_map": 22_000, "generate_box": 23_000, "glass_model": 47_000,
    "logit_lens": 21_000, "translator": 21_000,
}  # fmt: skip


def test_no_widget_is_forgotten() -> None:
    odd = sorted(set(plainformer.widgets.__all__) ^ set(CASES))
    assert odd == [], "give each widget of widgets/__init__.pyi a case in tests/widgets/cases.py"


def test_only_the_widget_that_may_bring_a_reader_s_own_model_may_weigh_more() -> None:
    kinds = [getattr(plainformer.widgets, name) for name in plainformer.widgets.__all__]
    granted = {each.front_end: each.max_state_bytes for each in kinds if each.max_state_bytes}
    assert granted == {"generate_box": 300_000}  # in a notebook that is printed as HTML
    assert MAX_STATE_BYTES == STATE == 50_000


@every
def test_what_jupyter_loads_is_small(case: Case, tokenizer: BPETokenizer) -> None:
    widget = case.usual(tokenizer)
    both = widget._esm + widget._css  # the texts that Jupyter is sent
    most = CODE.get(widget.front_end, 20_000)
    assert len(gzip.compress(both.encode())) <= most, "shorten view.js and view.css, or use the kit"


@every
def test_two_on_a_page_are_two_and_leave_nothing(
    case: Case, tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    """One that is set while hidden is right when shown; and nothing listens after a stop."""
    widget = case.usual(tokenizer)
    first, second = open_page(page, tmp_path, widget, case.usual(tokenizer))
    usual = json.loads(json.dumps(widget.state()))
    before = first.evaluate(LOOK)
    assert second.evaluate(LOOK) == before
    set_trait(page, 1, case)
    assert first.evaluate(LOOK) == before != second.evaluate(LOOK)
    page.evaluate("document.querySelector('.pf-widget').style.display = 'none'")
    page.evaluate(FRAME)
    set_trait(page, 0, case)
    page.evaluate("document.querySelector('.pf-widget').style.display = ''")
    page.evaluate(FRAME)
    page.evaluate(FRAME)  # an observer reports after the first
    after = second.evaluate(LOOK)
    assert first.evaluate(LOOK) == after
    first.evaluate(PUSH)
    page.evaluate(FRAME)
    assert second.evaluate(LOOK) == after != first.evaluate(LOOK)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))
    standing, *rest = page.evaluate(LEFT, [bundled(f"{widget.front_end}/view"), usual])
    assert standing > 0
    told = "render must return what stops every listener: give each to traits.start"
    assert rest == [0, standing, 0, standing, 0], told


def set_trait(page: "Page", number: int, case: Case) -> None:
    """Set the trait of a case in one of its widgets, and wait until it is drawn."""
    setter = f"(value) => plainformer.widgets[{number}].model.set('{case.trait}', value)"
    page.evaluate(setter, case.value)
    page.evaluate(FRAME)

"""What every widget owes its page, each held in an ordinary case and in a hard one.

A new widget gets a row in `CASES`; `test_no_widget_is_forgotten` says so.
"""

import gzip
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.site.weight import GRANTED, STATE
from tests.widgets.pages import FRAME, open_page

import plainformer.widgets
from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.decoding import NGramModel, example
from plainformer.inputs import BPETokenizer
from plainformer.widgets import (
    AttentionMap,
    AttentionStepper,
    BeamTree,
    BlockSweep,
    BPEMerges,
    CacheGrowth,
    EmbeddingLookup,
    GenerateBox,
    LookupDial,
    PositionalWaves,
    RotaryVectors,
    SamplerLab,
    TemperatureLab,
)
from plainformer.widgets.base import MAX_STATE_BYTES, Widget, bundle
from plainformer.widgets.checks import MAX_LABEL

if TYPE_CHECKING:
    from playwright.sync_api import Page

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
LONG = ["y" * MAX_LABEL, *TOKENS[1:]]
SIX = np.full((6, 6), 1 / 6)
TABLE = [[0.5, -1.25], [999_999.0, 0.25], [0.0, -999_999.0], [1.0, 2.0], [3.0, 4.0]]
WORD = "Donaudampfschifffahrt" * 9  # a word that no tokenizer leaves whole

# The class's name; an ordinary widget; a hard one; and a trait with a value that the ordinary one
# does not have, to set from outside.
Make = Callable[[BPETokenizer], Widget]
CASES: list[tuple[str, Make, Make, str, Any]] = [
    (
        "AttentionMap",
        lambda _: AttentionMap(
            TOKENS, [SIX] * 4, names=["previous", "same", "first", "all"], d_head=2
        ),
        lambda _: AttentionMap(LONG, np.eye(6), causal=True, d_head=2, names=["y" * MAX_LABEL]),
        *("query", 3),
    ),
    (
        "AttentionStepper",
        lambda _: AttentionStepper(),
        lambda _: AttentionStepper(100 * np.ones((6, 4)), -X, X, tokens=LONG, causal=True, step=3),
        *("query", 3),
    ),
    (
        "BPEMerges",
        lambda tokenizer: BPEMerges(tokenizer),
        lambda tokenizer: BPEMerges(tokenizer, text=WORD),
        *("step", 1),
    ),
    (
        "BeamTree",
        lambda _: BeamTree(),
        lambda _: BeamTree.search(
            lambda ids: np.tile(np.linspace(0, 1, 9), (len(ids), 1)),
            [0],
            beam_size=8,
            max_new_tokens=24,
            words=["y" * MAX_LABEL] * 9,
            step=24,
        ),
        *("step", 2),
    ),
    (
        "BlockSweep",
        lambda _: BlockSweep(Q, K, V),
        lambda _: BlockSweep(100 * Q, 100 * K, 1e4 * V, tokens=LONG, block_size=3, step=1, query=1),
        *("step", 2),
    ),
    (
        "CacheGrowth",
        lambda _: CacheGrowth(TOKENS, d_model=96, n_heads=12),
        lambda _: CacheGrowth(LONG, d_model=3072, n_heads=12, step=6),
        *("history", [1, 2, 3]),
    ),
    (
        "EmbeddingLookup",
        lambda _: EmbeddingLookup(TOKENS, TABLE),
        lambda _: EmbeddingLookup(LONG, TABLE),
        *("place", 2),
    ),
    (
        "GenerateBox",
        lambda _: GenerateBox(example.model(), example.tokenizer(), prompt="The name of the"),
        lambda tokenizer: GenerateBox(
            NGramModel(1, vocab_size=tokenizer.vocab_size).fit([0] * 9),
            *(tokenizer,),
            prompt=WORD,
        ),
        *("temperature", 0.5),
    ),
    (
        "LookupDial",
        lambda _: LookupDial(),
        lambda _: LookupDial(
            *([[1.0, 0.0], [0.0, -1e4]], [[1e4, -1e4], [0.125, 0.0]], ["y" * MAX_LABEL, "b"]),
            parts=["y" * MAX_LABEL, ""],
            unit="y" * MAX_LABEL,
        ),
        *("sharpness", 2),
    ),
    (
        "PositionalWaves",
        lambda _: PositionalWaves(),
        lambda _: PositionalWaves(128, 64, base=1e9, position=127, dimension=63),
        *("position", 7),
    ),
    (
        "RotaryVectors",
        lambda _: RotaryVectors(),
        lambda _: RotaryVectors([-99.999] * 16, [99.999] * 16, m=64, n=0, base=1e9),
        *("m", 9),
    ),
    (
        "SamplerLab",
        lambda _: SamplerLab(),
        lambda _: SamplerLab(
            *([1e4, -1e4, -np.inf] * 14, LONG * 7),
            counts=[1000] * 42,
            top_k=1,
            temperature=0,
            drawn=10_000,
            shown=40,
        ),
        *("temperature", 0.5),
    ),
    (
        "TemperatureLab",
        lambda _: TemperatureLab(),
        lambda _: TemperatureLab([1e4, -1e4, -np.inf] * 14, LONG * 7, compare=0, shown=40),
        *("temperature", 0.5),
    ),
]
every = pytest.mark.parametrize(
    ("usual", "hard", "trait", "value"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)

# What a widget has drawn, without ids, which differ in each, and without the sentence for screen
# readers, which waits until the reader rests.
LOOK = """(live) => {
  const copy = live.cloneNode(true);
  copy.querySelectorAll("[role=status]").forEach((each) => each.replaceChildren());
  return copy.innerHTML.replace(/ (id|for|name|href|clip-path|aria-[a-z]+)="[^"]*"/g, "");
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
    await new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
    found.push(sum());
    stop();
    found.push(sum());
    el.replaceChildren();
  }
  return found;
}"""


def test_no_widget_is_forgotten() -> None:
    assert sorted(plainformer.widgets.__all__) == sorted(name for name, *_ in CASES)


def test_only_the_widget_that_brings_a_model_may_weigh_more() -> None:
    kinds = [getattr(plainformer.widgets, name) for name in plainformer.widgets.__all__]
    granted = {each.front_end: each.max_state_bytes for each in kinds if each.max_state_bytes}
    assert granted == {"generate_box": 300_000} == GRANTED
    assert MAX_STATE_BYTES == STATE == 50_000


@every
def test_an_unknown_option_is_an_error(
    usual: Make, hard: Make, trait: str, value: Any, tokenizer: BPETokenizer
) -> None:
    kind = type(usual(tokenizer))
    needed = [
        each.name
        for each in inspect.signature(kind).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    given: dict[str, Any] = {
        "tokens": TOKENS, "weights": SIX, "tokenizer": tokenizer, "table": TABLE,
        "q": Q, "k": K, "v": V, "model": lambda ids: np.zeros((len(ids), 9)),
    }  # fmt: skip
    option = list(inspect.signature(kind).parameters)[-2]  # the last before **options
    misspelt = option[:-1] + "_" + option[-1]
    arguments = {name: given[name] for name in needed}
    with pytest.raises(TypeError, match=f"{kind.__name__} has no option {misspelt}; did you mean"):
        kind(**arguments, **{misspelt: 1})
    with pytest.raises(TypeError, match=f"no option zzzz; it has .*{option}"):
        kind(**arguments, zzzz=1)
    assert kind(**arguments, tooltip="a picture").tooltip == "a picture"  # ipywidgets has it


@every
def test_what_jupyter_loads_is_small(
    usual: Make, hard: Make, trait: str, value: Any, tokenizer: BPETokenizer
) -> None:
    widget = usual(tokenizer)
    both = bundle(widget.front_end) + str(type(widget)._css)
    assert len(gzip.compress(both.encode())) <= 20_000


@every
def test_nothing_makes_a_phone_scroll_sideways(
    usual: Make,
    hard: Make,
    trait: str,
    value: Any,
    tokenizer: BPETokenizer,
    page: "Page",
    tmp_path: Path,
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for live in open_page(page, tmp_path, usual(tokenizer), hard(tokenizer)):
        for button in live.get_by_role("button", name="Show as table").all():
            button.click()
    found = []
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        for width in (360, 320):
            page.set_viewport_size({"width": width, "height": 740})
            page.evaluate(FRAME)
            found.append(page.evaluate("document.documentElement.scrollWidth"))
    assert found == [360, 320] * 2


BROKEN_WORDS = r"""() => {
  const broken = [];
  for (const root of document.querySelectorAll(".pf-live")) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      for (const word of node.data.matchAll(/[\p{L}\p{N}.]{2,10}(?![\p{L}\p{N}.])/gu)) {
        const range = new Range();
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (lines.size > 1) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""


@every
def test_no_short_word_is_broken_on_a_phone(
    usual: Make,
    hard: Make,
    trait: str,
    value: Any,
    tokenizer: BPETokenizer,
    page: "Page",
    tmp_path: Path,
) -> None:
    """Long tokens may break anywhere; names of heads and numbers of a map may not."""
    open_page(page, tmp_path, usual(tokenizer))
    for width in (360, 320):
        page.set_viewport_size({"width": width, "height": 740})
        page.evaluate(FRAME)
        assert page.evaluate(BROKEN_WORDS) == []


@every
def test_a_widget_that_is_set_while_hidden_is_right_when_shown(
    usual: Make,
    hard: Make,
    trait: str,
    value: Any,
    tokenizer: BPETokenizer,
    page: "Page",
    tmp_path: Path,
) -> None:
    hidden, seen = open_page(page, tmp_path, usual(tokenizer), usual(tokenizer))
    before = hidden.evaluate(LOOK)
    page.evaluate("document.querySelector('.pf-widget').style.display = 'none'")
    page.evaluate(FRAME)
    for number in (0, 1):
        setter = f"(value) => plainformer.widgets[{number}].model.set('{trait}', value)"
        page.evaluate(setter, value)
        page.evaluate(FRAME)
    page.evaluate("document.querySelector('.pf-widget').style.display = ''")
    page.evaluate(FRAME)
    page.evaluate(FRAME)  # an observer reports after the first
    assert hidden.evaluate(LOOK) == seen.evaluate(LOOK) != before


@every
def test_two_on_a_page_are_two(
    usual: Make,
    hard: Make,
    trait: str,
    value: Any,
    tokenizer: BPETokenizer,
    page: "Page",
    tmp_path: Path,
) -> None:
    first, second = open_page(page, tmp_path, usual(tokenizer), usual(tokenizer))
    before = first.evaluate(LOOK)
    assert second.evaluate(LOOK) == before
    page.evaluate(f"(value) => plainformer.widgets[1].model.set('{trait}', value)", value)
    page.evaluate(FRAME)
    assert first.evaluate(LOOK) == before != second.evaluate(LOOK)
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


@every
def test_nothing_listens_after_a_stop(
    usual: Make,
    hard: Make,
    trait: str,
    value: Any,
    tokenizer: BPETokenizer,
    page: "Page",
    tmp_path: Path,
) -> None:
    widget = usual(tokenizer)
    open_page(page, tmp_path, widget)
    state = json.loads(json.dumps(widget.state()))
    standing, *rest = page.evaluate(LEFT, [bundle(widget.front_end), state])
    assert standing > 0
    assert rest == [0, standing, 0, standing, 0]

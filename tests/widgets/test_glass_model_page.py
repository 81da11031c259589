"""GlassModel on a page: its numbers are torch's, keys zoom, and what is broken is survived."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.glass import computed, glass
from tests.widgets.pages import FRAME, open_page, put, trait, watched, write_page

from plainformer.decoding import CounterRNG, sample
from plainformer.widgets.engine.travel import FOLDER
from plainformer.widgets.kit.token_words import weight

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

TEXT = "your cat is a lovely"
NUMBERS = [
    "embedding[3, 7]",
    "layers.0.norm_1[5, 108]",
    "layers.1.attention.queries[1, 5, 21]",
    "layers.1.attention.queries[1, 5, 2]",
    "layers.1.attention.keys[1, 5, 19]",
    "layers.2.attention.values[3, 4, 0]",
    "layers.1.attention.scores[1, 5, 3]",
    "layers.0.attention.weights[1, 5, 4]",
    "layers.3.attention.heads[2, 4, 27]",
    "layers.1.attention.output[5, 0]",
    "layers.2.residual_1[5, 127]",
    "layers.2.norm_2[0, 3]",
    "layers.3.feed_forward.activations[5, 40]",
    "layers.3.feed_forward.output[2, 9]",
    "layers.3.residual_2[5, 50]",
    "norm[5, 50]",
    "logits[5, 318]",
]


@pytest.fixture(scope="module")
def opened(
    browser: "Browser", tmp_path_factory: pytest.TempPathFactory
) -> "Iterator[tuple[Page, Locator]]":
    """One page for what does not spoil it; it fails on an error in the console."""
    with watched(browser) as (page, problems):
        (live,) = open_page(page, tmp_path_factory.mktemp("glass"), glass(prompt=TEXT))
        yield page, live
    assert problems == []


def ready(live: "Locator", page: "Page") -> None:
    """Wait until what was asked of the model is drawn, its parameters as well."""
    computed(live)
    page.evaluate(FRAME)


def numbers(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


def test_every_number_is_torch_s_and_the_sum_of_its_parts(
    opened: "tuple[Page, Locator]",
) -> None:
    page, live = opened
    widget = glass(prompt=TEXT)
    steps = widget.steps
    for selected in NUMBERS:
        put(page, selected=selected)
        ready(live, page)
        live.locator(".gm-part .gm-share").first.wait_for()  # its parameters have come
        name, index = re.fullmatch(r"(.+)\[(.+)\]", selected).groups()  # type: ignore[union-attr]
        value = steps[name][(0, *map(int, index.split(", ")))].item()
        printed = live.locator(".gm-value").inner_text().split(" = ")[1]
        assert numbers(printed) == pytest.approx(value, abs=6e-4), selected
        parts = [numbers(each) for each in live.locator(".gm-part .gm-share").all_inner_texts()]
        goal = 1.0 if "weights" in selected else value
        assert sum(parts) == pytest.approx(goal, abs=6e-4 * (len(parts) + 1)), selected
    put(page, selected="")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"off": ["0.3"]},
        {"off": ["2"]},
        {"off": ["1.1", "3"]},
        {"hidden": [3]},
        {"positions": False},
        {"temperature": 2.5},
        {"prompt": "Größe 🙂 des", "output": [5]},
        {"prompt": "Once upon a time\nthere"},
        {"prompt": ""},
        {"prompt": "the value of " * 60},
    ],
    ids=str,
)
def test_an_experiment_gives_what_it_gives_in_torch(
    opened: "tuple[Page, Locator]", options: dict[str, object]
) -> None:
    page, live = opened
    widget = glass(**({"prompt": TEXT} | options))
    names = ("prompt", "output", "off", "hidden", "positions", "temperature")
    put(page, selected="", place=None, **{name: getattr(widget, name) for name in names})
    ready(live, page)
    shown = live.locator(".gm-bar .gm-share").all_inner_texts()
    wanted = sorted(widget.probabilities.tolist(), reverse=True)[: len(shown)]
    for text, share in zip(shown, wanted, strict=True):
        if text.startswith("<"):
            assert share < numbers(text[1:])
        else:
            assert numbers(text.strip(">")) == pytest.approx(share, abs=6e-3)
    assert len(shown) == 6
    told = "had no room" in live.locator(".pf-sentence").inner_text()
    assert told == (len(str(options.get("prompt", ""))) > 500)


# Of the overview: names and their places, the river, all pixels of the maps, where the keys are.
DRAWN = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  return {
    names: all(".gm-token").map((e) => [e.textContent, e.title, e.style.top, e.className]),
    river: all(".gm-river, .gm-river path").map((e) => e.cloneNode().outerHTML),
    tall: document.querySelector(".gm-model").style.getPropertyValue("--gm-tall"),
    maps: all(".gm-stage canvas").map((e) => e.toDataURL()),
    at: all(".gm-at").length,
    stood: all(".gm-stage canvas[data-stood]").length,
  };
}"""


def test_one_drawing_serves_all_texts(opened: "tuple[Page, Locator]") -> None:
    """After other texts it is the drawing that a text has at first; no letter makes it anew."""
    page, live = opened
    shown = {"prompt": TEXT, "hidden": [2], "temperature": 1.1}
    page.reload()
    page.locator("[data-pf-ready]").wait_for()
    put(page, **shown)
    ready(live, page)
    live.locator(".gm-surface").press("Home")
    first = page.evaluate(DRAWN)
    assert (first["at"], len(first["names"]), first["stood"]) == (1, 6, 0)
    assert ["gm-unseen" in name[3] for name in first["names"]].index(True) == 2  # what is hidden
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    surface = live.locator(".gm-surface")
    assert surface.get_attribute("aria-valuetext") == "Token 3, “␣cat”, hidden"  # as readers count
    maps = live.locator(".gm-stage canvas")
    maps.evaluate_all("all => all.forEach((e) => { e.dataset.stood = 1; })")
    for prompt in ("the value of " * 60, "", TEXT + " dog"):
        put(page, prompt=prompt, hidden=[3])
        ready(live, page)
        live.locator(".gm-surface").press("Home")
    put(page, selected="layers.1")
    put(page, selected="", **shown)
    ready(live, page)
    live.locator(".gm-surface").press("Home")
    again = page.evaluate(DRAWN)
    assert again.pop("stood") == len(first["maps"]) == 20
    assert again == {key: value for key, value in first.items() if key != "stood"}
    put(page, hidden=[], temperature=1)


def test_the_zoom_by_keyboard(opened: "tuple[Page, Locator]") -> None:
    page, live = opened
    put(page, selected="", prompt=TEXT, output=[], off=[], hidden=[], positions=True, temperature=1)
    ready(live, page)
    live.locator(".gm-surface").focus()
    page.keyboard.press("Home")
    went = []
    for key in ["ArrowRight", "Enter", "ArrowRight", "Enter", "Enter", "Enter"]:
        page.keyboard.press(key)
        page.evaluate(FRAME)
        ready(live, page)
        went.append(trait(page, "selected"))
    assert went[1] == "layers.0"
    assert went[3] == "layers.0.heads.1"
    assert went[4].startswith("layers.0.attention.weights[1, 5, ")
    assert went[5].startswith("layers.0.attention.scores[1, 5, ")
    assert went[5].split(",")[-1] == went[4].split(",")[-1]  # the one that was asked for
    spoken = live.locator("[role=slider][tabindex]").get_attribute("aria-valuetext")
    assert spoken
    for wanted in (went[4], went[3], "layers.0", ""):
        page.keyboard.press("Escape")
        page.evaluate(FRAME)
        assert trait(page, "selected") == wanted
    assert page.evaluate("document.activeElement.className") == "gm-surface"

    # Up and down stay in their column; what stands highest is the end.
    now = "document.activeElement.getAttribute('aria-valuenow')"
    bars = "[...document.querySelectorAll('.gm-bar')].findIndex((e) => e.matches('.gm-at'))"
    page.keyboard.press("End")
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    assert page.evaluate(bars) == 0
    first = page.evaluate(now)
    page.keyboard.press("ArrowUp")
    assert page.evaluate(now) == first


def test_any_part_can_be_switched_from_the_whole(opened: "tuple[Page, Locator]") -> None:
    page, live = opened
    put(page, selected="", prompt=TEXT, output=[], off=[], hidden=[], positions=True)
    live.locator("summary", has_text="Experiments").click()
    part = live.get_by_label("Part of the model")
    assert part.locator("option").count() == 4 * (1 + 4)
    part.select_option("head 2 of layer 2")
    page.evaluate(FRAME)
    live.get_by_role("button", name="Switch head 2 of layer 2 off").click()
    part.select_option("layer 1")
    page.evaluate(FRAME)
    live.get_by_role("button", name="Switch layer 1 off").click()
    assert trait(page, "off") == ["0", "1.1"]
    put(page, selected="layers.2.heads.3")
    live.get_by_role("button", name="Switch head 4 of layer 3 off").wait_for()
    put(page, selected="", off=[])
    live.locator("summary", has_text="Experiments").click()


def test_it_writes_on_as_the_sampler_does(opened: "tuple[Page, Locator]") -> None:
    page, live = opened
    put(page, selected="", prompt=TEXT, output=[], seed=3, temperature=1)
    for count in (1, 2, 3):
        live.get_by_role("button", name="Write on").click()
        page.wait_for_function(
            "n => plainformer.widgets[0].model.get('output').length === n", arg=count
        )
        ready(live, page)
    widget = glass(prompt=TEXT)
    prompt = widget.tokenizer.encode(TEXT)
    wanted = sample(widget.model, prompt, max_new_tokens=3, rng=CounterRNG(3))
    assert trait(page, "output") == wanted[len(prompt) :]
    put(page, output=[], seed=0)


def test_a_link_opens_what_it_names_and_nonsense_opens_the_model(
    page: "Page", tmp_path: Path
) -> None:
    address = write_page(tmp_path, glass(prompt=TEXT))
    wanted = {"selected": "layers.1.heads.1", "off": ["0.3"], "hidden": [2], "place": 4}
    query = "&".join(
        f"toy.{name}={value if isinstance(value, str) else json.dumps(value)}"
        for name, value in wanted.items()
    )
    page.goto(f"{address}?toy=glass_model&{query}")
    page.locator("[data-pf-ready] .gm-square").wait_for()
    assert {name: trait(page, name) for name in wanted} == wanted
    nonsense = 'toy.selected=layers.9.heads.1&toy.off=["9"]&toy.hidden=[-1]&toy.place=1.5'
    page.goto(f"{address}?toy=glass_model&{nonsense}&toy.temperature=99&toy.output=[[1]]")
    page.locator("[data-pf-ready] .gm-model").wait_for()
    assert [trait(page, name) for name in ("selected", "off", "hidden", "place")] == [
        "",
        [],
        [],
        None,
    ]
    assert (trait(page, "temperature"), trait(page, "output")) == (1, [])


def test_damaged_weights_are_said_and_can_be_fetched_again(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, glass(prompt=TEXT))
    best = weight(glass(prompt=TEXT).likeliest(1)[0][1])
    assert best in live.locator(".pf-sentence").inner_text()  # before any weights
    file = next((tmp_path / FOLDER).glob("course-lm-????????.js"))
    whole = file.read_bytes()
    file.write_bytes(whole[:2000] + b"AAAA" + whole[2004:])
    put(page, selected="layers.1")
    again = live.get_by_role("button", name="Try again")
    again.wait_for()
    assert "did not arrive whole" in live.locator(".pf-sentence").inner_text()
    file.write_bytes(whole)
    again.click()
    live.locator(".gm-step").first.wait_for()
    assert again.is_hidden()

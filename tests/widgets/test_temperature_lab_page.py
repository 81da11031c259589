"""TemperatureLab in Chromium: its page shows Python's numbers, and every control does its work."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import FRAME, open_page, put, watched

from plainformer.decoding.example import WORDS
from plainformer.training.tasks import course_lm
from plainformer.widgets import GenerateBox, TemperatureLab
from plainformer.widgets.kit.token_words import label

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

MANY = np.random.default_rng(5).normal(size=300) * 3
MANY[7] = -np.inf
HARD: dict[str, Any] = {
    "logits": [1e4, 1e4, -1e4, -math.inf],
    "words": ["y" * 200, " the", "\n", ""],
    "drawn": 30,
}
PLACES = {0: 0, 1: 0.017, 12: 0.25, 20: 0.5, 30: 1, 40: 2, 48: 4, 59: 59, 60: None}


def dial(live: "Locator") -> "Locator":
    return live.get_by_role("slider", name="Temperature τ")


def landed(live: "Locator", count: int) -> None:
    """Wait until so many draws lie on the heap."""
    live.locator(f".tl-heap[data-down='{count}']").wait_for()


def values(live: "Locator", of: str, name: str) -> list[float]:
    found: Any = live.locator(of).evaluate_all(
        f"all => all.map(({{ dataset }}) => Number(dataset.{name}))"
    )
    return list(found)


TRAITS = f"""async (names) => {{
  await ({FRAME})();
  return names.map((name) => [name, plainformer.widgets[0].model.get(name)]);
}}"""
SHOWN = """(live) => {
  const all = (selector, what) => [...live.querySelectorAll(selector)].map(what);
  const { entropy, draws } = live.querySelector(".pf-card").dataset;
  return {
    entropy: Number(entropy), draws, room: live.querySelector(".tl-shaft").clientHeight,
    shares: all(".tl-bar", ({ dataset }) => Number(dataset.value)),
    counts: all(".tl-stack", ({ dataset }) => Number(dataset.count)),
    heights: [".tl-bar", ".tl-stack"].map((each) => all(each, (e) => e.offsetHeight)),
  };
}"""


def check(page: "Page", live: "Locator", lab: TemperatureLab) -> None:
    """Hold the page's numbers against Python's: shares, entropy, draws, and the heap of them."""
    for name, value in page.evaluate(TRAITS, ["logits", "temperature", "drawn", "seed"]):
        setattr(lab, name, value)
    landed(live, lab.drawn)
    shown = live.evaluate(SHOWN)
    p, draws = lab.probabilities(), lab.draws()
    z = np.array([-np.inf if each is None else each for each in lab.logits])
    order = np.argsort(-z, kind="stable")[: lab.shown]
    rest = [p.sum() - p[order].sum()] if len(p) > len(order) else []
    shares = [*p[order], *rest]
    np.testing.assert_allclose(shown["shares"], shares, rtol=0, atol=1e-6)
    counts = [draws.count(i) for i in order]
    counts += [len(draws) - sum(counts)] * len(rest)
    assert shown["counts"] == counts
    assert shown["entropy"] == pytest.approx(lab.entropy(), abs=1e-6)
    assert shown["draws"].split() == [str(i) for i in draws[-200:]]
    due = (shares, np.divide(counts, max(10, len(draws))))
    for heights, wanted in zip(shown["heights"], due, strict=True):
        np.testing.assert_allclose(heights, np.multiply(wanted, shown["room"]), rtol=0, atol=1)


@pytest.mark.parametrize(
    "options", [{}, {"drawn": 10}, {"logits": MANY, "shown": 9, "drawn": 150, "seed": 4}, HARD]
)
def test_the_page_agrees_with_python(options: dict[str, Any], page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab(**options)
    (live,) = open_page(page, tmp_path, lab)
    check(page, live, lab)
    for place, temperature in PLACES.items():
        dial(live).fill(str(place))
        check(page, live, lab)
        assert lab.temperature == temperature
        assert dial(live).input_value() == str(place)


def test_random_logits_agree(page: "Page", tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    page.emulate_media(reduced_motion="reduce")
    lab = TemperatureLab(rng.normal(size=9))
    (live,) = open_page(page, tmp_path, lab)
    for _ in range(40):
        z = np.round(rng.normal(size=9) * 4, rng.integers(0, 3))  # rounded to whole: ties
        z[rng.random(9) < 0.2] = -np.inf
        z[rng.integers(9)] = 1.0
        put(
            page,
            logits=[None if each == -np.inf else float(each) for each in z],
            temperature=[0, 0.01, 0.4, 1, 3, 100, None][rng.integers(7)],
            drawn=int(rng.integers(60)),
            seed=int(rng.integers(1000)),
        )
        check(page, live, lab)


def test_at_both_ends_nothing_is_broken(page: "Page", tmp_path: Path) -> None:
    """All words keep their places and names; frozen there is one full bar, boiling eight alike."""
    lab = TemperatureLab(drawn=10)
    (live,) = open_page(page, tmp_path, lab)
    names = live.locator(".tl-name")
    before = names.evaluate_all("all => all.map((e) => JSON.stringify(e.getBoundingClientRect()))")
    for end, wanted in (("Home", [1.0] + [0.0] * 7), ("End", [0.125] * 8)):
        dial(live).press(end)
        check(page, live, lab)
        assert values(live, ".tl-bar", "value") == wanted
        assert names.all_inner_texts() == list(WORDS)
        assert before == names.evaluate_all(
            "all => all.map((e) => JSON.stringify(e.getBoundingClientRect()))"
        )
        assert not names.evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth)")
    dial(live).press("Home")
    page.evaluate(FRAME)
    assert live.locator(".tl-stack").first.inner_text().split() == ["lovely"] * 10


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab()
    (live,) = open_page(page, tmp_path, lab)
    said = live.get_by_role("status")
    said.get_by_text("At temperature 1, “lovely” has probability 0.40.").wait_for()
    assert not live.get_by_role("button", name="Start over").is_visible()
    page.keyboard.press("Tab")
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    said.get_by_text("At temperature 0.5, “lovely” has probability 0.68.").wait_for()
    dial(live).press("Home")
    said.get_by_text("Frozen, at temperature 0, “lovely” is certain.").wait_for()
    live.get_by_role("button", name="Draw 10 words").press("Enter")
    said.get_by_text("10 draws gave nothing but “lovely”.").wait_for()
    dial(live).press("End")
    said.get_by_text("Boiling, at temperature ∞, all 8 words are equally likely.").wait_for()
    text = "With the same random numbers, 10 draws gave “lovely” 1 time, 7 different words in all."
    said.get_by_text(text).wait_for()
    assert dial(live).get_attribute("aria-valuetext") == "∞"
    live.get_by_role("button", name="Draw 100").press("Space")
    check(page, live, lab)
    assert lab.drawn == 110
    live.get_by_role("button", name="Start over").press("Enter")
    check(page, live, lab)
    assert (lab.drawn, lab.seed) == (0, 1)
    assert live.locator(".tl-said").inner_text().startswith("your cat is a …")


def test_words_fall_one_after_the_other_unless_motion_is_unwelcome(
    page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab())
    seen = """() => { window.seen = []; new MutationObserver(() => seen.push(
        document.querySelector(".tl-heap").dataset.down)).observe(
        document.querySelector(".tl-heap"), { attributeFilter: ["data-down"] }); }"""
    page.evaluate(seen)
    live.get_by_role("button", name="Draw 10 words").click()
    landed(live, 10)
    assert page.evaluate("[...new Set(seen)]") == [str(n) for n in range(1, 11)]
    page.emulate_media(reduced_motion="reduce")
    page.evaluate("seen.length = 0")
    live.get_by_role("button", name="Draw 100").click()
    landed(live, 110)
    assert page.evaluate("[...new Set(seen)]") == ["110"]


def test_the_numbers_unfold(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab(temperature=0.5, drawn=20))
    number = live.locator(".tl-number")
    assert not number.first.is_visible()
    live.locator("summary").press("Enter")
    assert number.first.inner_text().split("\n")[0] == "68%"
    assert number.last.inner_text().split("\n") == ["<1%", "0 ×"]
    live.get_by_text("Entropy 1.05 of at most ln 8 = 2.08 nats: as unpredictable as a").wait_for()


def test_the_table_has_all_digits(page: "Page", tmp_path: Path) -> None:
    lab = TemperatureLab([3, 1, -math.inf, 0], list("abcd"), temperature=2, drawn=50, shown=3)
    (live,) = open_page(page, tmp_path, lab)
    live.get_by_role("button", name="Show as table").press("Enter")
    table = live.get_by_role("table")
    heads = table.locator("th").all_inner_texts()
    assert heads == ["Token", "Logit z", "Probability at 2", "Drawn"]
    cells = [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert [row[:2] for row in cells] == [
        ["a", "3"], ["b", "1"], ["d", "0"], ["1 other", ""],
        ["together", ""], ["entropy, nats", ""], ["at most, ln 3", ""],
    ]  # fmt: skip
    p, draws = lab.probabilities(), lab.draws()
    right = [*p[[0, 1, 3, 2]], 1, lab.entropy(), lab.most_entropy()]
    np.testing.assert_allclose([float(row[2]) for row in cells], right, rtol=0, atol=1e-6)
    counts = [draws.count(i) for i in (0, 1, 3, 2)]
    assert [row[3] for row in cells] == [*map(str, counts), "50", "", ""]


def test_of_several_alike_the_first_is_named(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab([1, 3, 3], ["a", " b", "c"], temperature=0))
    text = "“␣b” is certain: the largest logit takes all, the first of 2 alike."
    live.get_by_role("status").get_by_text(text).wait_for()


def test_names_are_written_as_python_writes_them(page: "Page", tmp_path: Path) -> None:
    words = [" the ", "a b", "one\ntwo", "\x1b[0m", "\t", "\x7f", "\x85", "", "<b>", "  "]
    (live,) = open_page(page, tmp_path, TemperatureLab([0.0] * 10, words))
    assert live.locator(".tl-name").all_text_contents() == [label(w) for w in words]


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, TemperatureLab([1, 2, 3]))
    lab = TemperatureLab([3, -math.inf, 5], temperature=77, drawn=3)
    put(page, logits=lab.logits, temperature=77, drawn=3)
    check(page, live, lab)
    assert live.locator(".tl-name").all_inner_texts() == ["token 2", "token 0", "token 1"]
    assert dial(live).input_value() == "59"  # beside its end; the label tells the truth
    assert live.get_by_text("Temperature τ = 77").is_visible()


def test_a_phone_sees_every_bar_and_how_many_tokens_are_the_others(
    page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 342, "height": 740})  # as wide as a page of the book at 360
    names = [f"w{i}" for i in range(2400)]
    (live,) = open_page(page, tmp_path, TemperatureLab(list(range(2400)), names, shown=9))
    page.add_style_tag(content="html { font-size: 17px }")  # the book's
    page.evaluate(FRAME)
    fits = "all => all.every((e) => e.scrollWidth <= e.clientWidth)"
    assert live.locator(".tl-heap, .tl-rest").evaluate_all(fits)
    page.set_viewport_size({"width": 760, "height": 640})  # the column of the book
    page.evaluate(FRAME)
    assert live.locator(".tl-heap, .tl-rest").evaluate_all(fits)
    assert live.locator(".tl-rest").inner_text() == "2,391 others"
    assert live.get_by_role("button", name="Draw 10 tokens").is_visible()


def story(live: "Locator") -> str:
    return str(live.locator(".tl-text").text_content())


def wait_for_story(live: "Locator", condition: str, text: str) -> None:
    """Wait until what course-lm has written fits, and it rests."""
    live.page.wait_for_function(
        f"""(text) => {{
          const story = document.querySelector(".tl-story:not([aria-busy]) .tl-text")?.textContent;
          return story !== undefined && {condition};
        }}""",
        arg=text,
    )


def test_course_lm_writes_at_the_temperature_of_the_dial(
    browser: "Browser", tmp_path: Path
) -> None:
    lab = TemperatureLab(checkpoint="course-lm")
    lm = course_lm()
    with watched(browser) as (page, _):  # a file that is missing is an error of its console
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        (live,) = open_page(page, tmp_path, lab)
        (file,) = (tmp_path / "weights").glob("course-lm-????????.js")
        file.rename(tmp_path / "away.js")
        assert not [url for url in asked if "/weights/" in url]
        dial(live).fill("0")
        live.get_by_role("button", name="Draw 10 words").click()
        assert not live.locator(".tl-story").is_visible()
        live.get_by_role("button", name="Let course-lm write").press("Enter")
        live.get_by_role("status").get_by_text("could not be loaded").wait_for()
        (tmp_path / "away.js").rename(file)
        live.get_by_role("button", name="Try again").click()
        live.get_by_role("button", name="Write another text").wait_for()
        box = GenerateBox(lm.model, lm.tokenizer, prompt="your cat is a", seed=2, eos_token_id=0)
        for place, tau in ((0, 0), (20, 0.5), (30, 1)):
            with_text = story(live)
            dial(live).fill(str(place))
            box.temperature = tau
            wanted = lm.tokenizer.decode(box.continued(60), skip_special_tokens=True)
            wait_for_story(live, "story === text", f"your cat is a{wanted}")
            assert (story(live) == with_text) == (place == 0)
        live.get_by_role("status").get_by_text("course-lm has written 60 tokens").wait_for()
        live.get_by_role("button", name="Write another text").click()
        box.seed = 3
        wanted = lm.tokenizer.decode(box.continued(60), skip_special_tokens=True)
        wait_for_story(live, "story === text", f"your cat is a{wanted}")
        dial(live).press("End")
        wait_for_story(live, "story !== text && story.length > 100", story(live))
        assert story(live).startswith("your cat is a")

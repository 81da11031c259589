"""GenerateBox in Chromium: it tokenises, counts and draws as Python does, and its controls work."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import axe_playwright_python
import numpy as np
import pytest
from tests.awkward import AWKWARD
from tests.widgets.pages import FRAME, open_page

from plainformer.decoding import NGramModel
from plainformer.decoding.example import EOS, ids, model, tokenizer
from plainformer.inputs import BPETokenizer
from plainformer.widgets import GenerateBox
from plainformer.widgets.base import bundle
from plainformer.widgets.generate_box import MAX_OUTPUT, MAX_PROMPT
from plainformer.widgets.generate_box_pack import pack_model
from plainformer.widgets.generate_box_picture import chance

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
V = tokenizer().vocab_size
SETTINGS: list[dict[str, Any]] = [
    {},
    {"temperature": 0.7, "top_p": 0.9},
    {"temperature": 0},
    {"temperature": 1.5, "top_k": 40, "min_p": 0.02},
    {"frequency": 0.5, "presence": 0.3, "repetition": 1.2},
    {"temperature": 2.5, "top_k": 7, "top_p": 0.55, "frequency": -0.2, "seed": 999},
    {"min_p": 1, "repetition": 0.8},
    {"top_p": 1e-6},
]


def make(**options: Any) -> GenerateBox:
    return GenerateBox(model(), tokenizer(), **({"prompt": "The name of the"} | options))


def get(page: "Page", name: str, number: int = 0) -> Any:
    """What the page's widget has now."""
    return page.evaluate(f"plainformer.widgets[{number}].model.get('{name}')")


def set_(page: "Page", name: str, value: Any) -> None:
    """Give the page's first widget a value, as Jupyter would."""
    page.evaluate(f"(value) => plainformer.widgets[0].model.set('{name}', value)", value)
    page.evaluate(FRAME)


def press(live: "Locator", name: str) -> None:
    live.get_by_role("button", name=name, exact=True).click()


def wait_for_tokens(page: "Page", count: int) -> list[int]:
    page.wait_for_function(
        "(count) => plainformer.widgets[0].model.get('output').length >= count", arg=count
    )
    page.evaluate(FRAME)
    found: list[int] = get(page, "output")
    assert len(found) == count
    return found


def slider(live: "Locator", name: str) -> "Locator":
    return live.get_by_role("slider", name=re.compile(f"^{name}"))


def unfold(live: "Locator") -> None:
    live.locator("summary").click()


def status(live: "Locator", text: str) -> None:
    """Wait until the live region says a text."""
    live.get_by_role("status").get_by_text(text).wait_for()


def run(page: "Page", name: str, expression: str, argument: Any) -> Any:
    """The value of an expression that may use a module's functions, as `m.NAME`, and `x`."""
    return page.evaluate(
        f"""async ([code, x]) => {{
            const blob = new Blob([code], {{ type: "text/javascript" }});
            const m = await import(URL.createObjectURL(blob));
            return {expression};
        }}""",
        [bundle(name), argument],
    )


# The same as in Python


def test_a_prompt_becomes_the_same_tokens(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    rng = np.random.default_rng(5)
    alphabet = [*"aeinorst  \n'!_1é€🙂猫", "<|endoftext|>", "\r\n", "\u200d", "\ufeff"]
    random = ["".join(rng.choice(alphabet, 40)) for _ in range(40)]
    texts = [text for text in [*AWKWARD, *random] if 0 < len(text) <= MAX_PROMPT]
    assert len(texts) > 60
    for text in texts:
        set_(page, "prompt", text)
        shown: Any = live.locator(".pf-card").get_attribute("data-prompt")
        assert [int(each) for each in shown.split()] == tokenizer().encode(text), repr(text)


def test_the_counting_is_that_of_the_model(page: "Page") -> None:
    """Several texts, all orders, histories that never occurred or reach over the start."""
    rng = np.random.default_rng(3)
    for order in (1, 2, 3, 5):
        size = 7
        texts = [rng.integers(0, size - 1, n) for n in (40, 1, 2, 25)]
        fitted = NGramModel(order, vocab_size=size).fit(texts)
        histories = [rng.integers(0, size, n).tolist() for n in (1, 1, 2, 3, 4, 6) * 10]
        histories += [text[:n].tolist() for text in texts for n in (1, 2, 3) if len(text) >= n]
        packed = pack_model(fitted, most=10_000)
        script = "(({ logits }) => x[1].map((h) => Array.from(logits(h))))(m.makeModel(x[0]))"
        found = run(page, "ngram", script, [packed, histories])
        for row, history in zip(found, histories, strict=True):
            right = fitted(np.array([history]))[0]
            np.testing.assert_allclose(row, right, rtol=0, atol=1e-12)


def test_probabilities_are_pythons(page: "Page") -> None:
    rng = np.random.default_rng(7)
    box = make()
    text = ids()
    cases = []
    for i in range(48):
        start, length = int(rng.integers(len(text) - 20)), int(rng.integers(1, 9))
        prompt = tokenizer().decode(text[start : start + length].tolist()) if i % 4 else "zq 猫!"
        output = text[start + length : start + length + int(rng.integers(0, 9))].tolist()
        cases.append((prompt, output, SETTINGS[i % len(SETTINGS)]))
    given, right = [], []
    for prompt, output, settings in cases:
        for name, value in ({"temperature": 1, "top_k": None, "top_p": None, "min_p": None,
                             "frequency": 0, "presence": 0, "repetition": 1, "seed": 0}
                            | settings).items():  # fmt: skip
            setattr(box, name, value)
        box.prompt, box.output = prompt, output
        now = {name: getattr(box, name) for name in box.state() if name != "data"}
        given.append([tokenizer().encode(prompt), output, now])
        right.append(box.probabilities)
    logits = run(
        page,
        "ngram",
        """(({ logits }) => x[1].map(([p, o]) => Array.from(logits([...p, ...o]))))(
            m.makeModel(x[0]))""",
        [box.data["model"], given],
    )
    found = run(
        page,
        "generate_box_chances",
        "x.map(([z, p, o, s]) => Array.from(m.outcome(Float64Array.from(z), p, o, s).after))",
        [[z, *each] for z, each in zip(logits, given, strict=True)],
    )
    np.testing.assert_allclose(np.array(found), np.array(right), rtol=0, atol=1e-6)
    assert ((np.array(found) == 0) == (np.array(right) == 0)).all()  # the same tokens are cut


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_the_same_seed_draws_the_same_tokens(number: int, page: "Page", tmp_path: Path) -> None:
    box = make(seed=number, max_new_tokens=200)
    for name, value in SETTINGS[number].items():
        setattr(box, name, value)
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    found = wait_for_tokens(page, 200)
    assert found == box.continued(200)
    press(live, "Continue")  # and on from there
    assert wait_for_tokens(page, 400)[:200] == found
    box.output = found
    box.prompt = box.prompt
    assert get(page, "output") == box.continued(400)


def test_the_bars_are_pythons(page: "Page", tmp_path: Path) -> None:
    box = make(temperature=0.8, top_p=0.9, repetition=1.3)
    (live,) = open_page(page, tmp_path, box)
    press(live, "One token")
    box.output = wait_for_tokens(page, 1)
    shown = live.locator(".gen-number:visible").evaluate_all(
        "all => all.map((each) => Number(each.dataset.value))"
    )
    right = np.sort(box.probabilities)[::-1][:8]
    np.testing.assert_allclose(shown[:8], right, rtol=0, atol=1e-6)
    press(live, "Show as table")
    rows = live.get_by_role("table", name="What could stand next").locator("tbody tr")
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    before = np.exp(model()(np.array([box.ids]))[0])
    assert len(cells) >= 20
    for _, number, raw, after in cells:
        assert abs(float(raw) - before[int(number)]) < 1e-6
        expected = box.probabilities[int(number)]
        assert after == "cut" if expected == 0 else abs(float(after) - expected) < 1e-6
    added = (
        live.get_by_role("table", name="Tokens added").locator("tbody tr td").all_text_contents()
    )
    assert int(added[2]) == box.output[0]


# What a reader does


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    box = make(eos_id=0, seed=1)
    (live,) = open_page(page, tmp_path, box)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Tab")
    page.keyboard.press("Home")
    status(live, "Continue adds 1 token.")
    for _ in range(11):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    tokens = wait_for_tokens(page, 12)
    last = tokenizer().decode([tokens[-1]]).replace("\n", "↵")
    status(live, f"12 tokens added; the last, “{last}”, had probability 0.")
    assert tokens == box.continued(12)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    wait_for_tokens(page, 13)
    status(live, "1 token added; the last, ")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert wait_for_tokens(page, 12) == tokens
    status(live, "Took back “")
    page.keyboard.press("Tab")  # Clear
    page.keyboard.press("Tab")  # the first token
    page.keyboard.press("ArrowRight")
    status(live, "Token 2 of 12, “")
    page.keyboard.press("End")
    status(live, "Token 12 of 12, “")
    assert live.locator(":focus").get_attribute("aria-pressed") == "true"
    page.keyboard.press("Enter")
    status(live, "Back at the end of the text. Most probable now: “")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    status(live, "Cleared 12 tokens; the prompt is left.")
    assert get(page, "output") == []
    assert live.get_by_role("button", name="Clear").get_attribute("aria-disabled") == "true"
    page.keyboard.press("Tab")  # no token is left to stop at
    assert page.evaluate("document.activeElement.localName") == "summary"


def test_every_setting_is_live_and_says_so(page: "Page", tmp_path: Path) -> None:
    box = make()
    (live,) = open_page(page, tmp_path, box)
    unfold(live)
    moves = [
        ("Temperature", "0.5", "temperature", 0.5),
        ("Top-k", "2", "top_k", 3),
        ("Top-p", "0.95", "top_p", 0.95),
        ("Min-p", "0.1", "min_p", 0.1),
        ("Frequency penalty", "-0.3", "frequency", -0.3),
        ("Presence penalty", "0.4", "presence", 0.4),
        ("Repetition penalty", "1.25", "repetition", 1.25),
        ("Seed", "17", "seed", 17),
    ]
    for name, place, trait, value in moves:
        slider(live, name).fill(place)
        page.evaluate(FRAME)
        assert get(page, trait) == value
        setattr(box, trait, value)
        said = re.escape(name) + r" [−\d.]+: [\d,]+ tokens? can be drawn\."
        live.get_by_role("status").get_by_text(re.compile(said)).wait_for()
        assert (
            f"{int((box.probabilities > 0).sum()):,} token"
            in live.locator(".gen-note").inner_text()
        )
    summary = live.locator("summary").inner_text()
    assert summary == (
        "Sampler settings: temperature 0.50, top-k 3, top-p 0.95, min-p 0.10, frequency penalty "
        "−0.30, presence penalty 0.40, repetition penalty 1.25, seed 17"
    )
    for name, trait in (("Top-k", "top_k"), ("Top-p", "top_p")):
        slider(live, name).press("End")
        assert get(page, trait) is None
    slider(live, "Min-p").press("Home")
    assert get(page, "min_p") is None
    slider(live, "Temperature").press("Home")
    page.evaluate(FRAME)
    assert live.locator(".gen-note").inner_text().startswith("1 token can be drawn; the rest, cut")


def test_a_token_shows_what_else_could_stand_there(page: "Page", tmp_path: Path) -> None:
    box = make(top_p=0.9, seed=5)
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    tokens = wait_for_tokens(page, 40)
    unfold(live)
    slider(live, "Temperature").fill("0")  # what is past stays as it was drawn
    live.locator(".gen-token").nth(6).click()
    page.evaluate(FRAME)
    box.output = tokens[:6]
    right = np.sort(box.probabilities[box.probabilities > 0])[::-1][:8]
    shown = live.locator(".gen-number:visible").evaluate_all(
        "all => all.map((each) => Number(each.dataset.value))"
    )
    np.testing.assert_allclose(shown[: len(right)], right, rtol=0, atol=1e-6)
    mine = f"{box.probabilities[tokens[6]]:.2f}"
    assert mine in live.locator(".pf-sentence").inner_text()
    assert live.locator(".gen-mark").count() == 1
    assert live.locator(".gen-title").inner_text().endswith("token 7")
    live.locator(".gen-token").nth(6).click()
    page.evaluate(FRAME)
    assert live.locator(".gen-title").inner_text() == "The next token"
    live.locator(".gen-token").nth(3).click()
    slider(live, "Top-p").fill("0.5")  # a setting is about what comes next
    page.evaluate(FRAME)
    assert live.locator("[aria-pressed=true]").count() == 0


def test_stop_and_go_on(page: "Page", tmp_path: Path) -> None:
    box = make(max_new_tokens=200)
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    page.wait_for_function("plainformer.widgets[0].model.get('output').length > 3")
    press(live, "Stop")
    page.evaluate(FRAME)
    stopped = get(page, "output")
    page.evaluate(FRAME)
    assert 3 < len(stopped) < 200
    assert get(page, "output") == stopped == box.continued(len(stopped))
    press(live, "Continue")
    live.get_by_role("textbox").fill("another")  # a new prompt stops it, too
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    assert get(page, "output") == []
    assert live.get_by_role("button", name="Continue", exact=True).count() == 1


def test_as_many_tokens_as_presses_however_quick(page: "Page", tmp_path: Path) -> None:
    box = make()
    (live,) = open_page(page, tmp_path, box)
    buttons = """([name, times]) => {
        const all = [...document.querySelectorAll("button")];
        const found = all.find((each) => each.textContent === name);
        for (let i = 0; i < times; i += 1) found.click();
    }"""
    page.evaluate(buttons, ["One token", 7])
    assert wait_for_tokens(page, 7) == box.continued(7)
    page.evaluate(buttons, ["Undo one", 9])  # two more than there are
    page.evaluate(FRAME)
    assert get(page, "output") == []
    first = live.locator(".pf-sentence").inner_text()
    assert first.startswith("Took back “") and "undefined" not in first


def test_a_long_text_is_scrolled_along(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(prompt="word " * 400))
    text = live.locator(".gen-text")
    end = "(e) => e.scrollHeight - e.clientHeight - e.scrollTop"
    assert text.evaluate("(e) => e.scrollHeight > e.clientHeight") is True
    assert text.get_attribute("tabindex") == "0"  # so that keys can scroll it
    press(live, "Continue")
    wait_for_tokens(page, 40)
    assert text.evaluate(end) < 2
    assert text.get_attribute("tabindex") == "-1"  # a token has the focus instead
    text.evaluate("(e) => { e.scrollTop = 0; }")  # the reader looks at the start
    set_(page, "output", [*get(page, "output"), 5])
    assert text.evaluate("(e) => e.scrollTop") == 0
    press(live, "One token")
    wait_for_tokens(page, 42)
    assert text.evaluate(end) < 2
    live.get_by_role("textbox").fill("short")
    page.evaluate(FRAME)
    assert text.get_attribute("tabindex") == "-1"


def test_escape_leads_from_a_token_back_to_the_end(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(max_new_tokens=3))
    press(live, "Continue")
    wait_for_tokens(page, 3)
    live.locator(".gen-token").first.focus()
    page.keyboard.press("Enter")
    status(live, "Token 1 of 3")
    page.keyboard.press("Escape")
    status(live, "Back at the end of the text.")
    assert live.locator(".gen-token[aria-pressed=true]").count() == 0
    assert live.locator(".gen-token:focus").count() == 1


def test_a_setting_is_written_as_what_it_is(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(temperature=0.001, top_p=1e-6, repetition=1.125))
    summary = live.locator("summary").inner_text()
    assert "temperature 0.001, top-p 0.000001, repetition penalty 1.13, seed" in summary
    set_(page, "temperature", 0)
    assert "temperature 0.00," in live.locator("summary").inner_text()


def test_a_paste_that_is_cut_is_told(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    box = live.get_by_role("textbox")
    box.focus()
    box.select_text()
    page.keyboard.insert_text("né🙂" * 3_000)
    page.evaluate(FRAME)
    assert get(page, "prompt") == "né🙂" * (MAX_PROMPT // 4)  # an emoji is two UTF-16 units
    status(live, f"The prompt is {MAX_PROMPT:,} characters, the most; ")


def test_another_prompt_from_python_while_tokens_come(page: "Page", tmp_path: Path) -> None:
    """Python has none of these tokens yet: clearing its output changes nothing, so it is silent."""
    (live,) = open_page(page, tmp_path, make(max_new_tokens=200))
    press(live, "Continue")
    page.wait_for_function("plainformer.widgets[0].model.get('output').length > 3")
    set_(page, "prompt", "another")
    page.evaluate(FRAME)
    assert get(page, "output") == []
    assert live.get_by_role("button", name="Continue", exact=True).count() == 1
    status(live, "The prompt is")


def test_the_page_stays_alive_while_tokens_come(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(max_new_tokens=200))
    page.evaluate(
        """() => {
            window.seen = new Set();
            const look = () => {
              seen.add(plainformer.widgets[0].model.get("output").length);
              requestAnimationFrame(look);
            };
            look();
        }"""
    )
    press(live, "Continue")
    wait_for_tokens(page, 200)
    assert page.evaluate("seen.size") > 50  # frames in which something had come


def test_the_end_of_a_text_stops_it(page: "Page", tmp_path: Path) -> None:
    box = next(b for seed in range(99) if len((b := make(eos_id=0, seed=seed)).continued(40)) < 40)
    (live,) = open_page(page, tmp_path, box)
    right = box.continued(40)
    press(live, "Continue")
    assert wait_for_tokens(page, len(right)) == right
    status(live, "It ends a text.")
    assert live.locator(".gen-token").last.inner_text() == EOS
    press(live, "One token")  # the next text begins
    wait_for_tokens(page, len(right) + 1)


def test_a_full_box_says_so(page: "Page", tmp_path: Path) -> None:
    box = make(max_new_tokens=200)
    box.output = ids()[: MAX_OUTPUT - 3]
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    wait_for_tokens(page, MAX_OUTPUT)
    status(live, "3 tokens added;")
    status(live, "The box is full.")
    for name in ("Continue", "One token"):
        button = live.get_by_role("button", name=name, exact=True)
        assert button.get_attribute("aria-disabled") == "true"
    press(live, "Undo one")
    wait_for_tokens(page, MAX_OUTPUT - 1)


def test_typed_text_is_text(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    live.get_by_role("textbox").fill("<img src=x onerror=alert(1)> <|endoftext|>")
    page.evaluate(FRAME)
    assert live.locator("img").count() == 0
    assert live.locator(".gen-prompt").inner_text() == "<img src=x onerror=alert(1)> <|endoftext|>"
    shown: Any = live.locator(".pf-card").get_attribute("data-prompt")
    assert "0" not in shown.split()
    status(live, "The prompt is ")


def test_prompts_that_will_not_do_get_a_sentence(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    box = live.get_by_role("textbox")
    box.fill("")
    status(live, "A model needs a token to start from: type something.")
    for name in ("Continue", "One token"):
        button = live.get_by_role("button", name=name, exact=True)
        assert button.get_attribute("aria-disabled") == "true"
    box.evaluate("""box => { box.value = "a\\ud83d"; box.dispatchEvent(new Event("input")); }""")
    status(live, "half of a character (a lone surrogate)")
    box.fill("a cat")
    status(live, "The prompt is ")
    press(live, "One token")
    wait_for_tokens(page, 1)


def test_bytes_that_are_no_character_yet(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(prompt="é"))
    euro, cat = tokenizer().encode("€"), tokenizer().encode("猫a\n")
    assert (len(euro), len(cat)) == (3, 5)

    def shown() -> list[str]:
        page.evaluate(FRAME)
        return live.locator(".gen-token").all_text_contents()

    set_(page, "output", euro[:2])
    assert shown() == ["<0xE2>", "<0x82>"]
    set_(page, "output", euro)
    assert shown() == ["⋯", "⋯", "€"]
    set_(page, "output", [*euro[:2], *cat, euro[2]])  # broken off, and a byte out of place
    assert shown() == ["<0xE2>", "<0x82>", "⋯", "⋯", "猫", "a", "↵\n", "<0xAC>"]
    live.locator(".gen-token").nth(2).click()
    status(live, "Token 3 of 8, “<0xE7>”, had probability ")


def test_a_tokenizer_of_characters(page: "Page", tmp_path: Path) -> None:
    letters = BPETokenizer.train("a cät sat €", 14, byte_level=False)
    fitted = NGramModel(2, vocab_size=letters.vocab_size).fit(letters.encode("a cät sat €"))
    box = GenerateBox(fitted, letters, prompt="a", max_new_tokens=60)
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    assert wait_for_tokens(page, 60) == box.continued(60)
    assert live.locator(".gen-text").inner_text() == "a" + letters.decode(get(page, "output"))
    live.get_by_role("textbox").fill("a dog")
    status(live, "This tokenizer has no token for “d”.")


def test_what_python_or_jupyter_sets_is_drawn(page: "Page", tmp_path: Path) -> None:
    box = make()
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    wait_for_tokens(page, 40)
    box.prompt, box.temperature, box.top_k = "Python is", 0.3, 250
    box.output = tokenizer().encode(" a lovely cat")
    for name in ("prompt", "temperature", "top_k", "output"):
        set_(page, name, getattr(box, name))
    assert live.get_by_role("textbox").input_value() == "Python is"
    assert live.locator(".gen-text").inner_text() == "Python is a lovely cat"
    assert "temperature 0.30, top-k 250" in live.locator("summary").inner_text()
    shown = live.locator(".gen-number:visible").first.get_attribute("data-value")
    assert abs(float(shown or 0) - box.probabilities.max()) < 1e-6
    live.locator(".gen-token").first.click()
    status(live, "Token 1 of ")


# A model in Python: the messages, in a page that plays Jupyter

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
    page.evaluate(ASKS, [bundle("generate_box"), json.loads(json.dumps(box.state())), 0])
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


# What every reader needs


def test_two_on_a_page_are_strangers(page: "Page", tmp_path: Path) -> None:
    first, second = open_page(page, tmp_path, make(), make(prompt="your cat"))
    shown = second.locator(".gen-text, .gen-panel, .pf-sentence")
    before = shown.all_inner_texts()
    press(first, "Continue")
    wait_for_tokens(page, 40)
    assert shown.all_inner_texts() == before
    assert get(page, "output", 1) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(theme: str, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make(seed=3))
    page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
    press(live, "Continue")
    wait_for_tokens(page, 40)
    unfold(live)
    press(live, "Show as table")
    live.locator(".gen-token").nth(3).click()
    page.wait_for_timeout(200)
    page.add_script_tag(path=AXE)
    results = page.evaluate("axe.run({ preload: false })")
    found = [(each["id"], [n["html"] for n in each["nodes"]][:3]) for each in results["violations"]]
    assert found == []


@pytest.mark.parametrize("width", [320, 360, 900])
def test_nothing_overflows_and_a_thumb_finds_it(width: int, page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": width, "height": 640})
    long = make(prompt="supercalifragilistic" * 40, temperature=3, repetition=2)
    for live in open_page(page, tmp_path, make(), long):
        press(live, "Continue")
        live.get_by_role("button", name="Continue", exact=True).wait_for()
        unfold(live)
        press(live, "Show as table")
        page.wait_for_timeout(150)
        assert live.locator(".pf-card").evaluate("card => card.scrollWidth <= card.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    targets = page.locator(".pf-live").locator("button, input, textarea, summary")
    for target in targets.filter(visible=True).all():
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44, target.text_content()


def test_without_scripts_and_in_print_the_picture_stands(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    picture = page.locator(".pf-fallback .gen-text")
    assert not picture.is_visible()
    page.emulate_media(media="print")
    assert picture.is_visible()
    assert not live.is_visible()


def test_a_probability_reads_as_in_python(page: "Page") -> None:
    numbers = [0, 1e-300, 0.0004, 0.0005, 0.0042, 0.0994, 0.0996, 0.314, 0.9951, 1 - 1e-12, 1]
    found = run(page, "generate_box_panel", "x.map((p) => m.chance(p))", numbers)
    assert found == [chance(p) for p in numbers]


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
            for (let i = 0; i < 4; i += 1) await new Promise(requestAnimationFrame);
            fake.get = get;
            return reads;
        }"""
    )
    assert reads == 0
    assert page.evaluate("fake.get('sent')") == []

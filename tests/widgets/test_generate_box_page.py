"""GenerateBox in Chromium, in a reader's hands: keys, settings, awkward text."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.widgets.generate_box import make, press, slider, status, unfold, wait_for_tokens
from tests.widgets.pages import FRAME, open_page, put, trait

from plainformer.decoding import NGramModel
from plainformer.decoding.example import EOS, ids, tokenizer
from plainformer.inputs import BPETokenizer
from plainformer.widgets import GenerateBox
from plainformer.widgets.generate_box.widget import MAX_OUTPUT, MAX_PROMPT

if TYPE_CHECKING:
    from playwright.sync_api import Page


def at_four(page: "Page", act: str) -> None:
    """Let the page do something when four tokens have come: a test may be too late for it."""
    page.evaluate(
        f"""() => {{
          const {{ model }} = plainformer.widgets[0];
          const look = () => {{
            if (model.get("output").length < 4) return;
            model.off("change:output", look);
            const buttons = [...document.querySelectorAll("button")];
            setTimeout(() => {act});
          }};
          model.on("change:output", look);
        }}"""
    )


def test_keyboard_alone(page: "Page", tmp_path: Path) -> None:
    box = make(eos_token_id=0, seed=1)
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
    assert trait(page, "output") == []
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
        ("Frequency penalty", "-0.3", "frequency_penalty", -0.3),
        ("Presence penalty", "0.4", "presence_penalty", 0.4),
        ("Repetition penalty", "1.25", "repetition_penalty", 1.25),
        ("Seed", "17", "seed", 17),
    ]
    for name, place, setting, value in moves:
        slider(live, name).fill(place)
        page.evaluate(FRAME)
        assert trait(page, setting) == value
        setattr(box, setting, value)
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
    for name, setting in (("Top-k", "top_k"), ("Top-p", "top_p")):
        slider(live, name).press("End")
        assert trait(page, setting) is None
    slider(live, "Min-p").press("Home")
    assert trait(page, "min_p") is None
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
    at_four(page, "buttons.find((each) => each.textContent === 'Stop').click()")
    press(live, "Continue")
    page.evaluate(FRAME)  # from here on it is called Stop
    live.get_by_role("button", name="Continue", exact=True).wait_for()
    stopped = trait(page, "output")
    page.evaluate(FRAME)
    assert 3 < len(stopped) < 200
    assert trait(page, "output") == stopped == box.continued(len(stopped))
    press(live, "Continue")
    live.get_by_role("textbox").fill("another")  # a new prompt stops it, too
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    assert trait(page, "output") == []
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
    assert trait(page, "output") == []
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
    put(page, output=[*trait(page, "output"), 5])
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
    (live,) = open_page(
        page, tmp_path, make(temperature=0.001, top_p=1e-6, repetition_penalty=1.125)
    )
    summary = live.locator("summary").inner_text()
    assert "temperature 0.001, top-p 0.000001, repetition penalty 1.13, seed" in summary
    put(page, temperature=0)
    assert "temperature 0.00," in live.locator("summary").inner_text()


def test_a_paste_that_is_cut_is_told(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    box = live.get_by_role("textbox")
    box.focus()
    box.select_text()
    page.keyboard.insert_text("né🙂" * 3_000)
    page.evaluate(FRAME)
    assert trait(page, "prompt") == "né🙂" * (MAX_PROMPT // 4)  # an emoji is two UTF-16 units
    status(live, f"The prompt is {MAX_PROMPT:,} characters, the most; ")


def test_another_prompt_from_python_while_tokens_come(page: "Page", tmp_path: Path) -> None:
    """Python has none of these tokens yet: clearing its output changes nothing, so it is silent."""
    (live,) = open_page(page, tmp_path, make(max_new_tokens=200))
    at_four(page, "model.set('prompt', 'another')")
    press(live, "Continue")
    page.wait_for_function("plainformer.widgets[0].model.get('prompt') === 'another'")
    page.evaluate(FRAME)
    page.evaluate(FRAME)
    assert trait(page, "output") == []
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
    box = next(
        b for seed in range(99) if len((b := make(eos_token_id=0, seed=seed)).continued(40)) < 40
    )
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

    put(page, output=euro[:2])
    assert shown() == ["<0xE2>", "<0x82>"]
    put(page, output=euro)
    assert shown() == ["⋯", "⋯", "€"]
    put(page, output=[*euro[:2], *cat, euro[2]])  # broken off, and a byte out of place
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
    assert live.locator(".gen-text").inner_text() == "a" + letters.decode(trait(page, "output"))
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
        put(page, **{name: getattr(box, name)})
    assert live.get_by_role("textbox").input_value() == "Python is"
    assert live.locator(".gen-text").inner_text() == "Python is a lovely cat"
    assert "temperature 0.30, top-k 250" in live.locator("summary").inner_text()
    shown = live.locator(".gen-number:visible").first.get_attribute("data-value")
    assert abs(float(shown or 0) - box.probabilities.max()) < 1e-6
    live.locator(".gen-token").first.click()
    status(live, "Token 1 of ")

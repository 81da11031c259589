"""BPEMerges in a static page opened as a file, in Chromium."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.awkward import AWKWARD
from tests.widgets.pages import FRAME, open_page, open_still, trait, write_page

from plainformer.inputs import BPETokenizer
from plainformer.widgets import BPEMerges

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


# Every text at once: set it, wait until it is drawn, press "Show all", read ids and step count.
IDS_OF = """async (texts) => {
  const { model, el } = plainformer.widgets[0];
  const frame = () => pfFrame().then(() => new Promise((go) => setTimeout(go)));
  const found = [];
  for (const text of texts) {
    model.set("text", text);
    await frame();
    const more = [...el.querySelectorAll("button")].find(b => b.textContent.startsWith("Show all"));
    if (more && !more.hidden) { more.click(); await frame(); }
    found.push([...el.querySelectorAll(".bpe-token")].map((chip) => Number(chip.dataset.id)));
  }
  return found;
}"""


def ids(live: "Locator") -> list[int]:
    return [
        int(number)
        for number in live.locator(".bpe-token").evaluate_all(
            "chips => chips.map(chip => chip.dataset.id)"
        )
    ]


@pytest.mark.parametrize("kind", ["tokenizer", "character_tokenizer"])
def test_the_page_agrees_with_encode(
    kind: str, request: pytest.FixtureRequest, page: "Page", tmp_path: Path
) -> None:
    tokenizer: BPETokenizer = request.getfixturevalue(kind)
    open_page(page, tmp_path, BPEMerges(tokenizer, text="a"))
    found = page.evaluate(IDS_OF, AWKWARD)
    for text, seen in zip(AWKWARD, found, strict=True):
        assert seen == tokenizer.encode(text), repr(text[:60])


def test_every_step_agrees_with_python(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = BPEMerges(tokenizer, text="Isn't the café's statement naïve? 🙂 the the")
    (live,) = open_page(page, tmp_path, widget)
    slider = live.get_by_role("slider")
    assert slider.get_attribute("max") == str(widget.last_step)
    for step in range(widget.last_step + 1):
        widget.step = step
        slider.fill(str(step))
        page.evaluate(FRAME)
        assert ids(live) == widget.ids, f"step {step}"
        next_pair = live.locator(".bpe-left, .bpe-right").count()
        assert (next_pair > 0) == (step < widget.last_step)


def test_a_merge_whose_token_came_earlier_by_another_way(page: "Page", tmp_path: Path) -> None:
    vocab = {"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5, "abca": 6}
    merges = [("b", "c"), ("ab", "c"), ("abc", "a"), ("a", "bc")]
    tokenizer = BPETokenizer(vocab, merges, byte_level=False)
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer, text="abcabc"))
    assert ids(live) == tokenizer.encode("abcabc")


def test_typing(tokenizer: BPETokenizer, page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer))
    live.get_by_label("Type any text").fill("<img src=x onerror=alert(1)> and a module")
    page.wait_for_function("plainformer.widgets[0].model.get('text').startsWith('<img')")
    page.evaluate(FRAME)
    assert ids(live) == tokenizer.encode("<img src=x onerror=alert(1)> and a module")
    assert live.locator("img").count() == 0


def test_half_a_character_gets_a_message(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer))
    live.get_by_label("Type any text").evaluate(
        """box => { box.value = "a\\ud83d"; box.dispatchEvent(new Event("input")); }"""
    )
    live.get_by_role("status").get_by_text("lone surrogate").wait_for()
    assert live.get_by_role("slider").is_disabled()
    live.get_by_label("Type any text").fill("a cat")
    live.get_by_role("status").get_by_text("makes").wait_for()
    assert live.get_by_role("slider").is_enabled()


def test_a_character_without_a_token_gets_a_message(page: "Page", tmp_path: Path) -> None:
    tokenizer = BPETokenizer.train("a cat sat", 10, byte_level=False)
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer, text="a cat"))
    live.get_by_label("Type any text").fill("a dog")
    live.get_by_role("status").get_by_text("no token for “d”").wait_for()


def test_the_last_press_keeps_the_focus(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = BPEMerges(tokenizer, text="a cat", step=0)
    (live,) = open_page(page, tmp_path, widget)
    slider = live.get_by_role("slider")
    ends = (("Next merge", widget.last_step, "Merge 2 of 2"), ("Previous merge", 0, "Before any"))
    for name, end, sentence in ends:
        button = live.get_by_role("button", name=name)
        button.focus()
        for _ in range(widget.last_step):
            assert button.get_attribute("aria-disabled") == "false"
            page.keyboard.press("Enter")
            page.evaluate(FRAME)
        assert slider.input_value() == str(end)
        assert button.get_attribute("aria-disabled") == "true"
        live.get_by_role("status").get_by_text(sentence).wait_for()  # it speaks a little later
        before = live.inner_html()
        page.keyboard.press("Enter")  # and one too many
        page.evaluate(FRAME)
        assert live.inner_html() == before
        assert button.evaluate("button => button === document.activeElement")


@pytest.mark.parametrize(
    ("text", "unit", "number"), [("zqx", "character", 3), ("🙂", "byte", 4), ("zé", "byte", 3)]
)
def test_what_a_token_is_before_any_merge(
    text: str, unit: str, number: int, page: "Page", tmp_path: Path
) -> None:
    tokenizer = BPETokenizer.train("a cat", 257)
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer, text=text))
    live.get_by_role("status").get_by_text(
        f"Before any merge: {number} {unit}s, each a token."
    ).wait_for()
    live.get_by_text(f"No merge applies: each {unit} stays a token.").wait_for()


def test_stray_bytes_read_as_in_python(page: "Page", tmp_path: Path) -> None:
    widget = BPEMerges(BPETokenizer.train("€ € €", 257), text="€")
    (live,) = open_page(page, tmp_path, widget)
    assert any(token.startswith("<0x") for token in widget.tokens)
    assert live.locator(".bpe-token").all_text_contents() == widget.tokens
    widget.step = 0
    live.get_by_role("slider").fill("0")
    page.evaluate(FRAME)
    assert live.locator(".bpe-token").all_text_contents() == ["<0xE2>", "<0x82>", "<0xAC>"]
    live.get_by_text("Bytes", exact=True).click()
    page.evaluate(FRAME)
    assert live.locator(".bpe-token").all_text_contents() == ["E2", "82", "AC"]


def test_equal_tokens_share_a_colour_and_the_picture_has_the_same(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = BPEMerges(tokenizer, text="a cat sat, and a bat sat on the mat that sat: €€", step=6)
    (live,) = open_page(page, tmp_path, widget)
    found = live.locator(".bpe-token").evaluate_all(
        "chips => chips.map(c => [Number(c.dataset.id), c.className.match(/bpe-c(\\d)/)[1]])"
    )
    assert len(found) == len(widget.ids) > len(dict(found))
    assert all(colour == dict(found)[number] for number, colour in found)
    assert [f"bpe-token bpe-c{colour}" for _, colour in found] == re.findall(
        r'"(bpe-token bpe-c\d)"', widget.picture()
    )


def test_the_foot_explains_the_signs(page: "Page", tmp_path: Path) -> None:
    letters = BPETokenizer.train("a cat sat", 10, byte_level=False)
    letters.merge_counts = []  # as after loading from a file
    widgets = [
        BPEMerges(BPETokenizer.train("a cat sat", 258), text="a cat"),
        BPEMerges(letters, text="a cat"),
        BPEMerges(letters, text="a cat", compact=True),
    ]
    full, plain, compact = (
        each.locator(".bpe-legend") for each in open_page(page, tmp_path, *widgets)
    )
    for words in ("Equal tokens share", "Rank:", "Seen:", "<0xC3>"):
        assert words in full.inner_text()
    assert plain.inner_text().startswith("Equal tokens share")
    assert "Seen" not in plain.inner_text() and "0xC3" not in plain.inner_text()
    assert not compact.is_visible()


def test_play_goes_to_the_end_and_can_be_paused(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    (live,) = open_still(page, tmp_path, BPEMerges(tokenizer, text="the cat", step=0))
    live.get_by_role("button", name="Play").click()
    live.get_by_role("button", name="Pause").click()
    page.clock.run_for(60_000)
    assert trait(page, "step") == 0
    live.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    live.get_by_text("No merge is left").wait_for()
    live.get_by_role("button", name="Play").wait_for()


def test_the_table_has_what_the_picture_has(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = BPEMerges(tokenizer, text="a lovely €")
    (live,) = open_page(page, tmp_path, widget)
    live.get_by_role("button", name="Show as table").click()
    rows = live.get_by_role("table", name="Tokens now").locator("tbody tr")
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    assert [int(row[3]) for row in cells] == widget.ids
    assert [bytes.fromhex(row[2]) for row in cells] == widget.symbols
    merges = live.get_by_role("table", name="Merges of this text").locator("tbody tr")
    ranks = [int(row.locator("td").nth(1).text_content() or "") for row in merges.all()]
    assert ranks == [step.rank for step in widget.replay.steps]
    live.get_by_role("button", name="Hide table").click()
    assert live.get_by_role("table").count() == 0


def test_a_long_text_shows_its_first_tokens_until_asked(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    widget = BPEMerges(tokenizer, text="a very long text, " * 100)
    (live,) = open_page(page, tmp_path, widget)
    assert len(ids(live)) == 200
    live.get_by_role("button", name=f"Show all {len(widget.ids)} tokens").click()
    live.get_by_role("button", name="Show the first 200 tokens").wait_for()
    assert ids(live) == widget.ids


def test_a_closed_fold_draws_when_it_opens(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    folded = f"<details><summary>More</summary>{BPEMerges(tokenizer).html()}</details>"
    tab = f'<div id="tab" hidden>{BPEMerges(tokenizer).html()}</div>'
    open_page(page, tmp_path, folded, tab)
    page.evaluate(FRAME)
    page.evaluate(FRAME)  # an observer of sizes has reported by now
    assert page.locator("[data-pf-ready]").count() == 0
    page.get_by_text("More").click()
    page.locator("details [data-pf-ready]").wait_for()
    page.evaluate("document.getElementById('tab').hidden = false")
    page.locator("#tab [data-pf-ready]").wait_for()


def test_a_widget_that_cannot_start_keeps_its_picture(
    tokenizer: BPETokenizer, browser: Any, tmp_path: Path
) -> None:
    page = browser.new_page()
    page.goto(write_page(tmp_path, BPEMerges(tokenizer).html().replace('"pairs"', '"pears"')))
    page.locator("[data-pf-error]").wait_for()
    assert page.locator(".pf-fallback").is_visible()
    assert "could not be made live" in (page.locator(".pf-note").last.text_content() or "")
    page.close()


def test_compact_fits_a_phones_first_screen(
    tokenizer: BPETokenizer, page: "Page", tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    (live,) = open_page(page, tmp_path, BPEMerges(tokenizer, compact=True))
    box = live.bounding_box()
    assert box is not None
    assert box["height"] <= 420

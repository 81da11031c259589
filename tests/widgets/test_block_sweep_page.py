"""BlockSweep in a static page opened as a file, in Chromium: its numbers, hands and looks."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from tests.widgets.pages import FRAME, open_page, put, trait

from plainformer.attention import attention
from plainformer.attention.efficient import online_attention
from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import BlockSweep

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

Q, K, V = X @ W_Q, X @ W_K, X @ W_V


def kept(live: "Locator") -> list[float]:
    values = live.locator(".bs-now").evaluate_all("all => all.map(e => e.dataset.value)")
    return [float(value.replace("Infinity", "inf")) for value in values]


def test_the_pages_numbers_are_pythons(page: "Page", tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=size) * 3 for size in ((5, 3), (7, 3), (7, 2)))
    widget = BlockSweep(q, k, v)
    (live,) = open_page(page, tmp_path, widget)
    states = [
        (query, size, causal, lift)
        for query in (0, 2, 4)
        for size in (1, 3, 7)
        for causal in (False, True)
        for lift in (0.0, 9.5)
    ]
    for query, size, causal, lift in states:
        widget.step = 0
        widget.query, widget.block_size = query, size
        widget.causal, widget.lift = causal, lift
        put(page, step=0, query=query, block_size=size, causal=causal, lift=lift)
        for step in range(widget.last_step + 1):
            widget.step = step
            put(page, step=step)
            top, total, output = widget.kept
            np.testing.assert_allclose(kept(live), [top, total, *output], rtol=0, atol=1e-9)
        read = live.locator(".bs-result strong").get_attribute("data-value")
        one, scores = np.ones((1, 1)), np.array(widget.scores)[:, None]
        seen = v[: widget.seen]
        by_blocks = online_attention(one, scores, seen, size, False)[0]
        at_once = attention(one, scores, seen, scale=1)[0][0]
        np.testing.assert_allclose(json.loads(read or ""), by_blocks, rtol=0, atol=1e-6)
        plain = live.locator(".bs-plain").get_attribute("data-value")
        np.testing.assert_allclose(json.loads(plain or ""), at_once, rtol=0, atol=1e-6)
        np.testing.assert_allclose(widget.result, at_once, rtol=0, atol=1e-6)


def test_the_sweep_is_told_in_sentences_and_numbers(page: "Page", tmp_path: Path) -> None:
    widget = BlockSweep(Q, K, V, tokens=TOKENS, query=1)
    (live,) = open_page(page, tmp_path, widget)
    status, formula = live.get_by_role("status"), live.locator(".bs-formula")
    status.get_by_text("“cat” (query 1): 6 scores to read, in 3 blocks of 2.").wait_for()
    following = live.get_by_role("button", name="Next")
    following.click()
    page.evaluate(FRAME)
    assert formula.inner_text() == "fade = exp(−∞ − 0.000) = 0.000: there was nothing to keep"
    following.press("Enter")
    page.evaluate(FRAME)
    assert formula.inner_text() == "fade = exp(0.000 − 0.000) = 1.000: the top stays"
    following.press("Space")
    page.evaluate(FRAME)
    assert formula.inner_text() == "fade = exp(0.000 − 2.828) = 0.059"
    status.get_by_text(
        "the top rises from 0.000 to 2.828, so the old sums fade to 0.059"
    ).wait_for()
    assert live.locator(".bs-weight").all_inner_texts() == ["0.059"] * 4 + ["1.000", "0.059"]
    following.press("Enter")
    page.evaluate(FRAME)
    result = live.locator(".bs-result")
    said = "output / total = [0.1773, 3.8227] / 1.2955 = [0.137, 2.951]"
    assert result.inner_text().startswith(said)
    assert "the largest difference is" in result.inner_text()
    following.press("Enter")  # there is nothing after it, and the focus stays
    assert trait(page, "step") == 4
    live.get_by_role("button", name="Back").click()
    page.evaluate(FRAME)
    assert not result.is_visible()
    live.get_by_label("Causal").check()
    page.evaluate(FRAME)
    assert live.locator(".bs-gone").count() == 4 + 2  # four keys, two blocks
    assert trait(page, "step") == 2
    live.get_by_label("Add to the last score").press("End")
    status.get_by_text("The last score is raised by 10.0.").wait_for()
    live.get_by_label("Block size").press("End")
    status.get_by_text("1 block of 6 read").wait_for()
    put(page, step=3, query=1, block_size=2, causal=False, lift=10.0)  # a fade that 3 digits hide
    status.get_by_text("the old sums fade to 0.000045 of what they were").wait_for()
    assert live.locator(".bs-fade").all_inner_texts() == ["", *["× 0.000045"] * 3]


def test_the_tables_have_the_numbers(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BlockSweep(Q, K, V, tokens=TOKENS, query=1, step=4))
    live.get_by_role("button", name="Show as table").press("Enter")
    table = live.get_by_role("table", name="The keys")
    weights = [float(text) for text in table.locator("td:nth-child(5)").all_inner_texts()]
    np.testing.assert_allclose(weights, attention(Q, K, V)[1][1], rtol=0, atol=1e-8)
    rows = live.get_by_role("table", name="What is kept after each block").locator("tbody tr")
    assert rows.nth(0).locator("td").all_inner_texts() == ["0", "none", "", "−∞", "0", "0", "0"]
    last = rows.nth(3).locator("td").all_inner_texts()
    assert last[:4] == ["3", "lovely, cat", "0.059105747", "2.828427125"]


def test_a_screen_reader_gets_what_is_kept_as_a_table(page: "Page", tmp_path: Path) -> None:
    widget = BlockSweep(Q, K, V, tokens=TOKENS, query=1, step=3)
    (live,) = open_page(page, tmp_path, widget)
    ledger = live.get_by_role("table", name="What is kept")
    heads = ledger.get_by_role("columnheader").all_inner_texts()
    assert heads == ["kept", "× fade", "+ block", "= now"]
    row = ledger.get_by_role("row", name="output 1").get_by_role("cell").all_inner_texts()
    assert row == ["−3.000", "× 0.0591", "+ 4.000", "3.823"]
    bars = live.get_by_role("group", name="A bar for each key; the table has the numbers")
    assert bars.locator(":scope > :not([aria-hidden=true])").count() == 0


def test_one_query_one_key(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, BlockSweep([[1]], [[2]], [[5]], block_size=1, step=2))
    assert live.locator(".bs-result strong").inner_text() == "5.000"
    assert [each.is_visible() for each in live.get_by_role("slider").all()].count(True) == 2


def test_a_phone_sees_the_whole_sentence(page: "Page", tmp_path: Path) -> None:
    page.set_viewport_size({"width": 342, "height": 640})  # as wide as a page of the book at 360
    (live,) = open_page(page, tmp_path, BlockSweep(Q, K, V, tokens=TOKENS))
    assert live.locator(".bs-stage").evaluate("box => box.scrollWidth <= box.clientWidth")
    cut = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
    assert live.locator(".bs-token, .bs-cell").evaluate_all(cut) == []

"""AttentionMap in a real JupyterLab, from Python to the page and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """from plainformer.attention import attention
from plainformer.attention.example import TOKENS, W_K, W_K1, W_Q, W_Q1, W_V, X
from plainformer.widgets import AttentionMap
heads = [attention(X @ q, X @ k, X @ W_V)[1] for q, k in [(W_Q, W_K), (W_Q1, W_K1)]]
map_ = AttentionMap(TOKENS, heads, d_head=2)
map_""",
    """map_.head = 1; map_.query = 5; map_.causal = True
map_.padding = [False, True, False, False, False, False]
map_.temperature = 0.5; map_.scaled = False""",
    """print("read back:", map_.head, map_.query, map_.causal, map_.scaled,
      map_.temperature, sum(map_.padding), round(map_.shown[map_.query].max(), 4))""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_traits_are_live_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    card = page.locator(".jp-OutputArea-output .pf-card")
    query = card.locator(".am-query input")
    causal = card.get_by_label("Causal mask")
    head = card.get_by_role("radio", name="head 1")
    card.locator("summary", has_text="Settings").click()
    here, place = card.evaluate(
        "card => [card, card.closest('.jp-OutputArea-output')].map(e => e.clientWidth)"
    )
    assert place > 300 and here > 0.9 * place

    # From Python to the page.
    said = card.locator(".pf-sentence")
    said.get_by_text("Head 2: “cat” at position 5 gives").wait_for()
    expect(query).to_have_value("5")
    expect(causal).to_be_checked()
    expect(card.get_by_label("Padding mask")).to_be_checked()
    expect(card.locator(".am-masked bdi")).to_have_text(["cat"])

    # From the page to Python.
    read_back(page, READ, "1 5 True False 0.5 1 ")
    card.get_by_role("radio", name="your, position 0").press("Space")
    causal.press("Space")
    head.press("Space")
    card.get_by_label("Scores divided by √2").press("Space")
    card.get_by_role("slider", name="Temperature").press("End")
    card.get_by_role("group", name="Tokens that are padding").get_by_label("lovely").press("Space")
    answer = read_back(page, READ, "0 0 False True 10.0 2 ")
    said.get_by_text(f"{float(answer.split()[-1]):.2f}").wait_for()

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    expect(query).to_have_value("5")
    expect(causal).to_be_checked()

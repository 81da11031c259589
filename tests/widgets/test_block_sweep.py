"""BlockSweep in Python: its numbers against the package's functions, its mistakes, its picture."""

import math
from typing import Any

import numpy as np
import pytest

from plainformer.attention import attention, causal_mask
from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import BlockSweep

Q, K, V = X @ W_Q, X @ W_K, X @ W_V


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block_size", [1, 2, 4, 6])
def test_the_result_is_plain_attention(block_size: int, causal: bool) -> None:
    expected, _ = attention(Q, K, V, mask=causal_mask(6) if causal else None)
    for query in range(6):
        widget = BlockSweep(Q, K, V, query=query, block_size=block_size, causal=causal)
        np.testing.assert_allclose(widget.result, expected[query], rtol=0, atol=1e-12)


def test_what_is_kept_after_each_step_is_that_of_the_row_of_cat() -> None:
    widget = BlockSweep(Q, K, V, tokens=TOKENS, query=1)
    assert widget.kept == (-math.inf, 0.0, [0.0, 0.0])
    found = []
    for widget.step in (1, 2, 3):
        top, total, output = widget.kept
        found.append([round(number, 3) for number in (top, total, *output)])
    assert found == [[0, 2, 2, -2], [0, 4, 1, -3], [2.828, 1.296, 0.177, 3.823]]
    before = widget.kept
    widget.step = 4  # it divides, and what is kept is what it was
    assert widget.kept == before
    assert [round(number, 2) for number in widget.result] == [0.14, 2.95]
    html = widget.fallback()
    for said in ("output 0.177, 3.823; output / total 0.137, 2.951.", ">output 1<", ">3.823<"):
        assert said in html
    assert '>output 1 / total</span><span class="bs-cell bs-now">2.951<' in html


def test_fewer_blocks_take_the_step_along() -> None:
    widget = BlockSweep(Q, K, V, block_size=1, step=7)
    widget.block_size = 3
    assert (widget.step, widget.last_step) == (3, 3)
    widget.causal = True
    assert (widget.step, widget.seen) == (2, 1)


@pytest.mark.parametrize(
    "state",
    [
        {"step": 7, "block_size": 1},
        {"block_size": 1, "step": 7},
        {"step": 7, "query": 5, "block_size": 1, "causal": True},
    ],
)
def test_what_a_page_sends_may_come_in_any_order(state: dict[str, Any]) -> None:
    widget = BlockSweep(Q, K, V, causal="causal" in state)
    widget.set_state(state)
    assert {name: getattr(widget, name) for name in state} == state
    widget.set_state({"step": 7, "block_size": 6})
    assert (widget.step, widget.last_step) == (2, 2)


def test_one_key_has_blocks_of_one() -> None:
    assert BlockSweep([[1.0]], [[1.0]], [[1.0]]).block_size == 1
    assert BlockSweep(Q, K, V).block_size == 2


def test_the_picture_says_what_it_shows() -> None:
    widget = BlockSweep(Q, K, V, tokens=["<b>", *TOKENS[1:]], query=1, step=3)
    html = widget.fallback()
    said = "“cat” (query 1) has read 3 of 3 blocks, 6 of 6 scores: top 2.828, total 1.296"
    assert said in html
    assert "&lt;b&gt;" in html
    assert html.count("bs-key") == 6 + 1  # and the box around them
    assert "nothing is read yet" in BlockSweep(Q, K, V).fallback()
    assert "hidden" in BlockSweep(Q, K, V, causal=True).picture()

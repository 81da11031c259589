"""BlockSweep in Python: its numbers against the package's functions, its mistakes, its picture."""

import math
from typing import Any

import numpy as np
import pytest

from plainformer.attention import attention, causal_mask
from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import BlockSweep
from plainformer.widgets.base import source

Q, K, V = X @ W_Q, X @ W_K, X @ W_V
NAN = np.full((6, 2), np.nan)

MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"query": 6}, ValueError, "query must be from 0 to 5; got 6"),
    ({"query": 1.0}, TypeError, "query must be a whole number; got float"),
    ({"block_size": 0}, ValueError, "block_size must be from 1 to 6; got 0"),
    ({"block_size": True}, TypeError, "block_size must be a whole number; got bool"),
    ({"step": 5}, ValueError, "step must be from 0 to 4; got 5"),
    ({"causal": 1}, TypeError, "causal must be True or False; got 1"),
    ({"lift": -1}, ValueError, "lift must be from 0 to 10; got -1"),
    ({"lift": math.nan}, ValueError, "lift must be from 0 to 10; got nan"),
    ({"lift": "much"}, TypeError, "lift must be a number; got str"),
]
BAD_ARRAYS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"q": "cat"}, TypeError, "q must be rows of numbers; got str"),
    ({"q": Q[0]}, ValueError, r"q must have two axes, rows and columns; got shape \(2,\)"),
    ({"q": NAN}, ValueError, "scores must be finite numbers below 1,000,000"),
    ({"v": V * 1e9}, ValueError, "v must be finite numbers below 1,000,000"),
    ({"v": V[:5]}, ValueError, "v must have one row for each row of k"),
    ({"q": np.ones((17, 2))}, ValueError, "q must be 1 to 16 rows; got 17"),
    ({"v": np.ones((6, 5))}, ValueError, "the columns of v must be 1 to 4 in number; got 5"),
    ({"q": np.ones((7, 2)), "causal": True}, ValueError, "causal needs as many keys.*T = 7, S = 6"),
    ({"tokens": "cat"}, TypeError, "tokens must be a list of strings; got 'cat'"),
    ({"tokens": ["cat"]}, ValueError, "tokens must have one string for each of the 6 keys; got 1"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error_and_change_nothing(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        BlockSweep(Q, K, V, **options)
    name, value = next(iter(options.items()))
    widget = BlockSweep(Q, K, V)
    before = getattr(widget, name)
    with pytest.raises(error, match=message):
        setattr(widget, name, value)
    assert getattr(widget, name) == before


@pytest.mark.parametrize(("options", "error", "message"), BAD_ARRAYS)
def test_arrays_that_do_not_fit(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        BlockSweep(**{"q": Q, "k": K, "v": V, **options})


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
    widget.step = 4
    assert [round(number, 2) for number in widget.kept[2]] == [0.14, 2.95]


def test_fewer_blocks_take_the_step_along() -> None:
    widget = BlockSweep(Q, K, V, block_size=1, step=7)
    widget.block_size = 3
    assert (widget.step, widget.last_step) == (3, 3)
    widget.causal = True
    assert (widget.step, widget.seen) == (2, 1)


def test_the_picture_says_what_it_shows() -> None:
    widget = BlockSweep(Q, K, V, tokens=["<b>", *TOKENS[1:]], query=1, step=3)
    html = widget.fallback()
    said = "“cat” (query 1) has read 3 of 3 blocks, 6 of 6 scores: top 2.828, total 1.296"
    assert said in html
    assert "&lt;b&gt;" in html
    assert html.count("bs-key") == 6 + 1  # and the box around them
    assert "nothing is read yet" in BlockSweep(Q, K, V).fallback()
    assert "hidden" in BlockSweep(Q, K, V, causal=True).picture()


def test_the_front_end_is_small() -> None:
    assert len(source("block_sweep.js")) < 16_000
    assert len(BlockSweep(np.ones((16, 4)), np.ones((16, 4)), np.ones((16, 4))).html()) < 12_000

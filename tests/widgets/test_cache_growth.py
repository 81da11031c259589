"""CacheGrowth in Python: its counts, its mistakes, its picture."""

from typing import Any

import numpy as np
import pytest

from plainformer.attention import KVCache
from plainformer.attention.example import TOKENS
from plainformer.widgets import CacheGrowth
from plainformer.widgets.cache_growth.widget import MAX_HISTORY, MAX_WIDTH
from plainformer.widgets.kit.front_end import source

MISTAKES: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"tokens": "cat"}, TypeError, "tokens must be a list of strings; got 'cat'"),
    ({"tokens": [1]}, TypeError, r"tokens must be a list of strings; got \[1\]"),
    ({"tokens": []}, ValueError, "tokens must have 1 to 12 entries; got 0"),
    ({"d_model": 63}, ValueError, "d_model must be a multiple of the 8 heads; got 63"),
    ({"n_heads": 0}, ValueError, "n_heads must be from 1 to 16,384; got 0"),
    ({"n_kv_heads": 3}, ValueError, "n_kv_heads must divide the 8 heads; got 3"),
    ({"step": 7}, ValueError, "step must be from 0 to 6; got 7"),
    ({"step": True}, TypeError, "step must be a whole number; got True"),
]
HISTORIES: list[tuple[Any, type[Exception], str]] = [
    ([2], ValueError, "one more than the last .* or less .*; got 2 after 0"),
    ([1, 2, 2], ValueError, "got 2 after 2"),
    ([1, -1], ValueError, "every length must be from 0 to 6; got -1"),
    ([1, 0] * 101, ValueError, "history must have at most 200 entries; got 202"),
    (3, TypeError, "history must be a list of lengths; got int"),
]


@pytest.mark.parametrize(("options", "error", "message"), MISTAKES)
def test_mistakes_get_a_kind_error(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        CacheGrowth(**{"tokens": TOKENS, **options})


@pytest.mark.parametrize(("history", "error", "message"), HISTORIES)
def test_a_history_that_cannot_be_changes_nothing(
    history: Any, error: type[Exception], message: str
) -> None:
    widget = CacheGrowth(TOKENS, step=2)
    with pytest.raises(error, match=message):
        widget.history = history
    assert widget.history == [1, 2]


def test_the_counts_are_the_sums_of_the_page() -> None:
    D, T = 768, 6
    widget = CacheGrowth(TOKENS, d_model=D, n_heads=12, step=T)
    t = np.arange(1, T + 1)
    assert widget.without == (t.sum(), (t * t).sum(), (4 * D**2 * t + 2 * D * t * t).sum())
    assert widget.with_cache == (T, t.sum(), (4 * D**2 + 2 * D * t).sum())


def test_what_is_kept_is_what_the_packages_cache_holds() -> None:
    cache = KVCache(batch=1, n_kv_heads=2, max_length=6, d_head=8)
    new = np.zeros((1, 2, 5, 8))
    cache.append(new, new)
    widget = CacheGrowth(TOKENS, d_model=64, n_heads=8, n_kv_heads=2, step=5)
    assert widget.kept == cache.keys.size + cache.values.size
    cache.rewind(3)
    widget.history = [*widget.history, 3]
    assert widget.kept == cache.keys.size + cache.values.size


def test_the_picture_says_what_it_shows() -> None:
    html = CacheGrowth(["<b>", "cat"], step=2).fallback()
    assert "2 of 2 tokens are written. Without a cache 3 tokens were projected" in html
    assert "&lt;b&gt;" in html
    assert (html.count("cg-kept"), html.count("cg-masked")) == (2, 1)


def test_the_front_end_has_the_same_limits() -> None:
    text = source("cache_growth/view.js")
    assert f"const LIMIT = {MAX_HISTORY};" in text
    assert f"const WIDEST = {MAX_WIDTH};" in text

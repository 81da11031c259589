"""CacheGrowth in Python: its counts, its mistakes, its picture."""

import numpy as np

from plainformer.attention import KVCache
from plainformer.attention.example import TOKENS
from plainformer.widgets import CacheGrowth


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

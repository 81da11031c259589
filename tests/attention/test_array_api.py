"""Every formula of attention on array-api-strict, which has the array standard and nothing else.

A formula that runs there uses no function or habit of NumPy alone, so it runs on any library that
follows the standard.
"""

from collections.abc import Callable
from typing import Any

import array_api_strict as xp
import numpy as np
import pytest
import torch

from plainformer.attention import (
    KVCache,
    attention,
    attention_backward,
    attention_scores,
    blockwise_attention,
    causal_mask,
    combine_masks,
    grouped_query_attention,
    left_padding_mask,
    linear_backward,
    lookup,
    merge_heads,
    multi_head_attention,
    padding_mask,
    projection_backward,
    softmax,
    softmax_backward,
    split_heads,
)

rng = np.random.default_rng(0)
Q, K, V, GRAD = rng.standard_normal((4, 2, 3, 5, 4))
X, W = rng.standard_normal((2, 5, 8)), rng.standard_normal((8, 8))
MASK = causal_mask(5)
IDS = np.array([[0, 0, 4, 7, 0], [3, 5, 5, 1, 2]])

Make = Callable[[Any], Any]
FORMULAS: dict[str, Callable[[Make], Any]] = {
    "softmax": lambda m: softmax(m(Q), axis=1, mask=m(Q > -1), fully_masked="zero"),
    "attention": lambda m: attention(m(Q), m(K), m(V), mask=m(MASK), attn_bias=m(GRAD @ GRAD.mT)),
    "attention_scores": lambda m: attention_scores(m(Q), m(K), softcap=2.0),
    "multi_head_attention": lambda m: multi_head_attention(
        m(X), m(X), m(W), m(W[:, :4]), m(W[:, :4]), m(W), n_heads=4, n_kv_heads=2, mask=m(MASK)
    ),
    "grouped_query_attention": lambda m: grouped_query_attention(
        m(Q), m(K[:, :1]), m(V[:, :1]), fully_masked="zero"
    ),
    "split_heads": lambda m: split_heads(m(X), 4),
    "merge_heads": lambda m: merge_heads(m(Q)),
    "lookup": lambda m: lookup(m(X), m(W), m(W[:, :3])),
    "hard lookup": lambda m: lookup(m(X), m(W), m(W[:, :3]), hard=True),
    "blockwise_attention": lambda m: blockwise_attention(
        m(Q), m(K), m(V), block_size=2, causal=True
    ),
    "attention_backward": lambda m: attention_backward(
        m(GRAD), m(Q), m(K), m(V), mask=m(MASK), attn_bias=m(W[:5, :5])
    ),
    "softmax_backward": lambda m: softmax_backward(m(Q), m(K)),
    "linear_backward": lambda m: linear_backward(m(X), m(X), m(W)),
    "projection_backward": lambda m: projection_backward(
        m(X), m(X), m(X), m(X), m(W), m(W), m(W), x_kv=m(X)
    ),
    "causal_mask": lambda m: causal_mask(3, 6, offset=2, window=2, like=m(X)),
    "padding_mask": lambda m: padding_mask(m(IDS), 0),
    "combine_masks": lambda m: combine_masks(m(MASK), padding_mask(m(IDS), 0)),
    "left_padding_mask": lambda m: left_padding_mask(m(IDS - 2), offset=3),
}


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("make", [xp.asarray, torch.asarray], ids=["array-api-strict", "torch"])
def test_a_formula_gives_what_it_gives_in_numpy(make: Make, name: str) -> None:
    ours, numpys = FORMULAS[name](make), FORMULAS[name](np.asarray)
    if not isinstance(ours, tuple):
        ours, numpys = (ours,), (numpys,)
    for array, expected in zip(ours, numpys, strict=True):
        assert type(array) is type(make(X))
        np.testing.assert_allclose(np.asarray(array), expected, rtol=0, atol=1e-12)


def test_a_cache() -> None:
    cache = KVCache(2, 3, None, 4, like=xp.asarray(Q))
    cache.append(xp.asarray(K), xp.asarray(V))
    cache.append(xp.asarray(K), xp.asarray(V))
    cache.rewind(7)
    cache.select([1, 1])
    assert type(cache.keys) is type(xp.asarray(Q))
    np.testing.assert_array_equal(np.asarray(cache.keys)[0, :, 5:], K[1, :, :2])

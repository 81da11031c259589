"""The references of the exercises on efficient attention, against the package and torch."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import KVCache, attention, causal_mask
from plainformer.exercises import exercise

cache_bytes, attend_with_cache, merge_parts, online_row = (
    exercise(f"attention.efficient.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
few = st.integers(1, 4)


@given(few, few, few, few, st.integers(1, 20), st.sampled_from(["float32", "float64", "float16"]))
def test_the_bytes_are_those_of_the_packages_caches(layers, groups, shared, width, tokens, dtype):
    like = np.zeros(0, dtype=dtype)
    caches = [KVCache(1, groups, tokens, width, like=like) for _ in range(layers)]
    for cache in caches:
        new = np.zeros((1, groups, tokens, width), dtype=dtype)
        cache.append(new, new)
    held = sum(cache.keys.nbytes + cache.values.nbytes for cache in caches)
    heads, bits = groups * shared, 8 * like.itemsize
    assert cache_bytes(layers, heads, groups, heads * width, tokens, bits) == held


@given(seeds, st.integers(1, 5), st.integers(0, 5), few, few)
def test_a_step_is_attention_with_an_offset_and_torchs(seed, new, old, width, wide):
    rng = np.random.default_rng(seed)
    shapes = (new, width), (new, width), (new, wide), (old, width), (old, wide)
    q, k, v, keys, values = (rng.normal(size=shape) for shape in shapes)
    ours = attend_with_cache(q, k, v, keys, values)
    every, all_values = np.concatenate([keys, k]), np.concatenate([values, v])
    mask = causal_mask(new, old + new, offset=old)
    plain = attention(q, every, all_values, mask=mask)[0]
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.tensor, (q, every, all_values, mask))
    )
    np.testing.assert_allclose(ours, plain, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours, theirs.numpy(), rtol=0, atol=1e-12)


def part_of(scores, values):
    top = scores.max()
    e = np.exp(scores - top)
    return top, e.sum(), e @ values


@given(seeds, few, few, few)
def test_parts_merge_to_the_whole_in_any_order(seed, m, n, wide):
    rng = np.random.default_rng(seed)
    s, v = rng.normal(size=m + n) * 30, rng.normal(size=(m + n, wide))
    a, b = part_of(s[:m], v[:m]), part_of(s[m:], v[m:])
    for top, total, output in (merge_parts(a, b), merge_parts(b, a)):
        assert top == s.max()
        assert np.log(total) + top == pytest.approx(
            float(torch.logsumexp(torch.tensor(s), 0)), abs=1e-12
        )
        plain = torch.softmax(torch.tensor(s), 0) @ torch.tensor(v)
        np.testing.assert_allclose(output / total, plain, rtol=0, atol=1e-12)
    empty = (-np.inf, 0.0, np.zeros(wide))
    for merged in (merge_parts(a, empty), merge_parts(empty, a)):
        for ours, whole in zip(merged, a, strict=True):
            np.testing.assert_array_equal(ours, whole)


@given(seeds, st.lists(few, min_size=1, max_size=5), few, st.sampled_from([1.0, 1e4]))
def test_the_sweep_is_torchs_softmax(seed, sizes, wide, size):
    rng = np.random.default_rng(seed)
    blocks = [(rng.normal(size=n) * size, rng.normal(size=(n, wide))) for n in sizes]
    blocks.insert(0, (np.full(2, -np.inf), np.ones((2, wide))))
    s, v = (torch.tensor(np.concatenate(each)) for each in zip(*blocks, strict=True))
    np.testing.assert_allclose(online_row(blocks), torch.softmax(s, 0) @ v, rtol=0, atol=1e-11)

"""The references of the exercises on efficient attention, against the package and torch."""

import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import KVCache, attention, causal_mask
from plainformer.exercises import exercise, grade

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


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "You count a head of keys for each head of queries",
        """
        def answer(layers, n_heads, n_kv_heads, d_model, tokens, bits):
            return 2 * layers * n_heads * (d_model // n_heads) * tokens * bits / 8
        """,
    ),
    (
        1,
        "That is the number of bits",
        """
        def answer(layers, n_heads, n_kv_heads, d_model, tokens, bits):
            return 2 * layers * n_kv_heads * d_model // n_heads * tokens * bits
        """,
    ),
    (
        2,
        "Your mask counts the new tokens from position 0",
        """
        def answer(q, k, v, keys, values):
            keys, values = np.vstack([keys, k]), np.vstack([values, v])
            scores = q @ keys.T / np.sqrt(q.shape[-1])
            scores[np.triu(np.ones(scores.shape, dtype=bool), 1)] = -np.inf
            e = np.exp(scores)
            return e / e.sum(axis=1, keepdims=True) @ values
        """,
    ),
    (
        2,
        "Your new tokens see one another's future",
        """
        def answer(q, k, v, keys, values):
            keys, values = np.vstack([keys, k]), np.vstack([values, v])
            e = np.exp(q @ keys.T / np.sqrt(q.shape[-1]))
            return e / e.sum(axis=1, keepdims=True) @ values
        """,
    ),
    (
        3,
        "You add sums that were made with different tops",
        """
        def answer(a, b):
            return max(a[0], b[0]), a[1] + b[1], a[2] + b[2]
        """,
    ),
    (
        4,
        "Your output does not fade",
        """
        def answer(blocks):
            top, total, output = -np.inf, 0, 0
            for scores, values in blocks:
                new = max(top, scores.max())
                if new == -np.inf:
                    continue
                e = np.exp(scores - new)
                total = total * np.exp(top - new) + e.sum()
                output = output + e @ values
                top = new
            return output / total
        """,
    ),
    (
        1,
        "how many heads of queries share one head of keys",
        """
        def answer(layers, n_heads, n_kv_heads, d_model, tokens, bits):
            group = n_heads // n_kv_heads
            return 2 * layers * group * (d_model // n_heads) * tokens * bits / 8
        """,
    ),
    (
        1,
        "You count numbers, not bytes",
        """
        def answer(layers, n_heads, n_kv_heads, d_model, tokens, bits):
            return 2 * layers * n_kv_heads * d_model // n_heads * tokens
        """,
    ),
    (
        2,
        "You hide the weights after the softmax",
        """
        def answer(q, k, v, keys, values):
            keys, values = np.vstack([keys, k]), np.vstack([values, v])
            s = q @ keys.T / np.sqrt(q.shape[1])
            e = np.exp(s - s.max(axis=1, keepdims=True))
            w = e / e.sum(axis=1, keepdims=True)
            return np.tril(w, len(keys) - len(q)) @ values
        """,
    ),
    (
        2,
        "K is the width of a key",
        """
        def answer(q, k, v, keys, values):
            keys, values = np.vstack([keys, k]), np.vstack([values, v])
            s = q @ keys.T / np.sqrt(len(keys))
            s[~np.tri(*s.shape, len(keys) - len(q), dtype=bool)] = -np.inf
            e = np.exp(s)
            return e / e.sum(axis=1, keepdims=True) @ values
        """,
    ),
    (
        3,
        "Only the second reader's sums fade",
        """
        def answer(a, b):
            top = max(a[0], b[0])
            fade = np.exp(b[0] - top)
            return top, a[1] + fade * b[1], a[2] + fade * b[2]
        """,
    ),
    (
        3,
        "You fade both readers by the same factor",
        """
        def answer(a, b):
            fade = np.exp(-abs(a[0] - b[0]))
            return max(a[0], b[0]), fade * (a[1] + b[1]), fade * (a[2] + b[2])
        """,
    ),
    (
        4,
        "Your top starts at 0",
        """
        def answer(blocks):
            top = total = output = 0.0
            for scores, values in blocks:
                old, top = top, max(top, scores.max())
                e = np.exp(scores - top)
                total = np.exp(old - top) * total + e.sum()
                output = np.exp(old - top) * output + e @ values
            return output / total
        """,
    ),
    (
        4,
        "You compute the new top and do not keep it",
        """
        def answer(blocks):
            top, total, output = -np.inf, 0.0, 0.0
            for scores, values in blocks:
                new = max(top, scores.max())
                if new == -np.inf:
                    continue
                e = np.exp(scores - new)
                total = np.exp(top - new) * total + e.sum()
                output = np.exp(top - new) * output + e @ values
            return output / total
        """,
    ),
    (
        4,
        "You make the block's own terms with the old top",
        """
        def answer(blocks):
            top, total, output = blocks[0][0].max(), 0.0, 0.0
            for scores, values in blocks:
                new = max(top, scores.max())
                if new == -np.inf:
                    continue
                fade = np.exp(top - new)
                e = np.exp(scores - (top if top > -np.inf else new))
                total, output = fade * total + e.sum(), fade * output + e @ values
                top = new
            return output / total
        """,
    ),
    (
        4,
        "-inf less -inf is NaN",
        """
        def answer(blocks):
            top, total, output = -np.inf, 0, 0
            for scores, values in blocks:
                new = max(top, scores.max())
                e = np.exp(scores - new)
                total = total * np.exp(top - new) + e.sum()
                output = output * np.exp(top - new) + e @ values
                top = new
            return output / total
        """,
    ),
]


@pytest.mark.filterwarnings("ignore:invalid value", "ignore:overflow")
@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.efficient.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message

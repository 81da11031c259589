"""Splitting, merging, several heads, shared keys: the plain formula, and the laws they keep."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import (
    attention,
    causal_mask,
    grouped_query_attention,
    merge_heads,
    multi_head_attention,
    padding_mask,
    softmax,
    split_heads,
)
from plainformer.inputs import alibi_bias

EXACT = 1e-12  # float64, numbers of the size of 1

sizes = st.integers(1, 4)
lengths = st.integers(1, 6)
seeds = st.integers(0, 2**32 - 1)


def random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def weights_of(D: int, H: int, G: int, K: int, seed: int = 0) -> dict[str, Any]:
    """Projections of D numbers, whose scores are of the size of 1."""
    widths = {"w_q": (D, H * K), "w_k": (D, G * K), "w_v": (D, G * K), "w_o": (H * K, D)}
    return {
        name: random(*shape, seed=seed + i) / np.sqrt(shape[0])
        for i, (name, shape) in enumerate(widths.items())
    }


def near(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=EXACT)


# Split and merge


@given(B=sizes, T=st.integers(0, 5), H=sizes, K=sizes)
def test_merge_undoes_split_and_split_undoes_merge(B: int, T: int, H: int, K: int) -> None:
    x, heads = random(B, T, H * K), random(B, H, T, K)
    np.testing.assert_array_equal(merge_heads(split_heads(x, H)), x)
    np.testing.assert_array_equal(split_heads(merge_heads(heads), H), heads)
    assert torch.equal(merge_heads(split_heads(torch.from_numpy(x), H)), torch.from_numpy(x))


@given(H=sizes, K=sizes, h=st.integers(0, 3))
def test_a_head_is_a_run_of_columns(H: int, K: int, h: int) -> None:
    """Not the first T rows, as a reshape without moving an axis would give."""
    x, h = random(2, 5, H * K), h % H
    np.testing.assert_array_equal(split_heads(x, H)[:, h], x[..., h * K : (h + 1) * K])


def test_split_and_merge_of_torch_share_memory() -> None:
    x = torch.rand(2, 5, 6)
    assert split_heads(x, 3).data_ptr() == x.data_ptr()
    assert merge_heads(split_heads(x, 3)).data_ptr() == x.data_ptr()


# Several heads


@given(T=lengths, S=lengths, D=sizes, seed=seeds)
def test_one_head_with_identity_projections_is_attention(T: int, S: int, D: int, seed: int) -> None:
    x, context = random(2, T, D, seed=seed), random(2, S, D, seed=seed + 1)
    eye = np.eye(D)
    output, weights = multi_head_attention(x, context, eye, eye, eye, eye, n_heads=1)
    expected = attention(x, context, context)
    np.testing.assert_array_equal(output, expected[0])
    np.testing.assert_array_equal(weights[:, 0], expected[1])


@given(H=sizes, K=sizes, T=lengths, S=lengths, seed=seeds)
def test_every_head_is_an_attention_of_its_own(H: int, K: int, T: int, S: int, seed: int) -> None:
    """Separate matrices, concatenated, are one matrix that is split."""
    D = 5
    w = weights_of(D, H, H, K, seed)
    x, context = random(T, D, seed=seed), random(S, D, seed=seed + 1)
    heads = [
        attention(x @ w["w_q"][:, own], context @ w["w_k"][:, own], context @ w["w_v"][:, own])
        for own in (slice(h * K, (h + 1) * K) for h in range(H))
    ]
    output, weights = multi_head_attention(x, context, **w, n_heads=H)
    near(output, np.concatenate([head for head, _ in heads], axis=-1) @ w["w_o"])
    near(weights, np.stack([each for _, each in heads]))


@given(H=st.integers(2, 4), changed=st.integers(0, 3), seed=seeds)
def test_heads_are_independent(H: int, changed: int, seed: int) -> None:
    """Other queries, keys and values in one head leave the others bit for bit as they were."""
    changed %= H
    arrays = {name: random(2, H, 4, 3, seed=seed + i) for i, name in enumerate("qkv")}
    before = grouped_query_attention(**arrays)
    for i, array in enumerate(arrays.values()):
        array[:, changed] = random(2, 4, 3, seed=seed + 10 + i)
    after = grouped_query_attention(**arrays)
    others = [h for h in range(H) if h != changed]
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a[:, others], b[:, others])
        assert not np.array_equal(a[:, changed], b[:, changed])


@given(B=st.integers(2, 4), changed=st.integers(0, 3), G=st.sampled_from([1, 2, 4]), seed=seeds)
def test_sequences_are_independent(B: int, changed: int, G: int, seed: int) -> None:
    changed %= B
    w, x = weights_of(8, 4, G, 2, seed), random(B, 5, 8, seed=seed)
    before, _ = multi_head_attention(x, x, **w, n_heads=4, n_kv_heads=G)
    alone, _ = multi_head_attention(x[0], x[0], **w, n_heads=4, n_kv_heads=G)
    near(before[0], alone)
    x[changed] = random(5, 8, seed=seed + 1)
    after, _ = multi_head_attention(x, x, **w, n_heads=4, n_kv_heads=G)
    others = [b for b in range(B) if b != changed]
    np.testing.assert_array_equal(before[others], after[others])


@given(T=lengths, G=st.sampled_from([1, 2, 4]), seed=seeds)
def test_permuted_tokens_give_permuted_outputs(T: int, G: int, seed: int) -> None:
    w, x = weights_of(8, 4, G, 2, seed), random(2, T, 8, seed=seed)
    order = np.random.default_rng(seed).permutation(T)
    whole, _ = multi_head_attention(x, x, **w, n_heads=4, n_kv_heads=G)
    shuffled, _ = multi_head_attention(x[:, order], x[:, order], **w, n_heads=4, n_kv_heads=G)
    near(shuffled, whole[:, order])


@given(T=lengths, seen=st.integers(0, 6), G=st.sampled_from([1, 2, 4]), seed=seeds)
def test_the_future_changes_nothing_to_the_last_bit(T: int, seen: int, G: int, seed: int) -> None:
    seen = min(seen, T)
    w, x = weights_of(8, 4, G, 2, seed), random(2, T, 8, seed=seed)
    options: dict[str, Any] = {"n_heads": 4, "n_kv_heads": G, "mask": causal_mask(T)}
    before, _ = multi_head_attention(x, x, **w, **options)
    x[:, seen:] = 1e3 * random(2, T - seen, 8, seed=seed + 1)
    after, _ = multi_head_attention(x, x, **w, **options)
    np.testing.assert_array_equal(before[:, :seen], after[:, :seen])
    assert seen == T or not np.array_equal(before[:, seen:], after[:, seen:])


@given(lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4), G=st.sampled_from([1, 2, 4]))
def test_what_padding_holds_never_matters(lengths: list[int], G: int) -> None:
    w, x = weights_of(8, 4, G, 2), random(len(lengths), 5, 8)
    ids = np.arange(5) < np.asarray(lengths)[:, None]
    options: dict[str, Any] = {"n_heads": 4, "n_kv_heads": G, "mask": padding_mask(ids * 1, 0)}
    before, weights = multi_head_attention(x, x, **w, **options)
    near(weights.sum(-1), np.ones_like(weights[..., 0]))
    x[~ids] = 1e3
    after, _ = multi_head_attention(x, x, **w, **options)
    np.testing.assert_array_equal(before[ids], after[ids])
    for b, length in enumerate(lengths):
        alone, _ = multi_head_attention(x[b, :length], x[b, :length], **w, n_heads=4, n_kv_heads=G)
        near(before[b, :length], alone)


def test_torch_gives_what_numpy_gives_and_gradients() -> None:
    w, x, c = weights_of(8, 4, 2, 2), random(2, 5, 8), random(2, 6, 8, seed=9)
    mask = random(2, 4, 5, 6) > -1
    options: dict[str, Any] = {"n_heads": 4, "n_kv_heads": 2, "mask": mask, "fully_masked": "zero"}
    tensors = [torch.from_numpy(array).requires_grad_() for array in (x, c, *w.values())]
    for ours, theirs in zip(
        multi_head_attention(*tensors, **options),
        multi_head_attention(x, c, **w, **options),
        strict=True,
    ):
        near(ours.detach().numpy(), theirs)
    assert torch.autograd.gradcheck(lambda *a: multi_head_attention(*a, **options), tensors)


# Heads that share keys and values


@given(G=sizes, r=sizes, T=lengths, S=lengths, seed=seeds, per_head=st.booleans())
def test_shared_keys_are_keys_repeated(
    G: int, r: int, T: int, S: int, seed: int, per_head: bool
) -> None:
    q, k, v = random(2, G * r, T, 3, seed=seed), *random(2, 2, G, S, 3, seed=seed + 1)
    mask = random(2, G * r if per_head else 1, T, S, seed=seed + 2) > -0.5
    bias = random(G * r, T, S, seed=seed + 3)
    repeated = (np.repeat(each, r, axis=1) for each in (k, v))
    expected = attention(q, *repeated, mask=mask, attn_bias=bias, fully_masked="zero")
    ours = grouped_query_attention(q, k, v, mask=mask, attn_bias=bias, fully_masked="zero")
    for a, b in zip(ours, expected, strict=True):
        near(a, b)


@given(H=sizes, T=lengths, seed=seeds)
def test_as_many_groups_as_heads_is_attention_itself(H: int, T: int, seed: int) -> None:
    q, k, v = random(3, 2, H, T, 3, seed=seed)
    for a, b in zip(grouped_query_attention(q, k, v), attention(q, k, v), strict=True):
        np.testing.assert_array_equal(a, b)


@given(r=st.integers(2, 4), T=lengths, seed=seeds)
def test_equal_projections_for_every_head_are_one_shared(r: int, T: int, seed: int) -> None:
    """GQA whose groups are written out, all with the same weights, is MHA."""
    G, K = 2, 3
    few = weights_of(8, G * r, G, K, seed)
    many = dict(few)
    for name in ("w_k", "w_v"):
        many[name] = few[name].reshape(8, G, 1, K).repeat(r, axis=2).reshape(8, G * r * K)
    x = random(2, T, 8, seed=seed)
    ours = multi_head_attention(x, x, **few, n_heads=G * r, n_kv_heads=G)
    theirs = multi_head_attention(x, x, **many, n_heads=G * r)
    for a, b in zip(ours, theirs, strict=True):
        near(a, b)


# Masks and biases


@pytest.mark.parametrize("G", [1, 2, 4])
def test_a_bias_has_heads(G: int) -> None:
    """ALiBi's (H, T, S), added to the scores before softmax."""
    q, k, v = random(2, 4, 5, 3), random(2, G, 5, 3), random(2, G, 5, 3)
    bias = alibi_bias(4, 5)
    scores = q @ np.repeat(k, 4 // G, axis=1).swapaxes(-1, -2)
    _, weights = grouped_query_attention(q, k, v, attn_bias=bias, scale=0.5)
    near(weights, softmax(0.5 * scores + bias))

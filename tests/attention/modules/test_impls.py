"""`impl="sdpa"` gives what `impl="formula"` gives, with every combination of masks.

A kernel that is handed its mask upside down, or two causal masks where it knows one, runs as if
nothing had happened. So the two are compared, outputs and gradients; and each is asked whether the
future can reach the past.
"""

import re
from typing import Any

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st
from torch.nn import functional as F

from plainformer.attention import MultiHeadAttention, grouped_query_attention
from plainformer.attention.modules.fused import fused_attention
from plainformer.inputs import alibi_bias

B, T, S, D, H = 3, 5, 7, 8, 4
EXACT = 1e-12  # float64, numbers of the size of 1
SHAPES = {  # of masks, by what they stretch over
    "none": None,
    "keys": (1, 1),
    "queries and keys": (1,),
    "padding": (B, 1, 1),
    "each sequence": (B, 1),
    "each head": (1, H),
    "each head, all queries": (1, H, 1),
    "everything": (B, H),
}

seeds = st.integers(0, 2**32 - 1)
every_group = pytest.mark.parametrize("G", [1, 2, 4])
every_mask = pytest.mark.parametrize("over", SHAPES)
every_empty = pytest.mark.parametrize("holes", [False, True])


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator)


def make_mask(over: str, queries: int, keys: int, seed: int, holes: bool) -> torch.Tensor | None:
    """A random mask; without holes every query sees the first key at least."""
    shapes = {
        "keys": (1, keys),
        "queries and keys": (queries, keys),
        "padding": (B, 1, 1, keys),
        "each sequence": (B, 1, queries, keys),
        "each head": (1, H, queries, keys),
        "each head, all queries": (1, H, 1, keys),
        "everything": (B, H, queries, keys),
    }
    if over == "none":
        return None
    mask = random(*shapes[over], seed=seed) > 0
    if holes:
        mask[..., :1, :] = False
    else:
        mask[..., 0] = True
    return mask


def make(**options: Any) -> MultiHeadAttention:
    rng = torch.Generator().manual_seed(0)
    layer = MultiHeadAttention(D, H, rng=rng, **options).double()
    for name, parameter in layer.named_parameters():
        if name.endswith("bias"):  # born as 0, where nothing could go wrong
            torch.nn.init.normal_(parameter, generator=rng)
    return layer


def both(layer: MultiHeadAttention, *arrays: torch.Tensor, **call: Any) -> Any:
    """Output and all gradients, of the formula and of the kernel."""
    results = []
    for impl in ("formula", "sdpa"):
        layer.impl = impl
        inputs = [array.clone().requires_grad_() for array in arrays]
        output = layer(*inputs, **call)
        weights = random(*output.shape, seed=99)
        wanted = [*inputs, *layer.parameters()]
        results.append([output.detach(), *torch.autograd.grad((output * weights).sum(), wanted)])
    return results


def agree(results: Any) -> None:
    formula, sdpa = results
    for a, b in zip(formula, sdpa, strict=True):
        atol = EXACT * max([1.0, *a.abs().flatten().tolist()])
        torch.testing.assert_close(b, a, rtol=0, atol=atol)


# The same numbers


@every_mask
@every_empty
@every_group
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("bias", [False, True])
def test_self_attention(over: str, holes: bool, G: int, causal: bool, bias: bool) -> None:
    layer, x = make(n_kv_heads=G), random(B, T, D)
    call: dict[str, Any] = {
        "mask": make_mask(over, T, T, 1, holes),
        "attn_bias": alibi_bias(H, T, like=x) if bias else None,
        "causal": causal,
        "fully_masked": "zero" if holes else "error",
    }
    results = both(layer, x, **call)
    agree(results)
    # In float32, where torch has other kernels: the outputs. As in `agree`, the limit is for
    # numbers of the size of 1, and grows with them. (Gradients are sums of many numbers, and say
    # nothing more about masks.)
    layer, x, expected = layer.float(), x.float(), results[0][0]
    atol = 1e-6 * max(1.0, float(expected.abs().max()))
    for layer.impl in ("formula", "sdpa"):
        with torch.no_grad():
            torch.testing.assert_close(layer(x, **call).double(), expected, rtol=0, atol=atol)


@every_mask
@every_empty
@every_group
def test_cross_attention(over: str, holes: bool, G: int) -> None:
    layer, x, context = make(n_kv_heads=G), random(B, T, D), random(B, S, D, seed=1)
    empty = "zero" if holes else "error"
    agree(both(layer, x, context, mask=make_mask(over, T, S, 1, holes), fully_masked=empty))


@given(seed=seeds, past=st.integers(0, 4), over=st.sampled_from(list(SHAPES)))
def test_with_a_cache(seed: int, past: int, over: str) -> None:
    x, outputs = random(B, past + T, D, seed=seed), []
    mask = make_mask(over, T, past + T, seed, holes=True)
    for impl in ("formula", "sdpa"):
        layer = make(n_kv_heads=2, rope={}, impl=impl).eval()
        cache = layer.new_cache(B, past + T)
        with torch.no_grad():
            layer(x[:, :past], causal=True, cache=cache)
            outputs.append(
                [layer(x[:, past:], causal=True, cache=cache, mask=mask, fully_masked="zero")]
            )
    agree(outputs)


@every_empty
def test_minus_infinity_in_the_bias(holes: bool) -> None:
    """A mask written as a bias, with and without one of the other kind."""
    layer, x = make(n_kv_heads=2), random(B, T, D)
    allowed = make_mask("everything", T, T, 1, holes)
    assert allowed is not None
    bias = torch.where(allowed, random(B, H, T, T, seed=2), -torch.inf)
    for mask in (None, make_mask("padding", T, T, 3, holes=False)):
        results = both(layer, x, attn_bias=bias, mask=mask, causal=True, fully_masked="zero")
        agree(results)
        assert all(bool(array.isfinite().all()) for array in results[1])


@every_group
@pytest.mark.parametrize("shape", [(0, T, D), (B, 0, D), (T, D), (2, B, T, D)])
def test_other_shapes_of_x(G: int, shape: tuple[int, ...]) -> None:
    layer, x = make(n_kv_heads=G), random(*shape)
    agree(both(layer, x, causal=True))
    agree(both(layer, x, mask=torch.ones(shape[-2], shape[-2], dtype=torch.bool).triu()))


def test_a_context_without_tokens() -> None:
    layer, x, nothing = make(), random(B, T, D), random(B, 0, D)
    agree(both(layer, x, nothing, fully_masked="zero"))
    for layer.impl in ("formula", "sdpa"):
        assert torch.equal(layer(x, nothing, fully_masked="zero")[1, 2], layer.w_o.bias)
        with pytest.raises(ValueError, match=r"^every row must have a score"):
            layer(x, nothing)


def test_learned_biases_get_the_same_gradients() -> None:
    layer, x, gradients = make(n_kv_heads=2), random(B, T, D), []
    for layer.impl in ("formula", "sdpa"):
        bias = random(H, T, T).requires_grad_()
        output = layer(x, attn_bias=bias, causal=True)
        gradients.append(torch.autograd.grad((output * random(*output.shape)).sum(), bias))
    agree(gradients)


# The future, and who is shown it


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@pytest.mark.parametrize("padded", [False, True])
@every_group
@given(seen=st.integers(0, T), seed=seeds)
@example(seen=1, seed=114655745)  # padded, it leaves one key, and nothing changes
def test_the_future_changes_nothing_to_the_last_bit(
    impl: Any, padded: bool, G: int, seen: int, seed: int
) -> None:
    layer, x = make(n_kv_heads=G, rope={}, impl=impl).eval(), random(B, T, D, seed=seed)
    mask = make_mask("padding", T, T, seed, holes=False) if padded else None
    with torch.no_grad():
        before = layer(x, causal=True, mask=mask)
        changed = torch.cat([x[:, :seen], 100 * random(B, T - seen, D, seed=seed + 1)], dim=1)
        after = layer(changed, causal=True, mask=mask)
    assert torch.equal(before[:, :seen], after[:, :seen])
    if seen < T and (mask is None or mask[..., seen:].any()):  # somebody may look at a change
        assert not torch.equal(before[:, seen:], after[:, seen:])


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
def test_true_is_allowed(impl: Any) -> None:
    """With one key allowed, its value comes out: not the mean of all the others."""
    layer, x = make(impl=impl).eval(), random(B, T, D)
    mask = torch.arange(T) == 2
    expected = layer.w_o(layer.w_v(x[:, 2:3])).expand(B, T, D)
    torch.testing.assert_close(layer(x, mask=mask[None]), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@given(lengths=st.lists(st.integers(1, T), min_size=B, max_size=B))
def test_what_padding_holds_never_matters(impl: Any, lengths: list[int]) -> None:
    layer, x = make(n_kv_heads=2, impl=impl).eval(), random(B, T, D)
    real = torch.arange(T) < torch.tensor(lengths)[:, None]
    with torch.no_grad():
        before = layer(x, mask=real[:, None, None])
        x[~real] = 1e3
        after = layer(x, mask=real[:, None, None])
    assert torch.equal(before[real], after[real])


# Empty rows


@pytest.mark.parametrize("causal", [False, True])
@every_group
def test_both_name_the_same_empty_row(causal: bool, G: int) -> None:
    layer, x = make(n_kv_heads=G), random(B, T, D)
    mask = torch.ones(B, H, T, T, dtype=torch.bool)
    mask[1, 2, 3] = torch.arange(T) > 3  # together with causal, nothing
    for layer.impl in ("formula", "sdpa"):
        layer(x, mask=mask)
        empty = mask if causal else mask & (torch.arange(T) <= 3)
        message = "mask must allow every query a key; it allows none for query 3 (weights[1, 2,"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
            layer(x, mask=empty, causal=causal)


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
def test_an_empty_row_finds_nothing_and_has_no_gradient(impl: Any) -> None:
    layer, x = make(impl=impl), random(1, T, D).requires_grad_()
    mask = torch.ones(T, T, dtype=torch.bool)
    mask[2] = False
    output = layer(x, mask=mask, fully_masked="zero")
    assert torch.equal(output[0, 2], layer.w_o.bias)
    (gradient,) = torch.autograd.grad(output[0, 2].sum(), x)
    assert not gradient.any()


# What the kernel gets


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12])
def test_of_huge_scores_the_kernels_gradient_is_rounding_times_their_size(size: float) -> None:
    """Weights of 1 and 0 have no slope: 0 by the formula, and by the kernel almost.

    In a deep stack without norms numbers reach 1e12, and what is almost 0 grows layer by layer.
    Whether the kernel finds 0 itself or something near it is up to the processor that it runs on.
    """
    q, k, v = (random(1, 2, T, 4, seed=seed) for seed in range(3))
    found = {}
    for name, way in (("formula", grouped_query_attention), ("sdpa", fused_attention)):
        arrays = [(q * 50).requires_grad_(), (k * size).requires_grad_(), v]
        output: Any = way(*arrays)
        output = output[0] if isinstance(output, tuple) else output
        output.square().sum().backward()
        found[name] = output.detach(), arrays[0].grad
    (wanted, exact), (got, near) = found["formula"], found["sdpa"]
    torch.testing.assert_close(got, wanted, rtol=0, atol=EXACT)
    torch.testing.assert_close(near, exact, rtol=0, atol=EXACT * size)
    if size > 1:
        assert exact is not None and not exact.any()


def spy_on_the_kernel(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    calls: list[Any] = []
    kernel = F.scaled_dot_product_attention

    def spy(*arrays: Any, **options: Any) -> Any:
        calls.append((arrays, options))
        return kernel(*arrays, **options)

    monkeypatch.setattr(F, "scaled_dot_product_attention", spy)
    return calls


def test_no_copies_on_the_way_to_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Heads are views; shared keys stay shared; causal alone needs no mask, nor does one query."""
    calls = spy_on_the_kernel(monkeypatch)
    q, k = torch.rand(B, T, H, 2).transpose(1, 2), torch.rand(B, T, 2, 2).transpose(1, 2)
    fused_attention(q, k, k, causal=True)
    fused_attention(q[:, :, -1:], k, k, causal=True)
    for arrays, options in calls:
        assert [a.data_ptr() for a in arrays[1:]] == [k.data_ptr()] * 2
        assert options["enable_gqa"] and options.get("attn_mask") is None
    assert [options["is_causal"] for _, options in calls] == [True, False]


def test_small_masks_stay_small(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = spy_on_the_kernel(monkeypatch)
    layer, x = make(impl="sdpa"), random(B, T, D)
    layer(x, mask=make_mask("padding", T, T, 0, holes=False))
    layer(x, mask=make_mask("queries and keys", T, T, 0, holes=False))
    shapes = [tuple(options["attn_mask"].shape) for _, options in calls]
    assert shapes == [(B, 1, 1, T), (1, 1, T, T)]


def test_a_kernel_that_would_make_nan_of_empty_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not every kernel gives zeros there. None is shown such a row."""

    def harsh(q: Any, k: Any, v: Any, attn_mask: Any, **_: Any) -> Any:
        scores = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~attn_mask, -torch.inf)
        return torch.softmax(scores, dim=-1) @ v

    q, k, v = random(3, B, H, T, 2)
    q.requires_grad_()
    mask = make_mask("everything", T, T, 1, holes=True)
    monkeypatch.setattr(F, "scaled_dot_product_attention", harsh)
    ours = fused_attention(q, k, v, mask=mask, fully_masked="zero")
    theirs, _ = grouped_query_attention(q, k, v, mask=mask, fully_masked="zero")
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    (gradient,) = torch.autograd.grad(ours.sum(), q)
    assert bool(gradient.isfinite().all())

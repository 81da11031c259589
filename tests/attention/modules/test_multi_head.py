"""`MultiHeadAttention` as a layer: the formula inside, dropout, seeds, gradients, `from_torch`."""

import io
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from plainformer.attention import (
    MultiHeadAttention,
    attention,
    causal_mask,
    multi_head_attention,
    padding_mask,
)
from plainformer.inputs import apply_rope

EXACT = 1e-12  # float64, numbers of the size of 1
B, T, S, D, H = 2, 5, 7, 8, 4

every_impl = pytest.mark.parametrize("impl", ["formula", "sdpa"])
every_group = pytest.mark.parametrize("G", [1, 2, 4])


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(shape, dtype=torch.float64, generator=generator)


def make(d_model: int = D, n_heads: int = H, **options: Any) -> MultiHeadAttention:
    options.setdefault("rng", torch.Generator().manual_seed(0))
    return MultiHeadAttention(d_model, n_heads, **options).double()


def near(ours: Any, theirs: Any) -> None:
    torch.testing.assert_close(ours, theirs, rtol=0, atol=EXACT)


def matrices(layer: MultiHeadAttention) -> dict[str, torch.Tensor]:
    """The formula's matrices, which a Linear holds transposed."""
    return {name: getattr(layer, name).weight.T for name in ("w_q", "w_k", "w_v", "w_o")}


# The formula inside


@every_impl
@every_group
def test_without_biases_it_is_the_formula(impl: Any, G: int) -> None:
    layer = make(n_kv_heads=G, bias=False, impl=impl)
    x, context = random(B, T, D), random(B, S, D, seed=1)
    numbers = {"n_heads": H, "n_kv_heads": G}
    mask = random(B, H, T, S) > -1
    for args, ours, theirs in (
        ((x, x), {}, {}),
        ((x, x), {"causal": True}, {"mask": causal_mask(T)}),
        (
            (x, context),
            {"mask": mask, "fully_masked": "zero"},
            {"mask": mask, "fully_masked": "zero"},
        ),
    ):
        output = layer(*args[: 1 if args[0] is args[1] else 2], **ours)
        near(output, multi_head_attention(*args, **matrices(layer), **numbers, **theirs)[0])


@every_impl
@given(T=st.integers(1, 6), S=st.integers(1, 6))
def test_one_head_with_identity_projections_is_attention(impl: Any, T: int, S: int) -> None:
    layer = make(4, 1, bias=False, impl=impl)
    for parameter in layer.parameters():
        nn.init.eye_(parameter)
    x, context = random(B, T, 4), random(B, S, 4, seed=1)
    near(layer(x, context).detach(), attention(x, context, context)[0])
    expected = attention(x, x, x, mask=causal_mask(T, like=x))
    output, weights = layer(x, causal=True, return_weights=True)
    near(output.detach(), expected[0])
    near(weights.detach()[:, 0], expected[1])


@every_impl
def test_biases_are_added_after_every_projection(impl: Any) -> None:
    """As if tokens had one number more, which is 1."""
    layer = make(impl=impl)
    for linear in (layer.w_q, layer.w_k, layer.w_v, layer.w_o):
        nn.init.normal_(linear.bias, generator=torch.Generator().manual_seed(1))
    x = torch.cat([random(B, T, D), torch.ones(B, T, 1)], dim=-1)
    w = {
        name: torch.cat([matrix, getattr(layer, name).bias[None]])
        for name, matrix in matrices(layer).items()
        if name != "w_o"
    }
    expected, _ = multi_head_attention(x, x, **w, w_o=layer.w_o.weight.T, n_heads=H)
    near(layer(x[..., :D]), expected + layer.w_o.bias)


@every_impl
@every_group
@pytest.mark.parametrize("rope", [{}, {"rope_theta": 100.0, "layout": "half"}, {"layout": "half"}])
def test_rope_turns_queries_and_keys_not_values(impl: Any, G: int, rope: Any) -> None:
    layer, x = make(n_kv_heads=G, rope=rope, impl=impl), random(B, T, D)
    q, k, v = layer.project(x)
    plain = make(n_kv_heads=G).project(x)
    near(q, apply_rope(plain[0], **rope))
    near(k, apply_rope(plain[1], **rope))
    near(v, plain[2])
    scores = (q @ k.repeat_interleave(H // G, dim=1).mT) / (D // H) ** 0.5
    _, weights = layer(x, return_weights=True)
    near(weights, torch.softmax(scores, dim=-1))


@every_impl
def test_with_rope_only_distances_matter(impl: Any) -> None:
    """Padding on the left moves every position, and changes nothing."""
    layer, x = make(rope={}, impl=impl), random(1, T, D)
    padded = torch.cat([100 * random(1, 3, D, seed=1), x], dim=1)
    ids = torch.tensor([[0] * 3 + [1] * T])
    ours = layer(padded, causal=True, mask=padding_mask(ids, 0), fully_masked="zero")
    near(ours[:, 3:], layer(x, causal=True))


@every_impl
def test_masks_of_numpy_and_lists(impl: Any) -> None:
    layer, x = make(impl=impl), random(B, T, D)
    mask = causal_mask(T)
    for given_mask in (mask, mask.tolist(), torch.from_numpy(mask)):
        near(layer(x, mask=given_mask), layer(x, causal=True))


@every_impl
def test_masks_and_biases_broadcast_alike(impl: Any) -> None:
    """Three axes are (H, T, S), for a mask as for a bias, even with as many texts as heads."""
    layer, x = make(impl=impl), random(H, T, D)
    mask = (random(H, T, T) > 0) | torch.eye(T, dtype=torch.bool)
    for shape in ((H, T, T), (1, H, T, T), (H, 1, T, T)):
        allowed = mask.reshape(shape)
        bias = torch.zeros(shape, dtype=torch.float64).masked_fill(~allowed, -torch.inf)
        near(layer(x, mask=allowed), layer(x, attn_bias=bias))
    per_head = layer(x, mask=mask)
    near(per_head, layer(x, mask=mask.expand(H, H, T, T)))
    assert not torch.allclose(per_head, layer(x, mask=mask[:, None]))
    near(layer(x, mask=mask[:, None])[2], layer(x[2], mask=mask[2]))


@every_impl
@pytest.mark.parametrize("name", ["mask", "attn_bias"])
def test_three_axes_for_the_texts_are_refused_with_advice(impl: Any, name: str) -> None:
    layer, x = make(impl=impl), random(B, T, D)
    array = torch.ones(B, T, T, dtype=torch.bool if name == "mask" else torch.float64)
    advice = r"got shape \(2, 5, 5\), which would have to be \(2, 1, 5, 5\)$"
    with pytest.raises(ValueError, match=advice):
        layer(x, **{name: array})


# Laws


@every_impl
@every_group
def test_the_future_changes_nothing_to_the_last_bit_in_long_float32(impl: Any, G: int) -> None:
    """Long enough for the kernel to work in blocks, cut where no block ends."""
    rng, n, seen = torch.Generator().manual_seed(0), 150, 77
    layer = MultiHeadAttention(32, H, n_kv_heads=G, rope={}, impl=impl, rng=rng)
    x = torch.randn(B, n, 32, generator=rng)
    changed = torch.cat([x[:, :seen], 100 * torch.randn(B, n - seen, 32, generator=rng)], dim=1)
    ids = torch.randint(2, (B, n), generator=rng)
    ids[:, 0] = 1
    for mask in (None, padding_mask(ids, 0)):
        with torch.no_grad():
            before, after = (layer(each, causal=True, mask=mask) for each in (x, changed))
        assert torch.equal(before[:, :seen], after[:, :seen])
        assert not torch.equal(before[:, seen:], after[:, seen:])


@every_impl
@every_group
@given(seed=st.integers(0, 2**32 - 1))
def test_permuted_tokens_give_permuted_outputs(impl: Any, G: int, seed: int) -> None:
    layer, x, context = make(n_kv_heads=G, impl=impl), random(B, T, D), random(B, S, D, seed=1)
    generator = torch.Generator().manual_seed(seed)
    order, other = torch.randperm(T, generator=generator), torch.randperm(S, generator=generator)
    with torch.no_grad():
        near(layer(x[:, order]), layer(x)[:, order])
        near(layer(x, context[:, other]), layer(x, context))  # a context is a set


@every_impl
@every_group
def test_sequences_are_independent(impl: Any, G: int) -> None:
    layer, x = make(n_kv_heads=G, impl=impl), random(3, T, D)
    before = layer(x, causal=True)
    near(before[1], layer(x[1], causal=True))  # without the axis B
    near(before[1:2], layer(x[1:2], causal=True))
    x[0], x[2] = random(2, T, D, seed=1)
    assert torch.equal(layer(x, causal=True)[1], before[1])


@every_impl
@every_group
def test_gradcheck(impl: Any, G: int) -> None:
    layer = make(n_kv_heads=G, rope={}, impl=impl)
    names, values = zip(*layer.named_parameters(), strict=True)
    mask = random(B, 1, 1, T) > -1
    mask[..., 0] = True

    def run(x: torch.Tensor, *parameters: torch.Tensor) -> Any:
        state = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(layer, state, (x,), {"causal": True, "mask": mask})

    assert torch.autograd.gradcheck(run, (random(B, T, D).requires_grad_(), *values))


# Weights


@every_group
def test_weights_are_returned_by_both(G: int) -> None:
    layer, x = make(n_kv_heads=G), random(B, T, D)
    for layer.impl in ("formula", "sdpa"):
        output, weights = layer(x, causal=True, return_weights=True)
        near(output, layer(x, causal=True))
        assert weights.shape == (B, H, T, T)
        near(weights.sum(-1), torch.ones(B, H, T, dtype=torch.float64))
        assert not weights.triu(1).any()


# Dropout


@every_impl
def test_no_dropout_outside_training(impl: Any) -> None:
    layer, x = make(dropout=0.5, impl=impl).eval(), random(B, T, D)
    assert torch.equal(layer(x), make(impl=impl)(x))
    layer.train()
    assert not torch.equal(layer(x), layer(x))


@every_impl
@every_group
def test_dropout_is_of_weights(impl: Any, G: int) -> None:
    """Each weight is 0 or 4/3 of what it was, for every head and query on its own."""
    layer = make(n_kv_heads=G, dropout=0.25, bias=False, impl=impl)
    nn.init.eye_(layer.w_o.weight)
    x = random(1, 2, D)
    _, weights = layer(x, return_weights=True)
    near(weights.sum(-1), torch.ones(1, H, 2, dtype=torch.float64))  # before dropout
    v = layer.w_v(x).unflatten(-1, (G, -1)).repeat_interleave(H // G, dim=-2)  # (1, S, H, K)
    torch.manual_seed(0)
    outputs = layer(x.expand(3000, 2, D)).unflatten(-1, (H, -1))  # (3000, T, H, K)
    # With two keys and K = 2, the two weights behind each output are found by solving for them.
    used = torch.linalg.solve(v.permute(0, 2, 3, 1)[:, None], outputs[..., None]).squeeze(-1)
    share = used / weights.permute(0, 2, 1, 3)  # 0 or 4/3; (3000, T, H, S)
    kept = share > 2 / 3
    torch.testing.assert_close(share, kept.double() * 4 / 3, rtol=0, atol=1e-8)
    rate = 1 - kept.double().mean(dim=0)
    assert ((rate - 0.25).abs() < 0.05).all()  # more than 6 standard deviations
    flat = kept.double().flatten(1).T
    others = torch.corrcoef(flat) - torch.eye(len(flat))
    assert others.abs().max() < 0.12  # no two are dropped together


@every_impl
def test_dropout_by_seed(impl: Any) -> None:
    layer, x, outputs = make(dropout=0.5, impl=impl), random(B, T, D), []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        outputs.append(layer(x))
    assert torch.equal(outputs[0], outputs[1]) and not torch.equal(outputs[0], outputs[2])


# Parameters


def test_parameters_and_their_first_values() -> None:
    layer = MultiHeadAttention(256, 8, n_kv_heads=2, rng=torch.Generator().manual_seed(0))
    shapes = {name: tuple(value.shape) for name, value in layer.state_dict().items()}
    assert shapes == {
        "w_q.weight": (256, 256), "w_q.bias": (256,),
        "w_k.weight": (64, 256), "w_k.bias": (64,),
        "w_v.weight": (64, 256), "w_v.bias": (64,),
        "w_o.weight": (256, 256), "w_o.bias": (256,),
    }  # fmt: skip
    for name, value in layer.state_dict().items():
        if name.endswith("bias"):
            assert not value.any()
        else:  # uniform, with variance 2 / (rows + columns)
            limit = (6 / sum(value.shape)) ** 0.5
            assert 0.99 * limit < value.abs().max() <= limit
            assert value.std().item() == pytest.approx(limit / 3**0.5, rel=0.02)
    assert [name for name in make(bias=False).state_dict() if "bias" in name] == []


def test_seeds_reproduce() -> None:
    def values(rng: torch.Generator | None) -> torch.Tensor:
        return nn.utils.parameters_to_vector(MultiHeadAttention(8, 2, rng=rng).parameters())

    first, same, other = (values(torch.Generator().manual_seed(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, same) and not torch.equal(first, other)
    torch.manual_seed(1)
    state = torch.get_rng_state()
    by_seed = values(None)
    torch.manual_seed(1)
    assert torch.equal(values(None), by_seed)
    torch.set_rng_state(state)
    values(torch.Generator().manual_seed(3))
    assert torch.equal(torch.get_rng_state(), state)  # torch's own generator was left alone


@every_impl
def test_saved_and_loaded(impl: Any) -> None:
    layer, file = make(n_kv_heads=2, rope={}, impl=impl), io.BytesIO()
    torch.save(layer.state_dict(), file)
    other = make(n_kv_heads=2, rope={}, rng=torch.Generator().manual_seed(1))
    other.load_state_dict(torch.load(io.BytesIO(file.getvalue())))
    x = random(B, T, D)
    near(other(x), layer(x))


@every_impl
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_the_dtype_is_that_of_the_parameters(impl: Any, dtype: torch.dtype) -> None:
    layer, x = make(n_kv_heads=2, rope={}, impl=impl).to(dtype), random(B, T, D).to(dtype)
    mask = np.tri(T, dtype=bool)
    output = layer(x, mask=mask, attn_bias=np.zeros((T, T)))
    assert output.dtype == dtype and bool(output.isfinite().all())


def test_what_it_says_of_itself() -> None:
    shown = repr(MultiHeadAttention(8, 4, n_kv_heads=2, rope={}, impl="sdpa")).splitlines()
    assert shown[1] == (
        "  d_model=8, n_heads=4, n_kv_heads=2, d_head=2, dropout=0.0, "
        "rope={'rope_theta': 10000.0, 'rope_scaling': None, 'layout': 'interleaved'}, impl='sdpa'"
    )


# Options of newer models


@every_impl
@every_group
def test_a_window_is_a_mask(impl: Any, G: int) -> None:
    """And with a cache, it slides along."""
    x, window = random(B, 9, D), 3
    layer, plain = (make(n_kv_heads=G, impl=impl, window=w) for w in (window, None))
    places = torch.arange(9)
    near_enough = places[:, None] - places < window
    with torch.no_grad():
        whole = layer(x, causal=True)
        near(whole, plain(x, causal=True, mask=near_enough))
        cache = layer.new_cache(B)
        pieces = [layer(x[:, i:j], causal=True, cache=cache) for i, j in ((0, 4), (4, 5), (5, 9))]
    near(torch.cat(pieces, dim=1), whole)
    with pytest.raises(ValueError, match=r"^causal must be True in a layer with a window"):
        layer(x)


@every_impl
def test_norms_of_queries_and_keys_before_rope(impl: Any) -> None:
    layer, x = make(n_kv_heads=2, qk_norm=True, rope={}, impl=impl), random(B, T, D)
    plain = make(n_kv_heads=2)
    for i, (own, norm) in enumerate((("q", layer.q_norm), ("k", layer.k_norm))):
        nn.init.uniform_(norm, 0.5, 2.0, generator=torch.Generator().manual_seed(i))
        before = plain.project(x)[i]
        normed = nn.functional.rms_norm(before, (D // H,), norm, eps=1e-6)
        near(layer.project(x)[i], apply_rope(normed.detach()) if own else normed)
    assert sorted(set(layer.state_dict()) - set(plain.state_dict())) == ["k_norm", "q_norm"]


@every_impl
def test_scale_and_softcap(impl: Any) -> None:
    x = random(B, T, D)
    layer, plain = make(scale=0.3, softcap=0.5, impl=impl), make()
    q, k, v = plain.project(x)
    weights = torch.softmax(0.5 * torch.tanh(0.3 * q @ k.mT / 0.5), dim=-1)
    near(layer(x), plain.w_o((weights @ v).transpose(1, 2).flatten(2)))
    layer, plain = make(scale=0.3, impl=impl), make(impl=impl)
    scaled = attention(*plain.project(x), scale=0.3)[0]
    near(layer(x), plain.w_o(scaled.transpose(1, 2).flatten(2)))


@every_impl
def test_a_hook_can_replace_a_step(impl: Any) -> None:
    layer, x = make(impl=impl), random(B, T, D)
    layer.hook_heads.register_forward_hook(lambda module, args, heads: 0 * heads)
    near(layer(x), layer.w_o.bias.expand(B, T, D))
    weights = layer(x, return_weights=True)[1]
    layer.hook_scores.register_forward_hook(lambda module, args, scores: 0 * scores)
    assert not torch.allclose(weights, layer(x, return_weights=True)[1])


@pytest.mark.parametrize("options", [{}, {"n_kv_heads": 2, "qk_norm": True, "window": 2}])
def test_the_formula_compiles_as_one_graph(options: Any) -> None:
    """Nothing in it asks for a number, as long as fully masked rows are zeros."""
    layer, x = make(**options), random(B, T, D)
    mask = padding_mask(torch.tensor([[0, 1, 1, 1, 1], [1, 1, 1, 1, 0]]), 0)
    call = {"mask": mask, "causal": True, "fully_masked": "zero"}
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    near(compiled(x, **call), layer(x, **call))

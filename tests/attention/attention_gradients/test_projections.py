"""`linear_backward` and `projection_backward`, and the way back through a whole attention layer."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.attention.attention_gradients.cases import agree, random

from plainformer.attention.attention_gradients import (
    attention_backward,
    central_differences,
    linear_backward,
    projection_backward,
)
from plainformer.attention.self_attention import attention

leads = st.lists(st.integers(0, 3), max_size=3).map(tuple)
widths = st.integers(1, 4)
NAMES = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


def weights(D_q: int, D_kv: int, K: int, Dv: int) -> dict[str, Any]:
    shapes = [(D_q, K), (D_kv, K), (D_kv, Dv), (K,), (K,), (Dv,)]
    return {name: random(*s, seed=i) for i, (name, s) in enumerate(zip(NAMES, shapes, strict=True))}


def layer(x: Any, x_kv: Any, p: dict[str, Any], **options: Any) -> Any:
    """Attention with its projections; x_kv may be x."""
    q, k, v = x @ p["w_q"] + p["b_q"], x_kv @ p["w_k"] + p["b_k"], x_kv @ p["w_v"] + p["b_v"]
    return (q, k, v), attention(q, k, v, **options)[0]


# Every gradient, checked


@given(leads, widths, widths)
def test_a_linear_map_as_autograd(lead: tuple[int, ...], D: int, E: int) -> None:
    x, w, grad_y = random(*lead, D), random(D, E), random(*lead, E)
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, w, np.zeros(E))]
    (leaves[0] @ leaves[1] + leaves[2]).backward(torch.tensor(grad_y))
    for ours, leaf in zip(linear_backward(grad_y, x, w), leaves, strict=True):
        agree(ours, leaf.grad)


@given(leads, st.integers(1, 4), st.integers(1, 4), st.data())
def test_a_layer_as_autograd(lead: tuple[int, ...], T: int, S: int, data: Any) -> None:
    """Self-attention with a causal mask, or cross-attention; widths all apart."""
    D_q, D_kv, K, Dv = (data.draw(widths) for _ in range(4))
    if data.draw(st.booleans(), label="cross"):
        x, x_kv, options = random(*lead, T, D_q), random(*lead, S, D_kv), {}
    else:
        x, x_kv, options = random(*lead, T, D_q), None, {"mask": np.tri(T) > 0}
        D_kv = D_q
    p = weights(D_q, D_kv, K, Dv)

    (q, k, v), output = layer(x, x if x_kv is None else x_kv, p, **options)
    grad_output = random(*output.shape)
    inner = attention_backward(grad_output, q, k, v, **options)
    w = [p[name] for name in NAMES[:3]]
    ours = projection_backward(inner.q, inner.k, inner.v, x, *w, x_kv=x_kv)

    leaves = {name: torch.tensor(a, requires_grad=True) for name, a in p.items()}
    leaves["x"] = torch.tensor(x, requires_grad=True)
    if x_kv is None:
        _, theirs = layer(leaves["x"], leaves["x"], leaves, **options)
        assert ours.x_kv is None
    else:
        leaves["x_kv"] = torch.tensor(x_kv, requires_grad=True)
        _, theirs = layer(leaves["x"], leaves["x_kv"], leaves, **options)
    theirs.backward(torch.tensor(grad_output))
    for name, leaf in leaves.items():
        agree(getattr(ours, name), leaf.grad)


@pytest.mark.parametrize("cross", [False, True])
def test_a_layer_as_central_differences(cross: bool) -> None:
    """The bound is reasoned as in `test_backward`: the loss is a sum of 20 numbers below 30."""
    arrays = weights(3, 2 if cross else 3, 4, 2) | {"x": random(2, 5, 3)}
    if cross:
        arrays["x_kv"] = random(2, 4, 2)
    grad_output = random(2, 5, 2, seed=1)

    def loss(**changed: Any) -> Any:
        p = arrays | changed
        _, output = layer(p["x"], p["x_kv"] if cross else p["x"], p)
        return np.sum(grad_output * output)

    (q, k, v), _ = layer(arrays["x"], arrays["x_kv"] if cross else arrays["x"], arrays)
    inner = attention_backward(grad_output, q, k, v)
    w = [arrays[name] for name in NAMES[:3]]
    ours = projection_backward(inner.q, inner.k, inner.v, arrays["x"], *w, x_kv=arrays.get("x_kv"))
    for name, array in arrays.items():
        slopes = central_differences(lambda a, name=name: loss(**{name: a}), array)
        agree(getattr(ours, name), slopes, 1e-8)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_the_way_back_through_multi_head_attention_of_torch(cross: bool, causal: bool) -> None:
    """All gradients of `nn.MultiheadAttention`, from the pieces that stand here."""
    B, T, S, D, H = 2, 5, 7 if cross else 5, 12, 3
    torch.manual_seed(0)
    theirs = torch.nn.MultiheadAttention(D, H, batch_first=True, dtype=torch.float64)
    torch.nn.init.uniform_(theirs.in_proj_bias)
    x = torch.tensor(random(B, T, D), requires_grad=True)
    x_kv = torch.tensor(random(B, S, D, seed=1), requires_grad=True) if cross else x
    allowed = np.tri(T, S, S - T) > 0 if causal else np.ones((T, S), dtype=bool)
    output, _ = theirs(x, x_kv, x_kv, attn_mask=torch.tensor(~allowed))
    grad_y = random(B, T, D, seed=2)
    output.backward(torch.tensor(grad_y))

    def split(a: Any) -> Any:
        return a.reshape(B, -1, H, D // H).swapaxes(1, 2)  # (B, H, T, K)

    def merge(a: Any) -> Any:
        return a.swapaxes(1, 2).reshape(B, -1, D)

    w_q, w_k, w_v = (w.T for w in np.split(theirs.in_proj_weight.detach().numpy(), 3))
    b_q, b_k, b_v = np.split(theirs.in_proj_bias.detach().numpy(), 3)
    w_o = theirs.out_proj.weight.detach().numpy().T
    a, a_kv = x.detach().numpy(), x_kv.detach().numpy()
    q, k, v = split(a @ w_q + b_q), split(a_kv @ w_k + b_k), split(a_kv @ w_v + b_v)
    heads = merge(attention(q, k, v, mask=allowed)[0])

    grad_heads, grad_w_o, grad_b_o = linear_backward(grad_y, heads, w_o)
    inner = attention_backward(split(grad_heads), q, k, v, mask=allowed)
    merged = merge(inner.q), merge(inner.k), merge(inner.v)
    ours = projection_backward(*merged, a, w_q, w_k, w_v, x_kv=a_kv if cross else None)

    agree(ours.x, x.grad)
    if cross:
        agree(ours.x_kv, x_kv.grad)
    in_proj = np.concatenate([ours.w_q.T, ours.w_k.T, ours.w_v.T])
    agree(in_proj, theirs.in_proj_weight.grad)
    agree(np.concatenate([ours.b_q, ours.b_k, ours.b_v]), theirs.in_proj_bias.grad)
    agree(grad_w_o.T, theirs.out_proj.weight.grad)
    agree(grad_b_o, theirs.out_proj.bias.grad)


# Laws, libraries, dtypes


def test_a_sequence_that_attends_to_itself_gets_both_parts() -> None:
    """Self-attention is cross-attention from x to x: its gradient is the sum of those two."""
    grad_q, grad_k, grad_v, x = random(4, 2, 5, 3)
    w = random(3, 3, 3)
    own = projection_backward(grad_q, grad_k, grad_v, x, *w)
    both = projection_backward(grad_q, grad_k, grad_v, x, *w, x_kv=x)
    agree(own.x, both.x + both.x_kv, 1e-14)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(own, name), getattr(both, name))


def test_weights_get_the_sum_over_all_tokens_of_all_sequences() -> None:
    x, grad_y = random(2, 4, 5, 3)
    _, grad_w, grad_b = linear_backward(grad_y, x, np.eye(3))
    alone = [
        linear_backward(g[None], r[None], np.eye(3))
        for r, g in zip(x.reshape(20, 3), grad_y.reshape(20, 3), strict=True)
    ]
    agree(grad_w, sum(w for _, w, _ in alone), 1e-14)
    agree(grad_b, sum(b for _, _, b in alone), 1e-14)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64])
def test_numpy_is_torch_and_the_dtype_stays(dtype: torch.dtype) -> None:
    grad_q, grad_k, grad_v, x = torch.from_numpy(random(4, 2, 5, 8)).to(dtype)
    w = torch.from_numpy(random(3, 8, 8)).to(dtype)
    theirs = projection_backward(grad_q, grad_k, grad_v, x, *w, x_kv=x)
    exact = projection_backward(
        *(a.double().numpy() for a in (grad_q, grad_k, grad_v, x, *w)), x_kv=x.double().numpy()
    )
    for name, gradient in theirs._asdict().items():
        assert gradient.dtype == dtype
        agree(gradient.double(), getattr(exact, name), 16 * torch.finfo(dtype).eps)


def test_tensors_that_are_not_contiguous() -> None:
    x, grad_y = torch.from_numpy(random(2, 3, 5, 4)).transpose(1, 2)
    ours = linear_backward(grad_y, x, torch.eye(4, dtype=torch.float64))
    agree(ours[1], (x.reshape(-1, 4).T @ grad_y.reshape(-1, 4)), 1e-14)

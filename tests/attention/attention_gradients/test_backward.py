"""`attention_backward` and `softmax_backward` beside autograd, torch's attention, and trying."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.attention.attention_gradients.cases import Case, agree, cases, random
from torch.nn import functional as F

from plainformer.attention.attention_gradients import (
    attention_backward,
    central_differences,
    softmax_backward,
)
from plainformer.attention.stable_softmax import softmax


def backward(case: Case) -> Any:
    return attention_backward(case.grad_output, case.q, case.k, case.v, **case.options)


# Every gradient, checked in three ways


@given(cases())
def test_as_autograd_through_our_forward_pass(case: Case) -> None:
    ours = backward(case)
    leaves = case.as_torch()
    output, _ = leaves.forward
    output.backward(leaves.grad_output)
    for name, leaf in leaves.inputs.items():
        agree(getattr(ours, name), leaf.grad)
    assert (ours.attn_bias is None) == (case.attn_bias is None)


@given(cases())
def test_as_autograd_through_the_attention_of_torch(case: Case) -> None:
    ours = backward(case)
    leaves = case.as_torch()
    q, k, v = leaves.q, leaves.k, leaves.v
    lead = case.grad_output.shape[:-2]
    added = torch.zeros(*lead, q.shape[-2], k.shape[-2], dtype=torch.float64)
    if leaves.attn_bias is not None:
        added = added + leaves.attn_bias
    if leaves.mask is not None:
        added = added.masked_fill(~leaves.mask, -torch.inf)
    q, k, v = (x.expand(*lead, *x.shape[-2:])[None] for x in (q, k, v))
    output = F.scaled_dot_product_attention(q, k, v, attn_mask=added[None], scale=case.scale)[0]
    agree(case.forward[0], output.detach())  # the same forward pass
    output.backward(leaves.grad_output)
    for name, leaf in leaves.inputs.items():
        agree(getattr(ours, name), leaf.grad)


@given(cases(max_side=3))
def test_as_central_differences(case: Case) -> None:
    """No derivation in sight, neither ours nor torch's.

    The loss is a sum of 36 numbers up to 1, so it is off by 1e-14 at most, and a difference of two,
    over twice the step of 1e-5, by 1e-9. The third derivative, some tens, adds step² / 6 times as
    much: again 1e-9 at most.
    """
    ours = backward(case)
    for name, array in case.inputs.items():
        slopes = central_differences(lambda x, name=name: case.loss(**{name: x}), array)
        agree(getattr(ours, name), slopes, 1e-8)


@given(cases(masks=False))
def test_the_gradients_on_the_way(case: Case) -> None:
    """Those of the weights and of the scores, which autograd is asked to keep."""
    ours = backward(case)
    leaves = case.as_torch()
    scale = case.q.shape[-1] ** -0.5 if case.scale is None else case.scale
    scores = leaves.q @ leaves.k.mT * scale
    scores = scores if leaves.attn_bias is None else scores + leaves.attn_bias
    weights = torch.softmax(scores, dim=-1)
    scores.retain_grad()
    weights.retain_grad()
    (weights @ leaves.v).backward(leaves.grad_output)
    agree(ours.weights, weights.grad)
    agree(ours.scores, scores.grad)


@given(
    hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=4),
        elements=st.floats(-20, 20),
    )
)
def test_softmax_as_autograd_and_as_its_jacobian(scores: Any) -> None:
    if scores.shape[-1] == 0:
        return
    grad_weights = random(*scores.shape)
    weights = softmax(scores)
    ours = softmax_backward(grad_weights, weights)
    leaf = torch.tensor(scores, requires_grad=True)
    torch.softmax(leaf, dim=-1).backward(torch.tensor(grad_weights))
    agree(ours, leaf.grad)
    eye = np.eye(scores.shape[-1])
    jacobian = weights[..., :, None] * (eye - weights[..., None, :])  # ∂aᵢ/∂sⱼ
    agree(ours, np.einsum("...i,...ij->...j", grad_weights, jacobian))


def test_the_running_sentence_by_hand() -> None:
    """Six tokens, one number each; the fourth query alone is asked for a gradient."""
    q = np.zeros((6, 1))
    k = np.log([[1.0], [2.0], [1.0], [1.0], [1.0], [2.0]])  # "cat" twice
    v = np.array([[0.0], [8.0], [0.0], [0.0], [0.0], [8.0]])
    q[3] = 1
    grad_output = np.eye(6)[:, 3:4]
    grads = attention_backward(grad_output, q, k, v)
    agree(grads.v[:, 0], np.array([1, 2, 1, 1, 1, 2]) / 8)  # the weights of query 3
    scores = np.array([-4, 8, -4, -4, -4, 8]) / 8  # weight · (value - output), which is 4
    agree(grads.scores[3], scores)
    agree(grads.scores[[0, 1, 2, 4, 5]], np.zeros((5, 6)))
    agree(grads.k[:, 0], scores)
    agree(grads.q[:, 0], [0, 0, 0, 2 * np.log(2), 0, 0])


# Masks


@given(cases())
def test_what_is_forbidden_has_no_gradient(case: Case) -> None:
    if case.mask is None:
        case.mask = random(case.q.shape[-2], case.k.shape[-2]) < 0.4
    grads = backward(case)
    forbidden = ~np.broadcast_to(case.mask, grads.scores.shape)
    assert np.all(grads.scores[forbidden] == 0)


def test_nothing_comes_back_from_the_past_to_the_future() -> None:
    T = 5
    q, k, v = random(3, T, 4)
    for i in range(T):
        grads = attention_backward(np.eye(T)[:, [i]] * random(4), q, k, v, mask=np.tri(T) > 0)
        assert np.all(grads.k[i + 1 :] == 0) and np.all(grads.v[i + 1 :] == 0)
        assert np.all(np.delete(grads.q, i, axis=0) == 0)
        assert np.all(grads.v[: i + 1] != 0)


def test_keys_that_nobody_may_see() -> None:
    """Padding gets no gradient, and whatever stands there changes nobody else's."""
    q, k, v, grad_output = random(4, 2, 6, 3)
    mask = np.array([True] * 4 + [False] * 2)
    before = attention_backward(grad_output, q, k, v, mask=mask)
    k[:, 4:], v[:, 4:] = 1e6, -1e6
    after = attention_backward(grad_output, q, k, v, mask=mask)
    for name in ("q", "k", "v", "scores"):
        np.testing.assert_array_equal(getattr(before, name), getattr(after, name))
    assert np.all(after.k[:, 4:] == 0) and np.all(after.v[:, 4:] == 0)


def test_a_query_that_may_see_nothing() -> None:
    q, k, v, grad_output = random(4, 3, 2)
    mask = np.array([[True, True, False], [False, False, False], [True, False, True]])
    with pytest.raises(ValueError, match="query 1"):
        attention_backward(grad_output, q, k, v, mask=mask)
    grads = attention_backward(grad_output, q, k, v, mask=mask, fully_masked="zero")
    assert np.all(grads.q[1] == 0) and np.all(grads.scores[1] == 0)
    rest = [0, 2]
    alone = attention_backward(grad_output[rest], q[rest], k, v, mask=mask[rest])
    agree(grads.k, alone.k, 1e-15)
    agree(grads.v, alone.v, 1e-15)
    nothing = attention_backward(
        grad_output, q, k, v, mask=np.zeros((3, 3), bool), fully_masked="zero"
    )
    assert all(np.all(g == 0) for g in (nothing.q, nothing.k, nothing.v, nothing.scores))


def test_an_additive_mask_is_a_boolean_one() -> None:
    q, k, v, grad_output = random(4, 4, 3)
    mask = np.tri(4) > 0
    with_bias = attention_backward(grad_output, q, k, v, attn_bias=np.where(mask, 0, -np.inf))
    with_mask = attention_backward(grad_output, q, k, v, mask=mask)
    for name in ("q", "k", "v", "weights", "scores"):
        np.testing.assert_array_equal(getattr(with_bias, name), getattr(with_mask, name))
    np.testing.assert_array_equal(with_bias.attn_bias, with_mask.scores)


# Copies


def test_shared_keys_get_the_sum_over_the_heads_that_share_them() -> None:
    """Grouped queries: heads 0, 1 use the first keys, heads 2, 3 the second."""
    q, grad_output = random(2, 4, 5, 3)
    k, v = random(2, 2, 6, 3, seed=1)
    repeated = attention_backward(grad_output, q, k.repeat(2, axis=0), v.repeat(2, axis=0))
    groups = (2, 2, 5, 3)
    shared = attention_backward(
        grad_output.reshape(groups), q.reshape(groups), k[:, None], v[:, None]
    )
    agree(shared.q.reshape(q.shape), repeated.q, 1e-14)
    agree(shared.k, repeated.k.reshape(2, 2, 6, 3).sum(axis=1, keepdims=True), 1e-14)
    agree(shared.v, repeated.v.reshape(2, 2, 6, 3).sum(axis=1, keepdims=True), 1e-14)


def test_no_tokens() -> None:
    for T, S, lead in [(0, 3, ()), (2, 3, (0,)), (0, 0, (2,))]:  # no query, no batch, no token
        q, k, v = np.ones((*lead, T, 2)), np.ones((*lead, S, 2)), np.ones((*lead, S, 4))
        grads = attention_backward(np.ones((*lead, T, 4)), q, k, v)
        for name, array in {"q": q, "k": k, "v": v}.items():
            agree(getattr(grads, name), np.zeros_like(array))
    q, k = np.ones((0, 3, 2)), np.ones((1, 3, 2))  # keys shared by a batch of none
    agree(attention_backward(q, q, k, k).k, np.zeros((1, 3, 2)))


# Libraries, dtypes


@given(cases())
def test_numpy_is_torch(case: Case) -> None:
    ours, theirs = backward(case), backward(case.as_torch())
    for name, gradient in ours._asdict().items():
        if gradient is None:
            assert theirs.attn_bias is None
        else:
            agree(gradient, getattr(theirs, name).detach(), 1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_the_dtype_stays(dtype: torch.dtype) -> None:
    q, k, v, grad_output = torch.from_numpy(random(4, 2, 5, 8)).to(dtype)
    bias = torch.zeros(5, 5)
    exact = attention_backward(
        grad_output.double(), q.double(), k.double(), v.double(), attn_bias=bias
    )
    ours = attention_backward(grad_output, q, k, v, attn_bias=bias)
    for name, gradient in ours._asdict().items():
        assert gradient.dtype == dtype
        error = (gradient.double() - getattr(exact, name)).abs().max()
        assert error <= 32 * torch.finfo(dtype).eps  # sums of 8, and 5, and 5 products


def test_lists_and_whole_numbers() -> None:
    grads = attention_backward([[1]], [[0]], [[1], [3]], [[2], [4]], attn_bias=[[0, 0]])
    assert grads.q.tolist() == [[1.0]] and grads.v.tolist() == [[0.5], [0.5]]
    assert grads.attn_bias.tolist() == grads.scores.tolist() == [[-0.5, 0.5]]


def test_the_arguments_stay_as_they_were() -> None:
    arrays = random(4, 3, 4)
    before = arrays.copy()
    grad_output, q, k, v = arrays
    attention_backward(grad_output, q, k, v, attn_bias=q @ k.T)
    np.testing.assert_array_equal(arrays, before)


def test_a_gradient_has_a_gradient() -> None:
    """The backward pass is itself made of formulas that autograd can follow."""
    q, k, v, grad_output = torch.from_numpy(random(4, 3, 2)).requires_grad_()

    def gradients(grad_output: Any, q: Any, k: Any, v: Any) -> tuple[Any, ...]:
        return attention_backward(grad_output, q, k, v)[:3]

    assert torch.autograd.gradcheck(gradients, (grad_output, q, k, v))

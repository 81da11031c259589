"""The references of the exercises on gradients, against torch's autograd and the package."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import attention_backward, central_differences, softmax_backward
from plainformer.exercises import exercise, grade

value_gradient, score_gradient, backward_pass, token_gradient = (
    exercise(f"attention.attention_gradients.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 5)


def agree(ours, theirs):
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def drawn_mask(rng, n_queries, n_keys):
    mask = rng.random((n_queries, n_keys)) < 0.6
    mask[np.arange(n_queries), rng.integers(n_keys, size=n_queries)] = True
    return mask


def autograd(f, grad_output, *arrays):
    """The gradients that torch finds for these arrays, when that of f's result is grad_output."""
    leaves = [torch.tensor(array, requires_grad=True) for array in arrays]
    f(*leaves).backward(torch.tensor(grad_output))
    return [leaf.grad.numpy() for leaf in leaves]


@given(seeds, sizes, sizes, sizes)
def test_the_gradient_of_the_values_is_autograds(seed, T, S, D_v):
    rng = np.random.default_rng(seed)
    weights, v = rng.dirichlet(np.ones(S), size=T), rng.normal(size=(S, D_v))
    grad = rng.normal(size=(T, D_v))
    (theirs,) = autograd(lambda v: torch.tensor(weights) @ v, grad, v)
    agree(value_gradient(weights, grad), theirs)


@given(seeds, sizes, sizes)
def test_the_way_back_through_the_softmax_is_autograds_and_the_packages(seed, T, S):
    rng = np.random.default_rng(seed)
    scores, grad = rng.normal(scale=3, size=(2, T, S))
    weights = torch.softmax(torch.tensor(scores), dim=1).numpy()
    (theirs,) = autograd(lambda s: torch.softmax(s, dim=1), grad, scores)
    agree(score_gradient(grad, weights), theirs)
    agree(score_gradient(grad, weights), softmax_backward(grad, weights))


@given(seeds, sizes, sizes, sizes, sizes)
def test_the_backward_pass_is_autograds_and_the_packages(seed, T, S, K, D_v):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=shape) for shape in ((T, K), (S, K), (S, D_v)))
    grad, mask = rng.normal(size=(T, D_v)), drawn_mask(rng, T, S)

    def forward(q, k, v):
        allowed = torch.tensor(mask)
        return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)

    ours = backward_pass(grad, q, k, v, mask)
    package = attention_backward(grad, q, k, v, mask=mask)
    for a, b, c in zip(ours, autograd(forward, grad, q, k, v), package[:3], strict=True):
        agree(a, b)
        agree(a, c)


@given(seeds, sizes, sizes, sizes, sizes)
def test_tokens_and_matrices_get_what_autograd_says(seed, T, D, K, D_v):
    rng = np.random.default_rng(seed)
    shapes = ((T, D), (D, K), (D, K), (D, D_v))
    arrays, grad = [rng.normal(size=shape) for shape in shapes], rng.normal(size=(T, D_v))

    def forward(x, w_q, w_k, w_v):
        scores = (x @ w_q) @ (x @ w_k).T / K**0.5
        return torch.softmax(scores, dim=1) @ (x @ w_v)

    ours = token_gradient(grad, *arrays)
    for a, b in zip(ours, autograd(forward, grad, *arrays), strict=True):
        agree(a, b)


def test_the_tokens_of_the_last_exercise_by_trying():
    rng = np.random.default_rng(0)
    x, w_q, w_k, w_v = (rng.normal(size=shape) for shape in ((3, 4), (4, 2), (4, 2), (4, 2)))
    grad = rng.normal(size=(3, 2))

    def loss(x):
        e = np.exp(x @ w_q @ (x @ w_k).T / 2**0.5)
        return (grad * (e / e.sum(axis=1, keepdims=True) @ x @ w_v)).sum()

    tried = central_differences(loss, x)
    np.testing.assert_allclose(token_gradient(grad, x, w_q, w_k, w_v)[0], tried, atol=1e-8)


FORWARD = """
            scale = 1 / np.sqrt(q.shape[1])
            scores = np.where(mask, scale * q @ k.T, -np.inf)
            a = np.exp(scores - scores.max(1, keepdims=True))
            a = a / a.sum(1, keepdims=True)
"""


def test_the_public_answers_are_those_found_by_trying():
    """Which knows nothing of any derivation."""

    def answer(grad_output, q, k, v, mask):
        def loss(q, k, v):
            scores = np.where(mask, q @ k.T / np.sqrt(q.shape[1]), -np.inf)
            e = np.exp(scores - scores.max(axis=1, keepdims=True))
            return (grad_output * (e / e.sum(axis=1, keepdims=True) @ v)).sum()

        return (
            central_differences(lambda q: loss(q, k, v), q),
            central_differences(lambda k: loss(q, k, v), k),
            central_differences(lambda v: loss(q, k, v), v),
        )

    spec = exercise("attention.attention_gradients.3")
    for case in spec.cases:
        for got, expected in zip(answer(*case.args), case.expected, strict=True):
            np.testing.assert_allclose(got, expected, atol=1e-8)


def test_a_single_array_for_three_is_told_what_is_missing():
    said = grade(exercise("attention.attention_gradients.3"), lambda grad, q, k, v, mask: q).message
    assert "it should be a tuple of 3 arrays" in said

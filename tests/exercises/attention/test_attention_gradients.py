"""The references of the exercises on gradients, against torch's autograd and the package."""

import textwrap

import numpy as np
import pytest
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

# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "Only the last query is left",
        """
        def answer(weights, grad_output):
            grad_v = np.zeros((weights.shape[1], grad_output.shape[1]))
            for i in range(len(weights)):
                for j in range(weights.shape[1]):
                    grad_v[j] = weights[i, j] * grad_output[i]
            return grad_v
        """,
    ),
    (
        1,
        "Rows and columns are swapped",
        """
        def answer(weights, grad_output):
            return np.einsum("ts,td->ds", weights, grad_output)
        """,
    ),
    (
        2,
        "a (1 - a) is what a weight does to its own score",
        """
        def answer(grad_weights, weights):
            return grad_weights * (weights - weights**2)
        """,
    ),
    (
        2,
        "Keep them as a column",
        """
        def answer(grad_weights, weights):
            return weights * (grad_weights - np.sum(weights * grad_weights, axis=-1))
        """,
    ),
    (
        2,
        "You take off the plain mean",
        """
        def answer(grad_weights, weights):
            grad = np.zeros_like(weights)
            for t in range(len(weights)):
                grad[t] = weights[t] * (grad_weights[t] - np.mean(grad_weights[t]))
            return grad
        """,
    ),
    (
        2,
        ".sum, not .mean",
        """
        def answer(grad_weights, weights):
            mean = np.mean(weights * grad_weights, axis=1)[:, None]
            return weights * grad_weights - weights * mean
        """,
    ),
    (
        2,
        "the mean comes off",
        """
        def answer(grad_weights, weights):
            mean = (weights * grad_weights).sum(1, keepdims=True)
            return weights * grad_weights + weights * mean
        """,
    ),
    (
        3,
        "a score that is allowed may be lower still",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD.replace("-np.inf", "-1e2")}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "0/0 is NaN",
        """
        def answer(grad_output, q, k, v, mask):
            with np.errstate(all="ignore"):
                a = np.exp(q @ k.T / q.shape[1] ** 0.5) * mask
                a = a / a.sum(1)[:, None]
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1)[:, None]) / q.shape[1] ** 0.5
            return ds @ k, ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "e⁰ = 1",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD.replace("-np.inf", "0")}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "the row's mean has to be taken off",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD}
            ds = scale * a * (grad_output @ v.T)
            return ds @ k, ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "Your softmax runs down the columns",
        """
        def answer(grad_output, q, k, v, mask):
            scale = 1 / np.sqrt(q.shape[1])
            e = np.exp(np.where(mask, scale * q @ k.T, -np.inf))
            with np.errstate(invalid="ignore"):
                a = e / e.sum(0)
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "You scale on the way back, but not the scores",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD.replace("scale * q", "q")}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "You scale by the width of the values",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD.replace("q.shape", "v.shape")}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "√K times too large",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return ds @ k, ds.T @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "has to be transposed",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD}
            da = grad_output @ v.T
            ds = a * (da - (a * da).sum(1, keepdims=True))
            return scale * ds @ k, scale * ds @ q, a.T @ grad_output
        """,
    ),
    (
        3,
        "You use the gradient of the weights as if",
        f"""
        def answer(grad_output, q, k, v, mask):{FORWARD}
            da = grad_output @ v.T
            return scale * da @ k, scale * da.T @ q, a.T @ grad_output
        """,
    ),
    (
        4,
        "the gradient of x comes first",
        """
        def answer(grad_output, x, w_q, w_k, w_v):
            mask = np.ones((len(x), len(x)), bool)
            q, k, v = backward_pass(grad_output, x @ w_q, x @ w_k, x @ w_v, mask)
            grads = [x.T @ q, x.T @ k, x.T @ v]
            return *grads, q @ w_q.T + k @ w_k.T + v @ w_v.T
        """,
    ),
    (
        4,
        "the mask is all True",
        """
        def answer(grad_output, x, w_q, w_k, w_v):
            mask = np.tril(np.ones((len(x), len(x)))) == 1
            q, k, v = backward_pass(grad_output, x @ w_q, x @ w_k, x @ w_v, mask)
            return q @ w_q.T + k @ w_k.T + v @ w_v.T, x.T @ q, x.T @ k, x.T @ v
        """,
    ),
    (
        4,
        "a token is also found",
        """
        def answer(grad_output, x, w_q, w_k, w_v):
            mask = np.ones((len(x), len(x)), bool)
            q, k, v = backward_pass(grad_output, x @ w_q, x @ w_k, x @ w_v, mask)
            return q @ w_q.T + v @ w_v.T, x.T @ q, x.T @ k, x.T @ v
        """,
    ),
    (
        4,
        "each must have the shape of its",
        """
        def answer(grad_output, x, w_q, w_k, w_v):
            mask = np.ones((len(x), len(x)), bool)
            q, k, v = backward_pass(grad_output, x @ w_q, x @ w_k, x @ w_v, mask)
            return q @ w_q.T + k @ w_k.T + v @ w_v.T, q.T @ x, k.T @ x, v.T @ x
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np, "backward_pass": backward_pass}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.attention_gradients.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message


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

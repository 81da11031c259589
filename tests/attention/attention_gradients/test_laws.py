"""What is true of attention's gradients, whatever the numbers; and what stops learning."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.attention.attention_gradients.cases import Case, agree, cases

from plainformer.attention.attention_gradients import (
    attention_backward,
    projection_backward,
    softmax_backward,
)
from plainformer.attention.stable_softmax import softmax

EPS = 2.0**-52
seeds = st.integers(0, 2**32 - 1)


def backward(case: Case, **changed: Any) -> Any:
    arguments = {**vars(case), "fully_masked": "zero", **changed}
    return attention_backward(**arguments)


# Rows


@given(cases())
def test_rows_of_the_scores_gradient_sum_to_zero(case: Case) -> None:
    """Adding one number to all scores of a row changes nothing: there is nothing to gain by it."""
    grads = backward(case)
    # At most 4 weights, together 1, times what is off by a few roundings.
    allowed = 16 * EPS * np.max(np.abs(grads.weights))
    assert np.all(np.abs(np.sum(grads.scores, axis=-1)) <= allowed)


@given(cases(masks=False), seeds)
def test_one_vector_added_to_all_values_changes_no_score_gradient(case: Case, seed: int) -> None:
    """It moves the output whatever the weights are, for they sum to 1."""
    row = np.random.default_rng(seed).uniform(-1, 1, case.v.shape[-1])
    before, after = backward(case), backward(case, v=case.v + row)
    for name in ("q", "k", "v", "scores"):
        agree(getattr(before, name), getattr(after, name))


@given(cases(masks=False))
def test_values_share_out_the_gradient_of_the_output(case: Case) -> None:
    """For the same reason all of it arrives, no more and no less."""
    arrived = np.sum(backward(case).v, axis=tuple(range(case.v.ndim - 1)))
    sent = np.sum(case.grad_output, axis=tuple(range(case.grad_output.ndim - 1)))
    agree(arrived, sent)


@given(cases(broadcast=False))
def test_the_rows_mean_is_the_output_times_its_gradient(case: Case) -> None:
    """What fused kernels use: the mean needs no weights, only the output (Dao et al. 2022)."""
    output, weights = case.forward
    grads = backward(case)
    mean = np.sum(weights * grads.weights, axis=-1)
    agree(mean, np.sum(output * case.grad_output, axis=-1))
    agree(grads.scores, weights * (grads.weights - mean[:, None]))


# The whole


@given(cases(), st.floats(-3, 3), seeds)
def test_linear_in_the_gradient_of_the_output(case: Case, factor: float, seed: int) -> None:
    other = np.random.default_rng(seed).uniform(-1, 1, case.grad_output.shape)
    first, second = backward(case), backward(case, grad_output=other)
    both = backward(case, grad_output=case.grad_output + factor * other)
    for a, b, c in zip(first, second, both, strict=True):
        if a is not None:
            agree(a + factor * b, c)


@given(cases(), st.randoms(use_true_random=False))
def test_keys_in_another_order(case: Case, random: Any) -> None:
    """With their values: their gradients move along, those of queries stay."""
    order = list(range(case.k.shape[-2]))
    random.shuffle(order)
    turned = {"k": case.k[..., order, :], "v": case.v[..., order, :]}
    for name in ("mask", "attn_bias"):
        array = getattr(case, name)
        if array is not None and array.ndim and array.shape[-1] > 1:
            turned[name] = array[..., order]
    before, after = backward(case), backward(case, **turned)
    agree(after.q, before.q)
    agree(after.k, before.k[..., order, :])
    agree(after.v, before.v[..., order, :])
    agree(after.scores, before.scores[..., order])


@given(cases(masks=False, biases=False), st.randoms(use_true_random=False))
def test_queries_in_another_order(case: Case, random: Any) -> None:
    """Their gradients move along; those of keys and values, sums over queries, stay."""
    order = list(range(case.q.shape[-2]))
    random.shuffle(order)
    turned = {"q": case.q[..., order, :], "grad_output": case.grad_output[..., order, :]}
    before, after = backward(case), backward(case, **turned)
    agree(after.q, before.q[..., order, :])
    agree(after.k, before.k)
    agree(after.v, before.v)


@given(st.permutations(range(6)), seeds)
def test_self_attention_is_permutation_equivariant_in_its_gradients_too(
    order: list[int], seed: int
) -> None:
    """Whatever the order of "your cat is a lovely cat", each word gets its own gradient."""
    rng = np.random.default_rng(seed)
    x, grad_output = rng.uniform(-1, 1, (2, 6, 4))
    w_q, w_k, w_v = rng.uniform(-1, 1, (3, 4, 4))

    def gradients(x: Any, grad_output: Any) -> Any:
        grads = attention_backward(grad_output, x @ w_q, x @ w_k, x @ w_v)
        return projection_backward(grads.q, grads.k, grads.v, x, w_q, w_k, w_v)

    before, after = gradients(x, grad_output), gradients(x[order], grad_output[order])
    agree(after.x, before.x[order])
    for name in ("w_q", "w_k", "w_v", "b_q", "b_v"):
        agree(getattr(after, name), getattr(before, name))


@given(cases())
def test_what_q_gains_by_growing_k_gains_too(case: Case) -> None:
    """Scores are products, so twice as long queries and twice as long keys do the same."""
    grads = backward(case)
    agree(np.sum(case.q * grads.q), np.sum(case.k * grads.k))


@given(seeds)
def test_one_vector_added_to_all_keys_changes_nothing(seed: int) -> None:
    """It shifts all scores of a row alike. So keys' gradients sum to zero; their bias has none."""
    rng = np.random.default_rng(seed)
    q, k, v, grad_output = rng.uniform(-1, 1, (4, 5, 3))
    w = np.eye(3)
    grads = attention_backward(grad_output, q, k, v)
    agree(np.sum(grads.k, axis=0), np.zeros(3))
    b_k = projection_backward(grads.q, grads.k, grads.v, k, w, w, w).b_k
    agree(b_k, np.zeros(3))
    agree(attention_backward(grad_output, q, k + 1, v).v, grads.v)


@given(seeds)
def test_sequences_and_heads_do_not_touch_one_another(seed: int) -> None:
    rng = np.random.default_rng(seed)
    grad_output, q, k, v = rng.uniform(-1, 1, (4, 2, 3, 5, 4))
    together = attention_backward(grad_output, q, k, v)
    for place in np.ndindex(2, 3):
        alone = attention_backward(grad_output[place], q[place], k[place], v[place])
        for name in ("q", "k", "v"):
            agree(getattr(together, name)[place], getattr(alone, name))


# The softmax alone


@given(seeds, st.integers(1, 6), st.floats(0.1, 30))
def test_softmax_passes_on_the_same_both_ways(seed: int, S: int, size: float) -> None:
    """Its Jacobian, diag(a) - a aᵀ, is symmetric, and never negative."""
    rng = np.random.default_rng(seed)
    weights = softmax(size * rng.standard_normal(S))
    u, v = rng.uniform(-1, 1, (2, S))
    agree(u @ softmax_backward(v, weights), v @ softmax_backward(u, weights))
    assert u @ softmax_backward(u, weights) >= -S * EPS


@given(seeds, st.integers(1, 6), st.floats(0.1, 100))
def test_a_score_gets_little_where_its_weight_is_near_0_or_1(
    seed: int, S: int, size: float
) -> None:
    """At most 2 · max |grad_weights| · a (1 - a), as the docstring says."""
    rng = np.random.default_rng(seed)
    weights = softmax(size * rng.standard_normal(S))
    grad_weights = rng.uniform(-1, 1, S)
    others = np.sum(np.where(np.eye(S, dtype=bool), 0, weights), axis=1)  # 1 - a, unrounded
    bound = 2 * np.abs(grad_weights).max() * weights * others
    assert np.all(np.abs(softmax_backward(grad_weights, weights)) <= bound + 4 * S * EPS)


@given(st.floats(0.001, 1000))
def test_half_of_the_largest_gradient_passes_through_and_never_more(size: float) -> None:
    """The bound is reached: two keys of equal weight that want the opposite."""
    got = softmax_backward(np.array([size, -size]), np.array([0.5, 0.5]))
    agree(got, [size / 2, -size / 2])


@given(seeds, st.integers(2, 6))
def test_a_row_with_all_its_weight_in_one_place_passes_on_nothing(seed: int, S: int) -> None:
    weights = np.eye(S)
    grad_weights = np.random.default_rng(seed).uniform(-1e6, 1e6, (S, S))
    assert np.all(softmax_backward(grad_weights, weights) == 0)


def test_larger_scores_pass_back_less_though_the_output_is_wrong() -> None:
    """The fact behind 1/√K: the wrong key wins, and the larger the scores, the less is learned."""
    scores = np.array([1.0, 0.0, -1.0])  # the first wins
    grad_weights = np.array([1.0, 0.0, -1.0])  # and the last should
    sizes = [
        np.abs(softmax_backward(grad_weights, softmax(scale * scores))).max()
        for scale in (1, 2, 4, 8, 16, 32, 1000)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 0.2 and sizes[4] < 1e-6 and sizes[-1] == 0


def test_scaled_scores_keep_learning_however_wide_a_head_is() -> None:
    """Random queries and keys: what comes back to the scores of a middling query, at the most."""
    middling: dict[float | None, list[float]] = {None: [], 1.0: []}
    for K in (4, 16, 64, 256, 1024):
        rng = np.random.default_rng(0)
        q, k = rng.standard_normal((2, 64, K))
        v, grad_output = rng.standard_normal((2, 64, 16))
        for scale, sizes in middling.items():
            grads = attention_backward(grad_output, q, k, v, scale=scale)
            sizes.append(float(np.median(np.abs(grads.scores).max(axis=-1))))
    scaled, unscaled = middling[None], middling[1.0]
    assert all(0.25 < size < 0.5 for size in scaled)
    assert unscaled[-1] < unscaled[-2] < 0.1 * min(scaled)
    assert unscaled[-1] < 0.01 * scaled[-1]

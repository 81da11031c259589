"""`alibi_slopes` and `alibi_bias`: the slopes of BLOOM and MPT, the laws of the bias, refusals."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from plainformer.inputs.relative_positions import alibi_bias, alibi_slopes

head_counts = st.integers(1, 130)
lengths = st.integers(1, 12)
every_count = pytest.mark.parametrize("n_heads", range(1, 25))


def causal_softmax(scores: Any) -> Any:
    """Of rows, over the keys that are not later than the query. The queries are the last ones."""
    T, S = scores.shape[-2:]
    later = np.triu(np.ones((T, S), dtype=bool), 1 + S - T)
    exp = np.exp(np.where(later, -np.inf, scores))
    return exp / exp.sum(axis=-1, keepdims=True)


def random_scores(*shape: int) -> Any:
    return np.random.default_rng(0).standard_normal(shape)


# The slopes


def exact_slopes(n_heads: int) -> list[Decimal]:
    """In decimals of 40 digits, and by the words of the paper's code: those of the power of two
    below, then those of the next power which are not among them, until there are enough.
    """
    with localcontext() as context:
        context.prec = 40

        def of_power(n: int) -> list[Decimal]:
            return [Decimal(2) ** (Decimal(-8 * h) / n) for h in range(1, n + 1)]

        power = max(2**e for e in range(10) if 2**e <= n_heads)
        # The even ones of twice as many are the old ones again, but for the last digits.
        old = [round(slope, 30) for slope in of_power(power)]
        new = [slope for slope in of_power(2 * power) if round(slope, 30) not in old]
        return [*of_power(power), *new][:n_heads]


@every_count
def test_slopes_to_the_last_digits(n_heads: int) -> None:
    ours, exact = alibi_slopes(n_heads), exact_slopes(n_heads)
    assert ours.shape == (n_heads,) == (len(exact),) and ours.dtype == np.float64
    np.testing.assert_allclose(ours, [float(slope) for slope in exact], rtol=1e-15, atol=0)


@every_count
def test_slopes_of_bloom_and_of_mpt(n_heads: int) -> None:
    """Both compute in float32, and both have the same slopes in the same order, as ours."""
    bloom = build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float32)[:, 0, 1]
    mpt = -build_mpt_alibi_tensor(n_heads, 2)[:, 0, 0]
    np.testing.assert_allclose(alibi_slopes(n_heads), bloom.numpy(), rtol=1e-6, atol=0)
    np.testing.assert_allclose(alibi_slopes(n_heads), mpt.numpy(), rtol=1e-6, atol=0)


@given(exponent=st.integers(0, 8))
def test_twice_as_many_heads_have_the_old_slopes_and_one_between(exponent: int) -> None:
    slopes, twice = alibi_slopes(2**exponent), alibi_slopes(2 ** (exponent + 1))
    np.testing.assert_array_equal(twice[1::2], slopes)
    np.testing.assert_allclose(twice[2::2] ** 2, slopes[:-1] * slopes[1:], rtol=1e-14)


@given(n_heads=head_counts)
def test_one_head_more_is_one_slope_more(n_heads: int) -> None:
    fewer, more = (set(alibi_slopes(n).tolist()) for n in (n_heads, n_heads + 1))
    assert fewer < more


# The bias


@pytest.mark.parametrize("n_heads", [1, 4, 12, 24])
@pytest.mark.parametrize(("T", "S"), [(10, 10), (1, 10), (4, 10)])
def test_weights_are_those_of_bloom_and_mpt(n_heads: int, T: int, S: int) -> None:
    """They add one row for all queries; under a causal mask softmax cannot tell."""
    scores = random_scores(n_heads, T, S)
    ours = causal_softmax(scores + alibi_bias(n_heads, T, S))
    bloom = build_alibi_tensor(torch.ones(1, S), n_heads, torch.float32).numpy()
    mpt = build_mpt_alibi_tensor(n_heads, S).numpy()
    assert bloom.shape == mpt.shape == (n_heads, 1, S)
    for theirs in (bloom, mpt):
        weights = causal_softmax(scores + theirs.astype(np.float64))
        np.testing.assert_allclose(ours, weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize("n_heads", [1, 4, 12, 24])
def test_the_newest_query_has_the_row_of_mpt_itself(n_heads: int) -> None:
    ours = alibi_bias(n_heads, 1, 50, like=torch.zeros(1))
    theirs = build_mpt_alibi_tensor(n_heads, 50)
    assert ours.shape == theirs.shape == (n_heads, 1, 50)
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=0)


@given(n_heads=st.integers(1, 24), T=lengths, cached=lengths)
def test_the_bias_is_minus_slope_times_distance(n_heads: int, T: int, cached: int) -> None:
    bias, slopes = alibi_bias(n_heads, T, T + cached), alibi_slopes(n_heads)
    assert bias.shape == (n_heads, T, T + cached) and bias.dtype == np.float64
    for i in range(T):
        for j in range(T + cached):
            np.testing.assert_array_equal(bias[:, i, j], -slopes * abs(cached + i - j))


@given(n_heads=st.integers(1, 24), T=lengths)
def test_the_bias_depends_on_distance_only(n_heads: int, T: int) -> None:
    bias = alibi_bias(n_heads, T)
    np.testing.assert_array_equal(bias[:, 1:, 1:], bias[:, :-1, :-1])
    np.testing.assert_array_equal(bias, np.swapaxes(bias, 1, 2))
    diagonal = np.diagonal(bias, axis1=1, axis2=2)
    assert not diagonal.any() and not np.signbit(diagonal).any()  # 0.0, not -0.0
    assert bias.max() == 0


@given(n_heads=st.integers(1, 24), T=st.integers(0, 12), cached=lengths)
def test_with_a_cache_the_last_rows_of_the_whole(n_heads: int, T: int, cached: int) -> None:
    S = T + cached
    np.testing.assert_array_equal(alibi_bias(n_heads, T, S), alibi_bias(n_heads, S)[:, S - T :, :])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_like_another_array(dtype: torch.dtype) -> None:
    exact = torch.from_numpy(alibi_bias(12, 40, 300))
    ours = alibi_bias(12, 40, 300, like=torch.zeros(2, dtype=dtype))
    assert ours.dtype == dtype
    assert torch.equal(ours, exact.to(dtype))  # rounded once
    assert alibi_bias(2, 3, like=torch.zeros(1, device="meta")).device.type == "meta"
    assert alibi_bias(2, 3, like=np.zeros(1, dtype=np.float32)).dtype == np.float32
    assert alibi_bias(2, 3, like=torch.asarray([1, 2])).dtype == torch.float32


def test_gradients_flow_past_the_bias() -> None:
    q = torch.rand(2, 3, 4, dtype=torch.float64, requires_grad=True)
    bias = alibi_bias(2, 3, like=q)
    assert not bias.requires_grad
    assert torch.autograd.gradcheck(
        lambda q: torch.softmax(q @ q.transpose(-1, -2) + bias, dim=-1), (q,)
    )


def test_fewer_keys_than_queries_are_refused() -> None:
    said = "S must be at least T, since the queries are the last T of S positions; got T = 5, S = 3"
    with pytest.raises(ValueError, match=said):
        alibi_bias(2, 5, 3)

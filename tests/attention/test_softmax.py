"""`softmax`: torch's numbers, the laws of weights, infinities, empty rows, gradients, refusals.

Tolerances are in units of rounding: a weight comes out of a difference, an exponential, a sum of n
terms and a division, each rounded once, and the exponential passes on the difference's error times
the difference. `slack` says what that makes.
"""

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import softmax
from plainformer.attention.stable_softmax import FullyMaskedRowError

INF, NAN = math.inf, math.nan
seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)
spreads = st.sampled_from([0.0, 1e-3, 1.0, 30.0, 1e4])


def scores(shape: tuple[int, ...], seed: int, spread: float = 1.0) -> Any:
    return spread * np.random.default_rng(seed).standard_normal(shape)


def slack(x: Any, eps: float = 2.0**-52) -> float:
    """How far a weight may be off: it is at most 1, and far below where a score is far below."""
    return eps * (x.shape[-1] + 8)


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


# The numbers


def test_weights_by_hand() -> None:
    """exp(log 2) is 2: weights as 2, 4, 1 and 1 are to 8."""
    x = np.log([2.0, 4.0, 1.0, 1.0])
    np.testing.assert_allclose(softmax(x), [0.25, 0.5, 0.125, 0.125], rtol=0, atol=2e-16)


@given(seed=seeds)
def test_weights_are_the_textbooks(seed: int) -> None:
    """exp(x) / Σ exp(x), summed exactly, with small scores for which that is no trouble."""
    x = scores((7,), seed)
    exps = [Fraction(math.exp(value)) for value in x.tolist()]
    expected = [float(e / sum(exps)) for e in exps]
    np.testing.assert_allclose(softmax(x), expected, rtol=16 * 2.0**-52, atol=0)


@given(shape=shapes, seed=seeds, spread=spreads, data=st.data())
def test_torchs_weights(shape: tuple[int, ...], seed: int, spread: float, data: Any) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = scores(shape, seed, spread)
    theirs = torch.softmax(torch.from_numpy(x), dim=axis)
    ours = softmax(torch.from_numpy(x), axis)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=13 * 2.0**-52)
    np.testing.assert_allclose(softmax(x, axis), theirs.numpy(), rtol=0, atol=13 * 2.0**-52)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_narrow_floats(dtype: torch.dtype) -> None:
    """The dtype stays, and weights are as good as it allows."""
    x = torch.from_numpy(scores((50, 20), seed=0, spread=3)).to(dtype)
    ours = softmax(x)
    exact = torch.softmax(x.double(), dim=-1)
    assert ours.dtype == dtype
    difference = float((ours.double() - exact).abs().max())
    assert difference <= slack(x, torch.finfo(dtype).eps)


@pytest.mark.parametrize("x", [[0, 0], np.asarray([0, 0]), torch.asarray([0, 0])], ids=repr)
def test_whole_numbers_give_floats(x: Any) -> None:
    assert softmax(x).tolist() == [0.5, 0.5]


# Laws


@given(shape=shapes, seed=seeds, spread=spreads)
def test_rows_sum_to_one(shape: tuple[int, ...], seed: int, spread: float) -> None:
    x = scores(shape, seed, spread)
    for axis in range(x.ndim):
        weights = softmax(x, axis)
        assert weights.shape == x.shape and np.all(weights >= 0)
        np.testing.assert_allclose(weights.sum(axis), 1, rtol=0, atol=slack(x))


@given(n=st.integers(1, 12), seed=seeds, shift=st.integers(-(2**20), 2**20))
def test_a_number_added_to_a_row_changes_nothing(n: int, seed: int, shift: int) -> None:
    """Bit for bit, where the sum is exact: scores are multiples of 1/1024 here."""
    x = np.random.default_rng(seed).integers(-(2**20), 2**20, size=n) / 1024
    np.testing.assert_array_equal(softmax(x + shift), softmax(x))


@given(n=st.integers(1, 12), seed=seeds)
def test_scores_in_another_order(n: int, seed: int) -> None:
    x = scores((n,), seed)
    order = np.random.default_rng(seed).permutation(n)
    np.testing.assert_allclose(softmax(x[order]), softmax(x)[order], rtol=0, atol=slack(x))


@given(n=st.integers(2, 12), seed=seeds, spread=spreads)
def test_a_larger_score_never_gets_less(n: int, seed: int, spread: float) -> None:
    x = np.sort(scores((n,), seed, spread))
    assert np.all(np.diff(softmax(x)) >= 0)


@given(seed=seeds)
def test_odds_depend_on_two_scores_alone(seed: int) -> None:
    """The weight of a to that of b is exp(a - b), whatever else stands in the row."""
    x = scores((6,), seed)
    weights = softmax(x)
    assert weights[0] / weights[1] == pytest.approx(math.exp(x[0] - x[1]), rel=1e-14)


@given(seed=seeds)
def test_rows_do_not_know_of_each_other(seed: int) -> None:
    """Bit for bit, also beside rows of nothing and of NaN."""
    x = scores((6, 5), seed)
    alone = softmax(x[2:3])
    np.testing.assert_array_equal(softmax(x)[2:3], alone)
    x[0], x[3], x[4, 1] = -INF, -INF, NAN
    np.testing.assert_array_equal(softmax(x, fully_masked="zero")[2:3], alone)


def test_huge_scores() -> None:
    x = np.array([[1e4, -1e4, 1e4], [1e300, 0.0, -1e300], [-1e4, -1e4, -1e4 - 1000]])
    np.testing.assert_allclose(softmax(x), [[0.5, 0, 0.5], [1, 0, 0], [0.5, 0.5, 0]], atol=1e-16)
    assert softmax(np.array([-1000.0, -1000.0])).tolist() == [0.5, 0.5]  # exp(-1000) is 0


def test_numpys_numbers_may_name_an_axis() -> None:
    x = np.log([[1.0, 3.0], [2.0, 2.0]])
    np.testing.assert_array_equal(softmax(x, np.int64(-2)), softmax(x, 0))  # type: ignore[arg-type]


def test_the_argument_stays_as_it_was() -> None:
    x = np.array([[0.0, 1.0], [1.0, -INF]])
    before = x.copy()
    softmax(x)
    np.testing.assert_array_equal(x, before)


# Rows of nothing


def test_minus_infinity_gets_nothing_and_a_nan_spoils_its_row() -> None:
    assert softmax([0.0, -INF, 0.0]).tolist() == [0.5, 0.0, 0.5]
    weights = softmax(np.array([[0.0, NAN], [0.0, 0.0], [-INF, NAN]]))
    assert np.isnan(weights).tolist() == [[True] * 2, [False] * 2, [True] * 2]


@pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])
def test_an_empty_row_is_named(make: Any) -> None:
    advice = ' has none; fully_masked="zero" gives such queries weights and an output of 0'
    x = np.zeros((2, 3, 4))
    x[1, 2] = -INF
    with refused(
        FullyMaskedRowError, "every row must have a score above -inf; weights[1, 2, :]" + advice
    ):
        softmax(make(x))
    x = np.swapaxes(x, 1, 2).copy()
    with refused(
        FullyMaskedRowError, "every row must have a score above -inf; weights[1, :, 2]" + advice
    ):
        softmax(make(x), axis=1)
    assert softmax(make(x), axis=1, fully_masked="zero")[1, :, 2].tolist() == [0.0] * 4


@pytest.mark.parametrize("empty", ["error", "zero"])
def test_no_rows_at_all(empty: Any) -> None:
    assert softmax(np.zeros((0, 3)), fully_masked=empty).shape == (0, 3)
    assert softmax(np.zeros((0, 0)), fully_masked=empty).shape == (0, 0)
    assert softmax(np.zeros((2, 0)), fully_masked="zero").shape == (2, 0)


# Gradients


@given(seed=seeds, spread=st.sampled_from([1.0, 10.0]))
def test_gradients_are_torchs(seed: int, spread: float) -> None:
    x = torch.from_numpy(scores((4, 6), seed, spread)).requires_grad_()
    upstream = torch.from_numpy(scores((4, 6), seed + 1))
    (ours,) = torch.autograd.grad(softmax(x), x, upstream)
    (theirs,) = torch.autograd.grad(torch.softmax(x, dim=-1), x, upstream)
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-14)


def test_gradients_by_differences() -> None:
    x = torch.from_numpy(scores((3, 4), seed=0)).requires_grad_()
    assert torch.autograd.gradcheck(softmax, (x,))
    assert torch.autograd.gradgradcheck(softmax, (x,))


def test_a_score_alone_has_no_gradient() -> None:
    x = torch.tensor([[3.0], [5.0]], requires_grad=True)
    softmax(x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0.0], [0.0]]


def test_no_gradient_through_empty_rows() -> None:
    """Neither to a forbidden score nor from an empty row, and NaN nowhere."""
    rows = [[0.5, -INF, 1.0], [-INF] * 3, [0.0, 1.0, 2.0]]
    x = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
    upstream = torch.from_numpy(scores((3, 3), seed=0))
    (gradient,) = torch.autograd.grad(softmax(x, fully_masked="zero"), x, upstream)
    assert gradient[0, 1] == 0 and not gradient[1].any()
    finite = x.detach()[[0, 2]].requires_grad_()
    (expected,) = torch.autograd.grad(torch.softmax(finite, dim=-1), finite, upstream[[0, 2]])
    torch.testing.assert_close(gradient[[0, 2]], expected, rtol=0, atol=1e-15)

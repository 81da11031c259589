"""`sinusoidal`: the worked example, far and fractional positions, dtypes, gradients, mistakes."""

from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.inputs import shift_matrix, sinusoidal, wavelengths
from plainformer.inputs.checks import as_positions
from plainformer.inputs.positions import frequencies
from plainformer.inputs.positions.angles import angles

FLOATS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]
# NumPy's sine of a number may depend, in its last bit or two, on the length of the vector in which
# it stands: the ends of a vector go through other instructions than its middle. So tables of
# different lengths are held to some units in the last place of 1, and to no less.
ULP = 2.0**-53
TWO_PI = Decimal("6.283185307179586476925286766559005768394338798750211641949889184615632812572418")


def exact(position: float, d_model: int) -> list[float]:
    """One row by the formula, its angles in decimal numbers of 60 digits."""
    row = []
    with localcontext(prec=60):
        for column in range(d_model):
            power = Decimal(-2 * (column // 2)) / d_model
            angle = float(Decimal(position) * Decimal(10000) ** power % TWO_PI)
            row.append(float(np.sin(angle) if column % 2 == 0 else np.cos(angle)))
    return row


def test_three_words_and_four_dimensions() -> None:
    # "Transformers are awesome": pair 0 turns by 1 radian a word, pair 1 by 10000^(-2/4) = 0.01
    assert sinusoidal(3, 4).round(4).tolist() == [
        [0.0, 1.0, 0.0, 1.0],
        [0.8415, 0.5403, 0.01, 1.0],  # cos 0.01 = 0.99995, and not 0.99
        [0.9093, -0.4161, 0.02, 0.9998],
    ]


def test_the_ladder() -> None:
    assert frequencies(8).round(15).tolist() == [1.0, 0.1, 0.01, 0.001]
    assert frequencies(3, base=8).round(15).tolist() == [1.0, 0.25]
    assert np.allclose(wavelengths(8) / (2 * np.pi), [1, 10, 100, 1000], rtol=1e-14)
    steps = wavelengths(512)[1:] / wavelengths(512)[:-1]
    assert np.allclose(steps, 10000 ** (2 / 512), rtol=1e-12)  # geometric
    assert wavelengths(512)[0] == 2 * np.pi and wavelengths(512)[-1] < 2 * np.pi * 10000


def test_the_first_dimensions_are_the_fastest() -> None:
    table = sinusoidal(1000, 16)
    turns = (np.abs(np.diff(np.sign(table[1:]), axis=0)) > 0).sum(axis=0)
    assert turns[:2].tolist() == [317, 318]  # every π positions, cosines half of that earlier
    assert turns[0::2].tolist() == [317, 100, 31, 10, 3, 1, 0, 0]  # √10 less each


# Far, fractional, negative, odd


@pytest.mark.parametrize("dtype", [np.float64, np.float32, torch.float64, torch.float32], ids=str)
@pytest.mark.parametrize("position", [10**6, 10**6 + 0.5, 123_456.75, 0.3, -7.0, 4095.0])
def test_far_and_fractional_positions_are_exact(position: float, dtype: Any) -> None:
    is_torch = isinstance(dtype, torch.dtype)
    given = torch.tensor([position], dtype=dtype) if is_torch else np.array([position], dtype)
    row = sinusoidal(given, 64)
    assert row.dtype == dtype and row.shape == (1, 64)
    single = dtype in (np.float32, torch.float32)
    # in float32, half a step of 2^-24 and nothing more; in float64, what a float64 angle knows
    tolerance = 3.1e-8 if single else 1e-9
    wanted = exact(float(given[0]), 64)
    assert np.abs(np.asarray(row, dtype=np.float64) - wanted).max() <= tolerance


@pytest.mark.parametrize("like", [None, np.float32(0), torch.zeros(1), torch.zeros(1).double()])
def test_a_long_table_is_as_exact(like: Any) -> None:
    table = sinusoidal(5000, 32, like=like)
    tolerance = 1e-11 if table.dtype in (np.float64, torch.float64) else 6e-8  # half an ulp
    for position in (0, 1, 63, 64, 65, 2047, 4999):
        row = np.asarray(table[position], dtype=np.float64)
        assert np.abs(row - exact(position, 32)).max() <= tolerance


@pytest.mark.parametrize("d_model", [1, 2, 7, 8])
@pytest.mark.parametrize("length", [0, 1, 64, 200])
def test_a_length_is_its_positions(length: int, d_model: int) -> None:
    table = sinusoidal(length, d_model)
    assert table.shape == (length, d_model) and table.dtype == np.float64
    listed = sinusoidal(np.arange(length), d_model)
    assert np.allclose(table, listed, rtol=0, atol=2 * ULP)
    assert np.allclose(table, sinusoidal(1000, d_model)[:length], rtol=0, atol=2 * ULP)


def test_odd_widths_end_with_a_sine() -> None:
    table = sinusoidal(100, 5)
    assert np.allclose(table[:, 4], np.sin(np.arange(100) * 10000 ** (-4 / 5)), rtol=0, atol=1e-13)
    assert sinusoidal(3, 1).tolist() == np.sin([[0.0], [1.0], [2.0]]).tolist()


def test_positions_of_any_shape() -> None:
    table = sinusoidal(10, 6)
    assert np.array_equal(sinusoidal([[3, 1], [0, 9]], 6), table[[[3, 1], [0, 9]]])
    assert np.array_equal(sinusoidal(np.array(3), 6), table[3])  # an array is a position ...
    assert np.array_equal(sinusoidal(np.int64(3), 6), table[:3])  # ... and a number is a length
    assert sinusoidal(torch.tensor(3), 6).shape == (6,)
    assert sinusoidal([], 6).shape == (0, 6)
    assert np.array_equal(sinusoidal(range(3, 5), 6), sinusoidal([3, 4], 6))


@given(st.integers(0, 300), st.integers(1, 40), st.floats(1.5, 1e6))
def test_numpy_and_torch_agree(length: int, d_model: int, base: float) -> None:
    ours = sinusoidal(length, d_model, base=base)
    theirs = sinusoidal(length, d_model, base=base, like=torch.zeros(0, dtype=torch.float64))
    assert theirs.dtype == torch.float64 and theirs.shape == ours.shape
    assert np.allclose(theirs.numpy(), ours, rtol=0, atol=1e-12)
    direct = sinusoidal(torch.arange(length), d_model, base=base)
    assert direct.dtype == torch.float32
    assert np.allclose(direct.numpy(), ours, rtol=0, atol=3.1e-8)


# Dtypes and devices


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("length", [20, 300])
def test_like_gives_library_and_dtype(dtype: torch.dtype, length: int) -> None:
    table = sinusoidal(length, 8, like=torch.zeros(2, dtype=dtype))
    assert isinstance(table, torch.Tensor) and table.dtype == dtype
    step = {torch.bfloat16: 2**-8, torch.float16: 2**-11, torch.float32: 1.8e-7}.get(dtype, 1e-12)
    # bfloat16 has no 257: the positions must not be rounded to it, only the result
    assert np.abs(table.double().numpy() - sinusoidal(length, 8)).max() <= step


def test_like_holds_for_positions_too() -> None:
    like = torch.zeros(1, dtype=torch.float64)
    for positions in ([1, 2], (0.5,), np.array([1.0, 2.0], dtype=np.float32), torch.tensor([3])):
        assert sinusoidal(positions, 4, like=like).dtype == torch.float64
    assert isinstance(sinusoidal(torch.tensor([3]), 4, like=np.zeros(1, np.float32)), np.ndarray)
    assert sinusoidal(3, 4, like=np.array([1, 2])).dtype == np.float64  # whole numbers: the default


def test_float_positions_keep_their_dtype_and_whole_ones_get_the_default() -> None:
    for dtype in FLOATS:
        assert sinusoidal(torch.ones(2, dtype=dtype), 4).dtype == dtype
    assert sinusoidal(torch.ones(2, dtype=torch.int16), 4).dtype == torch.get_default_dtype()
    assert sinusoidal(np.ones(2, np.float32), 4).dtype == np.float32
    assert sinusoidal(np.ones(2, np.uint8), 4).dtype == np.float64


# Gradients


@pytest.mark.parametrize("d_model", [6, 7])
def test_gradcheck(d_model: int) -> None:
    positions = torch.tensor([[0.0, 1.5], [-2.0, 40.0]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda p: sinusoidal(p, d_model), (positions,))


def test_the_slope_of_a_sine_is_its_cosine() -> None:
    position = torch.tensor(1.5, requires_grad=True)
    row = sinusoidal(position, 8)
    row[2].backward()
    assert position.grad is not None
    assert abs(position.grad.item() - frequencies(8)[1] * row[3].item()) <= 1e-7


# Mistakes


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((-1, 4), ValueError, "length must be 0 or more; got -1"),
        ((2.5, 4), TypeError, "length must be a whole number; got 2.5 (float)"),
        ((None, 4), TypeError, "length must be a whole number; got None (NoneType)"),
        ((["cat"], 4), TypeError, "positions must be an array of numbers; got list"),
        (([0, float("nan")], 4), ValueError, "positions must be finite; got a NaN or an infinity"),
        ((-torch.tensor([torch.inf]), 4), ValueError, "positions must be finite; got a NaN or"),
        ((3, 0), ValueError, "d_model must be 1 or more; got 0"),
        ((3, 4, 1.0), ValueError, "base must be finite and above 1; got 1.0"),
    ],
)  # fmt: skip
def test_mistakes(arguments: Any, error: type[Exception], message: str) -> None:
    given, d_model, *base = arguments
    with pytest.raises(error) as caught:
        sinusoidal(given, d_model, **({"base": base[0]} if base else {}))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((1, 5), ValueError, "d_model must be even, since numbers rotate in pairs; got 5"),
        ((1, 4, 0.5), ValueError, "base must be finite and above 1; got 0.5"),
    ],
)
def test_mistakes_in_a_shift(arguments: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        shift_matrix(*arguments)
    assert str(caught.value) == message


def test_angles_are_of_the_positions_library() -> None:
    positions = as_positions(3, like=torch.zeros(1, dtype=torch.float16))
    assert isinstance(positions, torch.Tensor) and not positions.dtype.is_floating_point
    theta = angles(positions, frequencies(5))
    assert theta.dtype == torch.float64 and theta.shape == (3, 3)
    assert np.allclose(theta, angles(np.arange(3), frequencies(5)), rtol=1e-15)

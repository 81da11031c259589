"""What the formulas ask of an array: taken as it comes, or refused in words."""

from typing import Any

import numpy as np
import pytest
import torch

from plainformer.arrays import (
    as_array,
    as_floats,
    as_numpy,
    asarray_like,
    check_base,
    check_number,
    check_size,
    default_float,
    is_integer,
)

WHOLE = [
    np.int8,
    np.uint8,
    np.int64,
    np.uint64,
    torch.uint8,
    torch.int16,
    torch.int32,
    torch.uint16,
]
NOT_WHOLE = [np.float16, np.float64, np.complex64, torch.bfloat16, torch.float32]


def make(dtype: Any) -> Any:
    """An array of this dtype, of the library that the dtype belongs to."""
    return torch.ones(2, dtype=dtype) if isinstance(dtype, torch.dtype) else np.ones(2, dtype)


@pytest.mark.parametrize("dtype", [*WHOLE, *NOT_WHOLE], ids=str)
def test_an_array_of_numbers_is_taken_as_it_is(dtype: Any) -> None:
    array = make(dtype)
    assert as_array(array, "x") is array
    assert is_integer(array) == (dtype in WHOLE)


@pytest.mark.parametrize(
    ("given", "shape"),
    [([[1, 2, 3]], (1, 3)), ((), (0,)), (2.5, ()), (np.float32(1), ()), (np.int64(3), ())],
)
def test_what_else_becomes_an_array(given: Any, shape: tuple[int, ...]) -> None:
    array = as_array(given, "x")
    assert type(array) is np.ndarray and array.shape == shape


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("cat", "x must be an array of numbers; got str"),
        (["cat"], "x must be an array of numbers; got list"),
        (None, "x must be an array of numbers; got NoneType"),
        ([True, False], "x must be an array of numbers; got list"),
        ([[1], [2, 3]], "x must be a rectangular array of numbers"),
        (np.array([True]), "x must be an array of numbers; got bool"),
        (torch.tensor([True]), "x must be an array of numbers; got torch.bool"),
        (np.array(["cat"]), "x must be an array of numbers; got <U3"),
        (np.array([None]), "x must be an array of numbers; got object"),
    ],
)
def test_what_is_no_array_of_numbers(given: Any, message: str) -> None:
    with pytest.raises(TypeError) as error:
        as_array(given, "x")
    assert str(error.value) == message


@pytest.mark.parametrize("dtype", [np.float32, torch.float16, torch.float64], ids=str)
def test_a_float_keeps_its_dtype(dtype: Any) -> None:
    assert default_float(make(dtype)) == dtype


@pytest.mark.parametrize("dtype", WHOLE, ids=str)
def test_whole_numbers_get_their_librarys_default_float(dtype: Any) -> None:
    is_torch = isinstance(dtype, torch.dtype)
    assert default_float(make(dtype)) == (torch.get_default_dtype() if is_torch else np.float64)


@pytest.mark.parametrize("library", [np, torch], ids=["NumPy", "torch"])
def test_floats_of_the_widest_dtype(library: Any) -> None:
    whole, single, double = (
        library.ones(2, dtype=getattr(library, name)) for name in ("int64", "float32", "float64")
    )
    for a, b, expected in [
        (single, single, single),
        (single, double, double),
        (whole, double, double),
        (whole, whole, library.asarray(0.5)),
    ]:
        for arrays in (as_floats(a=a, b=b), as_floats(a=b, b=a)):
            assert [array.dtype for array in arrays] == [expected.dtype] * 2
    assert as_floats(a=single, b=single)[1] is single


def test_floats_that_are_none() -> None:
    with pytest.raises(TypeError) as error:
        as_floats(q=np.ones(1), k=torch.ones(1))
    assert str(error.value) == (
        "q and k must be arrays of one library; got numpy.ndarray, torch.Tensor"
    )
    with pytest.raises(TypeError, match=r"^x must be real numbers; got complex128$"):
        as_floats(x=np.ones(1, dtype=complex))
    with pytest.raises(TypeError, match=r"^v must be an array of numbers; got bool$"):
        as_floats(q=np.ones(1), v=np.ones(1, dtype=bool))


def test_an_array_goes_to_another_library_with_its_dtype() -> None:
    here, there = np.arange(3, dtype=np.int32), torch.zeros(1, dtype=torch.float64)
    moved = asarray_like(here, there)
    assert isinstance(moved, torch.Tensor) and moved.dtype == torch.int32
    back = asarray_like(moved, here)
    assert isinstance(back, np.ndarray) and back.dtype == np.int32
    assert back.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "x", [torch.ones(2, requires_grad=True), torch.ones(2, dtype=torch.bfloat16)]
)
def test_what_another_library_cannot_take(x: torch.Tensor) -> None:
    message = rf"^arrays must come from one library; got one from torch \({x.dtype}\) that numpy, "
    with pytest.raises(TypeError, match=message + "which another comes from, cannot convert: "):
        asarray_like(x, np.zeros(1))


def test_numpy_takes_what_torch_trains_and_what_is_coarser_than_its_own() -> None:
    x = torch.tensor([0.1, 2.0], dtype=torch.bfloat16, requires_grad=True)
    found = as_numpy(x)
    assert found.dtype == np.float64 and found.tolist() == x.detach().double().tolist()
    assert as_numpy(torch.tensor([3])).dtype == np.int64
    assert as_numpy(torch.tensor([True])).dtype == np.bool_
    own = np.ones(2, dtype=np.float16)
    assert as_numpy(own) is own


def test_gradients_flow_where_the_library_stays() -> None:
    x = torch.ones(2, requires_grad=True)
    asarray_like(x, torch.zeros(1)).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3), torch.tensor(3)])
def test_a_size_is_any_kind_of_whole_number(value: Any) -> None:
    size = check_size(value, "T")
    assert size == 3 and type(size) is int


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (True, TypeError, "T must be a whole number; got True"),
        (3.0, TypeError, "T must be a whole number; got 3.0 (float)"),
        ("3", TypeError, "T must be a whole number; got '3' (str)"),
        (None, TypeError, "T must be a whole number; got None (NoneType)"),
        (1, ValueError, "T must be 2 or more; got 1"),
    ],
)
def test_what_is_no_size(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        check_size(value, "T", least=2)
    assert str(caught.value) == message


def test_what_is_no_finite_number() -> None:
    assert check_number(np.float32(-0.5), "k") == -0.5
    with pytest.raises(ValueError, match=r"^k must be finite; got -inf$"):
        check_number(float("-inf"), "k")
    with pytest.raises(TypeError, match=r"^k must be a number; got str$"):
        check_number("1", "k")


@pytest.mark.parametrize("base", [2, 10000.0, np.float64(500.0), np.float32(2), np.int64(7)])
def test_a_base_is_any_kind_of_number(base: Any) -> None:
    assert check_base(base) == float(base) and type(check_base(base)) is float


@pytest.mark.parametrize(
    ("base", "error", "message"),
    [
        (1.0, ValueError, "base must be finite and above 1; got 1.0"),
        (-2, ValueError, "base must be finite and above 1; got -2"),
        (float("inf"), ValueError, "base must be finite; got inf"),
        (float("nan"), ValueError, "base must be finite; got nan"),
        ("10", TypeError, "base must be a number; got str"),
        (True, TypeError, "base must be a number; got bool"),
        (None, TypeError, "base must be a number; got NoneType"),
    ],
)
def test_what_is_no_base(base: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        check_base(base)
    assert str(caught.value) == message

"""`checked`: what it converts, what it compares, and in what words it refuses."""

from typing import Any, Literal

import array_api_strict
import numpy as np
import pytest
import torch
from tests.calls import functions_passed

from plainformer.shapes import Array, Bool, Count, Float, Int, Size, checked


@checked
def project(
    x: Float[Array, "... T D"],
    w: Float[Array, "D n_heads*K"],
    ids: Int[Array, "T"] | None = None,
    *,
    n_heads: Size = 1,
    mask: Bool[Array, "... #T #D"] | None = None,
    bias: Float[Array, "... #T #D"] | None = None,
    scale: float = 1.0,
    offset: Count = 0,
    layout: Literal["half", "whole"] = "half",
    hard: bool = False,
) -> dict[str, Any]:
    return locals()


X, W = np.ones((2, 5, 4)), np.ones((4, 6))


def test_lists_become_arrays_and_floats_get_one_dtype() -> None:
    got = project([[1, 2]], np.ones((2, 3), dtype=np.float32), [7], bias=[[1, 2]])
    assert got["x"].dtype == got["w"].dtype == got["bias"].dtype == np.float64
    assert got["ids"].dtype == np.int64
    half = torch.ones(1, 2, dtype=torch.float16)
    got = project(half, torch.ones(2, 3), mask=np.ones((1, 2), dtype=bool), bias=np.zeros(2))
    assert got["x"].dtype == got["bias"].dtype == torch.float32
    assert isinstance(got["mask"], torch.Tensor) and got["mask"].dtype == torch.bool


def test_what_fits_is_passed_on_as_it_is() -> None:
    got = project(X, W, n_heads=2, hard=np.True_)
    assert got["x"] is X and got["w"] is W and got["hard"] is True
    strict = array_api_strict.asarray(X)
    assert project(strict, array_api_strict.asarray(W))["x"] is strict


def test_the_same_function_unchecked() -> None:
    assert project.unchecked("x", "w")["x"] == "x"


def test_the_second_call_of_a_kind_goes_straight_to_the_formula() -> None:
    """And a call of another kind does not, however equal its numbers are."""

    @checked
    def half(x: Float[Array, "T"], n: Size = 1, bias: Float[Array, "#T"] | None = None) -> Array:
        return x / 2

    x = np.ones(3)
    assert len(functions_passed(lambda: half(x, 1))) > 4
    assert len(functions_passed(lambda: half(2 * x, 1))) == 1
    with pytest.raises(TypeError, match="n must be a whole number; got True"):
        half(x, True)
    for _ in range(2):  # what has to be converted is converted every time
        assert half([1, 2]).tolist() == half(np.array([1, 2])).tolist() == [0.5, 1.0]
        with pytest.raises(ValueError, match=r"bias must broadcast to \(T,\) = \(3,\)"):
            half(x, 1, np.ones(2))


@pytest.mark.parametrize("shape", [(5, 4), (4,), (), (1, 4), (2, 1, 1), (2, 5, 4)])
def test_what_broadcasts_to_the_shape_of_the_others(shape: tuple[int, ...]) -> None:
    project(X, W, mask=np.ones(shape, dtype=bool), bias=np.ones(shape))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"x": np.ones(4)}, ValueError, "x must be (..., T, D); got shape (4,)"),
        (
            {"w": np.ones((3, 6))},
            ValueError,
            "w must be (D, n_heads · K) with D = 4, as in x; got shape (3, 6)",
        ),
        (
            {"n_heads": 4},
            ValueError,
            "w must be (D, n_heads · K) with n_heads = 4; got shape (4, 6)",
        ),
        ({"w": np.ones((2, 4, 6))}, ValueError, "w must be (D, n_heads · K); got shape (2, 4, 6)"),
        ({"ids": [1, 2]}, ValueError, "ids must be (T,) with T = 5, as in x; got shape (2,)"),
        (
            {"mask": np.ones((3, 5, 4), bool)},
            ValueError,
            "mask must broadcast to (..., T, D) = (2, 5, 4); got shape (3, 5, 4)",
        ),
        (
            {"bias": np.ones((3, 2, 5, 4))},
            ValueError,
            "bias must broadcast to (..., T, D) = (2, 5, 4); got shape (3, 2, 5, 4)",
        ),
        ({"x": None}, TypeError, "x must be an array of numbers; got NoneType"),
        ({"scale": None}, TypeError, "scale must be a number; got NoneType"),
        ({"x": "cat"}, TypeError, "x must be an array of numbers; got str"),
        ({"x": X * 1j}, TypeError, "x and w must be real numbers; got complex128, float64"),
        (
            {"w": torch.ones(4, 6)},
            TypeError,
            "x and w must be arrays of one library; got numpy.ndarray, torch.Tensor",
        ),
        ({"ids": np.ones(5)}, TypeError, "ids must be whole numbers; got an array of float64"),
        (
            {"mask": np.ones((5, 4), dtype=np.uint8)},
            TypeError,
            "mask must be boolean, True where attention is allowed; got uint8",
        ),
        ({"bias": X > 0}, TypeError, "bias must be an array of numbers; got bool"),
        ({"n_heads": 0}, ValueError, "n_heads must be 1 or more; got 0"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be a whole number; got 2.0 (float)"),
        ({"offset": -1}, ValueError, "offset must be 0 or more; got -1"),
        ({"offset": True}, TypeError, "offset must be a whole number; got True"),
        ({"scale": float("nan")}, ValueError, "scale must be finite; got nan"),
        ({"scale": "1/8"}, TypeError, "scale must be a number; got str"),
        ({"layout": "other"}, ValueError, "layout must be 'half' or 'whole'; got 'other'"),
        ({"hard": "no"}, TypeError, "hard must be True or False; got 'no' (str)"),
    ],
)
def test_messages(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as caught:
        project(**{"x": X, "w": W, **arguments})
    assert str(caught.value) == message


def test_leading_axes_broadcast_together_or_are_named() -> None:
    @checked
    def scores(q: Float[Array, "... T K"], k: Float[Array, "... S K"]) -> Array:
        return q @ k.mT

    assert scores(np.ones((2, 1, 3, 4)), np.ones((5, 6, 4))).shape == (2, 5, 3, 6)
    message = "the axes before the last 2 must broadcast together; got q of shape"
    with pytest.raises(ValueError, match=f"^{message}"):
        scores(np.ones((2, 3, 4)), np.ones((3, 6, 4)))


def test_products_of_sizes_that_follow_from_others() -> None:
    @checked
    def shared(q: Float[Array, "G*R T"], k: Float[Array, "G T"]) -> None: ...

    shared(np.ones((6, 2)), np.ones((3, 2)))
    with pytest.raises(ValueError, match=r"^q must be \(G · R, T\) with G = 4; got shape \(6, 2\)"):
        shared(np.ones((6, 2)), np.ones((4, 2)))


def test_pythons_own_error_for_a_missing_or_unknown_argument() -> None:
    with pytest.raises(TypeError, match="missing a required argument: 'w'"):
        project(X)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'heads'"):
        project(X, W, heads=3)  # type: ignore[call-arg]

"""`central_differences`: right to about step², and independent of what f does to its argument."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plainformer.attention.attention_gradients import central_differences

arrays = hnp.arrays(
    np.float64, hnp.array_shapes(min_dims=0, max_dims=3, max_side=3), elements=st.floats(-2, 2)
)


@given(arrays)
def test_slopes_that_are_known(x: Any) -> None:
    def off(ours: Any, known: Any) -> float:
        assert ours.shape == x.shape and ours.dtype == np.float64
        return float(np.max(np.abs(ours - known)))

    # Up to 27 numbers up to 8: rounded to 1e-13, over twice the step. (No third derivative.)
    assert off(central_differences(lambda x: np.sum(x), x), 1) < 1e-8
    assert off(central_differences(lambda x: np.sum(x**2), x), 2 * x) < 1e-8
    # The third derivative of x³ is 6: the error is just the step squared.
    wide = central_differences(lambda x: np.sum(x**3), x, step=0.1)
    assert off(wide, 3 * x**2 + 0.01) < 1e-11


def test_a_function_may_do_what_it_likes_with_its_argument() -> None:
    x = np.array([1.0, 2.0])

    def spoil(x: Any) -> float:
        total = float(np.sum(x**2))
        x[:] = 0
        return total

    np.testing.assert_allclose(central_differences(spoil, x), [2, 4], atol=1e-9)
    assert x.tolist() == [1.0, 2.0]


def test_whole_numbers_lists_and_nothing() -> None:
    np.testing.assert_allclose(central_differences(lambda x: x[0] * x[1], [3, 4]), [4, 3])
    assert central_differences(lambda x: 0.0, np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("x", "step", "message"),
    [
        ([1.0], 0, "step must be above 0; got 0.0"),
        ([1.0], -0.1, "step must be above 0; got -0.1"),
        ([1.0, 2.0**40], 1e-5, "step must be large enough to move 1099511627776.0;"),
    ],
)
def test_what_is_refused(x: Any, step: Any, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        central_differences(lambda x: 0.0, x, step=step)
    assert str(caught.value).startswith(message)

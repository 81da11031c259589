"""FeedForwardLab in Python: its numbers, its words, its picture, and what it refuses."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.blocks import gelu, relu, silu
from plainformer.widgets import FeedForwardLab
from plainformer.widgets.feed_forward_lab.picture import side_of

W_UP, W_DOWN = [[1.0, 1.0], [1.0, -2.0]], [[1.0, 2.0], [-1.0, 0.5]]


@pytest.mark.parametrize(
    ("activation", "function"),
    [("relu", relu), ("gelu", gelu), ("silu", silu), ("none", np.asarray)],
)
def test_what_follows_from_the_vector(activation: str, function: Any) -> None:
    lab = FeedForwardLab(W_UP, W_DOWN, b_up=[-3, 1], x=(2, 3), activation=activation)
    np.testing.assert_allclose(lab.wide, [2, -3])
    np.testing.assert_allclose(lab.hidden, function([2.0, -3.0]), rtol=1e-15)
    np.testing.assert_allclose(lab.output, np.asarray(lab.hidden) @ W_DOWN, rtol=1e-15)


def test_it_follows_what_is_set() -> None:
    lab = FeedForwardLab()
    lab.x = (0.5, 0)
    assert lab.wide.tolist() == [-2.5, -0.5, -1.0] and lab.output.tolist() == [0, 0]
    lab.activation = "none"
    assert lab.output.tolist() == [-2.0, -1.5]


def test_the_words_say_the_numbers() -> None:
    lab = FeedForwardLab(W_UP, W_DOWN, b_up=[-3, 1], x=(2, 3), features=["thing", "quality"])
    assert lab.description() == (
        "A vector on a plane: thing 2.00, quality 3.00. 2 lines, each with a unit's side. Before "
        "the activation (relu) the units say: “unit 1” 2.00, after it 2.00, “unit 2” −3.00, after "
        "it 0.00. The layer gives (2.00, 4.00)."
    )


def test_the_picture_shows_units_points_and_the_answer() -> None:
    lab = FeedForwardLab(units=["<b>", "b", "c"], points={"cat": (2, 3), "is": (0, 0)})
    picture = lab.picture()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", picture)
    assert {"1 &lt;b&gt;", "cat", "is", "The layer gives (2.00, 2.00)"} <= set(texts)
    assert picture.count("<polygon") == 3 and picture.count("<circle") == 3


@given(
    key=st.tuples(st.floats(-3, 3), st.floats(-3, 3)),
    bias=st.floats(-3, 3),
    x=st.floats(-1, 4),
    y=st.floats(-1, 4),
)
def test_a_point_lies_in_a_units_side_where_the_unit_is_on(
    key: tuple[float, float], bias: float, x: float, y: float
) -> None:
    """Inside a convex polygon, the point is on the same hand of every edge."""
    height = x * key[0] + y * key[1] + bias
    if abs(height) < 1e-6:  # on the line
        return
    corners = side_of(key, bias, -1.0, 4.0)
    edges = zip(corners, corners[1:] + corners[:1], strict=True)
    hands = [(b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) for a, b in edges]
    assert (bool(corners) and min(hands) >= -1e-9) == (height > 0)

"""GradientFlow in Python: its gradients are those that trying finds, its mistakes are kind."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.attention import attention, central_differences
from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import GradientFlow
from plainformer.widgets.gradient_flow.flow import NAMES, Nudge, forward
from plainformer.widgets.gradient_flow.picture import number


def random_flow(seed: int, **options: Any) -> GradientFlow:
    """Four tokens of three features, a query and a value of two numbers each."""
    rng = np.random.default_rng(seed)
    shapes = {"x": (4, 3), "w_q": (3, 2), "w_k": (3, 2), "w_v": (3, 2)}
    arrays: dict[str, Any] = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    wanted = rng.normal(size=2)
    return GradientFlow(list("abcd"), **arrays, query=2, wanted=wanted, **options)


def test_its_numbers_are_those_of_the_chapter() -> None:
    numbers = GradientFlow().numbers
    output, weights = attention(X @ W_Q, X @ W_K, X @ W_V)
    np.testing.assert_allclose(numbers["weights"][0], weights[1], rtol=0, atol=1e-15)
    np.testing.assert_allclose(numbers["output"][0], output[1], rtol=0, atol=1e-15)
    assert numbers["weights"][0, [4, 2]].round(2).tolist() == [0.77, 0.05]
    assert float(numbers["loss"][0, 0]) == pytest.approx(((output[1] - [0, 4]) ** 2).sum() / 2)


@pytest.mark.parametrize("target", [None, 0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_every_gradient_is_what_trying_finds(name: str, target: int | None) -> None:
    """Also of what lies between input and output: its gradient is that of moving it alone."""
    for widget in (GradientFlow(target=target), random_flow(3, target=target)):

        def slope(moved: Any, widget: GradientFlow = widget) -> float:
            given = widget.numbers[name]
            (row, column), by = np.argwhere(moved != given)[0], (moved - given).sum()
            nudge = Nudge(name, row, column, by)
            found = forward(widget.inputs, widget.query, widget.wanted, nudge)
            return float(found["loss"][0, 0] if target is None else found["output"][0, target])

        tried = central_differences(slope, widget.numbers[name])
        np.testing.assert_allclose(widget.gradients[name], tried, rtol=0, atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(NAMES[:-1]), st.floats(-1, 1))
def test_what_stands_before_a_nudge_does_not_move(seed: int, name: str, by: float) -> None:
    widget = random_flow(seed, matrix=name, row=0, column=0, nudge=by)
    sources = {"q": ["x", "w_q"], "k": ["x", "w_k"], "v": ["x", "w_v"], "scores": ["q", "k"],
               "weights": ["scores"], "output": ["weights", "v"], "loss": ["output"]}  # fmt: skip
    reached = {name}
    for each in NAMES:
        if reached & set(sources.get(each, [])):
            reached.add(each)
    for each in NAMES:
        if each not in reached:
            assert not widget.changes[each].any(), each
    assert widget.changes[name][0, 0] == pytest.approx(by, abs=1e-12)


def test_the_guess_of_the_chapter() -> None:
    """More weight on "is" helps, a higher score of it does not."""
    by_weight = GradientFlow(matrix="weights", column=2, nudge=0.1)
    by_score = GradientFlow(matrix="scores", column=2, nudge=0.1)
    assert by_weight.changes["loss"][0, 0] < 0 < by_score.changes["loss"][0, 0]
    assert by_weight.gradients["weights"][0, 2] < 0 < by_score.gradients["scores"][0, 2]


def test_a_smaller_matrix_moves_the_choice_inside() -> None:
    widget = GradientFlow(matrix="x", row=5, column=3)
    widget.matrix = "q"
    assert (widget.row, widget.column) == (0, 1)
    widget.matrix, widget.column = "weights", 5
    widget.matrix = "w_v"
    assert (widget.row, widget.column) == (0, 1)


def test_the_picture_says_what_it_shows() -> None:
    forward_, backward_ = GradientFlow(), GradientFlow(view="backward", target=1)
    assert (
        "Nudge W_q, row thing, column 1 by +0.50, and 11 other numbers move; the loss goes from "
        "0.560 to 0.048." in forward_.fallback()
    )
    assert "Gradients of column 1 of the output; that of W_q" in backward_.fallback()
    assert forward_.picture().count("<table>") == len(NAMES)
    assert forward_.picture().count("pf-chosen") == 1
    html = GradientFlow(["<b>", *TOKENS[1:]], features=list("<>&;")).fallback()
    assert "<b>" not in html
    assert len(forward_.html()) < 12_000


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [
        (2.0, False, "2"), (0.5, False, "0.5"), (-2.828, False, "−2.83"), (0.0, True, "0"),
        (-1e-14, True, "0"), (0.024, True, "+0.024"), (-0.00002, True, "−0.000"),
        (-0.00002, False, "0"), (12.345, True, "+12.3"), (-1234.5, False, "−1.2e3"),
        (9.87e11, True, "+9.9e11"), (100, False, "100"), (0.5, True, "+0.50"),
    ],
)  # fmt: skip
def test_numbers_are_short(value: float, signed: bool, text: str) -> None:
    assert number(value, signed=signed) == text

"""From logits to a token in the page: each function against the one in Python."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import run

from plainformer.decoding import (
    apply_temperature,
    count_tokens,
    draw_token,
    frequency_penalty,
    log_softmax,
    min_p,
    presence_penalty,
    repetition_penalty,
    top_k,
    top_p,
)
from plainformer.decoding.sampling.filters import TOLERANCE

if TYPE_CHECKING:
    from playwright.sync_api import Page

V = 23
SOFTMAX = "x.map((z) => Array.from(m.softmax(z)))"


def rows() -> list[list[float]]:
    """Logits of many kinds: wide, flat, with ties, with impossible tokens, of one token alone."""
    rng = np.random.default_rng(1)
    wide = rng.normal(0, 5, (20, V))
    tied = rng.integers(-3, 3, (20, V)).astype(float)
    holes = np.where(rng.random((20, V)) < 0.4, -np.inf, rng.normal(0, 2, (20, V)))
    holes[:, 4] = 0
    alone = np.full((1, V), -np.inf)
    alone[0, 7] = -3
    return [*wide.tolist(), *tied.tolist(), *holes.tolist(), *alone.tolist(), [0.0] * V]


ROWS = rows()
COUNTS = count_tokens(np.array([1, 4, 4, 9, 20, 20, 20]), V).tolist()


def same(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(np.array(found, dtype=float), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("module", "name", "ours", "values"),
    [
        ("temperature", "applyTemperature", apply_temperature, [0, 0.05, 0.7, 1, 3]),
        ("sampling", "topK", top_k, [1, 2, 5, V, 99]),
        ("sampling", "topP", top_p, [1e-9, 0.3, 0.5, 0.9, 1]),
        ("sampling", "minP", min_p, [1e-9, 0.05, 0.5, 1]),
    ],
)
def test_temperature_and_filters(
    module: str, name: str, ours: Any, values: list[float], page: "Page"
) -> None:
    for value in values:
        script = f"x[0].map((z) => m.{name}(z, x[1]))"
        found = run(page, f"formulas/{module}", script, [ROWS, value])
        for row, logits in zip(found, ROWS, strict=True):
            same(row, ours(np.array(logits), value))


@pytest.mark.parametrize(
    ("name", "ours", "values"),
    [
        ("frequencyPenalty", frequency_penalty, [0, 0.5, -1.25]),
        ("presencePenalty", presence_penalty, [0, 0.5, -1.25]),
        ("repetitionPenalty", repetition_penalty, [1, 1.3, 0.5]),
    ],
)
def test_penalties(name: str, ours: Any, values: list[float], page: "Page") -> None:
    for value in values:
        script = f"x[0].map((z) => m.{name}(z, x[1], x[2]))"
        found = run(page, "formulas/penalties", script, [ROWS, COUNTS, value])
        for row, logits in zip(found, ROWS, strict=True):
            same(row, ours(np.array(logits), np.array(COUNTS), value))


def test_counts_and_probabilities(page: "Page") -> None:
    ids = [3, 3, 0, 22, 3]
    counts = run(page, "formulas/penalties", "Array.from(m.countTokens(x[0], x[1]))", [ids, V])
    same(counts, count_tokens(ids, V))
    found = run(page, "formulas/temperature", SOFTMAX, ROWS)
    for row, logits in zip(found, ROWS, strict=True):
        same(row, np.exp(log_softmax(np.array(logits))))


def test_draws_are_those_of_python(page: "Page") -> None:
    # 0, the largest number below 1, and numbers that fall on the edge between two tokens
    u = [0, 0.25, 0.5, 0.75, 1 - 2**-53, *np.random.default_rng(2).random(30).tolist()]
    logits = [*ROWS, np.log([0.25, 0.25, 0.5]).tolist()]
    shares = run(page, "formulas/temperature", SOFTMAX, logits)
    script = "x[0].map((p) => x[1].map((u) => m.draw(p, u)))"
    found = run(page, "formulas/sampling", script, [shares, u])
    for row, each in zip(found, logits, strict=True):
        assert row == [int(draw_token(np.array(each), number)) for number in u]


def test_the_tolerance_is_pythons(page: "Page") -> None:
    assert run(page, "formulas/sampling", "m.TOLERANCE", None) == TOLERANCE


def test_nothing_is_changed_that_is_given(page: "Page") -> None:
    calls = {
        "penalties": ["frequencyPenalty", "presencePenalty", "repetitionPenalty"],
        "temperature": ["applyTemperature", "softmax"],
        "sampling": ["topK", "topP", "minP"],
    }
    script = """(() => {
        const z = Float64Array.from(x[0]);
        for (const name of x[2]) {
            const more = name.endsWith("Penalty") ? [x[1], 1] : [1];
            m[name](z, ...more).fill(5);
        }
        return [...z];
    })()"""
    for module, names in calls.items():
        found = run(page, f"formulas/{module}", script, [ROWS[0], COUNTS, names])
        assert found == ROWS[0], module

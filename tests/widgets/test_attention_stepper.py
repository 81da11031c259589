"""AttentionStepper in Python: its traits, its numbers, its mistakes and its picture."""

import re

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention

from plainformer.attention.example import TOKENS, W_K, W_Q, W_V, X
from plainformer.widgets import AttentionStepper, BlockSweep
from plainformer.widgets.attention_stepper.widget import STEPS

SIZES = st.tuples(st.integers(1, 8), st.integers(1, 8), st.integers(1, 4), st.integers(1, 4))


@given(SIZES, st.integers(0, 999), st.booleans())
def test_the_steps_are_those_of_torch(
    sizes: tuple[int, int, int, int], seed: int, causal: bool
) -> None:
    T, S, K, Dv = sizes
    causal = causal and S >= T
    draw = np.random.default_rng(seed).normal
    q, k, v = (draw(scale=3, size=size) for size in ((T, K), (S, K), (S, Dv)))
    stepper = AttentionStepper(q, k, v, causal=causal)
    mask = torch.ones(T, S, dtype=torch.bool)
    if causal:
        mask = mask.tril(S - T)  # the queries are the last T of S
    of_torch = scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), attn_mask=mask)
    assert np.allclose(stepper.output, of_torch.numpy(), rtol=0, atol=1e-12)
    assert np.allclose(stepper.scores, q @ k.T, rtol=0, atol=1e-12)
    assert np.allclose(stepper.scaled * np.sqrt(K), stepper.scores, rtol=0, atol=1e-12)
    assert np.array_equal(stepper.masked == -np.inf, ~mask.numpy())
    assert np.array_equal(stepper.weights == 0, ~mask.numpy())
    assert np.allclose(stepper.weights.sum(-1), 1, rtol=0, atol=1e-12)


def test_the_default_is_the_running_sentence() -> None:
    stepper = AttentionStepper()
    same = AttentionStepper(X @ W_Q, X @ W_K, X @ W_V, tokens=TOKENS, query=1, key=4, column=1)
    assert stepper.state() == same.state()
    assert stepper.tokens == stepper.key_names == list(TOKENS)
    assert (stepper.step, stepper.query, stepper.key, stepper.column) == (0, 1, 4, 1)
    assert stepper.output[1].round(2).tolist() == [0.14, 2.95]


def test_names_of_rows() -> None:
    q, k = np.ones((2, 3)), np.ones((4, 3))
    cross = AttentionStepper(q, k, k, keys=list("abcd"))
    assert (cross.tokens, cross.key_names) == (["query 0", "query 1"], ["a", "b", "c", "d"])
    assert AttentionStepper(q, k, k).key_names == ["key 0", "key 1", "key 2", "key 3"]
    assert AttentionStepper(k, k, k).key_names == [f"token {i}" for i in range(4)]
    assert AttentionStepper(k, k, k, tokens=list("abcd")).key_names == list("abcd")


ONES = np.ones((2, 3))


def test_causal_means_what_it_means_elsewhere() -> None:
    q, k = np.ones((2, 1)), np.ones((4, 1))
    stepper = AttentionStepper(q, k, k, causal=True)
    assert stepper.mask.tolist() == [[True, True, True, False], [True] * 4]
    sweep = [BlockSweep(q, k, k, causal=True, query=i).seen for i in range(2)]
    assert sweep == stepper.mask.sum(-1).tolist()


def test_the_traits_are_live() -> None:
    stepper = AttentionStepper()
    stepper.q = np.zeros((6, 2))  # who asks for nothing gets the mean
    assert np.allclose(stepper.output, np.mean(stepper.v, axis=0), rtol=0, atol=1e-12)
    stepper.causal = np.True_
    assert stepper.causal is True
    assert stepper.output[0].tolist() == stepper.v[0]


@pytest.mark.parametrize("step", range(len(STEPS)))
def test_the_picture_shows_every_step(step: int) -> None:
    stepper = AttentionStepper(step=step, causal=True)
    html = stepper.fallback()
    assert f"Step {step + 1}: {STEPS[step]} " in html
    rows = getattr(stepper, STEPS[step])
    assert ("−∞" in html) is (STEPS[step] == "masked")
    shown = html.rpartition("<table>")[2]
    cells = re.findall(r"<td[^>]*>([^<]+)</td>", shown)
    numbers = [float(each.replace("−", "-").replace("∞", "inf")) for each in cells]
    assert np.allclose(numbers, rows.ravel(), rtol=0, atol=0.005 + 1e-9)
    assert f"Step {step + 1} of 5, {STEPS[step]}: " in stepper.description()
    assert "The row of “cat”: " in stepper.description()


def test_without_a_mask_there_is_no_step_for_it() -> None:
    stepper = AttentionStepper(step=2)
    assert "Step 2: scaled " in stepper.picture()
    assert "Step 2 of 4, scaled: " in stepper.description()
    stepper.step = 3
    assert "Step 3: weights " in stepper.picture()
    stepper.step, stepper.causal = 2, True
    assert "Step 3 of 5, masked: " in stepper.description()


def test_names_are_text_in_the_picture() -> None:
    html = AttentionStepper(ONES, ONES, ONES, tokens=["<b>", "&"]).fallback()
    assert "&lt;b&gt;" in html
    assert "<b>" not in html

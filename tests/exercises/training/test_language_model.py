"""The references of the exercises on training, against torch and the package."""

import math
from unittest import mock

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.exercises import exercise
from plainformer.training import Cosine, mask_tokens

shift_targets, warmup_cosine, bits_of_text, momentum_step, adamw_step, mask_inputs = (
    exercise(f"training.language_model.{n}").reference for n in range(1, 7)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4), st.integers(1, 8))
def test_a_target_is_the_token_after_its_input(seed, B, T):
    ids = np.random.default_rng(seed).integers(0, 99, size=(B, T + 1))
    inputs, targets = shift_targets(ids)
    assert inputs.shape == targets.shape == (B, T)
    for place in range(T):
        np.testing.assert_array_equal(inputs[:, place], ids[:, place])
        np.testing.assert_array_equal(targets[:, place], ids[:, place + 1])


@given(st.integers(0, 60), st.integers(0, 20), st.integers(1, 30), st.floats(0, 1))
def test_the_schedule_is_the_packages(step, warmup, after, share):
    total = warmup + after
    ours = Cosine(0.3, warmup=warmup, total=total, floor=0.3 * share)
    assert warmup_cosine(step, 0.3, warmup, total, 0.3 * share) == pytest.approx(ours(step))


@given(seeds, st.text(min_size=1).filter(lambda text: text.isprintable()))
def test_bits_are_those_of_the_probability(seed, text):
    """The probability of the whole text, as a model of bytes gives it, is 2^-bits."""
    shares = np.random.default_rng(seed).uniform(0.1, 1, size=len(text.encode()))
    loss = torch.nn.functional.nll_loss(
        torch.tensor(np.log(shares))[:, None], torch.zeros(len(shares), dtype=torch.long)
    )
    bits = bits_of_text(loss.item(), len(shares), text) * len(shares)
    assert -bits == pytest.approx(np.log2(shares).sum(), abs=1e-9)
    halved = bits_of_text(2 * loss.item(), len(shares) / 2, text)  # fewer, larger tokens
    assert halved == pytest.approx(bits / len(shares))


def watch(optimizer, parameter, gradients):
    """The weights after each step of one of torch's optimizers."""
    found = []
    for gradient in gradients:
        parameter.grad = torch.tensor(gradient)
        optimizer.step()
        found.append(parameter.detach().numpy().copy())
    return found


@given(seeds, st.floats(0, 0.99), st.floats(0.001, 1))
def test_momentum_is_torchs_sgd(seed, momentum, rate):
    rng = np.random.default_rng(seed)
    w, gradients = rng.normal(size=(2, 3)), rng.normal(size=(6, 2, 3))
    parameter = torch.tensor(w, requires_grad=True)
    theirs = watch(torch.optim.SGD([parameter], rate, momentum), parameter, gradients)
    velocity = np.zeros((2, 3))
    for gradient, right in zip(gradients, theirs, strict=True):
        w, velocity = momentum_step(w, velocity, gradient, rate, momentum)
        np.testing.assert_allclose(w, right, rtol=1e-9, atol=1e-12)


@given(seeds, st.floats(0, 0.5), st.floats(0.001, 1))
def test_adamw_is_torchs(seed, decay, rate):
    rng = np.random.default_rng(seed)
    w, gradients = rng.normal(size=(2, 3)), rng.normal(size=(9, 2, 3))
    parameter = torch.tensor(w, requires_grad=True)
    adam = torch.optim.AdamW([parameter], rate, weight_decay=decay)
    m = v = np.zeros((2, 3))
    for step, right in enumerate(watch(adam, parameter, gradients), 1):
        w, m, v = adamw_step(w, gradients[step - 1], m, v, step, rate, decay)
        np.testing.assert_allclose(w, right, rtol=1e-9, atol=1e-12)


def test_the_first_step_of_adamw_is_as_long_as_the_rate():
    for gradient in (1e-3, 5.0, 1e6):
        w, *_ = adamw_step(np.ones(1), np.array([gradient]), np.zeros(1), np.zeros(1), 1, 0.1, 0.0)
        assert math.isclose(w[0], 0.9, rel_tol=1e-4)


@given(seeds, st.integers(1, 4), st.integers(1, 30))
def test_masks_are_the_packages(seed, B, T):
    rng = np.random.default_rng(seed)
    ids, others = rng.integers(0, 40, size=(2, B, T))
    chance, fate = rng.random((2, B, T)) * [[[0.3]], [[1.0]]]
    numbers = mock.Mock(spec=["random", "integers"])
    numbers.random.side_effect = [chance, fate]
    numbers.integers.return_value = others
    ours = mask_tokens(ids, numbers, mask_id=40, vocab_size=40)
    for given_, wanted in zip(mask_inputs(ids, chance, fate, others, 40), ours, strict=True):
        np.testing.assert_array_equal(given_, wanted)

"""The references of the exercises on temperature, against the package and torch."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import softmax
from plainformer.decoding import apply_temperature, entropy
from plainformer.exercises import exercise

change_temperature, softmax_with_temperature, find_temperature = (
    exercise(f"decoding.temperature.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 8), st.floats(0.001, 0.2) | st.floats(0.2, 10))
def test_powers_are_divided_logits(seed, V, temperature):
    z = np.random.default_rng(seed).normal(0, 2, size=V)
    theirs = torch.softmax(torch.tensor(z) / temperature, -1).numpy()
    np.testing.assert_allclose(change_temperature(softmax(z), temperature), theirs, atol=1e-12)


@given(seeds, st.integers(1, 4), st.integers(1, 6), st.just(0.0) | st.floats(0.1, 10))
def test_chances_are_those_of_the_package(seed, B, V, temperature):
    rng = np.random.default_rng(seed)
    z = rng.integers(-3, 4, size=(B, V)) * 250.0
    z[:, 1:][rng.random((B, V - 1)) < 0.2] = -np.inf
    ours = softmax(apply_temperature(z, temperature))
    np.testing.assert_allclose(softmax_with_temperature(z, temperature), ours, atol=1e-13)


@given(seeds, st.integers(2, 6), st.floats(0.3, 8))
def test_the_temperature_found_has_the_entropy(seed, V, temperature):
    z = np.random.default_rng(seed).normal(0, 2, size=V)
    z[0] = z.max() + 0.5
    wanted = float(entropy(softmax(apply_temperature(z, temperature))))
    if not 0.02 < wanted < 0.99 * np.log(V):
        return  # so flat there that many temperatures have this entropy
    np.testing.assert_allclose(find_temperature(z, wanted), temperature, rtol=1e-6)

"""The references of the exercises on temperature, against the package and torch."""

import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.attention import softmax
from plainformer.decoding import apply_temperature, entropy
from plainformer.exercises import exercise, grade

reheat, token_chances, find_temperature = (
    exercise(f"decoding.temperature.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 8), st.floats(0.001, 0.2) | st.floats(0.2, 10))
def test_powers_are_divided_logits(seed, V, temperature):
    z = np.random.default_rng(seed).normal(0, 2, size=V)
    theirs = torch.softmax(torch.tensor(z) / temperature, -1).numpy()
    np.testing.assert_allclose(reheat(softmax(z), temperature), theirs, atol=1e-12)


@given(seeds, st.integers(1, 4), st.integers(1, 6), st.just(0.0) | st.floats(0.1, 10))
def test_chances_are_those_of_the_package(seed, B, V, temperature):
    rng = np.random.default_rng(seed)
    z = rng.integers(-3, 4, size=(B, V)) * 250.0
    z[:, 1:][rng.random((B, V - 1)) < 0.2] = -np.inf
    ours = softmax(apply_temperature(z, temperature))
    np.testing.assert_allclose(token_chances(z, temperature), ours, atol=1e-13)


@given(seeds, st.integers(2, 6), st.floats(0.3, 8))
def test_the_temperature_found_has_the_entropy(seed, V, temperature):
    z = np.random.default_rng(seed).normal(0, 2, size=V)
    z[0] = z.max() + 0.5
    wanted = float(entropy(softmax(apply_temperature(z, temperature))))
    if not 0.02 < wanted < 0.99 * np.log(V):
        return  # so flat there that many temperatures have this entropy
    np.testing.assert_allclose(find_temperature(z, wanted), temperature, rtol=1e-6)


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "Right until it gets cold",
        """
        def answer(probabilities, temperature):
            powers = np.power(probabilities, 1 / temperature)
            with np.errstate(invalid="ignore"):
                return powers / sum(powers)
        """,
    ),
    (
        1,
        "It is the logits that are divided",
        """
        def answer(probabilities, temperature):
            return probabilities / temperature
        """,
    ),
    (
        1,
        "so cold is flat and hot is sharp",
        """
        def answer(probabilities, temperature):
            with np.errstate(divide="ignore"):
                e = np.exp(temperature * np.log(probabilities))
            return e / np.sum(e)
        """,
    ),
    (
        2,
        "NaN either way",
        """
        def answer(logits, temperature):
            if temperature == 0:
                return np.eye(logits.shape[1])[np.argmax(logits, axis=1)]
            with np.errstate(all="ignore"):
                e = np.exp(logits / temperature)
                return e / e.sum(axis=-1)[:, None]
        """,
    ),
    (
        2,
        "It all goes to the first",
        """
        def answer(logits, temperature):
            temperature = max(temperature, 1e-6)
            z = (logits - logits.max(axis=1, keepdims=True)) / temperature
            e = np.exp(z)
            return e / e.sum(axis=1, keepdims=True)
        """,
    ),
    (
        3,
        "The entropy wanted is in nats",
        """
        def answer(logits, wanted):
            low, high = 0.01, 100.0
            while high / low > 1.000001:
                t = (low * high) ** 0.5
                e = np.exp((logits - logits.max()) / t)
                p = e / e.sum()
                p = p[p > 0]
                if -(p * np.log2(p)).sum() < wanted:
                    low = t
                else:
                    high = t
            return low
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"decoding.temperature.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message

"""The counting generator: its published answers, its law (a counter is all), its spread."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import CounterRNG
from plainformer.decoding.philox import philox4x32

ONES = 0xFFFFFFFF

# The authors publish these with their library, Random123 (file kat_vectors).
KNOWN = [
    ((0, 0, 0, 0), (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((ONES, ONES, ONES, ONES), (ONES, ONES), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_the_published_answers(counter, key, words):
    assert " ".join(f"{word:08x}" for word in philox4x32(counter, key)) == words


@given(st.integers(0, 2**64 - 1), st.integers(0, 2**40), st.integers(1, 6))
def test_a_counter_is_all_its_state(seed, counter, n):
    rng = CounterRNG(seed, counter)
    drawn = rng.random(n)
    assert drawn.dtype == np.float64
    assert ((drawn >= 0) & (drawn < 1)).all()
    assert [CounterRNG(seed, counter + i).random() for i in range(n)] == drawn.tolist()
    assert rng.counter == counter + n


def test_an_array_is_filled_row_by_row():
    assert CounterRNG(3).random((2, 3)).tolist() == CounterRNG(3).random(6).reshape(2, 3).tolist()
    assert CounterRNG(3).random(0).shape == (0,)


def test_the_numbers_are_spread_evenly():
    drawn = CounterRNG(11).random(20_000)
    counts, _ = np.histogram(drawn, bins=50, range=(0, 1))
    assert ((counts - 400) ** 2 / 400).sum() < 85.4  # chi-squared, 49 degrees: once in a thousand
    assert abs(np.corrcoef(drawn[:-1], drawn[1:])[0, 1]) < 0.025


def test_seeds_differ_in_every_half():
    firsts = {CounterRNG(seed).random() for seed in (0, 1, 2**31, 2**32, 2**63, 2**64 - 1)}
    assert len(firsts) == 6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((-1,), ValueError, "seed must be 0 or more; got -1"),
        ((2**64,), ValueError, "seed must be below 2"),
        ((1.5,), TypeError, "seed must be a whole number"),
        ((1, -2), ValueError, "counter must be 0 or more; got -2"),
    ],
)
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        CounterRNG(*arguments)

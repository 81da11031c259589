"""The references of the exercises on penalties, against the package, transformers and a model."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import RepetitionPenaltyLogitsProcessor

from plainformer.decoding import count_tokens, frequency_penalty, presence_penalty
from plainformer.decoding.example import model, tokenizer
from plainformer.exercises import exercise

frequency_and_presence_penalty, penalize_repetition, find_loop = (
    exercise(f"decoding.penalties.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.floats(-2, 2), st.floats(-2, 2))
def test_the_fine_is_that_of_the_package(seed, alpha, beta):
    rng = np.random.default_rng(seed)
    prompt, output = (rng.integers(0, 6, size=rng.integers(9)) for _ in range(2))
    logits, ids = rng.normal(size=6), np.concatenate([prompt, output])
    n = count_tokens(output, 6)
    ours = presence_penalty(frequency_penalty(logits, n, alpha), n, beta)
    np.testing.assert_allclose(
        frequency_and_presence_penalty(logits, ids, len(prompt), alpha, beta), ours, atol=1e-12
    )


@given(seeds, st.floats(0.1, 5))
def test_shrunk_as_transformers_does(seed, rho):
    rng = np.random.default_rng(seed)
    logits, ids = rng.normal(size=(3, 6)), rng.integers(0, 6, size=(3, 4))
    logits[rng.random((3, 6)) < 0.2] = -np.inf
    theirs = RepetitionPenaltyLogitsProcessor(rho)(
        torch.from_numpy(ids), torch.from_numpy(logits.copy())
    )
    np.testing.assert_array_equal(penalize_repetition(logits, ids, rho), theirs.numpy())


@given(seeds, st.integers(1, 3))
def test_after_the_loop_is_found_the_text_goes_on_in_it(seed, sees):
    rng = np.random.default_rng(seed)
    nexts = rng.integers(0, 3, size=(3,) * sees)
    ids = list(rng.integers(0, 3, size=sees))
    for _ in range(3**sees + sees):  # one state more than there are: a loop must have begun
        ids.append(nexts[tuple(ids[-sees:])])
    start, period = find_loop(np.array(ids), sees)
    assert period > 0
    for i in range(start, len(ids) - period):
        assert ids[i] == ids[i + period]
    states = [tuple(ids[i : i + sees]) for i in range(start + period)]
    assert len(set(states)) == start + period  # none came twice before


def test_the_loop_of_the_page():
    text = tokenizer().encode("your cat is a")
    before = len(text)
    while len(text) < before + 86:
        text.append(int(model()(np.array([text[-3:]])).argmax()))
    start, period = find_loop(np.array(text), 3)
    assert period == 29 and text[start : start + 29] == text[start + 29 : start + 58]

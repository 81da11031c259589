"""The references of the exercises on search, against the package and against trying every text."""

import itertools

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from plainformer.decoding import beam_search, best_continuations, greedy_search
from plainformer.exercises import exercise

greedy_decode, top_k_continuations, best_by_length, search = (
    exercise(f"decoding.search.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)


def drawn(seed, V):
    return np.log(np.random.default_rng(seed).dirichlet(np.ones(V), size=V))


def pairs(text):
    """What a text's score is the sum of: texts of the same pairs tie, and rounding decides."""
    return sorted(itertools.pairwise(text))


@given(seeds, st.integers(2, 6), st.integers(1, 6))
def test_the_likeliest_is_taken_as_by_the_package(seed, V, steps):
    table = drawn(seed, V)
    theirs = greedy_search(lambda ids: table[ids[:, -1]], [0], max_new_tokens=steps, eos_token_id=1)
    assert greedy_decode(table, 0, 1, steps) == theirs


@given(seeds, st.integers(1, 4), st.integers(2, 5), st.integers(1, 8))
def test_the_best_pairs_are_those_of_the_package(seed, B, V, k):
    rng = np.random.default_rng(seed)
    scores, log_probs = -rng.exponential(1, B), np.log(rng.dirichlet(np.ones(V), size=B))
    k = min(k, B * V)
    beams, tokens, _ = best_continuations(scores, log_probs, k)
    assert top_k_continuations(scores, log_probs, k) == list(zip(beams, tokens, strict=True))


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]))
@example(645208804, 3, 0.0)  # two of the same pairs, in another order
def test_beam_search_is_that_of_the_package(seed, k, alpha):
    table = drawn(seed, 4)
    tree = beam_search(
        lambda ids: table[ids[:, -1]],
        [0],
        num_beams=k,
        max_new_tokens=4,
        eos_token_id=3,
        length_penalty=alpha,
        num_return_sequences=k,
    )
    if alpha == 0:
        assert pairs(search(table, 0, 3, 4, k)) == pairs(tree.sequences[0])
    logs = [[float(table[a, b]) for a, b in itertools.pairwise(text)] for text in tree.sequences]
    assert best_by_length(logs, alpha) == 0  # the package returns the best first


@given(seeds, st.integers(1, 3))
def test_with_all_prefixes_as_beams_the_best_of_all_texts_is_found(seed, steps):
    table = drawn(seed, 3)
    every = [
        [0, *tokens]
        for n in range(1, steps + 1)
        for tokens in itertools.product(range(3), repeat=n)
        if 2 not in tokens[:-1] and (n == steps or tokens[-1] == 2)
    ]
    best = max(every, key=lambda text: sum(table[a, b] for a, b in itertools.pairwise(text)))
    assert pairs(search(table, 0, 2, steps, 27)) == pairs(best)

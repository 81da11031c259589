"""The references of the exercises on search, against the package and against trying every text."""

import itertools
import textwrap

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from plainformer.decoding.search import beam_search, best_continuations, greedy_search
from plainformer.exercises import exercise, grade

take_likeliest, best_pairs, best_text, search = (
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
    theirs = greedy_search(lambda ids: table[ids[:, -1]], [0], max_new_tokens=steps, eos_id=1)
    assert take_likeliest(table, 0, 1, steps) == theirs


@given(seeds, st.integers(1, 4), st.integers(2, 5), st.integers(1, 8))
def test_the_best_pairs_are_those_of_the_package(seed, B, V, k):
    rng = np.random.default_rng(seed)
    scores, log_probs = -rng.exponential(1, B), np.log(rng.dirichlet(np.ones(V), size=B))
    k = min(k, B * V)
    beams, tokens, _ = best_continuations(scores, log_probs, k)
    assert best_pairs(scores, log_probs, k) == list(zip(beams, tokens, strict=True))


@given(seeds, st.integers(1, 4), st.sampled_from([0.0, 1.0, 2.0]))
@example(645208804, 3, 0.0)  # two of the same pairs, in another order
def test_beam_search_is_that_of_the_package(seed, k, alpha):
    table = drawn(seed, 4)
    tree = beam_search(
        lambda ids: table[ids[:, -1]],
        [0],
        beam_size=k,
        max_new_tokens=4,
        eos_id=3,
        length_penalty=alpha,
        n_best=k,
    )
    if alpha == 0:
        assert pairs(search(table, 0, 3, 4, k)) == pairs(tree.sequences[0])
    logs = [[float(table[a, b]) for a, b in itertools.pairwise(text)] for text in tree.sequences]
    assert best_text(logs, alpha) == 0  # the package returns the best first


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


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "You leave out the end of text",
        """
        def answer(log_probs, first, end, steps):
            text = [first]
            for _ in range(steps):
                token = int(log_probs[text[-1]].argmax())
                if token == end:
                    break
                text.append(token)
            return text
        """,
    ),
    (
        2,
        "one continuation for each beam",
        """
        def answer(scores, log_probs, k):
            pairs = [(b, int(row.argmax())) for b, row in enumerate(log_probs)]
            pairs.sort(key=lambda pair: -(scores[pair[0]] + log_probs[pair]))
            return pairs[:k]
        """,
    ),
    (
        2,
        "You compare the last tokens alone",
        """
        def answer(scores, log_probs, k):
            V = log_probs.shape[1]
            return [divmod(int(i), V) for i in np.argsort(-log_probs.ravel())[:k]]
        """,
    ),
    (
        3,
        "The mean is right for alpha = 1 only",
        """
        def answer(log_probs, alpha):
            return int(np.argmax([np.mean(text) for text in log_probs]))
        """,
    ),
    (
        4,
        "What took `end` is whole",
        """
        def answer(log_probs, first, end, steps, k):
            beams, whole = [(0.0, [first])], []
            for step in range(steps):
                new = [(s + log_probs[t[-1], v], [*t, v])
                       for s, t in beams for v in range(len(log_probs))]
                beams = sorted([b for b in new if b[0] > -np.inf], reverse=True)[:k]
                whole += [b for b in beams if b[1][-1] == end]
            return max(whole + beams)[1]
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"decoding.search.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message

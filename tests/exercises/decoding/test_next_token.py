"""The references of the exercises on the next token, against Counter, torch and brute force."""

import itertools
import textwrap
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import NGramModel, sequence_log_prob
from plainformer.exercises import exercise, grade

pair_counts, log_prob_of, likeliest_pair = (
    exercise(f"decoding.next_token.{n}").reference for n in range(1, 4)
)

seeds = st.integers(0, 2**32 - 1)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_the_pairs_are_those_of_a_counter(ids):
    got = pair_counts(np.array(ids), 4)
    want = Counter(itertools.pairwise(ids))
    assert {pair: int(n) for pair, n in np.ndenumerate(got) if n} == dict(want)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=20))
def test_the_pairs_are_those_of_the_model(ids):
    got, model = pair_counts(np.array(ids), 4), NGramModel(2, vocab_size=4).fit(ids)
    for i in range(4):
        after, counts = model.followers([i])
        assert got[i].nonzero()[0].tolist() == after.tolist()
        assert got[i][after].tolist() == counts.tolist()


@given(seeds, st.integers(2, 8), st.integers(2, 6))
def test_the_log_probability_is_torchs_and_the_packages(seed, T, V):
    rng = np.random.default_rng(seed)
    logits, ids = rng.normal(size=(T, V)) * 5, rng.integers(0, V, size=T)
    loss = torch.nn.functional.cross_entropy(
        torch.tensor(logits[:-1]), torch.tensor(ids[1:]), reduction="sum"
    )
    got = log_prob_of(logits, ids)
    assert got == pytest.approx(-loss.item(), abs=1e-10)
    assert got == pytest.approx(sequence_log_prob(lambda x: logits[[x.shape[1] - 1]], ids))


@given(seeds, st.integers(2, 6))
def test_the_pair_is_the_likeliest_of_all(seed, V):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(V)), rng.dirichlet(np.ones(V), size=V)
    i, j = likeliest_pair(np.log(p), np.log(q))
    assert p[i] * q[i, j] == pytest.approx(max(p[a] * q[a].max() for a in range(V)))


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "A pair that occurs twice counts once",
        """
        def answer(ids, V):
            table = np.zeros((V, V), dtype=np.int64)
            table[ids[:-1], ids[1:]] = table[ids[:-1], ids[1:]] + 1
            return table
        """,
    ),
    (
        1,
        "from the last token back to the first",
        """
        def answer(ids, V):
            table = np.zeros((V, V), dtype=int)
            for i in range(len(ids)):
                table[ids[i - 1], ids[i]] += 1
            return table
        """,
    ),
    (
        1,
        "asked are the counts",
        """
        def answer(ids, V):
            table = np.zeros((V, V))
            for i, j in zip(ids, ids[1:]):
                table[i, j] += 1
            total = table.sum(axis=1, keepdims=True)
            return np.divide(table, total, out=np.zeros_like(table), where=total > 0)
        """,
    ),
    (
        2,
        "its logarithm -inf: add logarithms instead",
        """
        def answer(logits, ids):
            p = np.exp(logits - np.logaddexp.reduce(logits, axis=1)[:, None])
            with np.errstate(divide="ignore"):
                return float(np.log(np.prod([p[t, ids[t + 1]] for t in range(len(ids) - 1)])))
        """,
    ),
    (
        2,
        "Row t scores token t",
        """
        def answer(logits, ids):
            log_p = logits - np.logaddexp.reduce(logits, axis=1, keepdims=True)
            return float(sum(log_p[t, token] for t, token in enumerate(ids)))
        """,
    ),
    (
        2,
        "exp of a large logit is infinite",
        """
        def answer(logits, ids):
            with np.errstate(all="ignore"):
                e = np.exp(logits[:-1])
                picked = np.take_along_axis(logits[:-1], ids[1:, None], axis=1)[:, 0]
                return (picked - np.log(e.sum(axis=1))).sum()
        """,
    ),
    (
        2,
        "the largest of the whole table",
        """
        def answer(logits, ids):
            with np.errstate(all="ignore"):
                z = logits - np.max(logits)
                total = 0.0
                for t in range(1, len(ids)):
                    total += z[t - 1, ids[t]] - np.log(np.exp(z[t - 1]).sum())
                return total
        """,
    ),
    (
        2,
        "You add bare logits",
        """
        def answer(logits, ids):
            return float(sum(logits[t - 1, ids[t]] for t in range(1, len(ids))))
        """,
    ),
    (
        3,
        "compare all pairs",
        """
        def answer(first, second):
            i = np.argmax(first)
            j = np.argmax(first[i] + second[i])
            return int(i), int(j)
        """,
    ),
    (
        3,
        "It belongs to the row",
        """
        def answer(first, second):
            total = first[None, :] + second
            i, j = np.unravel_index(np.argmax(total), total.shape)
            return int(i), int(j)
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"decoding.next_token.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message


def test_what_numpy_returns_is_right_as_well():
    def answer(first, second):
        total = first[:, None] + second
        return np.unravel_index(np.argmax(total), total.shape)

    assert grade(exercise("decoding.next_token.3"), answer).passed

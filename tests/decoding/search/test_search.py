"""Laws of greedy and beam search, on models small enough to try every text.

One step, what comes out of it, and what is refused are in `test_search_steps.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decoding.search.table import ALPHAS, EOS, SEEDS, Table, V, all_texts

from plainformer.decoding import SearchTree, beam_search, greedy_search, length_divisor


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([None, EOS]), ALPHAS, st.sampled_from(["generated", "whole", "gnmt"]))
def test_a_beam_as_wide_as_all_prefixes_finds_the_best(seed, eos_token_id, alpha, rule):
    model, prompt = Table(seed), [0, 1]
    tree = beam_search(
        model,
        prompt,
        num_beams=V**3,
        max_new_tokens=3,
        eos_token_id=eos_token_id,
        length_penalty=alpha,
        length_norm=rule,
        early_stopping="never",
        num_return_sequences=5,
    )
    scored = [
        (model.log_prob(prompt, text) / length_divisor(len(text), alpha, rule, 2), text)
        for text in all_texts(3, eos_token_id)
    ]
    best = sorted(scored, reverse=True)[:5]
    assert [each.tokens for each in tree.hypotheses] == [text for _, text in best]
    np.testing.assert_allclose(tree.scores, [score for score, _ in best], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    SEEDS,
    st.sampled_from([None, EOS]),
    ALPHAS,
    st.sampled_from([("separate", True), ("separate", False), ("in_beam", False)]),
)
def test_greedy_is_a_beam_of_one(seed, eos_token_id, alpha, mode):
    model = Table(seed)
    greedy = greedy_search(model, [[1], [2]], max_new_tokens=6, eos_token_id=eos_token_id)
    trees = beam_search(
        model, [[1], [2]], num_beams=1, max_new_tokens=6, eos_token_id=eos_token_id,
        length_penalty=alpha, finished=mode[0], early_stopping=mode[1],
    )  # fmt: skip
    assert [tree.sequences[0] for tree in trees] == greedy


def test_a_beam_of_one_that_never_stops_early_may_go_beyond_the_end_of_text():
    """The end of text stands apart while the runner-up goes on, as in transformers."""
    table = np.log([[0.1, 0.5, 0.4], [0.01, 0.98, 0.01], [0.1, 0.8, 0.1]])

    def model(ids):
        return table[ids[:, -1]]

    asked = {"num_beams": 1, "max_new_tokens": 4, "eos_token_id": 1}
    assert greedy_search(model, [0], max_new_tokens=4, eos_token_id=1) == [0, 1]
    assert beam_search(model, [0], **asked, length_penalty=2).sequences == [[0, 1]]
    longer = beam_search(model, [0], **asked, length_penalty=2, early_stopping="never")
    assert longer.sequences != [[0, 1]]


@settings(max_examples=40, deadline=None)
@given(
    SEEDS,
    st.integers(1, 5),
    ALPHAS,
    st.sampled_from(
        [(False, "separate"), (True, "separate"), ("never", "separate"), (False, "in_beam")]
    ),
)
def test_the_tree_tells_what_happened(seed, k, alpha, mode):
    model, prompt = Table(seed), [2, 0]
    tree = beam_search(
        model,
        prompt,
        num_beams=k,
        max_new_tokens=4,
        eos_token_id=EOS,
        length_penalty=alpha,
        early_stopping=mode[0],
        finished=mode[1],
        num_return_sequences=k,
    )
    assert isinstance(tree, SearchTree)
    assert [node.index for node in tree.nodes] == list(range(len(tree.nodes)))
    for node in tree.nodes[1:]:
        parent = tree.nodes[node.parent]
        assert parent.status == "kept"  # what finished or died is never expanded
        assert node.step == parent.step + 1
        assert node.score == pytest.approx(parent.score + node.log_prob, abs=1e-12)
        tokens = tuple(tree.tokens(node.index))
        assert node.score == pytest.approx(model.log_prob(prompt, tokens), abs=1e-9)
        assert node.normalised == pytest.approx(node.score / len(tokens) ** alpha)
        assert (node.status == "finished") <= (node.token == EOS or node.step == 4)
        assert tree.path(node.index)[0] == 0
    assert [node for nodes in tree.candidates_by_step for node in nodes] == list(tree.nodes[1:])
    for number, nodes in enumerate(tree.candidates_by_step, start=1):
        assert {node.step for node in nodes} == {number}
        scores = [node.score for node in nodes]
        assert scores == sorted(scores, reverse=True)
        statuses = [node.status for node in nodes]
        assert statuses.count("kept") <= k
        assert statuses.count("finished") <= k
        assert {node.token == EOS for node in nodes if node.status == "kept"} <= {False}
    for each in tree.hypotheses:
        assert tree.nodes[each.node].status == "finished"
        assert list(each.tokens) == tree.tokens(each.node)
        assert (each.ended == "eos") == (each.tokens[-1] == EOS)
    assert tree.scores == sorted(tree.scores, reverse=True)
    ends = [node for node in tree.nodes if node.status == "finished"]
    assert tree.scores[0] == max(node.normalised for node in ends)
    assert tree.sequences[0][: len(prompt)] == prompt


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(1, 4), ALPHAS)
def test_in_the_beam_whole_texts_compete_with_the_others(seed, k, alpha):
    """Against a plain program: one list, sorted anew at each step."""
    model, prompt = Table(seed), [1]
    beams: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(4):
        pool = []
        for score, text in beams:
            if text[-1:] == (EOS,):
                pool.append((score, text))
                continue
            for token in range(V):
                longer = (*text, token)
                pool.append((model.log_prob(prompt, longer) / len(longer) ** alpha, longer))
        beams = sorted(pool, reverse=True)[:k]
    tree = beam_search(
        model,
        prompt,
        num_beams=k,
        max_new_tokens=4,
        eos_token_id=EOS,
        length_penalty=alpha,
        finished="in_beam",
        num_return_sequences=k,
    )
    assert [each.tokens for each in tree.hypotheses] == [text for _, text in beams]
    np.testing.assert_allclose(tree.scores, [score for score, _ in beams], rtol=1e-9)


def test_a_larger_beam_may_find_a_worse_text():
    """500 models of 5 words, each prefix with logits of its own; texts of 5 words."""
    tables = np.random.default_rng(0).normal(0, 1, (500, 5, 5**5, 5))

    def model(ids):  # ids: the model's number, then words
        prefix = sum((ids[:, i] * 5 ** (i - 1) for i in range(1, ids.shape[1])), 0 * ids[:, 0])
        return tables[ids[:, 0], ids.shape[1] - 1, prefix]

    one, two = (
        np.array([tree.scores[0] for tree in trees])
        for trees in (
            beam_search(model, np.arange(500)[:, None], num_beams=k, max_new_tokens=5)
            for k in (1, 2)
        )
    )
    worse, better = (two < one - 1e-12).sum(), (two > one + 1e-12).sum()
    assert 3 < worse < 20 < better

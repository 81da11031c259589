"""Laws of greedy and beam search, on models small enough to try every text."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.decoding import log_softmax
from plainformer.decoding.search import (
    SearchTree,
    Step,
    beam_search,
    best_continuations,
    greedy_search,
    length_divisor,
    may_improve,
)

V, EOS = 4, 3


class Table:
    """A model that looks at the last token and at how many there are: logits drawn once."""

    def __init__(self, seed: int, width: int = V):
        self.logits = np.random.default_rng(seed).normal(0, 1.5, (16, width, width))

    def __call__(self, ids: Any) -> Any:
        return self.logits[ids.shape[1], ids[:, -1]]

    def log_prob(self, prompt: list[int], tokens: tuple[int, ...]) -> float:
        total, ids = 0.0, list(prompt)
        for token in tokens:
            total += float(log_softmax(self(np.array([ids])))[0, token])
            ids.append(token)
        return total


def all_texts(length: int, eos_id: int | None, width: int = V) -> list[tuple[int, ...]]:
    """Every text of `length` tokens, or fewer if the end of text is its last."""
    texts = []
    for n in range(1, length + 1):
        for tokens in itertools.product(range(width), repeat=n):
            if eos_id in tokens[:-1] or (n < length and tokens[-1] != eos_id):
                continue
            texts.append(tokens)
    return texts


SEEDS = st.integers(0, 10**6)
ALPHAS = st.sampled_from([0.0, 0.5, 1.0, 2.0, -1.0])


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from([None, EOS]), ALPHAS, st.sampled_from(["generated", "whole", "gnmt"]))
def test_a_beam_as_wide_as_all_prefixes_finds_the_best(seed, eos_id, alpha, rule):
    model, prompt = Table(seed), [0, 1]
    tree = beam_search(
        model,
        prompt,
        beam_size=V**3,
        max_new_tokens=3,
        eos_id=eos_id,
        length_penalty=alpha,
        length_norm=rule,
        early_stopping="never",
        n_best=5,
    )
    scored = [
        (model.log_prob(prompt, text) / length_divisor(len(text), alpha, rule, 2), text)
        for text in all_texts(3, eos_id)
    ]
    best = sorted(scored, reverse=True)[:5]
    assert [each.tokens for each in tree.hypotheses] == [text for _, text in best]
    np.testing.assert_allclose(tree.scores, [score for score, _ in best], rtol=1e-12)


@settings(max_examples=25, deadline=None)
@given(
    SEEDS,
    st.sampled_from([None, EOS]),
    ALPHAS,
    st.sampled_from([("apart", True), ("apart", False), ("in_beam", False)]),
)
def test_greedy_is_a_beam_of_one(seed, eos_id, alpha, mode):
    model = Table(seed)
    greedy = greedy_search(model, [[1], [2]], max_new_tokens=6, eos_id=eos_id)
    trees = beam_search(
        model, [[1], [2]], beam_size=1, max_new_tokens=6, eos_id=eos_id, length_penalty=alpha,
        finished=mode[0], early_stopping=mode[1],
    )  # fmt: skip
    assert [tree.sequences[0] for tree in trees] == greedy


def test_a_beam_of_one_that_never_stops_early_may_go_beyond_the_end_of_text():
    """The end of text stands apart while the runner-up goes on, as in transformers."""
    table = np.log([[0.1, 0.5, 0.4], [0.01, 0.98, 0.01], [0.1, 0.8, 0.1]])

    def model(ids):
        return table[ids[:, -1]]

    asked = {"beam_size": 1, "max_new_tokens": 4, "eos_id": 1}
    assert greedy_search(model, [0], max_new_tokens=4, eos_id=1) == [0, 1]
    assert beam_search(model, [0], **asked, length_penalty=2).sequences == [[0, 1]]
    longer = beam_search(model, [0], **asked, length_penalty=2, early_stopping="never")
    assert longer.sequences != [[0, 1]]


@settings(max_examples=40, deadline=None)
@given(
    SEEDS,
    st.integers(1, 5),
    ALPHAS,
    st.sampled_from([(False, "apart"), (True, "apart"), ("never", "apart"), (False, "in_beam")]),
)
def test_the_tree_tells_what_happened(seed, k, alpha, mode):
    model, prompt, steps = Table(seed), [2, 0], []
    tree = beam_search(
        model,
        prompt,
        beam_size=k,
        max_new_tokens=4,
        eos_id=EOS,
        length_penalty=alpha,
        early_stopping=mode[0],
        finished=mode[1],
        n_best=k,
        on_step=steps.append,
    )
    assert isinstance(tree, SearchTree)
    assert [node.index for node in tree.nodes] == list(range(len(tree.nodes)))
    assert [step.nodes for step in steps] == tree.steps
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for node in tree.nodes[1:]:
        parent = tree.nodes[node.parent]
        assert parent.fate == "survived"  # what finished or died is never expanded
        assert node.step == parent.step + 1
        assert node.score == pytest.approx(parent.score + node.log_prob, abs=1e-12)
        tokens = tuple(tree.tokens(node.index))
        assert node.score == pytest.approx(model.log_prob(prompt, tokens), abs=1e-9)
        assert node.normalised == pytest.approx(node.score / len(tokens) ** alpha)
        assert (node.fate == "finished") <= (node.token == EOS or node.step == 4)
        assert tree.path(node.index)[0] == 0
    for nodes in tree.steps:
        scores = [node.score for node in nodes]
        assert scores == sorted(scores, reverse=True)
        fates = [node.fate for node in nodes]
        assert fates.count("survived") <= k
        assert fates.count("finished") <= k
        assert {node.token == EOS for node in nodes if node.fate == "survived"} <= {False}
    for each in tree.hypotheses:
        assert tree.nodes[each.node].fate == "finished"
        assert list(each.tokens) == tree.tokens(each.node)
        assert (each.ended == "eos") == (each.tokens[-1] == EOS)
    assert tree.scores == sorted(tree.scores, reverse=True)
    ends = [node for node in tree.nodes if node.fate == "finished"]
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
        beam_size=k,
        max_new_tokens=4,
        eos_id=EOS,
        length_penalty=alpha,
        finished="in_beam",
        n_best=k,
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
            beam_search(model, np.arange(500)[:, None], beam_size=k, max_new_tokens=5)
            for k in (1, 2)
        )
    )
    worse, better = (two < one - 1e-12).sum(), (two > one + 1e-12).sum()
    assert 3 < worse < 20 < better


def test_an_end_of_text_beyond_the_first_k_dies():
    logits = np.log([[0.5, 0.3, 0.2]])
    tree = beam_search(
        lambda ids: np.repeat(logits, len(ids), axis=0),
        [0],
        beam_size=2,
        max_new_tokens=3,
        eos_id=2,
    )
    first = tree.steps[0]
    assert [(node.token, node.fate) for node in first] == [
        (0, "survived"),
        (1, "survived"),
        (2, "died"),
    ]


def test_prompts_of_several_lengths_are_searched_each_by_itself():
    model, prompts, rows = Table(5), [[1], [2, 0], [0], [3, 3, 1]], []
    asked = {"max_new_tokens": 5, "eos_id": EOS}
    trees = beam_search(
        model, prompts, beam_size=3, n_best=2, on_step=lambda s: rows.append(s.row), **asked
    )
    assert set(rows) == {0, 1, 2, 3}
    for prompt, tree in zip(prompts, trees, strict=True):
        assert tree == beam_search(model, prompt, beam_size=3, n_best=2, **asked)
    together = greedy_search(model, prompts, **asked)
    assert together == [greedy_search(model, prompt, **asked) for prompt in prompts]


def test_one_call_a_step_serves_all_prompts_of_a_length_and_only_open_ones():
    shapes = []

    def model(ids):
        shapes.append(ids.shape)
        return np.where(ids[:, -1:] == 0, [[9.0, 0.0, 0.0]], [[0.0, 0.0, 9.0]])

    greedy_search(model, [[0], [1]], max_new_tokens=3, eos_id=2)
    assert shapes == [(2, 1), (1, 2), (1, 3)]


def test_torch_gives_the_same_as_numpy():
    model = Table(8)

    def in_torch(ids):
        return torch.from_numpy(model(ids)).requires_grad_()

    def in_bfloat16(ids):
        return torch.from_numpy(np.round(4 * model(ids)) / 4).to(torch.bfloat16)

    def rounded(ids):
        return np.round(4 * model(ids)) / 4

    for ours, theirs in ((model, in_torch), (rounded, in_bfloat16)):
        asked = {"beam_size": 3, "max_new_tokens": 4, "eos_id": EOS}
        assert beam_search(ours, [0], **asked) == beam_search(theirs, [0], **asked)
        greedy = [greedy_search(each, [0], max_new_tokens=4) for each in (ours, theirs)]
        assert greedy[0] == greedy[1]


def test_ties_go_to_the_earlier_beam_and_the_lower_id():
    parents, tokens, _ = best_continuations(np.zeros(2), np.zeros((2, 3)), 4)
    assert parents.tolist() == [0, 0, 0, 1]
    assert tokens.tolist() == [0, 1, 2, 0]
    assert greedy_search(lambda ids: np.zeros((len(ids), 3)), [2], max_new_tokens=2) == [2, 0, 0]


@given(st.integers(1, 4), st.integers(2, 6), st.integers(1, 30), SEEDS)
def test_best_continuations_are_those_of_a_full_sort(k, width, count, seed):
    rng = np.random.default_rng(seed)
    scores = -rng.integers(0, 3, k).astype(float)
    log_probs = -rng.integers(0, 4, (k, width)).astype(float)  # many ties
    log_probs[rng.random((k, width)) < 0.3] = -np.inf
    every = sorted(
        (-(scores[i] + log_probs[i, j]), i, j)
        for i in range(k)
        for j in range(width)
        if log_probs[i, j] > -np.inf
    )[:count]
    parents, tokens, totals = best_continuations(scores, log_probs, count)
    assert list(zip((-totals).tolist(), parents.tolist(), tokens.tolist(), strict=True)) == every


def test_impossible_tokens_are_no_candidates():
    logits = np.array([[0.0, -np.inf, 0.0]])
    tree = beam_search(lambda ids: np.repeat(logits, len(ids), axis=0), [0], beam_size=4,
                       max_new_tokens=2, n_best=4)  # fmt: skip
    assert [node.token for node in tree.steps[0]] == [0, 2]
    assert len(tree.sequences) == 4


def test_more_candidates_change_the_tree_and_nothing_else():
    few, many = (
        beam_search(Table(1, 8), [0], beam_size=2, max_new_tokens=3, eos_id=1, considered=n)
        for n in (4, 16)
    )
    assert few.hypotheses[0].tokens == many.hypotheses[0].tokens
    assert few.scores == many.scores
    assert [len(step) for step in many.steps[:2]] == [8, 16]
    assert [len(step) for step in few.steps[:2]] == [4, 4]


def test_lengths():
    assert length_divisor(9, 0.5) == 3.0
    assert length_divisor(3, 2, "whole", prompt_length=2) == 25.0
    assert length_divisor(7, 1, "gnmt") == 2.0
    assert all(length_divisor(n, 0, rule) == 1 for n in (1, 9) for rule in ("generated", "gnmt"))


def test_never_looks_as_far_ahead_as_a_text_may_go():
    now, far = (may_improve(-6.0, -1.9, 3, 6, 1.0, stopping) for stopping in (False, "never"))
    assert (now, far) == (False, True)
    assert not may_improve(-6.0, -1.9, 3, 6, 0.0, "never")
    assert may_improve(-6.0, -40.0, 3, 6, -1.0, "never")  # shorter is better: now is best


GOOD: dict[str, Any] = {"beam_size": 2, "max_new_tokens": 3}


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"beam_size": 0}, ValueError, "beam_size must be 1 or more; got 0"),
        ({"beam_size": 2.5}, TypeError, "beam_size must be a whole number"),
        ({"beam_size": 65}, ValueError, "beam_size must be 64 or less"),
        ({"max_new_tokens": 0}, ValueError, "max_new_tokens must be 1 or more"),
        ({"eos_id": 4}, ValueError, "eos_id must be below the vocabulary's size, 4; got 4"),
        ({"eos_id": -1}, ValueError, "eos_id must be 0 or more"),
        ({"n_best": 3}, ValueError, "n_best must be beam_size, 2, or less; got 3"),
        ({"n_best": 0}, ValueError, "n_best must be 1 or more"),
        ({"considered": 3}, ValueError, "considered must be 4 or more; got 3"),
        ({"length_penalty": math.nan}, ValueError, "length_penalty must be finite"),
        ({"length_penalty": 5000}, ValueError, "a float can raise 4 to; got 5000"),
        ({"length_penalty": "1"}, TypeError, "length_penalty must be a number"),
        ({"length_norm": "words"}, ValueError, "length_norm must be 'generated'"),
        ({"early_stopping": "yes"}, ValueError, "early_stopping must be False, True or 'never'"),
        ({"early_stopping": 1}, ValueError, "early_stopping must be"),
        ({"finished": "beside"}, ValueError, "finished must be 'apart' or 'in_beam'"),
        ({"finished": "in_beam", "early_stopping": True}, ValueError, "early_stopping must be Fa"),
    ],
)
def test_what_is_refused(change, error, says):
    with pytest.raises(error, match=says):
        beam_search(Table(0), [0], **(GOOD | change))


def test_what_greedy_refuses():
    for change, says in (
        ({"max_new_tokens": 0}, "max_new_tokens must be 1 or more"),
        ({"max_new_tokens": 2, "eos_id": 4}, "eos_id must be below"),
    ):
        with pytest.raises(ValueError, match=says):
            greedy_search(Table(0), [0], **change)
    with pytest.raises(ValueError, match="prompt must hold a token"):
        greedy_search(Table(0), [], max_new_tokens=1)
    with pytest.raises(ValueError, match="must be finite"):
        greedy_search(lambda ids: np.full((1, 2), np.nan), [0], max_new_tokens=1)


def test_a_step_is_of_its_row():
    steps: list[Step] = []
    beam_search(Table(3), [[0], [1]], beam_size=2, max_new_tokens=2, on_step=steps.append)
    assert [(step.row, step.number) for step in steps] == [(0, 1), (1, 1), (0, 2), (1, 2)]

"""The steps of greedy and beam search: candidates, ties, lengths, many prompts; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tests.decoding.search.table import EOS, SEEDS, Table

from plainformer.decoding import beam_search, best_continuations, greedy_search, length_divisor
from plainformer.decoding.search.lengths import may_improve


def test_an_end_of_text_beyond_the_first_k_dies():
    logits = np.log([[0.5, 0.3, 0.2]])
    tree = beam_search(
        lambda ids: np.repeat(logits, len(ids), axis=0),
        [0],
        num_beams=2,
        max_new_tokens=3,
        eos_token_id=2,
    )
    first = tree.candidates_by_step[0]
    assert [(node.token, node.status) for node in first] == [
        (0, "kept"),
        (1, "kept"),
        (2, "pruned"),
    ]


def test_prompts_of_several_lengths_are_searched_each_by_itself():
    model, prompts = Table(5), [[1], [2, 0], [0], [3, 3, 1]]
    asked = {"max_new_tokens": 5, "eos_token_id": EOS}
    trees = beam_search(
        model,
        prompts,
        num_beams=3,
        num_return_sequences=2,
        **asked,
    )
    for prompt, tree in zip(prompts, trees, strict=True):
        assert tree == beam_search(model, prompt, num_beams=3, num_return_sequences=2, **asked)
    together = greedy_search(model, prompts, **asked)
    assert together == [greedy_search(model, prompt, **asked) for prompt in prompts]


def test_one_call_a_step_serves_all_prompts_of_a_length_and_only_open_ones():
    shapes = []

    def model(ids):
        shapes.append(ids.shape)
        return np.where(ids[:, -1:] == 0, [[9.0, 0.0, 0.0]], [[0.0, 0.0, 9.0]])

    greedy_search(model, [[0], [1]], max_new_tokens=3, eos_token_id=2)
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
        asked = {"num_beams": 3, "max_new_tokens": 4, "eos_token_id": EOS}
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
    tree = beam_search(lambda ids: np.repeat(logits, len(ids), axis=0), [0], num_beams=4,
                       max_new_tokens=2, num_return_sequences=4)  # fmt: skip
    assert [node.token for node in tree.candidates_by_step[0]] == [0, 2]
    assert len(tree.sequences) == 4


def test_more_candidates_change_the_tree_and_nothing_else():
    few, many = (
        beam_search(Table(1, 8), [0], num_beams=2, max_new_tokens=3, eos_token_id=1, n_candidates=n)
        for n in (4, 16)
    )
    assert few.hypotheses[0].tokens == many.hypotheses[0].tokens
    assert few.scores == many.scores
    assert [len(step) for step in many.candidates_by_step[:2]] == [8, 16]
    assert [len(step) for step in few.candidates_by_step[:2]] == [4, 4]


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


GOOD: dict[str, Any] = {"num_beams": 2, "max_new_tokens": 3}


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        (
            {"eos_token_id": 4},
            ValueError,
            "eos_token_id must be below the vocabulary's size, 4; got 4",
        ),
        (
            {"num_return_sequences": 3},
            ValueError,
            "num_return_sequences must be at most num_beams, 2; got 3",
        ),
        ({"n_candidates": 3}, ValueError, "n_candidates must be at least 2 · num_beams, 4; got 3"),
        ({"early_stopping": "yes"}, ValueError, "early_stopping must be False, True or 'never'"),
        ({"finished": "in_beam", "early_stopping": True}, ValueError, "early_stopping must be Fa"),
    ],
)
def test_what_is_refused(change, error, says):
    with pytest.raises(error, match=says):
        beam_search(Table(0), [0], **(GOOD | change))


def test_what_greedy_refuses():
    for change, says in (({"max_new_tokens": 2, "eos_token_id": 4}, "eos_token_id must be below"),):
        with pytest.raises(ValueError, match=says):
            greedy_search(Table(0), [0], **change)
    with pytest.raises(ValueError, match="with T of at least 1"):
        greedy_search(Table(0), [], max_new_tokens=1)
    with pytest.raises(ValueError, match="must be finite"):
        greedy_search(lambda ids: np.full((1, 2), np.nan), [0], max_new_tokens=1)

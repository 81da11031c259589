"""BeamTree in Python: its ranking against the search's own, its mistakes, its picture."""

import gzip
import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from plainformer.decoding.next_token.sequence import sequence_log_prob
from plainformer.decoding.search.beam import beam_search
from plainformer.decoding.search.greedy import greedy_search
from plainformer.widgets import BeamTree
from plainformer.widgets.beam_tree import example
from plainformer.widgets.beam_tree.data import MAX_BEAMS, MAX_LISTED, STATUSES, grown_with
from plainformer.widgets.kit.base import MAX_STATE_BYTES

TREE = beam_search(example.logits, example.PROMPT, num_beams=2, max_new_tokens=5, eos_token_id=5)
LETTERS = [*"abcdefgh", "<end>"]


def model(seed: int, size: int = 9, sharpness: float = 2.0) -> Any:
    """A LogitsFn that depends on the last two tokens."""
    table = sharpness * np.random.default_rng(seed).normal(size=(size, size, size))
    return lambda ids: table[ids[:, -2] if ids.shape[1] > 1 else 0 * ids[:, -1], ids[:, -1]]


def test_the_example_can_be_done_with_a_pencil() -> None:
    """Every text of the example, by brute force: greedy's is not the likeliest."""
    greedy = greedy_search(
        example.logits, example.PROMPT, max_new_tokens=5, eos_token_id=example.END
    )
    texts = {}
    for length in range(1, 6):
        for tokens in itertools.product(range(6), repeat=length):
            if tokens[-1] == example.END and example.END not in tokens[:-1]:
                total = sequence_log_prob(example.logits, [*example.PROMPT, *tokens], start=3)
                texts[tokens] = math.exp(total)
    best = max(texts, key=lambda tokens: texts[tokens])
    assert [example.WORDS[token] for token in best] == ["lovely", "<end>"]
    assert texts[best] == pytest.approx(0.4 * 0.9)
    assert [example.WORDS[token] for token in greedy[3:]] == ["a", "lovely", "cat", "<end>"]
    assert texts[tuple(greedy[3:])] == pytest.approx(0.5 * 0.4 * 0.9 * 0.9)
    widget = BeamTree(step=4)
    assert widget.ranking[0].text == "lovely"
    assert widget.ranking[0].score == pytest.approx(math.log(texts[best]))
    assert [widget.data["nodes"][place][0] for place in widget.data["greedy"]["path"]] == [
        0, 1, 5, 8, 12,
    ]  # fmt: skip


def test_another_alpha_changes_the_winner_where_the_pencil_says() -> None:
    widget = BeamTree(step=4)
    short, long = math.log(0.36), math.log(0.162)
    turn = math.log(long / short) / math.log(4 / 2)  # short / 2^α = long / 4^α
    assert turn == pytest.approx(0.8331, abs=1e-4)
    widget.length_penalty = turn - 1e-6
    assert widget.ranking[0].text == "lovely"
    widget.length_penalty = turn + 1e-6
    assert [each.text for each in widget.ranking] == ["a lovely cat", "lovely", "a cat"]
    assert widget.grown_with == 0
    widget.step = 3
    assert [each.text for each in widget.ranking] == ["lovely", "a cat"]
    widget.step = 1
    assert widget.ranking == []


@pytest.mark.parametrize("rule", ["generated", "whole", "gnmt"])
@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.7, 1.5])
@pytest.mark.parametrize("finished", ["separate", "in_beam"])
def test_the_ranking_is_the_searchs_own(rule: Any, alpha: float, finished: Any) -> None:
    for seed in range(5):
        tree = beam_search(
            model(seed), [3, 4], num_beams=3, max_new_tokens=7, eos_token_id=8,
            num_return_sequences=3, length_penalty=alpha, length_norm=rule, finished=finished,
        )  # fmt: skip
        widget = BeamTree(tree, words=LETTERS, step=len(tree.candidates_by_step))
        assert widget.grown_with == pytest.approx(alpha, abs=1e-9)
        best, first = widget.ranking[0], tree.hypotheses[0]
        assert best.normalised == pytest.approx(first.normalised, abs=1e-9)
        assert best.score == pytest.approx(first.score, abs=1e-12)
        letters = [LETTERS[token] for token in first.tokens if token != 8]
        assert best.text == " ".join(letters)


@pytest.mark.parametrize("rule", ["generated", "whole", "gnmt"])
def test_the_rule_of_length_is_read_off_the_tree(rule: Any) -> None:
    tree = beam_search(
        model(1), [3, 4], num_beams=2, max_new_tokens=6, length_penalty=0.6, length_norm=rule
    )
    alpha, found = grown_with(tree)
    assert (round(alpha, 9), found) == (0.6, rule)
    widget = BeamTree(tree)
    said = {"generated": "length", "whole": "(prompt + length)", "gnmt": "((5 + length) / 6)"}
    assert f"ranked by sum / {said[rule]}^α, α = 0.6<" in widget.picture()
    assert BeamTree(tree, length_norm="gnmt").data["lengths"][1] == 1  # (5 + 1) / 6


def test_a_step_shows_the_best_and_counts_the_rest() -> None:
    tree = beam_search(
        model(2, size=40), [3, 4], num_beams=3, max_new_tokens=4, n_candidates=60, eos_token_id=0
    )
    widget = BeamTree(tree)
    for number, step in enumerate(tree.candidates_by_step, start=1):
        shown = [node for node in widget.data["nodes"] if node[2] == number]
        assert len(shown) + widget.data["more"][number - 1] == len(step)
        assert len(shown) == MAX_LISTED < len(step)
        lowest = min(node[5] for node in shown)
        hidden = {node.index: node for node in step} | {node[0]: None for node in shown}
        for node in hidden.values():
            assert node is None or (node.status == "pruned" and node.score <= lowest)
    gone = next(n.index for n in tree.nodes if n.index not in {x[0] for x in widget.data["nodes"]})
    with pytest.raises(ValueError, match=f"one of those that are shown; {gone} died, and is not"):
        BeamTree(tree, node=gone)


def test_what_greedy_took_is_followed_and_summed() -> None:
    lost = 0
    for seed in range(12):
        logits_fn = model(seed)
        widget = BeamTree.search(
            logits_fn, [3, 4], num_beams=2, max_new_tokens=6, eos_token_id=8, words=LETTERS
        )
        took = greedy_search(logits_fn, [3, 4], max_new_tokens=6, eos_token_id=8)
        greedy = widget.data["greedy"]
        assert greedy["text"] == " ".join(LETTERS[token] for token in took[2:] if token != 8)
        assert greedy["score"] == pytest.approx(sequence_log_prob(logits_fn, took, start=2))
        assert greedy["whole"] and greedy["length"] == len(took) - 2
        words = [widget.data["nodes"][place][3] for place in greedy["path"][1:]]
        seen = [widget.data["words"][word] for word in words]
        assert seen == [LETTERS[token] for token in took[2:]][: len(seen)]
        lost += len(seen) < len(took) - 2
    assert lost > 0  # in some of them the beams leave greedy behind


def test_without_greedys_own_answer_its_path_is_followed_as_far_as_the_tree_goes() -> None:
    whole = BeamTree(TREE, words=example.WORDS).data["greedy"]
    assert (whole["text"], whole["whole"]) == ("a lovely cat", True)
    assert whole["score"] == pytest.approx(math.log(0.162))
    for seed in range(12):
        logits_fn = model(seed)
        tree = beam_search(logits_fn, [3, 4], num_beams=2, max_new_tokens=6, eos_token_id=8)
        known = BeamTree(tree, words=LETTERS).data["greedy"]
        took = greedy_search(logits_fn, [3, 4], max_new_tokens=6, eos_token_id=8)
        told = BeamTree(tree, words=LETTERS, greedy=took).data["greedy"]
        assert known["path"] == told["path"]
        if not known["whole"]:
            assert told["whole"] and told["score"] is None
            assert told["text"].startswith(known["text"])
            return
    raise AssertionError("in none of them greedy left the tree")


def test_texts_are_joined_as_they_were_cut() -> None:
    decode = lambda ids: "".join(example.WORDS[token].capitalize() for token in ids)  # noqa: E731
    assert BeamTree(TREE, decode=decode, step=4).ranking[1].text == "ALovelyCat"
    plain = BeamTree(TREE, step=4)
    assert plain.data["prompt"] == "0 1 2"
    assert plain.ranking[1].text == "3 4 1"
    long = BeamTree(TREE, decode=lambda ids: "abc " * 20 * len(ids), step=4)
    assert long.data["prompt"].startswith("…") and len(long.data["prompt"]) == 60


def test_a_text_that_may_not_be_longer_is_finished_too() -> None:
    tree = beam_search(model(3), [3, 4], num_beams=2, max_new_tokens=3, num_return_sequences=2)
    widget = BeamTree(tree, words=LETTERS, step=3)
    assert {STATUSES[node[6]] for node in widget.data["nodes"] if node[2] == 3} == {
        "limit",
        "pruned",
    }
    assert [each.score for each in widget.ranking] == pytest.approx(tree.scores)


def test_search_takes_one_prompt_and_says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="prompt must be one prompt"):
        BeamTree.search(example.logits, [[0], [1]], num_beams=2, max_new_tokens=3)
    with pytest.raises(TypeError, match="beam_siz"):
        BeamTree.search(example.logits, [0], beam_siz=2, num_beams=2, max_new_tokens=3)


def test_a_high_power_of_the_length_leaves_digits() -> None:
    widget = BeamTree(length_penalty=7)
    assert "−1.82 / 4^7 = −0.00011" in widget.picture()
    assert "sum −1.82, divided −0.00011" in widget.description()


def test_the_picture_shows_the_whole_search() -> None:
    widget = BeamTree(TREE, words=["<b>", *example.WORDS[1:]], step=1, length_penalty=1)
    html = widget.fallback()
    for said in (
        "&lt;b&gt; cat is",
        "Step 4",
        "−1.82 / 4^1 = −0.46",
        "35% · −1.05 · Σ −1.74",
        "after a lovely cat",
        "A beam search with 2 beams after “&lt;b&gt; cat is”, all of its 4 steps. Of the",
        "8 kept, 3 ended, 4 died",
        "Greedy search, which keeps one beam, took “a lovely cat”.",
    ):
        assert said in html
    assert html.count("bt-node") == len(widget.data["nodes"]) - 1
    assert "<b>" not in html
    one = beam_search(model(0), [3], num_beams=1, max_new_tokens=1)
    assert "with 1 beam after “3”, all of its 1 step. " in BeamTree(one).description()


def test_the_state_of_the_largest_search_is_small() -> None:
    names = [f" token{i:04}" for i in range(1000)]
    widget = BeamTree.search(
        model(0, size=100, sharpness=0.5), [3, 4], num_beams=MAX_BEAMS, max_new_tokens=24,
        eos_token_id=0, words=names, n_candidates=800,
    )  # fmt: skip
    state = json.dumps(widget.state(), separators=(",", ":"))
    assert len(gzip.compress(state.encode())) < MAX_STATE_BYTES / 3
    assert len(gzip.compress(widget.html().encode())) < 30_000

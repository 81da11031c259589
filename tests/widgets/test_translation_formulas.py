"""The page's vocabulary and beam search against the package's."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.widgets.pages import run

from plainformer.data import sentence_pairs
from plainformer.decoding import beam_search, best_continuations, greedy_search
from plainformer.training import Vocabulary
from plainformer.training.vocabulary import join

if TYPE_CHECKING:
    from playwright.sync_api import Page

ODD = [
    "", " ", "anna's l'oca, un'oca", "don't, they'll! we’ve", "it's'd o'clock ' '' ’s",
    "a_b c-d 3.5", "x\u200dy \u0301 e\u0301\u0301", "it'sß 's_ 't\u0301", "Война и мир",
    "猫は 可愛い", "שלום עולם", "مرحبا",
    "नमस्ते", "🙂🚀👩‍👩‍👧", "<unk> <eos>", "½ ² ٣ Ⅷ ª\ufeff\u0085\u3000x", "« l'albero » … (sì)!",
]  # fmt: skip


def test_words_and_their_ids(page: "Page") -> None:
    """Every text is cut into the same words; ids come back as the same text."""
    pairs = sentence_pairs(200, 5)
    texts = [*ODD, *(side for pair in pairs for side in (pair.english, pair.italian))]
    rng = np.random.default_rng(0)
    letters = list("ab'’tslé_ .,3\u0301\u200d猫")
    texts += ["".join(rng.choice(letters, 12)) for _ in range(300)]
    vocabulary = Vocabulary.build(texts[::2])
    call = "x[1].map((text) => [m.split(text), m.makeVocabulary(x[0]).encode(text)])"
    found = run(page, "formulas/vocabulary", call, [list(vocabulary.vocab)[4:], texts])
    for text, (words, ids) in zip(texts, found, strict=True):
        assert (words, ids) == (Vocabulary.split(text), vocabulary.encode(text))

    lists = [ids for _, ids in found] + [[2, 9, 3, 9], [3], [0, 0], [9, 1, 0, 2, 8]]
    call = "x[1].map((ids) => [m.makeVocabulary(x[0]).decode(ids), m.join(ids.map(String))])"
    for ids, (text, joined) in zip(
        lists,
        run(page, "formulas/vocabulary", call, [list(vocabulary.vocab)[4:], lists]),
        strict=True,
    ):
        assert text == vocabulary.decode(ids)
        assert joined == join([str(each) for each in ids])


SEARCH = """(() => {
  const [table, k, most, eos] = x;
  const search = m.beamSearch({ k, most, eos });
  const logits = ({ step, token }) => table[step][token < 0 ? 0 : token];
  while (!search.isDone()) search.grow(search.beams().map((b) => m.logSoftmax(logits(b))));
  return search.nodes.map((n) => [n.parent, n.step, n.token, n.score, n.status]);
})()"""


@pytest.mark.parametrize("k", [1, 2, 4])
def test_a_search_weighs_the_same_candidates(page: "Page", k: int) -> None:
    """Node by node; with one beam its text is that of greedy search.

    What follows depends on the step and the last token: so no two paths tie but for rounding.
    """
    rng = np.random.default_rng(k)
    tables = [rng.normal(size=(7, 9, 9)) * scale for scale in (0.3, 1, 3, 3, 1)]
    tables += [np.zeros((7, 9, 9))]  # all tie
    for table in tables:

        def model(ids: Any, table: Any = table) -> Any:
            return table[ids.shape[1] - 1][ids[:, -1]]

        tree = beam_search(model, [0], num_beams=k, max_new_tokens=7, eos_token_id=3)
        found = run(page, "formulas/beam_search", SEARCH, [table.tolist(), k, 7, 3])
        assert len(found) == len(tree.nodes)
        for (parent, step, token, score, status), node in zip(found, tree.nodes, strict=True):
            assert (step, status) == (node.step, node.status)
            assert (parent, token) == (
                -1 if node.parent is None else node.parent,
                -1 if node.token is None else node.token,
            )
            assert score == pytest.approx(node.score, abs=1e-12)
        if k == 1:
            greedy = greedy_search(model, [0], max_new_tokens=7, eos_token_id=3)
            assert tree.sequences[0] == greedy


def test_ties_go_to_the_earlier_beam_then_to_the_lower_id(page: "Page") -> None:
    rng = np.random.default_rng(0)
    for count in (1, 4, 7, 40):
        scores, steps = -rng.integers(0, 3, 4), -rng.integers(0, 4, (4, 9)).astype(float)
        steps[1, ::2] = -np.inf  # impossible
        call = "m.bestContinuations(x[0], x[1].map((row) => row.map((z) => z ?? -Infinity)), x[2])"
        rows = [[None if np.isinf(z) else z for z in row] for row in steps.tolist()]
        found = run(page, "formulas/beam_search", call, [scores.tolist(), rows, count])
        parents, tokens, totals = best_continuations(scores, steps, count)
        assert [each["beam"] for each in found] == parents.tolist()
        assert [each["token"] for each in found] == tokens.tolist()
        assert [each["score"] for each in found] == totals.tolist()

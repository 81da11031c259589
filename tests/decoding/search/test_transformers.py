"""Greedy and beam search against `generate` of transformers, over a small GPT-2 of random weights.

Its float32 scores are sums of up to eight log probabilities, each of which it rounds; so they are
compared to 1e-5.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from plainformer.decoding import beam_search, greedy_search

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

V, EOS, NEW = 24, 7, 8
LIKELIER = 3.0  # by so much the logit of EOS is raised
PROMPTS = [[3, 1, 4], [1, 5, 9], [2, 6, 5]]
SEEDS = (2, 4)


class GPT2:
    """A GPT-2 as a `LogitsFn`, and its own `generate`."""

    def __init__(self, seed: int):
        torch.manual_seed(seed)
        config = transformers.GPT2Config(
            vocab_size=V,
            n_positions=32,
            n_embd=16,
            n_layer=2,
            n_head=2,
            initializer_range=0.6,
            bos_token_id=EOS,
            eos_token_id=EOS,
        )
        self.model = transformers.GPT2LMHeadModel(config).double().eval()
        with torch.no_grad():  # the end of text shall come often
            end = self.model.transformer.wte.weight[EOS]
            self.model.transformer.ln_f.bias += LIKELIER * end / (end @ end)

    def __call__(self, ids: Any) -> Any:
        with torch.no_grad():
            return self.model(torch.from_numpy(ids)).logits[:, -1]

    def generate(self, prompts: list[list[int]], **settings: Any) -> Any:
        ids = torch.tensor(prompts)
        return self.model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=False,
            max_new_tokens=NEW,
            pad_token_id=EOS,
            use_cache=False,
            return_dict_in_generate=True,
            output_scores=True,
            **settings,
        )


@pytest.fixture(scope="module", params=SEEDS)
def gpt2(request: pytest.FixtureRequest) -> Iterator[GPT2]:
    yield GPT2(request.param)


def padded(texts: list[list[int]], width: int) -> list[list[int]]:
    return [[*text, *[EOS] * (width - len(text))] for text in texts]


@pytest.mark.parametrize("eos_token_id", [EOS, None])
def test_greedy_search(gpt2: GPT2, eos_token_id: int | None) -> None:
    theirs = gpt2.generate(
        PROMPTS, num_beams=1, eos_token_id=-1 if eos_token_id is None else eos_token_id
    )
    theirs = theirs.sequences.tolist()
    ours = greedy_search(gpt2, PROMPTS, max_new_tokens=NEW, eos_token_id=eos_token_id)
    assert any(len(text) < 3 + NEW for text in ours) == (eos_token_id is not None)  # it did occur
    assert padded(ours, len(theirs[0])) == theirs


@pytest.mark.parametrize("early_stopping", [False, True, "never"])
@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
@pytest.mark.parametrize("num_beams", [1, 2, 3, 4, 5])
def test_beam_search(
    gpt2: GPT2, num_beams: int, length_penalty: float, early_stopping: bool | str
) -> None:
    """Asked for one beam, `generate` would turn to greedy search: so it is told which code to run.

    (It runs that code for two beams and more anyway.)
    """
    theirs = gpt2.generate(
        PROMPTS,
        num_beams=num_beams,
        num_return_sequences=num_beams,
        length_penalty=length_penalty,
        early_stopping=early_stopping,
        eos_token_id=EOS,
        custom_generate=type(gpt2.model)._beam_search,
    )
    sequences = theirs.sequences.tolist()
    trees = beam_search(
        gpt2,
        PROMPTS,
        num_beams=num_beams,
        max_new_tokens=NEW,
        eos_token_id=EOS,
        length_penalty=length_penalty,
        early_stopping=early_stopping,
        num_return_sequences=num_beams,
    )
    assert any(node.token == EOS for tree in trees for node in tree.nodes)
    ours = [text for tree in trees for text in tree.sequences]
    assert padded(ours, len(sequences[0])) == sequences
    scores = [score for tree in trees for score in tree.scores]
    np.testing.assert_allclose(scores, theirs.sequences_scores.numpy(), rtol=1e-5, atol=1e-5)


def test_the_end_of_text_occurs_and_the_settings_matter(gpt2: GPT2) -> None:
    """Else the comparison above would have compared nothing."""
    found = {}
    for alpha in (0.0, 1.0, 2.0):
        for stopping in (False, True, "never"):
            found[alpha, stopping] = beam_search(
                gpt2,
                PROMPTS,
                num_beams=4,
                max_new_tokens=NEW,
                eos_token_id=EOS,
                length_penalty=alpha,
                early_stopping=stopping,
                num_return_sequences=4,
            )
    ends = [each.ended for trees in found.values() for tree in trees for each in tree.hypotheses]
    assert ends.count("eos") > 20
    assert ends.count("length") > 20
    sequences = {key: [tree.sequences for tree in trees] for key, trees in found.items()}
    assert sequences[0.0, False] != sequences[2.0, False]
    assert sequences[1.0, False] != sequences[1.0, True]
    steps = {
        key: sum(len(tree.candidates_by_step) for tree in trees) for key, trees in found.items()
    }
    assert steps[1.0, True] < steps[1.0, "never"]

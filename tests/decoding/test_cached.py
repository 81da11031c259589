"""With a cache a model writes what it writes without: by every way to write, and again.

What others got wrong here: a position that goes on counting in the second text, beams whose cache
stays in the old order, texts that shift against their cache when another one leaves the batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.decoding.models import EOS, GPT, HF, NumPyModel, Translator, Uncached, V, gpt2

from plainformer.attention import left_padding_mask
from plainformer.decoding import (
    CausalModel,
    DecodingState,
    LogitsPipeline,
    beam_search,
    greedy_search,
    sample,
    sequence_log_prob,
    speculative_sample,
)

MODELS: dict[str, Any] = {"gpt": GPT(3), "gpt2": gpt2(), "numpy": NumPyModel(1)}
NEW = 8
PIPELINE = LogitsPipeline.standard(frequency_penalty=0.5, temperature=0.9, top_k=10, top_p=0.95)

prompts = st.lists(st.lists(st.integers(0, V - 1), min_size=1, max_size=6), min_size=1, max_size=4)
seeds = st.integers(0, 2**32 - 1)
names = st.sampled_from(sorted(MODELS))
ends = st.sampled_from([None, EOS])


def without_cache(model: Any) -> Any:
    """The model as a function of a prefix: (B, T) ids of one length to (B, V) logits."""

    def logits_fn(ids: np.ndarray) -> Any:
        given_ = torch.from_numpy(ids) if isinstance(model, torch.nn.Module) else ids
        with torch.no_grad():
            return model(given_)[:, -1]

    return logits_fn


def write_all(model: Any, texts: list[list[int]], seed: int, eos: int | None) -> Any:
    """What every way to write makes of one model and several prompts."""
    asked: dict[str, Any] = {"max_new_tokens": NEW, "eos_token_id": eos}
    rng = np.random.default_rng(seed)
    trees = beam_search(
        model, texts, num_beams=3, num_return_sequences=3, length_penalty=1.0, **asked
    )
    return {
        "greedy": greedy_search(model, texts, **asked),
        "beams": [tree.sequences for tree in trees],
        "sample": sample(model, texts, rng=rng, pipeline=PIPELINE, **asked),
        "scores": [score for tree in trees for score in tree.scores],
        "speculation": speculative_sample(
            model, uniform, texts[0], draft_length=3, rng=rng, **asked
        ),
        "log_prob": sequence_log_prob(model, [*texts[0], 1, 2, 3]),
    }


def uniform(ids: Any) -> Any:
    return np.zeros((len(ids), V))


def same(ours: Any, theirs: Any) -> None:
    for name in ("greedy", "beams", "sample", "speculation"):
        assert ours[name] == theirs[name], name
    np.testing.assert_allclose(ours["scores"], theirs["scores"], rtol=0, atol=1e-10)
    np.testing.assert_allclose(ours["log_prob"], theirs["log_prob"], rtol=0, atol=1e-10)


# The law


@settings(max_examples=20, deadline=None)
@given(name=names, texts=prompts, seed=seeds, eos=ends)
def test_cached_is_uncached(name: str, texts: list[list[int]], seed: int, eos: int | None) -> None:
    """Prompts of several lengths: padded on the left there, in calls of their own here."""
    model = MODELS[name]
    same(write_all(model, texts, seed, eos), write_all(without_cache(model), texts, seed, eos))


@settings(max_examples=8, deadline=None)
@given(name=names, first=prompts, texts=prompts, seed=seeds)
def test_a_second_text_knows_nothing_of_the_first(
    name: str, first: list[list[int]], texts: list[list[int]], seed: int
) -> None:
    model = MODELS[name]
    write_all(model, first, seed, EOS)
    same(write_all(model, texts, seed, EOS), write_all(without_cache(model), texts, seed, EOS))


@settings(max_examples=15, deadline=None)
@given(name=names, draft=names, text=st.lists(st.integers(0, V - 1), min_size=1, max_size=6),
       seed=seeds, length=st.integers(1, 5), eos=ends)  # fmt: skip
def test_speculation_with_two_caches(
    name: str, draft: str, text: list[int], seed: int, length: int, eos: int | None
) -> None:
    target, guesses = MODELS[name], MODELS[draft]
    ours, theirs = (
        speculative_sample(
            *models, text, max_new_tokens=20, draft_length=length, eos_token_id=eos,
            rng=np.random.default_rng(seed),
        )
        for models in ((target, guesses), (without_cache(target), without_cache(guesses)))
    )  # fmt: skip
    assert ours == theirs


@pytest.mark.parametrize("name", sorted(MODELS))
def test_the_law_compared_something(name: str) -> None:
    """Texts did end, at several lengths, and beams did change places."""
    texts = [[i] * (1 + i % 3) for i in range(12)]
    done = write_all(MODELS[name], texts, 0, EOS)
    news = [len(text) - len(prompt) for text, prompt in zip(done["sample"], texts, strict=True)]
    assert min(news) < NEW == max(news)
    assert len({tuple(text) for beams in done["beams"] for text in beams}) == 36
    tree = beam_search(MODELS[name], [1], num_beams=3, max_new_tokens=NEW)
    kept = [
        [node.parent for node in step if node.status == "kept"] for step in tree.candidates_by_step
    ]
    assert any(parents != sorted(set(parents)) for parents in kept[1:-1])


def test_texts_that_have_ended_leave_the_cache() -> None:
    gpt = GPT(3)
    with torch.no_grad():
        gpt.head[:, EOS] += 0.8 * gpt.head[:, 3]  # likelier than it was
    texts = [[i, i + 1] for i in range(12)]
    written = sample(gpt, texts, max_new_tokens=12, eos_token_id=EOS, rng=np.random.default_rng(0))
    rows = [shape[0] for shape in gpt.asked]
    alive = [sum(len(text) > 2 + step for text in written) for step in range(len(rows))]
    assert rows == alive and len(set(rows)) > 3
    assert all(columns == 1 for _, columns in gpt.asked[1:])


# Against transformers


@pytest.mark.parametrize("num_beams", [1, 4])
def test_left_padded_batches_are_those_of_transformers(num_beams: int) -> None:
    model: HF = MODELS["gpt2"]
    texts = [[3, 1, 4, 1, 5], [9], [2, 6, 5]]
    width = max(map(len, texts))
    ids = torch.tensor([[EOS] * (width - len(text)) + text for text in texts])
    mask = torch.tensor([[0] * (width - len(text)) + [1] * len(text) for text in texts])
    theirs = model.network.generate(
        ids, attention_mask=mask, max_new_tokens=NEW, num_beams=num_beams, do_sample=False,
        pad_token_id=EOS, eos_token_id=None, length_penalty=1.0, use_cache=True,
    ).tolist()  # fmt: skip
    if num_beams == 1:
        ours = greedy_search(model, texts, max_new_tokens=NEW)
    else:
        trees = beam_search(model, texts, num_beams=4, max_new_tokens=NEW, length_penalty=1.0)
        ours = [tree.sequences[0] for tree in trees]
    for text, prompt, row in zip(ours, texts, theirs, strict=True):
        assert text == row[width - len(prompt) :]


# How often, and with what, a model is asked


def test_a_prompt_is_read_once_and_then_each_token() -> None:
    gpt = GPT()
    greedy_search(gpt, [[1, 2, 3], [4]], max_new_tokens=4)
    assert gpt.asked == [(2, 3), (2, 1), (2, 1), (2, 1)]
    gpt.asked.clear()
    beam_search(gpt, [1, 2, 3], num_beams=4, max_new_tokens=4)
    assert gpt.asked == [(1, 3), (4, 1), (4, 1), (4, 1)]
    gpt.asked.clear()
    sequence_log_prob(gpt, [1, 2, 3, 4, 5], start=2)
    assert gpt.asked == [(1, 2), (1, 2)]


def test_speculation_asks_the_target_once_a_round() -> None:
    target, draft = GPT(0), GPT(1)
    done = speculative_sample(
        target, draft, [1, 2], max_new_tokens=30, draft_length=4, rng=np.random.default_rng(0)
    )
    assert len(target.asked) == 1 + done.rounds
    assert target.asked[0] == (1, 2)  # the prompt, and then at most the guesses and one more
    assert max(columns for _, columns in target.asked[1:]) == 5
    assert len(draft.asked) == 1 + done.drafted
    assert max(columns for _, columns in draft.asked[1:]) <= 2
    assert 0 < done.accepted < done.checked < done.drafted


def test_a_module_needs_no_wrapper() -> None:
    """One that knows nothing of caches is given the whole text: (B, T) ids to (B, T, V) logits."""
    gpt = GPT(3)
    asked: dict[str, Any] = {"max_new_tokens": NEW, "rng": np.random.default_rng(5)}
    cached = sample(gpt, [[1], [2, 3]], **asked)
    asked["rng"] = np.random.default_rng(5)
    assert sample(Uncached(gpt), [[1], [2, 3]], **asked) == cached
    assert gpt.head.requires_grad  # and it is left as it was


def test_ids_are_of_the_models_library_and_device() -> None:
    class OnMeta(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(3, device="meta"))

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            assert ids.device.type == "meta" and ids.dtype == torch.int64
            assert not torch.is_grad_enabled()
            return torch.zeros(len(ids), 3)

    class Bare(torch.nn.Module):
        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            assert isinstance(ids, torch.Tensor)
            return torch.zeros(len(ids), 3)

    for module in (OnMeta(), Bare()):
        assert greedy_search(module, [1], max_new_tokens=2) == [1, 0, 0]

    def function(ids: np.ndarray) -> np.ndarray:
        assert isinstance(ids, np.ndarray) and ids.dtype == np.int64
        return np.zeros((len(ids), 3))

    assert greedy_search(function, [1], max_new_tokens=2) == [1, 0, 0]


def test_an_encoder_decoder_bound_to_its_sources_is_one() -> None:
    """Its cache selects the rows of the sources with those of the target."""
    translator, sources = Translator(), [[1, 2, 3], [9, 8, 7], [20, 4, 15]]
    bound = translator.bind(sources)
    assert isinstance(bound, CausalModel)
    starts = [[0], [0], [0]]
    asked: dict[str, Any] = {"max_new_tokens": NEW, "eos_token_id": EOS}
    together = beam_search(bound, starts, num_beams=3, **asked)
    alone = [
        beam_search(translator.bind([source]), [0], num_beams=3, **asked) for source in sources
    ]
    assert [tree.sequences for tree in together] == [tree.sequences for tree in alone]
    assert len({tuple(tree.sequences[0]) for tree in alone}) > 1  # the source does matter
    greedy = greedy_search(bound, starts, **asked)
    each = [greedy_search(translator.bind([source]), [0], **asked) for source in sources]
    assert greedy == each


# Texts


@given(
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4), T=st.integers(1, 5),
    offset=st.integers(0, 4),
)  # fmt: skip
def test_any_positions_tell_the_padding(lengths: list[int], T: int, offset: int) -> None:
    S = offset + T
    padding = np.array([max(0, S - length) for length in lengths])
    positions = np.arange(offset, S) - padding[:, None]
    want = np.arange(S) >= padding[:, None]
    mask = left_padding_mask(positions, offset=offset)
    assert (mask == want[:, None, None, :]).all()
    assert torch.equal(
        left_padding_mask(torch.from_numpy(positions), offset=offset), torch.from_numpy(mask)
    )


@settings(max_examples=60, deadline=None)
@given(name=names, texts=prompts, data=st.data())
def test_whatever_is_done_to_texts_their_logits_are_those_of_the_whole(
    name: str, texts: list[list[int]], data: st.DataObject
) -> None:
    """In any order: ask, append, select, rewind; against plain lists and no cache."""
    model = MODELS[name]
    ours, held = DecodingState(model, texts), [list(text) for text in texts]
    shortest = min(map(len, texts))
    for _ in range(data.draw(st.integers(1, 8))):
        order = data.draw(st.sampled_from(["ask", "ask two", "append", "select", "rewind"]))
        if order == "append":
            count = data.draw(st.integers(0, 3))
            tokens = np.array(
                data.draw(
                    st.lists(
                        st.lists(st.integers(0, V - 1), min_size=count, max_size=count),
                        min_size=len(held),
                        max_size=len(held),
                    )
                ),
                dtype=np.int64,
            ).reshape(len(held), count)
            ours.append(tokens)
            held = [[*text, *row] for text, row in zip(held, tokens.tolist(), strict=True)]
            shortest += count
        elif order == "select":
            rows = data.draw(st.lists(st.integers(0, len(held) - 1), min_size=1, max_size=4))
            ours.select(np.array(rows))
            held = [list(held[row]) for row in rows]
        elif order == "rewind":
            back = data.draw(st.integers(0, shortest - 1))
            ours.rewind(ours.length - back)
            held = [text[: len(text) - back] for text in held]
            shortest -= back
        elif order == "ask" or shortest < 2:
            logits = ours.logits()[:, -1, :]
            for row, text in zip(logits, held, strict=True):
                whole = without_cache(model)(np.array([text]))[0]
                np.testing.assert_allclose(row, whole, rtol=0, atol=1e-10)
        else:
            places = np.stack([np.asarray(each) for each in ours.logits_after_last(2)], axis=1)
            for rows_, text in zip(places, held, strict=True):
                for row, end in zip(rows_, (len(text) - 1, len(text)), strict=True):
                    whole = without_cache(model)(np.array([text[:end]]))[0]
                    np.testing.assert_allclose(row, whole, rtol=0, atol=1e-10)

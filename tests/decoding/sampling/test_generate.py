"""A draw, and texts of draws: by hand, by their frequencies, by seed, alone and in company."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.decoding import (
    CounterRNG,
    LogitsPipeline,
    NGramModel,
    beam_search,
    draw_token,
    generate,
    greedy_search,
    sample,
    speculative_sample,
)
from plainformer.decoding.example import COUNTS, LOGITS

seeds = st.integers(0, 2**32 - 1)
TABLE = np.log([[0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.1, 0.4], [0.3, 0.3, 0.3, 0.1], [0.25] * 4])
NGRAM = NGramModel(3).fit(np.random.default_rng(1).integers(0, 12, size=400))


def chain(ids):
    """The last token decides."""
    return TABLE[ids[:, -1]]


def rng(seed=0):
    return np.random.default_rng(seed)


# One draw


@given(seeds, st.integers(1, 9))
def test_a_draw_is_the_first_token_whose_running_sum_exceeds_u(seed, width):
    z = rng(seed).standard_normal((5, width))
    z[:, 1:][rng(seed).random((5, width - 1)) < 0.3] = -np.inf
    u = rng(seed).random(5)
    p = np.exp(z)
    want = []
    for row, x in zip(p, u, strict=True):
        total = 0.0
        for i, each in enumerate(row):
            total += each
            if total > x * row.sum():
                want.append(i)
                break
    assert draw_token(z, u).tolist() == want
    ours = draw_token(torch.from_numpy(z), u)
    assert isinstance(ours, torch.Tensor) and ours.tolist() == want


def test_the_ends_of_the_line():
    below_one = np.nextafter(1.0, 0)
    for z in (np.zeros(3), np.array([0, -np.inf, 0.3, -np.inf]), np.full(7, -3.0)):
        possible = np.flatnonzero(np.isfinite(z))
        assert int(draw_token(z, 0.0)) == possible[0]
        assert int(draw_token(z, below_one)) == possible[-1]
    assert int(draw_token([-np.inf, 0.0], 0)) == 1


def test_draws_come_as_often_as_they_are_probable():
    drawn = draw_token(np.tile(LOGITS, (100_000, 1)), rng(3).random(100_000))
    counts = np.bincount(drawn, minlength=8)
    expected = 1000 * np.array(COUNTS)
    assert ((counts - expected) ** 2 / expected).sum() < 24.3  # 7 degrees: once in a thousand


@pytest.mark.parametrize(
    ("u", "message"),
    [
        (1.0, "u must be random numbers of at least 0 and below 1"),
        (-0.1, "u must be random numbers of at least 0 and below 1"),
        (np.nan, "u must be random numbers of at least 0 and below 1"),
        ([0.1, 0.2], r"u must be one number, or one for each row, \(3,\); got shape \(2,\)"),
    ],
)
def test_u(u, message):
    with pytest.raises(ValueError, match=message):
        draw_token(np.zeros((3, 2)), u)


# Texts


def test_by_hand():
    """0.45 is past 0.1 and 0.3, within 0.6: token 2; after it 0.45 falls on token 1; and so on."""
    assert sample(chain, [0], max_new_tokens=4, rng=Always()) == [0, 2, 1, 1, 1]
    assert list(generate(chain, [0], max_new_tokens=4, rng=Always())) == [2, 1, 1, 1]


class Always:
    def random(self, size):
        return np.full(size, 0.45)


def test_the_same_seed_gives_the_same_tokens():
    first, again, other = (
        sample(NGRAM, [1, 2], max_new_tokens=60, rng=rng(seed)) for seed in (4, 4, 5)
    )
    assert first == again != other
    assert first[:2] == [1, 2] and len(first) == 62
    counted = [sample(NGRAM, [1, 2], max_new_tokens=9, rng=CounterRNG(4)) for _ in range(2)]
    assert counted[0] == counted[1]


def test_one_number_a_row_and_step():
    u = CounterRNG(8).random((5, 3))
    texts = sample(chain, [[0], [1, 1], [3]], max_new_tokens=5, rng=CounterRNG(8))
    for b, text in enumerate(texts):
        for step in range(5):
            token = text[step - 5]
            assert token == int(draw_token(TABLE[text[step - 6]], u[step, b]))


def test_with_generators_of_their_own_texts_do_not_notice_company():
    prompts = [[1], [2, 3, 4], [5], [6, 7]]
    pipeline = LogitsPipeline.standard(frequency_penalty=0.2, repetition_penalty=1.2, top_p=0.95)
    together = sample(
        NGRAM, prompts, max_new_tokens=50, rng=[rng(i) for i in range(4)], eos_token_id=0,
        pipeline=pipeline,
    )  # fmt: skip
    alone = [
        sample(NGRAM, prompt, max_new_tokens=50, rng=rng(i), eos_token_id=0,
               pipeline=pipeline)
        for i, prompt in enumerate(prompts)
    ]  # fmt: skip
    assert together == alone
    assert len({len(text) for text in together}) > 1  # they ended at different steps


def test_a_text_that_has_ended_says_no_more_and_the_others_go_on():
    steps = list(generate(chain, [[0], [1], [2, 2]], max_new_tokens=30, rng=rng(2), eos_token_id=3))
    columns = [list(column) for column in zip(*steps, strict=True)]
    texts = sample(chain, [[0], [1], [2, 2]], max_new_tokens=30, rng=rng(2), eos_token_id=3)
    for column, text, prompt in zip(columns, texts, ([0], [1], [2, 2]), strict=True):
        spoken = [token for token in column if token is not None]
        assert prompt + spoken == text
        assert spoken.index(3) == len(spoken) - 1
        assert column[len(spoken) :] == [None] * (len(steps) - len(spoken))
    assert len({len(text) for text in texts}) > 1
    assert len(steps) == max(len(text) - len(p) for text, p in
                             zip(texts, ([0], [1], [2, 2]), strict=True))  # fmt: skip


def test_tokens_come_one_at_a_time():
    asked = []

    def counting(ids):
        asked.append(ids.shape)
        return chain(ids)

    tokens = generate(counting, [0], max_new_tokens=1000, rng=rng())
    assert asked == []
    next(tokens), next(tokens)
    assert asked == [(1, 1), (1, 2)]


def test_prompts_of_one_length_share_a_call():
    asked = []

    def counting(ids):
        asked.append(ids.tolist())
        return chain(ids)

    sample(counting, [[0], [1, 2], [3]], max_new_tokens=1, rng=rng())
    assert asked == [[[0], [3]], [[1, 2]]]


def test_top_one_is_greedy():
    only = LogitsPipeline.standard(top_k=1)
    prompts = [[1], [2, 3], [4]]
    ours = sample(NGRAM, prompts, max_new_tokens=20, pipeline=only, rng=rng())
    assert ours == greedy_search(NGRAM, prompts, max_new_tokens=20)
    cold = LogitsPipeline.standard(temperature=0)
    assert sample(NGRAM, prompts, max_new_tokens=20, pipeline=cold, rng=rng(1)) == ours


def test_the_pipeline_is_told_what_occurred():
    seen = []

    def look(logits, history):
        seen.append((history.prompt_counts.tolist(), history.output_counts.tolist()))
        return logits

    text = sample(chain, [0, 2, 2], max_new_tokens=3, rng=rng(), pipeline=LogitsPipeline(
        [("look", look)]))  # fmt: skip
    for step, (prompt, output) in enumerate(seen):
        assert prompt == [[1, 0, 2, 0]]
        assert output == [np.bincount(text[3 : 3 + step], minlength=4).tolist()]


def test_a_ban_on_what_was_said_makes_every_token_new():
    def ban(logits, history):
        return np.where(history.output_counts > 0, -np.inf, logits)

    text = sample(chain, [3], max_new_tokens=4, rng=rng(), pipeline=LogitsPipeline([("ban", ban)]))
    assert sorted(text[1:]) == [0, 1, 2, 3]


def test_a_model_in_torch():
    table = torch.from_numpy(TABLE)
    pipeline = LogitsPipeline.standard(frequency_penalty=0.5, temperature=0.8, top_k=3)

    def model(ids):
        return table[torch.from_numpy(ids)[:, -1]]

    both = [sample(each, [[0], [1, 2]], max_new_tokens=20, pipeline=pipeline, rng=rng(5))
            for each in (model, chain)]  # fmt: skip
    assert both[0] == both[1]


def test_room_is_made_for_what_is_written_not_for_what_might_be():
    """10¹² tokens would be 8 TB."""
    tokens = generate(chain, [0], max_new_tokens=10**12, rng=rng())
    assert len([next(tokens) for _ in range(500)]) == 500
    asked = {"max_new_tokens": 10**12, "eos_token_id": 3}
    assert sample(chain, [0], rng=rng(), **asked)[-1] == 3
    assert greedy_search(chain, [0], **asked) == [0, 3]
    assert beam_search(chain, [0], num_beams=2, early_stopping=True, **asked).sequences[0][-1] == 3
    done = speculative_sample(chain, chain, [0], draft_length=3, rng=rng(), **asked)
    assert done.ids[-1] == 3


def test_what_any_function_leaves_of_logits_is_looked_at():
    with pytest.raises(ValueError, match=r"the pipeline's result\[0, 1\] must be finite"):
        sample(chain, [0], max_new_tokens=1, rng=rng(),
               pipeline=lambda z, _: z + np.array([0, np.nan, 0, 0]))  # fmt: skip


@pytest.mark.parametrize("number", [np.nan, 1.0, -0.5])
def test_chance_outside_0_to_1_is_refused(number):
    class Broken:
        def random(self, size):
            return np.full(size, number)

    says = f"u must be random numbers of at least 0 and below 1; got {number}"
    asked = {"max_new_tokens": 1, "rng": Broken()}
    with pytest.raises(ValueError, match=says):
        sample(chain, [0], **asked)
    with pytest.raises(ValueError, match=says):
        sample(chain, [[0], [1]], **asked | {"rng": [rng(), Broken()]})
    with pytest.raises(ValueError, match=says):
        speculative_sample(chain, chain, [0], draft_length=1, **asked)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"prompt": []}, ValueError, r"prompt must be \(T,\) ids"),
        (
            {"prompt": [[0], [1]], "rng": [rng()]},
            ValueError,
            "one for each of the 2 prompts; got 1",
        ),
        ({"rng": 0}, TypeError, "rng must have a method random that takes .* got builtins.int"),
        (
            {"rng": random.Random(0)},
            TypeError,
            "takes how many numbers to draw, .* got random.Random",
        ),
        (
            {"rng": [rng()] * 3},
            ValueError,
            "rng must be one, or one for each of the 1 prompts; got 3",
        ),
        (
            {"eos_token_id": 4},
            ValueError,
            "eos_token_id must be below the vocabulary's size, 4; got 4",
        ),
        ({"pipeline": 0.7}, TypeError, "pipeline must be a LogitsPipeline or None; got float"),
        (
            {"model": None},
            TypeError,
            "model must be a CausalModel, or a function of .* got NoneType",
        ),
    ],
)
def test_what_is_refused(changes, error, message):
    given_ = {"model": chain, "prompt": [0], "max_new_tokens": 3, "rng": rng()} | changes
    with pytest.raises(error, match=message):
        sample(given_.pop("model"), given_.pop("prompt"), **given_)


def test_a_stage_may_keep_the_history_that_it_was_given():
    kept = []

    def look(logits, history):
        kept.append(history)
        return logits

    pipeline = LogitsPipeline([("look", look)])
    sample(lambda ids: np.zeros((len(ids), 3)), [[0], [1]], max_new_tokens=3, pipeline=pipeline,
           rng=rng())  # fmt: skip
    assert [history.output_counts.sum() for history in kept] == [0, 2, 4]

"""The pipeline: its stages, their order, what transformers' processors do in that order."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from plainformer.decoding import (
    LogitsPipeline,
    TokenCounts,
    apply_temperature,
    count_tokens,
    frequency_penalty,
    min_p,
    presence_penalty,
    repetition_penalty,
    top_k,
    top_p,
)
from plainformer.decoding.example import COUNTS, LOGITS

ALL = {
    "frequency_penalty": 0.3,
    "presence_penalty": 0.2,
    "repetition_penalty": 1.3,
    "temperature": 0.7,
    "top_k": 30,
    "top_p": 0.8,
    "min_p": 0.05,
}


@given(st.integers(0, 2**32 - 1))
def test_the_standard_order_by_hand(seed):
    rng = np.random.default_rng(seed)
    z = 2 * rng.standard_normal((3, 50))
    prompt, output = rng.integers(0, 3, size=(2, 3, 50))
    steps = [frequency_penalty(z, output, 0.3)]
    steps.append(presence_penalty(steps[-1], output, 0.2))
    steps.append(repetition_penalty(steps[-1], prompt + output, 1.3))
    steps.append(apply_temperature(steps[-1], 0.7))
    steps.append(top_k(steps[-1], 30))
    steps.append(top_p(steps[-1], 0.8))
    steps.append(min_p(steps[-1], 0.05))
    pipeline, token_counts = LogitsPipeline.standard(**ALL), TokenCounts(prompt, output)
    stages = pipeline.stages(z, token_counts)
    assert [name for name, _ in stages] == pipeline.names == [
        "frequency", "presence", "repetition", "temperature", "top-k", "top-p", "min-p"
    ]  # fmt: skip
    for (_, ours), want in zip(stages, steps, strict=True):
        np.testing.assert_array_equal(ours, want)
    np.testing.assert_array_equal(pipeline(z, token_counts), steps[-1])


@given(st.integers(0, 2**32 - 1))
def test_the_processors_of_transformers_in_that_order(seed):
    rng = np.random.default_rng(seed)
    z = torch.from_numpy(2 * rng.standard_normal((3, 60)))
    ids = torch.from_numpy(rng.integers(0, 60, size=(3, 9)))
    theirs = LogitsProcessorList(
        [RepetitionPenaltyLogitsProcessor(1.3), TemperatureLogitsWarper(0.7), TopKLogitsWarper(30),
         TopPLogitsWarper(0.8), MinPLogitsWarper(0.05)]
    )(ids, z)  # fmt: skip
    counts = count_tokens(ids, 60)
    pipeline = LogitsPipeline.standard(
        repetition_penalty=1.3, temperature=0.7, top_k=30, top_p=0.8, min_p=0.05
    )
    ours = pipeline(z, TokenCounts(counts, torch.zeros_like(counts)))
    assert isinstance(ours, torch.Tensor) and ours.dtype == z.dtype
    assert torch.equal(torch.isfinite(ours), torch.isfinite(theirs))
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-14)


def test_what_changes_nothing_is_left_out():
    assert LogitsPipeline.standard().names == []
    assert LogitsPipeline.standard(temperature=2, min_p=0.1).names == ["temperature", "min-p"]
    assert repr(LogitsPipeline()) == "LogitsPipeline: no stages"
    np.testing.assert_array_equal(LogitsPipeline()(LOGITS), LOGITS)
    assert LogitsPipeline().stages(LOGITS) == []


def test_the_order_is_the_callers_and_matters():
    k, p = ("top-k", lambda z, _: top_k(z, 3)), ("top-p", lambda z, _: top_p(z, 0.8))
    kept = [np.exp(LogitsPipeline(order)(LOGITS)).round() for order in ([k, p], [p, k])]
    assert kept[0].tolist() == [*COUNTS[:2], *[0] * 6]  # 60 of 72 are 83 %
    assert kept[1].tolist() == [*COUNTS[:3], *[0] * 5]  # 40 + 20 + 12 + 10, then the best 3


def test_without_counts_nothing_has_occurred():
    penalties = LogitsPipeline.standard(
        frequency_penalty=1, presence_penalty=1, repetition_penalty=2
    )
    np.testing.assert_array_equal(penalties(LOGITS), LOGITS)


def test_a_stage_of_ones_own():
    def ban(logits, token_counts):
        return np.where(token_counts.output_counts > 0, -np.inf, logits)

    counts = np.array([1, 0, 0, 0, 0, 0, 0, 0])
    after = LogitsPipeline([("ban", ban)])(LOGITS, TokenCounts(0 * counts, counts))
    assert after[0] == -np.inf and (after[1:] == LOGITS[1:]).all()


@pytest.mark.parametrize(
    ("stage", "error", "message"),
    [
        (lambda z, _: z - np.inf, ValueError, "the result of stage 'x'.* one token possible"),
        (lambda z, _: z * np.nan, ValueError, "the result of stage 'x'.* finite or -inf; got nan"),
        (
            lambda z, _: z[:-1],
            ValueError,
            r"stage 'x' must return logits of shape .8,.; got shape .7,",
        ),
        (lambda z, _: None, TypeError, "the result of stage 'x' must be an array"),
    ],
)
def test_a_stage_that_leaves_no_logits(stage, error, message):
    with pytest.raises(error, match=message):
        LogitsPipeline([("x", stage)])(LOGITS)


@pytest.mark.parametrize("stages", [[top_k], [("top-k", 5)], [(1, top_k)], [("a", top_k, 3)]])
def test_stages_that_are_none(stages):
    with pytest.raises(TypeError, match=r"stages\[0\] must be a pair of a name and a function"):
        LogitsPipeline(stages)


@pytest.mark.parametrize(
    ("setting", "error", "message"),
    [
        ({"top_p": 1.5}, ValueError, "top_p: p must be above 0 and at most 1; got 1.5"),
        ({"top_k": 0}, ValueError, "top_k: k must be 1 or more; got 0"),
        ({"temperature": -1}, ValueError, "temperature: temperature must be at least 0; got -1"),
        ({"repetition_penalty": 0}, ValueError, "repetition_penalty: penalty must be above 0"),
        ({"topp": 0.9}, TypeError, r"the filters are top_k, top_p, .*; got topp"),
    ],
)
def test_a_setting_is_refused_at_once(setting, error, message):
    with pytest.raises(error, match=message):
        LogitsPipeline.standard(**setting)

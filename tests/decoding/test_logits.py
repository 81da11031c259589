"""What decoding asks of a model: logits that are checked, their log softmax, prompts of ids."""

import copy
import inspect
import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from plainformer.attention import KVCache
from plainformer.decoding import (
    LogitsFn,
    LogitsPipeline,
    apply_temperature,
    beam_search,
    check_logits,
    checks,
    draw_token,
    frequency_penalty,
    greedy_search,
    log_softmax,
    min_p,
    next_logits,
    presence_penalty,
    repetition_penalty,
    sample,
    stepping,
    top_k,
    top_p,
)
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.sampling import pipeline

LOGITS = arrays(
    np.float64,
    array_shapes(min_dims=1, max_dims=3, max_side=5),
    elements=st.floats(-1e4, 1e4) | st.just(-math.inf),
).filter(lambda z: np.isfinite(z).any(axis=-1).all())


@given(LOGITS)
def test_log_softmax_is_torchs(logits):
    theirs = torch.log_softmax(torch.from_numpy(logits), dim=-1).numpy()
    np.testing.assert_allclose(log_softmax(logits), theirs, rtol=1e-12, atol=1e-12)
    ours = log_softmax(torch.from_numpy(logits))
    assert isinstance(ours, torch.Tensor)
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-12, atol=1e-12)


@given(LOGITS, st.floats(-1e3, 1e3))
def test_a_constant_changes_no_probability(logits, constant):
    moved = log_softmax(logits + constant)
    np.testing.assert_allclose(moved, log_softmax(logits), atol=1e-9)
    np.testing.assert_allclose(np.exp(moved).sum(axis=-1), 1, atol=1e-12)


def test_whole_numbers_become_floats_and_float32_stays():
    assert check_logits([[1, 2]]).dtype == np.float64
    assert check_logits(np.zeros((2, 3), dtype=np.float32)).dtype == np.float32
    assert log_softmax(torch.zeros(2, 3)).dtype == torch.float32


@pytest.mark.parametrize(
    ("logits", "error", "message"),
    [
        (1.0, ValueError, r"logits must be \(..., V\) with V = 1 or more; got shape \(\)"),
        (np.zeros((2, 0)), ValueError, r"got shape \(2, 0\)"),
        ([0.0, math.nan], ValueError, r"logits\[1\] must be finite or -inf; got nan"),
        ([[0.0, 1.0], [math.inf, 0.0]], ValueError, r"logits\[1, 0\] must .* got inf"),
        ([-math.inf] * 3, ValueError, r"logits\[:\] must leave a token possible; all 3 are -inf"),
        (["a"], TypeError, "logits must be an array of numbers"),
        (np.ma.array([0.0, 9.0], mask=[0, 1]), TypeError, "logits must be a plain array; got a ma"),
    ],
)
def test_logits_that_are_refused(logits, error, message):
    for function in (check_logits, log_softmax):
        with pytest.raises(error, match=message):
            function(logits)


def test_a_model_is_anything_that_can_be_called():
    assert isinstance(lambda ids: ids, LogitsFn)
    assert not isinstance(3, LogitsFn)
    ids = np.zeros((2, 3), dtype=int)
    assert next_logits(lambda ids: np.zeros((2, 5)), ids).shape == (2, 5)
    with pytest.raises(TypeError, match="model must be a CausalModel, or a function"):
        next_logits(3, ids)
    assert next_logits(lambda ids: np.zeros((2, 3, 5)), ids).shape == (2, 5)
    for shape in ((2, 4, 5), (2, 0, 5), (3, 3, 5), (2, 3, 5, 1), (5,)):
        with pytest.raises(ValueError, match=r"must return \(B, T, V\) logits, or \(B, V\) for"):
            next_logits(lambda ids, shape=shape: np.zeros(shape), ids)
    with pytest.raises(ValueError, match=r"with B = 2 here; got shape \(3, 5\)"):
        next_logits(lambda ids: np.zeros((3, 5)), ids)
    with pytest.raises(ValueError, match=r"what the model returns\[0, 1\] must be finite"):
        next_logits(lambda ids: np.array([[0, math.nan], [0, 0]]), ids)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ([5, 7], ([[5, 7]], True)),
        (np.array([5]), ([[5]], True)),
        (torch.tensor([[5, 7], [2, 2]]), ([[5, 7], [2, 2]], False)),
        ([[5, 7], np.array([2])], ([[5, 7], [2]], False)),
        ([[5]], ([[5]], False)),
    ],
)
def test_prompts(prompt, expected):
    assert check_prompts(prompt) == expected


@pytest.mark.parametrize(
    ("prompt", "error", "message"),
    [
        ("cat", TypeError, "got a str: encode it first"),
        ([], ValueError, "prompt must hold a token or more"),
        ([[5], []], ValueError, r"prompt\[1\] must hold a token or more"),
        ([5, -1], ValueError, "must hold ids of 0 or more; got -1"),
        ([2**63], ValueError, r"must hold ids below 2\*\*63; got 9223372036854775808"),
        (np.array([2**64 - 1], dtype=np.uint64), ValueError, "got 18446744073709551615"),
        ([2**70], ValueError, r"must hold ids below 2\*\*63; got 1180591620717411303424"),
        ([[1], 2], TypeError, r"prompt\[1\] = 2 among others that are sequences"),
        ([1, [2, 3]], TypeError, r"prompt\[0\] = 1 among others that are sequences"),
        ([[1], [[2], [3, 4]]], TypeError, r"prompt\[1\] must be a rectangular array"),
        ([[[1, 2]], [[3]]], TypeError, r"prompt\[0\] must be \(T,\) whole numbers"),
        (np.ma.array([1, 2], mask=[0, 1]), TypeError, "prompt must be a plain array; got a masked"),
        ([np.ma.array([1, 2], mask=[0, 1])], TypeError, r"prompt\[0\] must be a plain array"),
        (b"cat", TypeError, "got a bytes: encode it first"),
        ([1.5], TypeError, "whole numbers"),
        (5, TypeError, "prompt"),
    ],
)
def test_prompts_that_are_refused(prompt, error, message):
    with pytest.raises(error, match=message):
        check_prompts(prompt)


class Cached:
    """A `CausalModel` whose answer is of a shape that it is told."""

    def __init__(self, shape):
        self.shape = shape

    def __call__(self, ids, *, cache=None, positions=None):
        return np.zeros(self.shape)

    def new_cache(self, batch, max_length):
        return KVCache(batch, 1, max_length, 1)


def test_a_model_with_a_cache_answers_for_every_place():
    ids = np.zeros((2, 3), dtype=int)
    assert next_logits(Cached((2, 3, 5)), ids).shape == (2, 5)
    for shape in ((2, 5), (2, 1, 5), (1, 3, 5)):
        with pytest.raises(ValueError, match=r"with T = 3 and B = 2 here; got shape"):
            next_logits(Cached(shape), ids)


# Functions that check are still functions


def test_a_checked_function_is_a_function_to_who_looks():
    assert log_softmax.__name__ == "log_softmax" and "z - log" in log_softmax.__doc__
    assert str(inspect.signature(log_softmax)) == "(logits: 'Array') -> 'Array'"
    assert pickle.loads(pickle.dumps(log_softmax)) is log_softmax
    assert copy.deepcopy(log_softmax) is log_softmax
    assert repr(log_softmax).startswith("<function log_softmax")
    with pytest.raises(TypeError, match="logit"):
        log_softmax(logit=[0.0])


def test_every_checked_function_checks_and_its_formula_does_not():
    """Or the loop would pay twice, or a caller would not be told."""
    bad = np.array([0.0, math.nan])
    for function, more in [
        (log_softmax, ()),
        (apply_temperature, (0.5,)),
        (top_k, (1,)),
        (top_p, (0.5,)),
        (min_p, (0.5,)),
        (draw_token, (np.array(0.5),)),
        (frequency_penalty, (np.array([1, 1]), 0.5)),
        (presence_penalty, (np.array([1, 1]), 0.5)),
        (repetition_penalty, (np.array([1, 1]), 0.5)),
    ]:
        with pytest.raises(ValueError, match=r"logits\[1\] must be finite or -inf; got nan"):
            function(bad, *more)
        function.formula(bad, *more)


def test_logits_are_looked_at_once_a_step(monkeypatch):
    looked = []

    def counting(logits, name="logits"):
        looked.append(name)
        return check_logits(logits, name)

    for module in (checks, stepping, pipeline):
        monkeypatch.setattr(module, "check_logits", counting)

    def model(ids):
        return np.tile([0.0, 1.0, 2.0], (len(ids), 1))

    standard = LogitsPipeline.standard(temperature=0.5, top_k=2, top_p=0.9, min_p=0.1)
    looked.clear()
    sample(model, [0], max_new_tokens=5, pipeline=standard, rng=np.random.default_rng(0))
    greedy_search(model, [0], max_new_tokens=5)
    beam_search(model, [0], num_beams=2, max_new_tokens=5)
    assert looked == ["what the model returns"] * 15


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_more_tokens_than_float16_can_count(make):
    logits = make(np.zeros(70_000, dtype=np.float16))
    found = np.asarray(log_softmax(logits), dtype=np.float64)
    np.testing.assert_allclose(found, -math.log(70_000), rtol=1e-3)

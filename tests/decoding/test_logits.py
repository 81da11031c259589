"""What decoding asks of a model: logits that are checked, their log softmax, prompts of ids."""

import inspect
import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.calls import functions_passed

from plainformer.attention import KVCache
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.decoding import (
    LogitsFn,
    LogitsPipeline,
    apply_temperature,
    check_logits,
    draw_token,
    frequency_penalty,
    generate,
    log_softmax,
    min_p,
    next_logits,
    presence_penalty,
    repetition_penalty,
    top_k,
    top_p,
)
from plainformer.decoding.ids import check_prompts

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
        (np.zeros((2, 0)), ValueError, r"logits must be \(..., V\) with V .* got shape \(2, 0\)"),
        ([0.0, math.nan], ValueError, r"logits\[1\] must be finite or -inf; got nan"),
        ([[0.0, 1.0], [math.inf, 0.0]], ValueError, r"logits\[1, 0\] must .* got inf"),
        ([-math.inf] * 3, ValueError, r"logits\[:\] must leave at least one token possible; all 3"),
        (["a"], TypeError, "logits must be an array of numbers"),
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
    with pytest.raises(ValueError, match=r"the model's logits\[0, 0, 1\] must be finite"):
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
        ("cat", TypeError, "prompt must be token ids; got 'cat'. A text must be encoded first"),
        (5, TypeError, "prompt must be token ids; got 5"),
        ([], ValueError, r"prompt must be \(T,\) ids, with T of at least 1; got shape \(0,\)"),
        ([[5], []], ValueError, r"prompt\[1\] must be \(T,\) ids"),
        ([5, -1], ValueError, r"prompt must be at least 0; got -1 at index \[1\]"),
        ([[1], 2], ValueError, r"prompt\[1\] must be \(T,\) ids"),
        ([[[1, 2]], [[3, 4]]], ValueError, r"prompt\[0\] must be \(T,\) ids"),
        ([1.5], TypeError, "prompt must be whole numbers; got an array of float64"),
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


# Checked functions


def test_a_checked_function_is_a_function_to_who_looks():
    assert log_softmax.__name__ == "log_softmax" and "z - log" in log_softmax.__doc__
    assert list(inspect.signature(log_softmax).parameters) == ["logits"]
    assert pickle.loads(pickle.dumps(log_softmax)) is log_softmax


def test_every_checked_function_checks_and_its_formula_does_not():
    """Otherwise the loop would pay twice, or a caller would not be told."""
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
        function.unchecked(bad, *more)


def functions_of_one_token(model, **settings):
    """The package's functions that the third sampled token passes through."""
    tokens = generate(
        model, [0, 0, 0], max_new_tokens=3,
        pipeline=LogitsPipeline.standard(**settings), rng=np.random.default_rng(0),
    )  # fmt: skip
    next(tokens), next(tokens)
    return functions_passed(lambda: next(tokens))


def test_a_sampled_token_passes_few_functions():
    """Between the model and the token, and with the model: one can follow that in a debugger."""
    everything = {
        "frequency_penalty": 0.3, "presence_penalty": 0.2, "repetition_penalty": 1.3,
        "temperature": 0.7, "top_k": 30, "top_p": 0.8, "min_p": 0.05,
    }  # fmt: skip
    model = functions_of_one_token(
        lambda ids: np.tile([0.0, 1.0, 2.0], (len(ids), 1)), **everything
    )
    assert 20 < len(model) <= 25
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32,
        positions="learned", max_length=16,
    )  # fmt: skip
    assert 30 < len(functions_of_one_token(DecoderOnly(config).eval(), temperature=0.7)) <= 35


@pytest.mark.parametrize("make", [np.asarray, torch.tensor])
def test_more_tokens_than_float16_can_count(make):
    logits = make(np.zeros(70_000, dtype=np.float16))
    found = np.asarray(log_softmax(logits), dtype=np.float64)
    np.testing.assert_allclose(found, -math.log(70_000), rtol=1e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_what_is_below_the_smallest_float_is_impossible_without_a_warning(dtype):
    top = np.finfo(dtype).max
    with np.errstate(all="raise", under="ignore"):
        assert log_softmax(np.array([top, -top])).tolist() == [0.0, -math.inf]

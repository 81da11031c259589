"""What decoding asks of a model: logits that are checked, their log softmax, prompts of ids."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from plainformer.decoding import LogitsFn, check_logits, log_softmax
from plainformer.decoding.logits import check_prompts, next_logits

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
    with pytest.raises(TypeError, match="logits_fn must be a function"):
        next_logits(3, ids)
    with pytest.raises(ValueError, match=r"with B = 2 here; got shape \(3, 5\)"):
        next_logits(lambda ids: np.zeros((3, 5)), ids)
    with pytest.raises(ValueError, match=r"what logits_fn returns\[0, 1\] must be finite"):
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
        ([1.5], TypeError, "whole numbers"),
        (5, TypeError, "prompt"),
    ],
)
def test_prompts_that_are_refused(prompt, error, message):
    with pytest.raises(error, match=message):
        check_prompts(prompt)

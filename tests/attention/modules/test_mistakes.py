"""What `MultiHeadAttention` refuses, and in what words; in both ways alike."""

import re
from typing import Any

import numpy as np
import pytest
import torch

from plainformer.attention import MultiHeadAttention

B, T, D = 2, 5, 8
X = torch.ones(B, T, D, dtype=torch.float64)


def make(**options: Any) -> MultiHeadAttention:
    return MultiHeadAttention(D, 4, **options).double()


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"d_model": 9}, ValueError, "n_heads must divide d_model, which is 9; got 4"),
        ({"n_heads": 0}, ValueError, "n_heads must be 1 or more; got 0"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be a whole number; got 2.0 (float)"),
        ({"n_kv_heads": 3}, ValueError, "n_kv_heads must divide n_heads, which is 4; got 3"),
        ({"n_kv_heads": 8}, ValueError, "n_kv_heads must divide n_heads, which is 4; got 8"),
        ({"n_kv_heads": 0}, ValueError, "n_kv_heads must be 1 or more; got 0"),
        ({"dropout": 1}, ValueError, "dropout must be at least 0 and below 1; got 1"),
        ({"dropout": -0.1}, ValueError, "dropout must be at least 0 and below 1; got -0.1"),
        ({"dropout": "0"}, TypeError, "dropout must be a number; got str"),
        ({"impl": "flash"}, ValueError, "impl must be 'formula' or 'sdpa'; got 'flash'"),
        ({"rope": True}, TypeError, "rope must be a dict of options, or None; got bool"),
        (
            {"rope": {"theta": 1e4}},
            ValueError,
            "rope must have no keys but 'rope_theta', 'rope_scaling' and 'layout'; got 'theta'",
        ),
        (
            {"rope": {"layout": "llama"}},
            ValueError,
            "layout must be 'interleaved' or 'half'; got 'llama'",
        ),
        ({"rope": {"rope_theta": 1}}, ValueError, "rope_theta must be finite and above 1; got 1"),
        (
            {"d_model": 12, "rope": {}},
            ValueError,
            "d_head must be even, because numbers are rotated in pairs; got 3",
        ),
    ],
)
def test_mistakes_in_options(options: Any, error: type[Exception], message: str) -> None:
    with refused(error, message):
        MultiHeadAttention(**{"d_model": 8, "n_heads": 4, **options})


CONTEXT = (
    "must be left out when there is a context, because its tokens come neither before nor after"
)


@pytest.mark.parametrize("impl", ["formula", "sdpa"])
@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        ({"x": X.numpy()}, TypeError, "x must be a torch tensor; got ndarray"),
        ({"x": X[..., 1:]}, ValueError, "x must be (B, tokens, 8), like d_model; got (2, 5, 7)"),
        ({"x": X[0, 0]}, ValueError, "x must be (B, tokens, 8), like d_model; got (8,)"),
        (
            {"x": X.float()},
            TypeError,
            "x must be torch.float64, like the weights; got torch.float32",
        ),
        (
            {"context": X.float()},
            TypeError,
            "context must be torch.float64, like the weights; got torch.float32",
        ),
        (
            {"context": X[0]},
            ValueError,
            "context must have as many texts as x, (2,); got ()",
        ),
        ({"context": X, "causal": True}, ValueError, f"causal {CONTEXT} those of x"),
        (
            {"context": X, "cache": make().new_cache(2, 9)},
            ValueError,
            f"cache {CONTEXT} those of x",
        ),
        (
            {"mask": np.ones((T, T))},
            TypeError,
            "mask must be boolean, True where attention is allowed; got float64",
        ),
        (
            {"mask": np.ones((3, T, T), dtype=bool)},
            ValueError,
            "mask must broadcast to (..., H, T, S) = (2, 4, 5, 5); got shape (3, 5, 5)",
        ),
        (
            {"attn_bias": np.zeros((2, T, T))},
            ValueError,
            "attn_bias must broadcast to (..., H, T, S) = (2, 4, 5, 5); got shape (2, 5, 5), "
            "which would have to be (2, 1, 5, 5)",
        ),
        ({"fully_masked": "nan"}, ValueError, "fully_masked must be 'error' or 'zero'; got 'nan'"),
    ],
)
def test_mistakes_in_a_call(impl: Any, call: Any, error: type[Exception], message: str) -> None:
    with refused(error, message):
        make(impl=impl)(**{"x": X, **call})


def test_rope_with_a_context() -> None:
    with refused(ValueError, f"rope {CONTEXT} those of x"):
        make(rope={})(X, X)

"""Sums in half precision: rows that are longer than float16 can count."""

from typing import Any

import numpy as np
import pytest
import torch

from plainformer.attention import attention, blockwise_attention, lookup, softmax

S = 70_000  # float16 ends at 65,504
MAKERS = [
    pytest.param(lambda x: np.asarray(x, dtype=np.float16), id="NumPy-float16"),
    pytest.param(lambda x: torch.asarray(x, dtype=torch.float16), id="torch-float16"),
    pytest.param(lambda x: torch.asarray(x, dtype=torch.bfloat16), id="torch-bfloat16"),
]


def wide(array: Any) -> Any:
    return torch.as_tensor(array).double().numpy()


@pytest.mark.parametrize("make", MAKERS)
def test_weights_of_a_long_even_row_are_not_zero(make: Any) -> None:
    weights = softmax(make(np.zeros((1, S))))
    np.testing.assert_allclose(wide(weights), 1 / S, rtol=0.01)
    assert weights.dtype == make([0.0]).dtype
    half = make(np.where(np.arange(S) < S // 2, 0.0, -np.inf))
    np.testing.assert_allclose(wide(softmax(half))[: S // 2], 2 / S, rtol=0.01)


@pytest.mark.parametrize("make", MAKERS)
def test_attention_over_a_long_even_row_is_a_mean(make: Any) -> None:
    q, k = make(np.zeros((1, 4))), make(np.zeros((S, 4)))
    v = make(np.where(np.arange(S) % 2, 3.0, 1.0)[:, None])
    output, weights = attention(q, k, v)
    blocks = blockwise_attention(q, k, v, block_size=512)
    found = lookup(make(np.zeros(4)), k, v)
    for each in (output, blocks, found):
        assert each.dtype == v.dtype
        np.testing.assert_allclose(wide(each), 2.0, rtol=0.02)
    np.testing.assert_allclose(wide(weights).sum(), 1, rtol=0.01)


def test_as_torch_has_it() -> None:
    x = torch.randn(3, 1000, generator=torch.Generator().manual_seed(0)).to(torch.float16)
    theirs = torch.softmax(x, dim=-1)
    assert torch.equal(softmax(x), theirs) or (softmax(x) - theirs).abs().max() <= 2.0**-20

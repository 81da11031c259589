"""Random queries, keys, values and masks for the tests of attention, and how it refuses."""

import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st

INF, NAN = math.inf, math.nan
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
leads = st.lists(st.integers(1, 3), max_size=2).map(tuple)
both = pytest.mark.parametrize("make", [np.asarray, torch.asarray], ids=["NumPy", "torch"])


def random(seed: int, *shapes: tuple[int, ...]) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(shape) for shape in shapes]


def some_mask(seed: int, shape: tuple[int, ...]) -> Any:
    """Random, and each query may look at one key at least."""
    rng = np.random.default_rng(seed)
    mask = rng.random(shape) < 0.5
    mask[..., rng.integers(shape[-1])] = True
    return mask


def tensors(*arrays: Any) -> list[Any]:
    return [torch.from_numpy(array).requires_grad_() for array in arrays]


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")

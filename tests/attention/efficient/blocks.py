"""Attention block by block, for its tests: sizes of blocks, and the plain formula beside it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from plainformer.attention import attention, causal_mask

EXACT = 1e-12  # float64, numbers of the size of 1
sizes = st.integers(1, 9)
block_sizes = st.integers(1, 12)  # from single keys to more than there are
either = pytest.mark.parametrize("causal", [False, True], ids=["all", "causal"])


def plain(q: Any, k: Any, v: Any, *, causal: bool = False, scale: float | None = None) -> Any:
    T, S = q.shape[-2], k.shape[-2]
    mask = causal_mask(T, S, offset=S - T) if causal else None
    return attention(q, k, v, mask=mask, scale=scale)[0]


def near(ours: Any, theirs: Any, atol: float = EXACT) -> None:
    ours, theirs = (np.asarray(x) for x in (ours, theirs))
    assert ours.dtype == theirs.dtype
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=atol, strict=True)

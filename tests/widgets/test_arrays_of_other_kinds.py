"""Numbers may come as NumPy's arrays, as tensors, also those being trained, and as lists."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from tests.widgets.cases import K, Q, V

from plainformer.attention.example import W_Q, X
from plainformer.widgets import (
    AttentionStepper,
    BlockSweep,
    EmbeddingLookup,
    GradientFlow,
    LookupDial,
    SamplerLab,
    TemperatureLab,
)
from plainformer.widgets.sampler_lab.widget import STAGES

KINDS: dict[str, Callable[[Any], Any]] = {
    "list": lambda x: np.asarray(x).tolist(),
    "tuple": lambda x: tuple(np.asarray(x).tolist()),
    "tensor": lambda x: torch.tensor(np.asarray(x)),
    "trained": lambda x: torch.nn.Parameter(torch.tensor(np.asarray(x, dtype=float))),
    "bfloat16": lambda x: torch.tensor(np.asarray(x, dtype=float), dtype=torch.bfloat16),
}
ROWS = np.array([[1.0, 2.0], [3.0, 4.0]])
LOGITS = [0.5, -math.inf, 2.0]
MAKE: dict[str, Callable[[Callable[[Any], Any]], Any]] = {
    "AttentionStepper": lambda kind: AttentionStepper(kind(ROWS), kind(ROWS), kind(ROWS)),
    "BlockSweep": lambda kind: BlockSweep(kind(Q), kind(K), kind(V), causal=np.True_),
    "EmbeddingLookup": lambda kind: EmbeddingLookup(["b", "a"], kind(ROWS)),
    "GradientFlow": lambda kind: GradientFlow(x=kind(X), w_q=kind(W_Q), wanted=kind([0.0, 4.0])),
    "LookupDial": lambda kind: LookupDial(kind(ROWS), kind([1.0, 2.0])),
    "SamplerLab": lambda kind: SamplerLab(kind(LOGITS)),
    "TemperatureLab": lambda kind: TemperatureLab(kind(LOGITS)),
}


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@pytest.mark.parametrize("make", MAKE.values(), ids=list(MAKE))
def test_the_state_is_the_same(make: Any, kind: Any) -> None:
    state = json.dumps(make(kind).state(), allow_nan=False)  # which a page can be sent
    assert state == json.dumps(make(np.asarray).state())


def test_counts_an_order_and_none_for_the_impossible() -> None:
    for kind in (np.asarray, torch.tensor, list, tuple):
        lab = SamplerLab(LOGITS, counts=kind([0, 1, 2]), order=np.array(STAGES[::-1]))
        assert (lab.logits, lab.counts, lab.order) == ([0.5, None, 2.0], [0, 1, 2], [*STAGES[::-1]])
    other = TemperatureLab(LOGITS)
    other.logits = [None, 1, -math.inf]  # as the page would write it, or as a person would
    assert other.probabilities().tolist() == [0, 1, 0]

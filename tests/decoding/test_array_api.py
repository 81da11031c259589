"""Every formula of decoding gives the same numbers on NumPy, torch and a strict array standard."""

from __future__ import annotations

from typing import Any

import array_api_strict
import numpy as np
import pytest
import torch

from plainformer import decoding as D

RNG = np.random.default_rng(0)
LOGITS = np.where(RNG.random((2, 3, 7)) < 0.2, -np.inf, 3 * RNG.normal(size=(2, 3, 7)))
LOGITS[..., 0], LOGITS[..., 1] = 0.0, 0.0  # a tie
IDS = RNG.integers(0, 7, size=(2, 3, 5))
COUNTS = D.count_tokens(IDS, 7)
P, Q = RNG.dirichlet(np.ones(7), size=(2, 2, 3))
U, V = RNG.random((2, 2, 3))

FORMULAS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "log_softmax": (D.log_softmax, (LOGITS,)),
    "check_logits": (D.check_logits, (LOGITS,)),
    "apply_temperature": (D.apply_temperature, (LOGITS, 0.7)),
    "temperature 0": (D.apply_temperature, (LOGITS, 0)),
    "entropy": (D.entropy, (P,)),
    "count_tokens": (D.count_tokens, (IDS, 7)),
    "frequency_penalty": (D.frequency_penalty, (LOGITS, COUNTS, 0.5)),
    "presence_penalty": (D.presence_penalty, (LOGITS, COUNTS, 0.5)),
    "repetition_penalty": (D.repetition_penalty, (LOGITS, COUNTS, 1.5)),
    "top_k": (D.top_k, (LOGITS, 2)),
    "top_p": (D.top_p, (LOGITS, 0.6)),
    "min_p": (D.min_p, (LOGITS, 0.3)),
    "draw_token": (D.draw_token, (LOGITS, U)),
    "accept_or_resample": (D.accept_or_resample, (P, Q, IDS[..., 0], U, V)),
    "witten_bell": (D.witten_bell, (P, COUNTS)),
}


@pytest.mark.parametrize("library", [torch, array_api_strict], ids=["torch", "strict"])
@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_gives_the_same_on_every_library(name: str, library: Any) -> None:
    formula, arguments = FORMULAS[name]
    ours = formula(*(library.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments))
    expected = formula(*arguments)
    for got, want in zip(
        *(r if isinstance(r, tuple) else (r,) for r in (ours, expected)), strict=True
    ):
        assert type(got) is type(library.asarray(0.5))
        np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12)


WRITERS: dict[str, Any] = {
    "top_k": lambda z: D.top_k(z, z.shape[-1]),
    "top_p": lambda z: D.top_p(z, 1.0),
    "min_p": lambda z: D.min_p(z, 1e-300),
    "apply_temperature": lambda z: D.apply_temperature(z, 1),
    "frequency_penalty": lambda z: D.frequency_penalty(z, np.zeros(z.shape[-1], dtype=int), 0),
    "repetition_penalty": lambda z: D.repetition_penalty(z, np.zeros(z.shape[-1], dtype=int), 1),
    "no stages": lambda z: D.LogitsPipeline()(z),
    "a stage that returns its argument": lambda z: D.LogitsPipeline([("same", lambda z, _: z)])(z),
    "standard": lambda z: D.LogitsPipeline.standard(top_p=1.0, top_k=100)(z),
    "witten_bell": lambda z: D.witten_bell(z, np.zeros(z.shape[-1], dtype=int)),
}


@pytest.mark.parametrize("make", [np.array, torch.tensor])
@pytest.mark.parametrize("name", WRITERS)
def test_writing_to_a_result_leaves_the_argument_alone(name: str, make: Any) -> None:
    logits = make([0.25, 0.5, 0.25])
    result = WRITERS[name](logits)
    np.testing.assert_array_equal(result, logits)
    result[:] = 9
    assert logits.tolist() == [0.25, 0.5, 0.25]

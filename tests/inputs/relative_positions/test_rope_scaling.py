"""Llama 3's scaling of RoPE: its law, beside transformers' own, and what is refused."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

from plainformer.inputs import apply_rope, rope_angles
from plainformer.inputs.relative_positions.rope import scale_frequencies

LLAMA_3_1: dict[str, Any] = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}
LLAMA_3_2 = {**LLAMA_3_1, "factor": 32.0}
SMALL = {**LLAMA_3_1, "factor": 3.0, "original_max_position_embeddings": 64}


@pytest.mark.parametrize("scaling", [LLAMA_3_1, LLAMA_3_2, SMALL])
@pytest.mark.parametrize(("width", "theta"), [(128, 500000.0), (64, 500000.0), (16, 10000.0)])
def test_frequencies_are_those_of_transformers(
    scaling: dict[str, Any], width: int, theta: float
) -> None:
    config = LlamaConfig(
        hidden_size=4 * width,
        num_attention_heads=4,
        max_position_embeddings=131072,
        rope_parameters={**scaling, "rope_theta": theta},
    )
    theirs = LlamaRotaryEmbedding(config).inv_freq.double().numpy()
    ours = rope_angles([1], width, rope_theta=theta, rope_scaling=scaling)[0]
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    plain = rope_angles([1], width, rope_theta=theta)[0]
    slowed = plain / ours
    assert math.isclose(slowed[-1], scaling["factor"], rel_tol=1e-12)  # the slowest pair, wholly
    assert slowed[0] == 1 and (np.diff(slowed) >= 0).all()


@given(
    st.floats(1, 100),
    st.floats(0.1, 4),
    st.floats(1.1, 8),
    st.integers(8, 10**6),
    st.floats(1e-9, 1),
)
def test_a_pair_is_slowed_by_at_most_the_factor(
    factor: float, low: float, apart: float, length: int, omega: float
) -> None:
    high = low * apart
    (ours,) = scale_frequencies(np.asarray([omega]), factor, low, high, length)
    turns = length * omega / (2 * math.pi)
    assert omega / factor * (1 - 1e-12) <= ours <= omega * (1 + 1e-12)
    if turns >= high:
        assert ours == omega
    if turns <= low:
        assert ours == omega / factor


def test_turning_is_by_the_scaled_angles() -> None:
    x = np.random.default_rng(0).standard_normal((5, 8))
    angle = rope_angles(5, 8, rope_theta=100.0, rope_scaling=SMALL)
    whole = x[:, :4] + 1j * x[:, 4:]
    turned = whole * np.exp(1j * angle)
    for make in (np.asarray, torch.asarray):
        ours = apply_rope(make(x), rope_theta=100.0, rope_scaling=SMALL, layout="half")
        expected = np.concatenate([turned.real, turned.imag], axis=-1)
        np.testing.assert_allclose(np.asarray(ours), expected, atol=1e-14)
    older = {("type" if name == "rope_type" else name): SMALL[name] for name in SMALL}
    again = apply_rope(torch.asarray(x), rope_theta=100.0, rope_scaling=older, layout="half")
    assert torch.equal(torch.as_tensor(again), torch.as_tensor(ours))


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"rope_type": "yarn"}, ValueError, ["beta_fast", "'yarn'", "low_freq_factor"]),
        ({"rope_type": None}, ValueError, ["rope_type", "'llama3'", "None"]),
        ({"beta_fast": 32.0}, ValueError, ["low_freq_factor", "beta_fast"]),
        ({"factor": 0.5}, ValueError, ["factor", "at least 1", "0.5"]),
        ({"factor": "8"}, TypeError, ["factor", "must be a number", "str"]),
        ({"low_freq_factor": 4.0}, ValueError, ["low_freq_factor < high_freq_factor", "4.0"]),
        ({"low_freq_factor": 0.0}, ValueError, ["low_freq_factor", "above 0", "0.0"]),
        (
            {"original_max_position_embeddings": 0},
            ValueError,
            ["original_max_position_embeddings", "above 0", "0"],
        ),
    ],
)
def test_mistakes_are_named(changed: Any, error: type[Exception], said: list[str]) -> None:
    for call in (rope_angles, lambda n, width, **o: apply_rope(np.ones((n, width)), **o)):
        with pytest.raises(error) as raised:
            call(3, 4, rope_scaling={**LLAMA_3_1, **changed})
        assert all(word in str(raised.value) for word in said)


def test_a_missing_number_and_no_dict() -> None:
    lacking = {name: value for name, value in LLAMA_3_1.items() if name != "factor"}
    with pytest.raises(ValueError, match=r"rope_scaling must have .*factor"):
        rope_angles(3, 4, rope_scaling=lacking)
    with pytest.raises(
        TypeError, match="rope_scaling must be a dict of options, or None; got float"
    ):
        rope_angles(3, 4, rope_scaling=8.0)  # type: ignore[arg-type]

"""Every `rope_type`: beside the function that transformers has for it, its laws, its mistakes."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from plainformer.inputs import apply_rope, rope_angles
from plainformer.inputs.relative_positions.scaling import attention_factor

LENGTH = {"original_max_position_embeddings": 64}
TYPES: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 4.0},
    "dynamic": {"rope_type": "dynamic", "factor": 2.0, **LENGTH},
    "yarn": {"rope_type": "yarn", "factor": 4.0, **LENGTH},
    "yarn, all options": {
        "rope_type": "yarn", "factor": 40.0, "beta_fast": 16.0, "beta_slow": 2.0,
        "mscale": 1.0, "mscale_all_dim": 0.7, "truncate": False, **LENGTH,
    },
    "yarn, its own factor": {"rope_type": "yarn", "factor": 8.0, "attention_factor": 1.5, **LENGTH},
    "longrope": {
        "rope_type": "longrope", "factor": 4.0, "short_factor": [1.0 + i / 8 for i in range(8)],
        "long_factor": [1.0 + i for i in range(8)], **LENGTH,
    },
    "llama3": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        **LENGTH,
    },
}  # fmt: skip
K = 16


def theirs(scaling: dict[str, Any], theta: float, length: int) -> tuple[Any, float]:
    config = LlamaConfig(
        hidden_size=4 * K, num_attention_heads=4, max_position_embeddings=64,
        rope_parameters={**scaling, "rope_theta": theta},
    )  # fmt: skip
    found = ROPE_INIT_FUNCTIONS[scaling["rope_type"]](config, torch.device("cpu"), seq_len=length)
    return found[0].double().numpy(), found[1]


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("theta", [100.0, 10000.0, 500000.0])
@pytest.mark.parametrize("length", [20, 64, 65, 300])
def test_frequencies_are_those_of_transformers(name: str, theta: float, length: int) -> None:
    scaling = TYPES[name]
    omega, factor = theirs(scaling, theta, length)
    ours = rope_angles(length, K, rope_theta=theta, rope_scaling=scaling)
    np.testing.assert_allclose(ours[1], omega, rtol=1e-5)
    np.testing.assert_allclose(ours[-1], omega * (length - 1), rtol=1e-5)
    assert attention_factor(scaling) == pytest.approx(factor, rel=1e-12)


@given(st.floats(1, 64), st.integers(8, 4096), st.sampled_from(["linear", "dynamic", "yarn"]))
def test_a_pair_never_gets_faster_and_rarely_slower_than_by_the_factor(
    factor: float, length: int, kind: str
) -> None:
    scaling = {"rope_type": kind, "factor": factor}
    if kind != "linear":
        scaling["original_max_position_embeddings"] = length
    slowed = rope_angles([1], K)[0] / rope_angles([1], K, rope_scaling=scaling)[0]
    assert slowed.min() > 1 - 1e-12 and slowed.max() < factor + 1e-9
    assert (np.diff(slowed) > -1e-9).all()  # slower pairs are slowed down more


@pytest.mark.parametrize("kind", ["yarn", "longrope"])
def test_scores_grow_by_the_square_of_the_attention_factor(kind: str) -> None:
    x = np.random.default_rng(0).standard_normal((5, K))
    factor = attention_factor(TYPES[kind])
    for make in (np.asarray, torch.asarray):
        rotated = np.asarray(apply_rope(make(x), rope_scaling=TYPES[kind]))
        assert factor > 1.1
        np.testing.assert_allclose((rotated**2).sum(-1), factor**2 * (x**2).sum(-1))


def test_dynamic_changes_nothing_within_the_trained_length() -> None:
    plain, scaled = (rope_angles(64, K, rope_scaling=s) for s in (None, TYPES["dynamic"]))
    np.testing.assert_array_equal(plain, scaled)
    longer = rope_angles(65, K, rope_scaling=TYPES["dynamic"])
    assert (longer[:64, 1:] < plain[:, 1:])[1:].all()


@pytest.mark.parametrize(
    ("scaling", "error", "said"),
    [
        ({"rope_type": "ntk"}, ValueError, ["'linear', 'dynamic', 'yarn'", "'ntk'"]),
        ({"rope_type": "linear"}, ValueError, ["factor", "'linear'", "none"]),
        ({"rope_type": "linear", "factor": 0.5}, ValueError, ["'factor'", "at least 1", "0.5"]),
        ({"rope_type": "linear", "factor": 2.0, "beta_fast": 3}, ValueError, ["beta_fast"]),
        ({"rope_type": "yarn", "factor": 2.0}, ValueError, ["original_max_position_embeddings"]),
        ({**TYPES["yarn"], "original_max_position_embeddings": 0}, ValueError, ["above 0", "0"]),
        ({**TYPES["yarn"], "beta_fast": 1, "beta_slow": 2}, ValueError, ["beta_slow < beta_fast"]),
        ({**TYPES["yarn"], "attention_factor": -1.0}, ValueError, ["attention_factor", "-1.0"]),
        ({**TYPES["yarn"], "truncate": "no"}, TypeError, ["truncate", "'no'"]),
        ({**TYPES["longrope"], "long_factor": [1.0]}, ValueError, ["long_factor", "8 numbers"]),
        ({**TYPES["longrope"], "long_factor": 2.0}, TypeError, ["long_factor", "list", "float"]),
        ({**TYPES["longrope"], "long_factor": [0.0] * 8}, ValueError, ["long_factor", "above 0"]),
    ],
)
def test_mistakes_are_named(scaling: Any, error: type[Exception], said: list[str]) -> None:
    with pytest.raises(error) as raised:
        rope_angles(3, K, rope_scaling=scaling)
    assert all(word in str(raised.value) for word in said), str(raised.value)

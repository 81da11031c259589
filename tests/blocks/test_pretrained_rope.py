"""Models whose rotary positions are scaled for longer texts: loaded, and saved again."""

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tests.blocks.peers import SMALL, V
from tests.inputs.relative_positions.test_rope_types import TYPES

from plainformer.blocks import from_pretrained, save_pretrained
from plainformer.blocks.published import LAYOUTS

ENDS = {"bos_token_id": 1, "eos_token_id": 3, "pad_token_id": 0}
NAMES = [name for name in TYPES if name != "yarn, all options"]


def config(family: str, name: str) -> Any:
    """A small configuration of a family, trained on 64 tokens and scaled for more."""
    sizes = {**SMALL, **ENDS, "max_position_embeddings": 64 if name == "dynamic" else 320}
    rope = {**TYPES[name], "rope_theta": 10000.0}
    heads = {"num_key_value_heads": 2, "head_dim": 16}
    if family == "llama":
        return transformers.LlamaConfig(**sizes, **heads, rope_parameters=rope)
    more = {**heads, "query_pre_attn_scalar": 24, "sliding_window": 9}
    if family == "gemma2":
        eager = {"attn_implementation": "eager"}
        return transformers.Gemma2Config(**sizes, **more, **eager, rope_parameters=rope)
    local = {"rope_type": "default", "rope_theta": 5000.0}
    parts = {"full_attention": rope, "sliding_attention": local}
    return transformers.Gemma3TextConfig(
        **sizes, **more, sliding_window_pattern=3, tie_word_embeddings=False, rope_parameters=parts
    )


@torch.no_grad()
@pytest.mark.parametrize(
    ("family", "name"),
    [*(("llama", name) for name in NAMES), ("gemma2", "yarn"), ("gemma3_text", "linear")],
)
def test_longer_texts_have_the_same_logits_and_the_model_comes_back(
    family: str, name: str, tmp_path: Path
) -> None:
    torch.manual_seed(0)
    theirs = transformers.AutoModelForCausalLM.from_config(config(family, name)).eval()
    for parameter in theirs.parameters():
        parameter.copy_(torch.randn_like(parameter) * (0.3 if parameter.ndim > 1 else 0.5))
    theirs.save_pretrained(tmp_path / "theirs")
    for impl in ("formula", "sdpa"):
        ours = from_pretrained(tmp_path / "theirs", impl=impl)
        for length in (40, 150):  # within the trained length, and beyond it
            ids = torch.randint(4, V - 1, (2, length))
            torch.testing.assert_close(ours(ids), theirs(ids).logits, atol=2e-5, rtol=2e-5)
    save_pretrained(ours, tmp_path / "ours", family)
    back = from_pretrained(tmp_path / "ours")
    assert back.config == ours.config
    again = type(theirs).from_pretrained(tmp_path / "ours")
    torch.testing.assert_close(again(ids).logits, ours(ids), atol=2e-5, rtol=2e-5)


def test_an_older_file_may_leave_the_trained_length_out() -> None:
    sizes = {k: v for k, v in SMALL.items() if k != "num_hidden_layers"} | {"num_hidden_layers": 2}
    scaling = {"type": "dynamic", "factor": 2.0}
    read = LAYOUTS["llama"].read_config({**sizes, "rope_scaling": scaling})
    assert read.rope_scaling == {
        "rope_type": "dynamic", "factor": 2.0, "original_max_position_embeddings": 320,
    }  # fmt: skip
    assert read.max_length is None

"""Keys that change no logit are keys that transformers knows, or knew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from tests.blocks.peers import configs, write

from plainformer.blocks import from_pretrained
from plainformer.blocks.published import LAYOUTS
from plainformer.blocks.published.config_keys import HARMLESS, WHY_HARMLESS, _Recorded

# In files of earlier versions alone: the classes of today have no such attribute.
WHY_LEGACY = {
    "of every model": (
        "_attn_implementation_autoset _commit_hash _num_labels finetuning_task "
        "gradient_checkpointing max_sequence_length output_past prefix task_specific_params "
        "tokenizer_class torchscript use_bfloat16 mask_token_id cls_token_id sep_token_id "
        "unk_token_id"
    ),
    "of BERT's first files": (
        "directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
        "pooler_size_per_head pooler_type"
    ),
    "of Marian's, which are from BART": "add_bias_logits classif_dropout extra_pos_embeddings",
}
LEGACY = frozenset(" ".join(WHY_LEGACY.values()).split())


def known() -> set[str]:
    """Every key that a class of a layout has today, and those of a search or a sampler."""
    made = [*configs().values(), transformers.GenerationConfig()]
    return {key for config in made for key in HARMLESS if hasattr(config, key)}


def test_each_harmless_key_is_one_of_transformers_or_legacy() -> None:
    assert known() | LEGACY == HARMLESS


def test_no_legacy_key_is_one_of_today() -> None:
    assert not known() & LEGACY


def test_no_key_is_listed_twice() -> None:
    listed = " ".join(WHY_HARMLESS.values()).split()
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("name", sorted(configs()))
def test_a_key_that_a_layout_reads_is_not_called_harmless(name: str) -> None:
    given = _Recorded(configs()[name].to_dict())
    LAYOUTS[given.pop("model_type")].read_config(given)
    assert not given.read & HARMLESS


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpt2", "llama", "mistral", "qwen2"])
def test_harmless_keys_change_no_logit_of_theirs(name: str, tmp_path: Path) -> None:
    """All switches turned and all shares moved, in one model of transformers."""
    write(name, tmp_path)
    config: Any = configs()[name]
    changed = {
        key: not value if isinstance(value, bool) else value / 2 + 0.1
        for key, value in config.to_dict().items()
        if key in HARMLESS - {"return_dict"} and isinstance(value, bool | float)
    }
    assert len(changed) >= 4
    ids = torch.arange(4, 24)[None]
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path, **changed).eval()
    assert {key: getattr(model.config, key) for key in changed} == changed
    torch.testing.assert_close(model(ids).logits, from_pretrained(tmp_path)(ids))

"""Check that every key of a config.json is used, known not to change any logit, or refused.

A program that skips keys it does not know may load the right weights into the wrong model. That is
why `read_keys` records which keys a layout reads. Every other key must be listed in `HARMLESS` or
have an empty value: null, an empty list or an empty object.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import Config, refuse_unless

__all__ = ["HARMLESS", "read_keys"]

WHY_HARMLESS = {
    "who wrote the file, with which program, and in which dtype": (
        "_name_or_path _commit_hash _attn_implementation_autoset transformers_version dtype "
        "torch_dtype tokenizer_class architectures model_type name_or_path"
    ),
    "training only: initialisation, dropout, memory": (
        "initializer_range init_std attn_pdrop embd_pdrop resid_pdrop attention_dropout "
        "attention_probs_dropout_prob hidden_dropout_prob activation_dropout dropout "
        "classif_dropout classifier_dropout encoder_layerdrop decoder_layerdrop "
        "gradient_checkpointing"
    ),
    "how the same numbers are computed": (
        "use_cache pretraining_tp reorder_and_upcast_attn chunk_size_feed_forward "
        "use_bfloat16 torchscript cache_implementation return_dict return_dict_in_generate "
        "output_attentions "
        "output_hidden_states output_past output_scores"
    ),
    "special tokens, which the tokenizer contains as well": (
        "bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id cls_token_id "
        "mask_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id"
    ),
    "defaults for search and sampling": (
        "bad_words_ids begin_suppress_tokens suppress_tokens diversity_penalty do_sample "
        "early_stopping encoder_no_repeat_ngram_size exponential_decay_length_penalty "
        "length_penalty max_length max_new_tokens min_length no_repeat_ngram_size "
        "num_beam_groups num_beams num_return_sequences remove_invalid_values "
        "repetition_penalty temperature top_k top_p typical_p prefix task_specific_params"
    ),
    "heads for another task": (
        "summary_activation summary_first_dropout summary_proj_to_labels summary_type "
        "summary_use_proj finetuning_task id2label label2id num_labels _num_labels "
        "problem_type directionality pooler_fc_size pooler_num_attention_heads "
        "pooler_num_fc_layers pooler_size_per_head pooler_type"
    ),
    "limits and numbers that current programs ignore": (
        "max_sequence_length add_bias_logits extra_pos_embeddings"
    ),
}
HARMLESS = frozenset(" ".join(WHY_HARMLESS.values()).split())


class _Recorded(dict[str, Any]):
    """A config.json that records which of its keys were read."""

    def __init__(self, given: Config) -> None:
        super().__init__(given)
        self.read: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.read.add(key)
        return super().get(key, default)


def read_keys(given: Config, read: Callable[[Config], TransformerConfig]) -> TransformerConfig:
    """Read a config.json with `read`, and check that all of its keys are accounted for.

    Raises:
        ValueError: a key that `read` does not use and that may change a logit, or two keys that
            contradict each other.

    >>> from plainformer.blocks.published import LAYOUTS
    >>> sizes = {"vocab_size": 9, "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 4}
    >>> read_keys({**sizes, "use_moe": True}, LAYOUTS["gpt2"].read_config)
    Traceback (most recent call last):
    ValueError: config.json: use_moe is not a key that we know, and it may change the result
    """
    recorded = _Recorded(given)
    config = read(recorded)
    cross = config.family == "encoder_decoder"
    why = "because it has an encoder" if cross else "because it has one stack of layers"
    refuse_unless(recorded, "is_encoder_decoder", (cross,), why)
    for key, value in given.items():
        if key not in recorded.read | HARMLESS and value not in (None, [], {}):
            raise ValueError(
                f"config.json: {key} is not a key that we know, and it may change the result"
            )
    kind = str(given.get("model_type", ""))
    start = kind.partition("_")[0]  # "gemma3" of "gemma3_text"
    for name in given.get("architectures") or []:
        if not str(name).lower().startswith(start):
            raise ValueError(
                f"config.json: architectures must be of the model_type, {kind!r}; got {name!r}"
            )
    return config

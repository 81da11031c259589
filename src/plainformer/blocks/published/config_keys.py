"""Every key of a config.json is followed, known to change no logit, or refused by name.

A key that a program does not know is easily passed over, and then the weights are right and the
model is another. So `read_keys` notes which keys a layout asks for. What is left must stand in
`HARMLESS`, or say nothing: be null, or an empty list or object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.published.layout import Config, refuse_unless

__all__ = ["HARMLESS", "read_keys"]

WHY_HARMLESS = {
    "who wrote the file, with what, and in which numbers it is stored": (
        "_name_or_path _commit_hash _attn_implementation_autoset transformers_version dtype "
        "torch_dtype tokenizer_class architectures model_type name_or_path"
    ),
    "training alone: first values, dropout, memory": (
        "initializer_range init_std attn_pdrop embd_pdrop resid_pdrop attention_dropout "
        "attention_probs_dropout_prob hidden_dropout_prob activation_dropout dropout "
        "classif_dropout classifier_dropout encoder_layerdrop decoder_layerdrop "
        "gradient_checkpointing"
    ),
    "how the same sums are carried out": (
        "use_cache pretraining_tp reorder_and_upcast_attn chunk_size_feed_forward "
        "use_bfloat16 torchscript cache_implementation return_dict return_dict_in_generate "
        "output_attentions "
        "output_hidden_states output_past output_scores"
    ),
    "special tokens, which stand in the tokenizer, too": (
        "bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id cls_token_id "
        "mask_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id"
    ),
    "defaults of a search or a sampler": (
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
    "limits and numbers that no program of today looks at": (
        "max_sequence_length max_window_layers add_bias_logits extra_pos_embeddings"
    ),
}
HARMLESS = frozenset(" ".join(WHY_HARMLESS.values()).split())


class _Asked(Mapping[str, Any]):
    """A config.json that notes which of its keys were asked for."""

    def __init__(self, given: Config) -> None:
        self.given = given
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return self.given[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


def read_keys(given: Config, read: Callable[[Config], TransformerConfig]) -> TransformerConfig:
    """What `read` makes of a config.json, all of whose keys are accounted for.

    Raises:
        ValueError: a key that `read` does not ask for and that may change
            a logit; two keys that contradict each other.

    >>> from plainformer.blocks.published import LAYOUTS
    >>> sizes = {"vocab_size": 9, "n_embd": 8, "n_layer": 1, "n_head": 2, "n_positions": 4}
    >>> read_keys({"model_type": "gpt2", **sizes}, LAYOUTS["gpt2"].read_config).d_ff
    32
    >>> read_keys({**sizes, "use_moe": True}, LAYOUTS["gpt2"].read_config)
    Traceback (most recent call last):
    ValueError: config.json: use_moe is no key that we know, and it may change what is computed
    """
    asked = _Asked(given)
    config = read(asked)
    cross = config.family == "encoder_decoder"
    why = "for there is an encoder" if cross else "for there is one stack"
    refuse_unless(asked, "is_encoder_decoder", (cross,), why)
    for key, value in given.items():
        if key not in asked.asked | HARMLESS and value not in (None, [], {}):
            raise ValueError(
                f"config.json: {key} is no key that we know, and it may change what is computed"
            )
    _refuse_other_family(given)
    return config


def _refuse_other_family(given: Config) -> None:
    """Refuse a model_type that the architecture beside it contradicts."""
    start = str(given.get("model_type", "")).partition("_")[0]  # "gemma3" of "gemma3_text"
    said = given.get("architectures")
    said = [] if said is None else said
    if not isinstance(said, list):
        raise ValueError(f"config.json: architectures must be a list of names; got {said!r}")
    for name in said:
        if not str(name).lower().startswith(start):
            raise ValueError(
                f"config.json: architectures must be of the model_type, {given['model_type']!r}; "
                f"got {name!r}"
            )

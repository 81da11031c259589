"""Small models of transformers with random weights, saved as its users save them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

V = 50

SMALL = {
    "vocab_size": V,
    "hidden_size": 32,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "intermediate_size": 56,
    "max_position_embeddings": 320,
}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
EOS = 3


def configs() -> dict[str, Any]:
    """A configuration of each layout, and of what its members differ in."""
    plain = {"rope_type": "default", "rope_theta": 10000.0}
    ends = {"bos_token_id": 1, "eos_token_id": EOS, "pad_token_id": 0}
    gpt2 = {"vocab_size": V, "n_embd": 32, "n_layer": 3, "n_head": 4, "n_positions": 320, **ends}
    llama = {**SMALL, **ends}
    return {
        "gpt2": transformers.GPT2Config(**gpt2),
        "gpt2 untied": transformers.GPT2Config(
            **gpt2, n_inner=40, activation_function="relu", tie_word_embeddings=False
        ),
        "llama": transformers.LlamaConfig(**llama, rope_parameters=plain),
        "llama 3": transformers.LlamaConfig(
            **llama, num_key_value_heads=2, head_dim=16, rope_parameters=LLAMA3,
            tie_word_embeddings=True,
        ),
        "mistral": transformers.MistralConfig(
            **llama, num_key_value_heads=1, head_dim=8, sliding_window=None, rope_parameters=plain
        ),
        "mistral window": transformers.MistralConfig(
            **llama, num_key_value_heads=1, head_dim=8, sliding_window=9, rope_parameters=plain
        ),
        "qwen2": transformers.Qwen2Config(**llama, num_key_value_heads=2, rope_parameters=plain),
        "qwen3": transformers.Qwen3Config(
            **llama, num_key_value_heads=2, head_dim=16, rope_parameters=plain,
            use_sliding_window=True, sliding_window=9, max_window_layers=1,
        ),
        "gemma2": transformers.Gemma2Config(
            **llama, num_key_value_heads=2, head_dim=16, query_pre_attn_scalar=24,
            sliding_window=9, rope_parameters=plain, attn_implementation="eager",
        ),
        "gemma3": transformers.Gemma3TextConfig(
            **llama, num_key_value_heads=1, head_dim=16, query_pre_attn_scalar=24,
            sliding_window=9, sliding_window_pattern=3,
            tie_word_embeddings=False,  # tied, this random model would repeat one token
        ),
        "bert": transformers.BertConfig(**SMALL),
        "bert untied": transformers.BertConfig(**SMALL, tie_word_embeddings=False),
        "marian": transformers.MarianConfig(
            vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2,
            encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=56,
            decoder_ffn_dim=56, activation_function="swish", scale_embedding=True,
            max_position_embeddings=320, pad_token_id=V - 1, decoder_start_token_id=V - 1,
            eos_token_id=EOS, forced_eos_token_id=None, static_position_embeddings=True,
        ),
    }  # fmt: skip


CAUSAL = ["gpt2", "gpt2 untied", "llama", "llama 3", "mistral", "mistral window", "qwen2", "qwen3",
          "gemma2", "gemma3"]  # fmt: skip
CLASSES = {
    "bert": transformers.BertForMaskedLM,
    "bert untied": transformers.BertForMaskedLM,
    "marian": transformers.MarianMTModel,
}


def write(name: str, folder: Path, **options: Any) -> Any:
    """Save a random model of transformers; its numbers are large enough to make a difference."""
    torch.manual_seed(0)
    kind = CLASSES.get(name, transformers.AutoModelForCausalLM)
    config = configs()[name]
    theirs = kind(config) if name in CLASSES else kind.from_config(config)
    with torch.no_grad():
        for key, parameter in theirs.named_parameters():
            if "embed_positions" not in key:
                parameter.copy_(torch.randn_like(parameter) * (0.3 if parameter.ndim > 1 else 0.5))
        if name == "marian":
            theirs.final_logits_bias.copy_(torch.randn(1, V))
    theirs.eval().save_pretrained(folder, **options)
    return theirs

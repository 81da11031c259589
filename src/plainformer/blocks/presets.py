"""Published models as configurations, by name: what their config.json files say."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from plainformer.blocks.config import TransformerConfig

__all__ = ["PRESETS"]


def _gpt2(d_model: int, n_layers: int, n_heads: int) -> TransformerConfig:
    """Radford et al. 2019, table 2; the heads are 64 wide in all four."""
    return TransformerConfig(
        family="decoder", vocab_size=50257, d_model=d_model, n_layers=n_layers, n_heads=n_heads,
        d_ff=4 * d_model, max_length=1024, activation="gelu_tanh", positions="learned",
    )  # fmt: skip


def _llama(**sizes: Any) -> TransformerConfig:
    """Llama: RMSNorm, SwiGLU, RoPE, no biases, and a head that is not tied."""
    return TransformerConfig(
        family="decoder", d_model=4096, n_layers=32, n_heads=32, norm="rms", norm_eps=1e-5,
        activation="swiglu", positions="rope", position_layout="half", attention_bias=False,
        ff_bias=False, tied=False, **sizes,
    )  # fmt: skip


PRESETS = MappingProxyType(
    {
        "small": TransformerConfig(
            family="decoder", vocab_size=1000, d_model=128, n_layers=4, n_heads=4, d_ff=512,
            max_length=256, positions="learned",
        ),
        "gpt2": _gpt2(768, 12, 12),
        "gpt2-medium": _gpt2(1024, 24, 16),
        "gpt2-large": _gpt2(1280, 36, 20),
        "gpt2-xl": _gpt2(1600, 48, 25),
        "bert-base": TransformerConfig(
            family="encoder", vocab_size=30522, d_model=768, n_layers=12, n_heads=12, d_ff=3072,
            max_length=512, norm_place="post", norm_eps=1e-12, positions="learned",
            n_segments=2, norm_embedding=True, head="transform", head_bias=True,
        ),
        "transformer-base": TransformerConfig(
            family="encoder_decoder", vocab_size=37000, d_model=512, n_layers=6, n_heads=8,
            d_ff=2048, norm_place="post", activation="relu", scale_embedding=True,
            attention_bias=False,
        ),
        "llama-2-7b": _llama(vocab_size=32000, d_ff=11008, max_length=4096),
        "llama-3-8b": _llama(
            vocab_size=128256, d_ff=14336, n_kv_heads=8, max_length=8192, rope_theta=500000.0
        ),
    }
)  # fmt: skip
"""Configurations by name. "small" is this course's own, for a laptop. "transformer-base" is the
base model of Vaswani et al. 2017, whose vocabulary was of about 37,000 tokens."""

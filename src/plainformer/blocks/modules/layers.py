"""One layer of an encoder, and one of a decoder.

A layer consists of two or three *sublayers*, and each of them only adds to the vectors that pass
through: the residual stream. Where the norms are is what distinguishes the paper's transformer from
later ones:

    post      x = norm(x + sublayer(x))           Vaswani et al. 2017; BERT, Marian
    pre       x = x + sublayer(norm(x))           GPT-2, Llama: x itself is never normalised
    sandwich  x = x + norm(sublayer(norm(x)))     Gemma 2 and 3

The layer of a decoder without an encoder (GPT-2, Llama) lacks the middle sublayer, so it has one
attention and not two.
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from plainformer.attention import MultiHeadAttention
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.feed_forward import FeedForward
from plainformer.blocks.modules.norms import new_norm

__all__ = ["DecoderLayer", "EncoderLayer", "Impl"]

Impl = Literal["formula", "sdpa"]
"""How a model computes: by the formulas, or by torch's fused kernels, which are
`scaled_dot_product_attention` and those for norms and activations."""


class Layer(nn.Module):
    """What both kinds of layers share: attention and a feed-forward network, each with its norm."""

    def __init__(
        self,
        config: TransformerConfig,
        *,
        index: int = 0,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        fused, sandwich = impl == "sdpa", config.norm_place == "sandwich"
        self.norm_place = config.norm_place
        self.attention = new_attention(config, impl, rng, index)
        self.norm_1 = new_norm(config, fused)
        self.norm_1_post = new_norm(config, fused) if sandwich else None
        self.feed_forward = FeedForward(
            config.d_model, config.d_ff, activation=config.activation, bias=config.ff_bias,
            fused=fused, rng=rng,
        )  # fmt: skip
        self.norm_2 = new_norm(config, fused)
        self.norm_2_post = new_norm(config, fused) if sandwich else None
        self.dropout = nn.Dropout(config.dropout)

    def add(
        self,
        x: Tensor,
        sublayer: nn.Module,
        norm: nn.Module,
        norm_post: nn.Module | None = None,
        *inputs: Any,
        **options: Any,
    ) -> Tensor:
        """The residual stream after a sublayer, which also receives these
        inputs and options.
        """
        y: Tensor
        if self.norm_place == "post":
            y = norm(x + self.dropout(sublayer(x, *inputs, **options)))
            return y
        y = sublayer(norm(x), *inputs, **options)
        y = x + self.dropout(y if norm_post is None else norm_post(y))
        return y


class EncoderLayer(Layer):
    """Self-attention over the whole text, then the feed-forward network.

    Args:
        config: sizes and choices.
        index: the number of the layer, which matters where layers differ.
        impl: as in `MultiHeadAttention`.
        rng: draws the initial weights; None uses torch's global generator.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def forward(
        self,
        x: Tensor,
        *,
        mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """(B, T, D) to (B, T, D); arguments as in `MultiHeadAttention`."""
        x = self.add(
            x, self.attention, self.norm_1, self.norm_1_post,
            mask=mask, attn_bias=attn_bias, positions=positions,
            fully_masked="zero",
        )  # fmt: skip
        return self.add(x, self.feed_forward, self.norm_2, self.norm_2_post)


class DecoderLayer(Layer):
    """Causal self-attention, cross-attention to a source, then the feed-forward network.

    Args:
        config: sizes and choices. Cross-attention, and its norm `norm_cross`, exist if the family
            is "encoder_decoder".
        index: the number of the layer, which matters where layers differ.
        impl: as in `MultiHeadAttention`.
        rng: draws the initial weights; None uses torch's global generator.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        *,
        index: int = 0,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__(config, index=index, impl=impl, rng=rng)
        self.has_source = config.family == "encoder_decoder"
        if self.has_source:
            fused, sandwich = impl == "sdpa", config.norm_place == "sandwich"
            self.cross_attention = new_attention(config, impl, rng, index)
            self.norm_cross = new_norm(config, fused)
            self.norm_cross_post = new_norm(config, fused) if sandwich else None

    def forward(
        self,
        x: Tensor,
        source: Tensor | tuple[Tensor, Tensor] | None = None,
        *,
        mask: Tensor | None = None,
        source_mask: Tensor | None = None,
        attn_bias: Tensor | None = None,
        cache: Any = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """(B, T, D) to (B, T, D).

        Args:
            x: (B, T, D).
            source: (B, S, D), the encoder's output, or its keys and values
                for this layer as `project_context` returns them. None in a
                decoder without an encoder.
            mask, attn_bias, cache, positions: for self-attention, as in
                `MultiHeadAttention`.
            source_mask: (B, 1, 1, S), False where the source is padding.
        """
        if (source is not None) != self.has_source:
            alone = "None in a decoder without an encoder"
            needed = "given" if self.has_source else alone
            raise ValueError(f"source must be {needed}")
        if source_mask is not None and source is None:
            raise ValueError("source_mask must be None without a source")
        x = self.add(
            x, self.attention, self.norm_1, self.norm_1_post,
            mask=mask, attn_bias=attn_bias, causal=True, cache=cache,
            positions=positions,
            fully_masked="zero",
        )  # fmt: skip
        if source is not None:
            x = self.add(
                x, self.cross_attention, self.norm_cross,
                self.norm_cross_post, source,
                mask=source_mask, fully_masked="zero",
            )  # fmt: skip
        return self.add(x, self.feed_forward, self.norm_2, self.norm_2_post)


def new_attention(
    config: TransformerConfig, impl: Impl, rng: torch.Generator | None, index: int
) -> MultiHeadAttention:
    """The attention of a layer that a configuration describes."""
    return MultiHeadAttention(
        config.d_model, config.n_heads, n_kv_heads=config.n_kv_heads, d_head=config.d_head,
        bias=config.attention_bias, dropout=config.dropout, rope=config.rope(index),
        qk_norm=config.qk_norm, norm_eps=config.norm_eps,
        zero_centered_gamma=config.zero_centered_gamma, scale=config.attention_scale,
        softcap=config.attention_softcap, window=config.windows[index], impl=impl, rng=rng,
    )  # fmt: skip

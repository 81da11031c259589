"""One layer of an encoder, and one of a decoder.

A layer consists of two or three *sublayers*, each of which adds its output to the vectors that pass
through, the residual stream. What distinguishes the paper's transformer from later ones is where
the norms are:

    post      x = norm(x + sublayer(x))           Vaswani et al. 2017; BERT, Marian
    pre       x = x + sublayer(norm(x))           GPT-2, Llama: x itself is never normalised
    sandwich  x = x + norm(sublayer(norm(x)))     Gemma 2 and 3
"""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from plainformer.attention import MultiHeadAttention
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.feed_forward import FeedForward
from plainformer.blocks.modules.norms import new_norm

__all__ = ["DecoderLayer", "EncoderLayer", "Impl", "Layer"]

Impl = Literal["formula", "sdpa"]
"""How a model computes: with the plain formulas, or with torch's fused kernels for attention
(`scaled_dot_product_attention`), norms and activations."""


class Layer(nn.Module):
    """What both kinds of layer have: attention and a feed-forward network, each with its norm."""

    def __init__(
        self,
        config: TransformerConfig,
        *,
        index: int = 0,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.norm_place, fused = config.norm_place, impl == "sdpa"
        self.attention = new_attention(config, index, impl, rng)
        self.norm_1, self.norm_1_post = new_norms(config, fused)
        self.feed_forward = FeedForward(
            config.d_model, config.d_ff, activation=config.activation, bias=config.ff_bias,
            dropout=config.activation_dropout, fused=fused, rng=rng,
        )  # fmt: skip
        self.norm_2, self.norm_2_post = new_norms(config, fused)
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
        """Run a sublayer with these inputs and options, and return the new residual stream."""
        y: Tensor
        if self.norm_place == "post":
            y = norm(x + self.dropout(sublayer(x, *inputs, **options)))
            return y
        y = sublayer(norm(x), *inputs, **options)
        y = x + self.dropout(y if norm_post is None else norm_post(y))
        return y


class EncoderLayer(Layer):
    """Self-attention over the whole text, then the feed-forward network.

    `index` is the number of the layer, which matters if the layers of a model differ. The arguments
    of `forward` are as in `MultiHeadAttention`.

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
        x = self.add(
            x, self.attention, self.norm_1, self.norm_1_post,
            mask=mask, attn_bias=attn_bias, positions=positions,
            fully_masked="zero",
        )  # fmt: skip
        return self.add(x, self.feed_forward, self.norm_2, self.norm_2_post)


class DecoderLayer(Layer):
    """Causal self-attention, cross-attention to a source, then the feed-forward network.

    Cross-attention and its norm, `norm_cross`, exist only in the family "encoder_decoder". `index`
    is the number of the layer, which matters if the layers of a model differ.

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
            self.cross_attention = new_attention(config, index, impl, rng)
            self.norm_cross, self.norm_cross_post = new_norms(config, impl == "sdpa")

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
        """Compute the next residual stream, (B, T, D), from the current one.

        `source` is the encoder's output, (B, S, D), or its keys and values for this layer as
        `project_context` returns them, and `source_mask` is (B, 1, 1, S), False for padding. The
        other arguments are for self-attention, as in `MultiHeadAttention`.
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
    config: TransformerConfig, index: int, impl: Impl, rng: torch.Generator | None
) -> MultiHeadAttention:
    """Build the attention of a layer as its configuration describes it."""
    return MultiHeadAttention(
        config.d_model, config.n_heads, n_kv_heads=config.n_kv_heads, d_head=config.d_head,
        bias=config.attention_bias, dropout=config.dropout, rope=config.rope(index),
        qk_norm=config.qk_norm, norm_eps=config.norm_eps,
        zero_centered_gamma=config.zero_centered_gamma, scale=config.attention_scale,
        softcap=config.attention_softcap, window=config.windows[index], impl=impl, rng=rng,
    )  # fmt: skip


def new_norms(config: TransformerConfig, fused: bool) -> tuple[nn.Module, nn.Module | None]:
    """The norm for a sublayer's input or sum, and with "sandwich" a second one for its output."""
    sandwich = config.norm_place == "sandwich"
    return new_norm(config, fused), new_norm(config, fused) if sandwich else None

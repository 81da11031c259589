"""One layer of an encoder, and one of a decoder.

A layer is two or three *sublayers*, and each only adds to what stands there: the residual stream.
Where the norm stands makes the difference between the paper's transformer and today's:

    post    x = norm(x + sublayer(x))       Vaswani et al. 2017; BERT, Marian
    pre     x = x + sublayer(norm(x))       GPT-2, Llama: the way from x to x is free

The layer of a decoder without an encoder (GPT-2, Llama) is that of a decoder without its middle
sublayer. It has one attention, not two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.attention import MultiHeadAttention
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.feed_forward import FeedForward
from plainformer.blocks.modules.norms import Impl, new_norm

__all__ = ["DecoderLayer", "EncoderLayer"]


class Layer(nn.Module):
    """What both have: attention and a feed-forward network, each with its norm."""

    def __init__(
        self,
        config: TransformerConfig,
        *,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.pre = config.norm_place == "pre"
        self.attention = new_attention(config, impl, rng, rope=config.rope)
        self.norm_1 = new_norm(config.norm, config.d_model, config.norm_eps, impl)
        self.feed_forward = FeedForward(
            config.d_model, config.d_ff, activation=config.activation, bias=config.ff_bias,
            impl=impl, rng=rng,
        )  # fmt: skip
        self.norm_2 = new_norm(config.norm, config.d_model, config.norm_eps, impl)
        self.dropout = nn.Dropout(config.dropout)

    def add(
        self,
        x: Tensor,
        norm: nn.Module,
        sublayer: Callable[[Tensor], Tensor],
    ) -> Tensor:
        """x, and what a sublayer has to add to it."""
        if self.pre:
            y: Tensor = x + self.dropout(sublayer(norm(x)))
        else:
            y = norm(x + self.dropout(sublayer(x)))
        return y


class EncoderLayer(Layer):
    """Self-attention over the whole text, then the feed-forward network.

    Args:
        config: sizes and choices.
        impl: as in `MultiHeadAttention`.
        rng: draws the first values; without it, torch's own generator.

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

        def look_around(y: Tensor) -> Tensor:
            found: Tensor = self.attention(
                y,
                mask=mask,
                attn_bias=attn_bias,
                positions=positions,
                fully_masked="zero",
            )
            return found

        x = self.add(x, self.norm_1, look_around)
        return self.add(x, self.norm_2, self.feed_forward)


class DecoderLayer(Layer):
    """Self-attention to what came before, a look at the source, then the network.

    Args:
        config: sizes and choices. The look at the source, and its norm
            `norm_source`, are there if the family is "encoder_decoder".
        impl: as in `MultiHeadAttention`.
        rng: draws the first values; without it, torch's own generator.

    Source: Vaswani et al. 2017, section 3.1.
    """

    def __init__(
        self,
        config: TransformerConfig,
        *,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__(config, impl=impl, rng=rng)
        self.has_source = config.family == "encoder_decoder"
        if self.has_source:
            self.cross_attention = new_attention(config, impl, rng, rope=None)
            self.norm_source = new_norm(config.norm, config.d_model, config.norm_eps, impl)

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
            source: (B, S, D), what the encoder made; or its keys and
                values for this layer, as `project_context` gives them.
                None in a decoder without an encoder.
            mask, attn_bias, cache, positions: of the self-attention, as
                in `MultiHeadAttention`.
            source_mask: (B, 1, 1, S), True where the source is not padding.
        """
        self.check_source(source, source_mask)

        def look_back(y: Tensor) -> Tensor:
            found: Tensor = self.attention(
                y, mask=mask, attn_bias=attn_bias, causal=True,
                cache=cache, positions=positions, fully_masked="zero",
            )  # fmt: skip
            return found

        def look_at_source(y: Tensor) -> Tensor:
            found: Tensor = self.cross_attention(
                y, source, mask=source_mask, fully_masked="zero"
            )  # fmt: skip
            return found

        x = self.add(x, self.norm_1, look_back)
        if source is not None:
            x = self.add(x, self.norm_source, look_at_source)
        return self.add(x, self.norm_2, self.feed_forward)

    def check_source(self, source: object, source_mask: object) -> None:
        """A source is given where there is cross-attention, and a mask only with a source."""
        if (source is not None) != self.has_source:
            alone = "None in a decoder without an encoder"
            raise ValueError(f"source must be {'given' if self.has_source else alone}")
        if source_mask is not None and source is None:
            raise ValueError("source_mask must be None without a source")


def new_attention(
    config: TransformerConfig,
    impl: Impl,
    rng: torch.Generator | None,
    *,
    rope: dict[str, Any] | None,
) -> MultiHeadAttention:
    """The attention that a configuration describes."""
    return MultiHeadAttention(
        config.d_model, config.n_heads, n_kv_heads=config.n_kv_heads, d_head=config.d_head,
        bias=config.attention_bias, dropout=config.dropout, rope=rope, impl=impl, rng=rng,
    )  # fmt: skip

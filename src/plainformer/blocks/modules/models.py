"""The three families of transformers, each with a forward pass that fits on one screen.

    DecoderOnly       GPT-2, Llama: predicts the next token from the tokens before it
    EncoderOnly       BERT: predicts each token from the tokens on both sides
    EncoderDecoder    Marian: reads a source and generates another text from it

A `DecoderOnly` is a `CausalModel`, and an `EncoderDecoder` becomes one when it is bound to its
sources, so greedy search, beam search and samplers work with both.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from plainformer.attention import ModelCache, left_padding_mask
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.embedding import Head, new_embedding
from plainformer.blocks.modules.layers import DecoderLayer, EncoderLayer, Impl
from plainformer.blocks.modules.norms import new_norm
from plainformer.inputs import alibi_bias

__all__ = ["BoundDecoder", "DecoderOnly", "EncoderDecoder", "EncoderOnly"]


class Transformer(nn.Module):
    """The parts of every family: embedding, layers, final norm (except with post-norm) and head."""

    family: str
    layer: type[DecoderLayer | EncoderLayer]

    def __init__(
        self,
        config: TransformerConfig,
        *,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        if config.family != self.family:
            raise ValueError(f"config must be of the family {self.family!r}; got {config.family!r}")
        self.config = config
        self.embedding = new_embedding(config, impl == "sdpa", rng)
        self.layers = nn.ModuleList(
            self.layer(config, index=i, impl=impl, rng=rng) for i in range(config.n_layers)
        )
        self.norm = final_norm(config, impl)
        self.head = Head(config, self.embedding.tokens, impl == "sdpa", rng)
        if config.family == "encoder_decoder":  # `layers` and `norm` are the encoder's
            self.decoder_layers = nn.ModuleList(
                DecoderLayer(config, index=i, impl=impl, rng=rng) for i in range(config.n_layers)
            )
            self.decoder_norm = final_norm(config, impl)


class DecoderOnly(Transformer):
    """A language model, which predicts the next token from the tokens before it.

    Args:
        config: sizes and choices; its family is "decoder".
        impl: "formula", or "sdpa" for torch's fused kernels.
        rng: draws the initial weights; None uses torch's global generator.

    Source: Radford et al. 2018 (GPT), section 3.1.

    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> model = DecoderOnly(config)
    >>> model(torch.tensor([[1, 2, 3]])).shape
    torch.Size([1, 3, 9])
    """

    family, layer = "decoder", DecoderLayer

    def forward(
        self,
        ids: Tensor,
        *,
        cache: ModelCache | None = None,
        positions: Tensor | None = None,
    ) -> Tensor:
        """From (B, T) ids to the logits of each next token, (B, T, V).

        Args:
            ids: (B, T). With a cache, only the tokens that it does not hold yet.
            cache: from `new_cache`. The new tokens are added to it.
            positions: (B, T), the positions of the tokens in their texts, below 0 for padding on
                the left. None means consecutive tokens without padding.
        """
        offset = 0 if cache is None else cache.length
        # (B, T, D)
        x = self.embedding(ids, offset=offset, positions=positions)
        mask = attn_bias = None
        if positions is not None:
            mask = left_padding_mask(positions, offset=offset)
        if self.config.positions == "alibi":
            H, T = self.config.n_heads, ids.shape[1]
            attn_bias = alibi_bias(H, T, offset + T, like=x)
        caches = [None] * len(self.layers) if cache is None else cache
        rotary = positions if self.config.positions == "rope" else None
        for layer, layer_cache in zip(self.layers, caches, strict=True):
            x = layer(
                x, mask=mask, attn_bias=attn_bias, cache=layer_cache,
                positions=rotary,
            )  # fmt: skip
        logits: Tensor = self.head(self.norm(x))
        return logits

    def new_cache(self, batch: int, max_length: int | None = None) -> ModelCache:
        """An empty cache for B texts of up to `max_length` tokens."""
        return ModelCache(new_caches(self.layers, batch, max_length))


class Encoder(Transformer):
    """The code shared by the two families that read a whole text at once."""

    layer = EncoderLayer

    def encode(
        self,
        ids: Tensor,
        *,
        mask: Tensor | None = None,
        segments: Tensor | None = None,
    ) -> Tensor:
        """Turn (B, T) ids into (B, T, D), a vector for each token in its context.

        `mask` is boolean, (B, T), and False for padding; None means that there is no padding.
        `segments` is (B, T) as well.
        """
        keys = None
        if mask is not None:
            if not isinstance(mask, Tensor):
                what = type(mask).__name__
                raise TypeError(f"mask must be a torch tensor; got {what}")
            if mask.shape != ids.shape:
                wanted, got = tuple(ids.shape), tuple(mask.shape)
                needed = f"{wanted}, like the ids"
                raise ValueError(f"mask must be {needed}; got {got}")
            keys = mask[:, None, None, :]  # (B, 1, 1, T)
        x = self.embedding(ids, segments)
        for layer in self.layers:
            x = layer(x, mask=keys)
        y: Tensor = self.norm(x)
        return y


class EncoderOnly(Encoder):
    """An encoder with a head, which predicts each token from the tokens on both sides.

    The arguments are those of `DecoderOnly`, with a configuration of the family "encoder". `encode`
    returns the vectors from which the head computes logits, (B, T, D).

    Source: Devlin et al. 2019 (BERT), section 3.
    """

    family = "encoder"

    def forward(
        self, ids: Tensor, *, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """From (B, T) ids to the logits of the token at each position, (B, T, V)."""
        logits: Tensor = self.head(self.encode(ids, mask=mask, segments=segments))
        return logits


class EncoderDecoder(Encoder):
    """A model such as a translator: an encoder reads the source, and a decoder writes the target.

    The arguments are those of `DecoderOnly`, with a configuration of the family "encoder_decoder".
    Both stacks share one token embedding.

    Source: Vaswani et al. 2017, figure 1.
    """

    family = "encoder_decoder"

    def forward(
        self, source_ids: Tensor, ids: Tensor, *, source_mask: Tensor | None = None
    ) -> Tensor:
        """From (B, S) source ids and (B, T) target ids to the logits of each next target token.

        `ids` includes the start token, and `source_mask` is (B, S), False for padding.
        """
        logits: Tensor = self.bind(source_ids, source_mask=source_mask)(ids)
        return logits

    def bind(
        self,
        source_ids: Tensor,
        *,
        source_mask: Tensor | None = None,
    ) -> BoundDecoder:
        """The decoder together with these sources, as a `CausalModel`."""
        source = self.encode(source_ids, mask=source_mask)
        return BoundDecoder(self, source, source_mask)


class BoundDecoder(nn.Module):
    """The decoder of an `EncoderDecoder` together with its sources, as a `CausalModel`.

    `source` is the output of the encoder. Each layer projects it to keys and values only once,
    however long the target becomes, and `sources` contains the results.
    """

    def __init__(self, model: EncoderDecoder, source: Tensor, source_mask: Tensor | None) -> None:
        super().__init__()
        self.model = model
        layers: Any = model.decoder_layers
        self.sources = [layer.cross_attention.project_context(source) for layer in layers]
        self.source_mask = None if source_mask is None else source_mask[:, None, None, :]

    def forward(
        self, ids: Tensor, *, cache: BoundCache | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """From (B, T) target ids to (B, T, V) logits of each next token, as in `DecoderOnly`."""
        if cache is not None and getattr(cache, "decoder", None) is not self:
            raise ValueError("cache must come from this decoder's new_cache")
        model, offset = self.model, 0 if cache is None else cache.length
        x = model.embedding(ids, offset=offset, positions=positions)
        mask = None if positions is None else left_padding_mask(positions, offset=offset)
        held = self if cache is None else cache
        caches = [None] * len(model.decoder_layers) if cache is None else cache
        for layer, source, layer_cache in zip(
            model.decoder_layers, held.sources, caches, strict=True
        ):
            x = layer(x, source, mask=mask, source_mask=held.source_mask, cache=layer_cache)
        logits: Tensor = model.head(model.decoder_norm(x))
        return logits

    def new_cache(self, batch: int, max_length: int | None = None) -> BoundCache:
        """An empty cache for B texts, one per source."""
        B = self.sources[0][0].shape[0]
        if batch != B:
            raise ValueError(f"batch must be {B}, the number of sources; got {batch}")
        return BoundCache(self, new_caches(self.model.decoder_layers, batch, max_length))


class BoundCache(ModelCache):
    """A cache of the target, in which selecting texts also selects their sources."""

    def __init__(self, decoder: BoundDecoder, layers: list[Any]) -> None:
        super().__init__(layers)
        self.decoder, self.sources = decoder, decoder.sources
        self.source_mask = decoder.source_mask

    def select(self, rows: Any) -> None:
        """Keep only these rows of the texts and sources, in this order; see `KVCache.select`."""
        super().select(rows)
        # As int64, because torch would treat uint8 indices as a mask.
        rows = torch.as_tensor(rows, dtype=torch.int64, device=self.sources[0][0].device)
        self.sources = [(k[rows], v[rows]) for k, v in self.sources]
        self.source_mask = None if self.source_mask is None else self.source_mask[rows]


def final_norm(config: TransformerConfig, impl: Impl) -> nn.Module:
    """The norm after the last layer, unless each layer already ends with one ("post")."""
    return nn.Identity() if config.norm_place == "post" else new_norm(config, impl == "sdpa")


def new_caches(layers: Any, batch: int, max_length: int | None) -> list[Any]:
    """An empty cache for each layer's self-attention."""
    return [layer.attention.new_cache(batch, max_length) for layer in layers]

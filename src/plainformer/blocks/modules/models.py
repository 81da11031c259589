"""The three families of transformers, each with a forward pass that fits on one screen.

    DecoderOnly       GPT-2, Llama: predicts the next token from the tokens before it
    EncoderOnly       BERT: predicts each token from the tokens on both sides
    EncoderDecoder    Marian: reads a source and generates another text from it

All are built from a `TransformerConfig`. A `DecoderOnly` is a `CausalModel`, and an
`EncoderDecoder` becomes one when it is bound to its sources, so greedy search, beam search and
samplers work with both.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.attention import ModelCache, left_padding_mask
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.embedding import Embedding, check_ids
from plainformer.blocks.modules.head import Head
from plainformer.blocks.modules.layers import DecoderLayer, EncoderLayer, Impl
from plainformer.blocks.modules.norms import new_norm
from plainformer.inputs import alibi_bias

__all__ = ["BoundDecoder", "DecoderOnly", "EncoderDecoder", "EncoderOnly"]


class _Transformer(nn.Module):
    """What all families share: embedding, layers, a final norm unless it is post-norm, head."""

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
        self.embedding = Embedding(config, impl == "sdpa", rng)
        self.layers = nn.ModuleList(
            self.layer(config, index=i, impl=impl, rng=rng) for i in range(config.n_layers)
        )
        self.norm = final_norm(config, impl)
        self.head = Head(config, self.embedding.tokens, impl == "sdpa", rng)


class DecoderOnly(_Transformer):
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
            ids: (B, T). With a cache, only the tokens that it does not hold
                yet.
            cache: from `new_cache`. The new tokens are added to it.
            positions: (B, T), the positions of the tokens in their texts,
                below 0 for padding on the left. None means consecutive
                tokens without padding.

        Raises:
            TypeError, ValueError: ids or positions outside the tables, or a
                text longer than `max_length`.
        """
        offset = 0 if cache is None else cache.length
        indices = token_positions(self.config, ids, positions, offset)
        x = self.embedding(ids, indices)  # (B, T, D)
        mask = attn_bias = None
        if positions is not None:
            mask = left_padding_mask(positions, offset=offset)
        if self.config.positions == "alibi":
            attn_bias = alibi(self.config, x, offset)
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
        return new_layer_caches(self.layers, batch, max_length)


class EncoderOnly(_Transformer):
    """An encoder with a head, which predicts each token from the tokens on both sides.

    Args:
        config: sizes and choices; its family is "encoder".
        impl, rng: as in `DecoderOnly`.

    Source: Devlin et al. 2019 (BERT), section 3.
    """

    family, layer = "encoder", EncoderLayer

    def encode(
        self, ids: Tensor, *, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """From (B, T) ids to (B, T, D), a vector for each token in its context.

        Args:
            ids: (B, T).
            mask: (B, T), boolean, False for padding. None means that there is no padding.
            segments: (B, T), the segment that each token belongs to.
        """
        return encode(self, ids, mask, segments)

    def forward(
        self, ids: Tensor, *, mask: Tensor | None = None, segments: Tensor | None = None
    ) -> Tensor:
        """From (B, T) ids to the logits of the token at each position, (B, T, V)."""
        logits: Tensor = self.head(self.encode(ids, mask=mask, segments=segments))
        return logits


class EncoderDecoder(_Transformer):
    """A model such as a translator: an encoder reads the source, and a decoder writes the target.

    Args:
        config: sizes and choices; its family is "encoder_decoder". Both stacks share one token
            embedding.
        impl, rng: as in `DecoderOnly`.

    Source: Vaswani et al. 2017, figure 1.
    """

    family, layer = "encoder_decoder", EncoderLayer

    def __init__(
        self,
        config: TransformerConfig,
        *,
        impl: Impl = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__(config, impl=impl, rng=rng)
        self.decoder_layers = nn.ModuleList(
            DecoderLayer(config, index=i, impl=impl, rng=rng) for i in range(config.n_layers)
        )
        self.decoder_norm = final_norm(config, impl)

    def encode(self, source_ids: Tensor, *, source_mask: Tensor | None = None) -> Tensor:
        """From (B, S) source ids to the encoder's output, (B, S, D)."""
        return encode(self, source_ids, source_mask, None)

    def forward(
        self, source_ids: Tensor, ids: Tensor, *, source_mask: Tensor | None = None
    ) -> Tensor:
        """From (B, S) source ids and (B, T) target ids to the logits of each next target token.

        Args:
            source_ids: (B, S), the source text.
            ids: (B, T), the target text from its first token on.
            source_mask: (B, S), boolean, False for padding.
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
        source = self.encode(source_ids, source_mask=source_mask)
        return BoundDecoder(self, source, source_mask)


_numbers = count()  # a number for each bound decoder, so that a cache knows which one it belongs to


class BoundDecoder(nn.Module):
    """The decoder of an `EncoderDecoder` together with its sources, as a `CausalModel`.

    The sources are encoded once, and each layer projects their keys and values once, however long
    the target becomes.

    Args:
        model: the whole model.
        source: (B, S, D), the output of its encoder.
        source_mask: (B, S), boolean, False for padding.
    """

    def __init__(self, model: EncoderDecoder, source: Tensor, source_mask: Tensor | None) -> None:
        super().__init__()
        self.model, self.number = model, next(_numbers)
        layers: Any = model.decoder_layers
        self.sources = SourceCache(
            [layer.cross_attention.project_context(source) for layer in layers],
            None if source_mask is None else source_mask[:, None, None, :],  # (B, 1, 1, S)
        )

    def forward(
        self, ids: Tensor, *, cache: BoundCache | None = None, positions: Tensor | None = None
    ) -> Tensor:
        """From (B, T) target ids to (B, T, V) logits of each next token, as in `DecoderOnly`."""
        model = self.model
        if cache is not None and not isinstance(cache, BoundCache):
            raise TypeError(
                f"cache must come from a bound decoder's new_cache; got {type(cache).__name__}"
            )
        if cache is not None and cache.number != self.number:
            raise ValueError(
                "cache must come from this decoder's new_cache; got one for other sources"
            )
        offset = 0 if cache is None else cache.length
        x = model.embedding(ids, token_positions(model.config, ids, positions, offset))
        mask = None if positions is None else left_padding_mask(positions, offset=offset)
        sources = self.sources if cache is None else cache.sources
        caches = [None] * len(model.decoder_layers) if cache is None else cache
        for layer, source, layer_cache in zip(
            model.decoder_layers, sources.kv, caches, strict=True
        ):
            x = layer(x, source, mask=mask, source_mask=sources.mask, cache=layer_cache)
        logits: Tensor = model.head(model.decoder_norm(x))
        return logits

    def new_cache(self, batch: int, max_length: int | None = None) -> BoundCache:
        """An empty cache for B texts, one per source."""
        B = self.sources.kv[0][0].shape[0]
        if batch != B:
            raise ValueError(f"batch must be {B}, the number of sources; got {batch}")
        layers = new_layer_caches(self.model.decoder_layers, batch, max_length)
        return BoundCache(layers, SourceCache(self.sources.kv, self.sources.mask), self.number)


class SourceCache:
    """The keys and values of the sources for each layer, and a mask of their padding."""

    def __init__(self, kv: list[tuple[Tensor, Tensor]], mask: Tensor | None) -> None:
        self.kv, self.mask = kv, mask

    def select(self, rows: Any) -> None:
        """Keep the sources with these numbers, in this order; a number may be repeated."""
        # As int64, because torch takes uint8 for a mask.
        rows = torch.as_tensor(rows, dtype=torch.int64, device=self.kv[0][0].device)
        self.kv = [(k[rows], v[rows]) for k, v in self.kv]
        self.mask = None if self.mask is None else self.mask[rows]


class BoundCache(ModelCache):
    """A cache of the target, which selects rows of the sources together with its own."""

    def __init__(self, layers: ModelCache, sources: SourceCache, number: int) -> None:
        super().__init__(list(layers))
        self.sources, self.number = sources, number

    def select(self, rows: Any) -> None:
        """Keep these texts and their sources, in this order; a number may be repeated."""
        super().select(rows)
        self.sources.select(rows)


# Shared by the families


def encode(
    model: EncoderOnly | EncoderDecoder,
    ids: Tensor,
    mask: Tensor | None,
    segments: Tensor | None,
) -> Tensor:
    """Run a stack of encoder layers on (B, T) ids and return (B, T, D)."""
    positions = token_positions(model.config, ids, None, 0)
    check_mask(mask, ids)
    keys = None if mask is None else mask[:, None, None, :]  # (B, 1, 1, T)
    x = model.embedding(ids, positions, segments)
    for layer in model.layers:
        x = layer(x, mask=keys)
    y: Tensor = model.norm(x)
    return y


def check_mask(mask: object, ids: Tensor) -> None:
    """Check that a padding mask has an entry for each token."""
    if mask is None:
        return
    if not isinstance(mask, Tensor):
        raise TypeError(f"mask must be a torch tensor; got {type(mask).__name__}")
    if mask.shape != ids.shape:
        wanted, got = tuple(ids.shape), tuple(mask.shape)
        raise ValueError(f"mask must be {wanted}, like the ids; got {got}")


def token_positions(
    config: TransformerConfig, ids: Tensor, positions: Tensor | None, offset: int
) -> Tensor:
    """The positions of the new tokens, (T,) or (B, T), if the model has room for them."""
    if not isinstance(ids, Tensor) or ids.ndim != 2:
        got = tuple(ids.shape) if isinstance(ids, Tensor) else type(ids).__name__
        raise ValueError(f"ids must be a torch tensor (B, T); got {got}")
    end = offset + ids.shape[1]
    if config.max_length is not None and end > config.max_length:
        raise ValueError(f"a text must have at most {config.max_length} tokens; got {end}")
    if positions is None:
        return torch.arange(offset, end, device=ids.device)
    return check_ids(positions, end, "positions")


def alibi(config: TransformerConfig, x: Tensor, offset: int) -> Tensor:
    """The bias that ALiBi adds to the scores of the last T tokens, (H, T, offset + T)."""
    T = x.shape[1]
    bias: Tensor = alibi_bias(config.n_heads, T, offset + T, like=x)
    return bias


def final_norm(config: TransformerConfig, impl: Impl) -> nn.Module:
    """The norm after the last layer, unless the layers end with a norm already ("post")."""
    return nn.Identity() if config.norm_place == "post" else new_norm(config, impl == "sdpa")


def new_layer_caches(layers: Any, batch: int, max_length: int | None) -> ModelCache:
    """An empty cache for each layer's self-attention."""
    return ModelCache([layer.attention.new_cache(batch, max_length) for layer in layers])

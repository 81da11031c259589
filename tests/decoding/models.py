"""Models for the tests of decoding: what a reader would write who has never seen its code.

A GPT from the course's own layers, with and without a cache; transformers' GPT-2 behind a few
lines; a model in NumPy; an encoder-decoder that is bound to its source. All compute in float64, so
that what is the same to 1e-12 picks the same tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import transformers
from torch import Tensor, nn

from plainformer.attention import (
    KVCache,
    ModelCache,
    MultiHeadAttention,
    attention,
    left_padding_mask,
)
from plainformer.inputs import LearnedPositions

V, EOS, D, H = 24, 7, 16, 2


class Block(nn.Module):
    def __init__(self, rng: torch.Generator) -> None:
        super().__init__()
        self.attend = MultiHeadAttention(D, H, n_kv_heads=1, rng=rng)
        self.norm = nn.LayerNorm(D)

    def forward(self, x: Tensor, cache: KVCache | None, mask: Tensor | None) -> Tensor:
        found = self.attend(self.norm(x), causal=True, cache=cache, mask=mask, fully_masked="zero")
        assert isinstance(found, Tensor)
        return x + found


class GPT(nn.Module):
    """A `CausalModel`: two blocks of attention, learned positions, a cache."""

    def __init__(self, seed: int = 0, max_length: int = 64) -> None:
        super().__init__()
        rng = torch.Generator().manual_seed(seed)
        self.tokens = nn.Parameter(torch.randn(V, D, generator=rng))
        self.positions = LearnedPositions(max_length, D, rng=rng)
        self.blocks = nn.ModuleList(Block(rng) for _ in range(2))
        self.head = nn.Parameter(torch.randn(D, V, generator=rng) / 2)
        self.asked: list[tuple[int, ...]] = []  # the shapes of what it was given
        self.double().eval()

    def forward(
        self, ids: Tensor, *, cache: ModelCache | None = None, positions: Tensor | None = None
    ) -> Tensor:
        self.asked.append(tuple(ids.shape))
        offset, mask = 0 if cache is None else cache.length, None
        if positions is None:
            places = self.positions(ids.shape[1], offset=offset)
        else:
            places = self.positions(positions.clamp(min=0))
            mask = left_padding_mask(positions, offset=offset)
        x = self.tokens[ids] + places  # (B, T, D)
        layers = [None] * len(self.blocks) if cache is None else cache
        for block, layer in zip(self.blocks, layers, strict=True):
            x = block(x, layer, mask)
        logits: Tensor = x @ self.head  # (B, T, V)
        return logits

    def new_cache(self, batch: int, max_length: int | None) -> ModelCache:
        return ModelCache([block.attend.new_cache(batch, max_length) for block in self.blocks])


class Uncached(nn.Module):
    """The same network as an nn.Module that knows nothing of caches or positions."""

    def __init__(self, gpt: GPT) -> None:
        super().__init__()
        self.gpt = gpt

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.gpt(ids)
        return logits


class HF(nn.Module):
    """A causal model of transformers as a `CausalModel`."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, *, cache: Any = None, positions: Any = None) -> Tensor:
        more = {}
        if positions is not None:
            offset = 0 if cache is None else cache.length
            more["attention_mask"] = left_padding_mask(positions, offset=offset)[:, 0, 0].long()
            more["position_ids"] = positions.clamp(min=0)
        theirs = None if cache is None else cache.theirs
        output = self.network(ids, past_key_values=theirs, use_cache=cache is not None, **more)
        logits: Tensor = output.logits
        return logits

    def new_cache(self, batch: int, max_length: int | None) -> HFCache:
        return HFCache(transformers.DynamicCache())


class HFCache:
    def __init__(self, theirs: Any) -> None:
        self.theirs = theirs

    @property
    def length(self) -> int:
        return int(self.theirs.get_seq_length())

    def rewind(self, length: int) -> None:
        self.theirs.crop(length - self.length)  # by so many

    def select(self, rows: Any) -> None:
        self.theirs.batch_select_indices(torch.as_tensor(rows))


def gpt2(seed: int = 2) -> HF:
    torch.manual_seed(seed)
    config = transformers.GPT2Config(
        vocab_size=V,
        n_positions=64,
        n_embd=D,
        n_layer=2,
        n_head=H,
        initializer_range=0.6,
        bos_token_id=EOS,
        eos_token_id=EOS,
    )
    return HF(transformers.GPT2LMHeadModel(config).double().eval())


class NumPyModel:
    """A `CausalModel`: one layer of attention in NumPy, with a `KVCache`."""

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.tokens, self.q, self.k, self.v = rng.standard_normal((4, V, D))
        self.head = rng.standard_normal((D, V))

    def __call__(
        self, ids: Any, *, cache: KVCache | None = None, positions: Any = None
    ) -> np.ndarray:
        assert isinstance(ids, np.ndarray)
        T, offset = ids.shape[1], 0 if cache is None else cache.length
        k, v = self.k[ids][:, None], self.v[ids][:, None]  # (B, 1, T, D)
        if cache is not None:
            k, v = cache.append(k, v)
        columns = np.arange(offset + T)
        mask = columns <= columns[offset:, None]  # (T, S)
        if positions is not None:  # padding looks at itself, which nobody sees
            itself = columns == columns[offset:, None]
            mask = mask & left_padding_mask(positions, offset=offset) | itself
        found, _ = attention(self.q[ids][:, None], k, v, mask=mask)
        return np.asarray((self.tokens[ids] + found[:, 0]) @ self.head)

    def new_cache(self, batch: int, max_length: int | None) -> KVCache:
        return KVCache(batch, 1, max_length, D)


class Translator:
    """An encoder-decoder's decoder, in NumPy: each token looks at the source, and at the last two.

    `bind` makes a `CausalModel` of it, which knows the source of every row.
    """

    def __init__(self, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.tokens, self.keys, self.values = rng.standard_normal((3, V, D))
        self.head = rng.standard_normal((D, V))

    def __call__(self, ids: Any, sources: Any) -> np.ndarray:
        """(B, T) ids and (B, S) source ids, to (B, T, V) logits."""
        found, _ = attention(self.tokens[ids], self.keys[sources], self.values[sources])
        return np.asarray((self.tokens[ids] + found) @ self.head)

    def bind(self, sources: Any) -> Bound:
        return Bound(self, np.asarray(sources))


class Bound:
    """A `CausalModel`: a translator and the sources of a batch, whose cache holds them, too."""

    def __init__(self, translator: Translator, sources: Any) -> None:
        self.translator, self.sources = translator, sources

    def __call__(self, ids: Any, *, cache: Any = None, positions: Any = None) -> np.ndarray:
        sources = self.sources if cache is None else cache.sources
        if cache is not None:
            cache.length += ids.shape[1]
        return self.translator(ids, sources)

    def new_cache(self, batch: int, max_length: int | None) -> BoundCache:
        assert batch == len(self.sources)
        return BoundCache(self.sources)


class BoundCache:
    """The source's rows go where the target's rows go."""

    def __init__(self, sources: Any) -> None:
        self.sources, self.length = sources, 0

    def rewind(self, length: int) -> None:
        self.length = length

    def select(self, rows: Any) -> None:
        self.sources = self.sources[rows]

"""`MultiHeadAttention`, the layer: the formula with parameters, and all that a model asks of it.

One class serves the three uses. Without a context, tokens look at one another (self-attention);
with `causal=True`, none sees a later one; with a context, the tokens of one text look at those of
another (cross-attention).

Two ways lead to one result. `impl="formula"` runs the functions of `heads.py` and `grouped.py`,
writes all weights out and can show them. `impl="sdpa"` hands the same queries, keys and values to
torch's fused kernel (`efficient/modules.py`), which never holds all weights at once. A kernel that
gets its mask upside down still runs, so the tests compare the two on every combination of masks.

*A query that may look at no key* is an error that names it, both ways. A batch that is padded on
the left and causal has such queries, those of the padding: there `empty="zero"` lets them find
nothing, and the other tokens do not notice.

But: K is always D / H. A context has neither a cache nor rotary positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import as_array, beside, check_number, check_size
from plainformer.attention.efficient import KVCache
from plainformer.attention.efficient.modules import fused_attention, with_causal
from plainformer.attention.masking import as_mask
from plainformer.attention.multi_head.grouped import (
    check_stretches,
    for_all_heads,
    grouped_query_attention,
    weigh_values,
)
from plainformer.attention.multi_head.heads import check_head_counts, merge_heads, split_heads
from plainformer.attention.softmax import Empty, check_empty
from plainformer.inputs.relative_positions import apply_rope, rope_angles
from plainformer.inputs.relative_positions.rope import split_pairs

__all__ = ["MultiHeadAttention"]


class MultiHeadAttention(nn.Module):
    """Multi-head attention with parameters: self, causal or cross.

    Args:
        d_model: the width D of a token.
        n_heads: the number H of heads; it divides D.
        n_kv_heads: the number G of heads of keys and values; it divides
            H. None means H; 1 is multi-query attention.
        bias: whether the four projections have biases.
        dropout: the share of weights set to 0 in training; the rest are
            multiplied by 1 / (1 - dropout).
        rope: turn queries and keys by their positions: the options of
            `apply_rope`, such as {"base": 10000.0, "layout": "half"}; {}
            for its defaults. None: do not.
        impl: "formula", or "sdpa" for torch's fused kernel.
        rng: draws the first values; without it, torch's own generator.

    Its parameters are four nn.Linear: `w_q` (H · K, D), `w_k` and `w_v`
    (G · K, D), `w_o` (D, H · K), each the transpose of the formula's.
    Weights are drawn as Glorot and Bengio 2010 do (equation 16), biases
    are 0.

    Raises:
        TypeError, ValueError: numbers that do not fit; unknown options.

    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 (GQA).

    >>> layer = MultiHeadAttention(d_model=8, n_heads=2)
    >>> x, context = torch.ones(1, 6, 8), torch.ones(1, 4, 8)
    >>> layer(x, causal=True).shape, layer(x, context).shape
    (torch.Size([1, 6, 8]), torch.Size([1, 6, 8]))
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        *,
        n_kv_heads: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        rope: Mapping[str, Any] | None = None,
        impl: Literal["formula", "sdpa"] = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.d_model, self.n_heads, self.n_kv_heads = _check_sizes(d_model, n_heads, n_kv_heads)
        self.d_head = self.d_model // self.n_heads
        self.rope = _check_rope(rope, self.d_head)
        self.dropout, self.impl = _check_options(dropout, impl)
        queries, keys = self.n_heads * self.d_head, self.n_kv_heads * self.d_head
        self.w_q = _new_linear(d_model, queries, bias, rng)
        self.w_k = _new_linear(d_model, keys, bias, rng)
        self.w_v = _new_linear(d_model, keys, bias, rng)
        self.w_o = _new_linear(queries, d_model, bias, rng)

    def forward(
        self,
        x: Tensor,
        context: Tensor | None = None,
        *,
        mask: Any = None,
        score_bias: Any = None,
        causal: bool = False,
        cache: KVCache | None = None,
        empty: Empty = "error",
        return_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """What every token of x finds, in x itself or in a context.

        Args:
            x: (B, T, D), or (T, D).
            context: (B, S, D), what x looks at; None means x itself.
            mask: boolean, True where attention is allowed. (T, S), or
                with B as the leading axis: (B, 1, S), (B, T, S), the
                same for all heads; or (B, H, T, S). With a cache, S
                counts the tokens in it too.
            score_bias: numbers added to the scaled scores, (B, H, T, S)
                or what broadcasts to it, as ALiBi's (H, T, S).
            causal: no token sees a later one; with a mask, both hold.
            cache: keys and values of the tokens before x, to which
                those of x are added; `causal` must be True. If the call
                fails, the cache stays as it was.
            empty: what becomes of a query that may look at no key:
                "error", or "zero", as if all its weights were 0.
            return_weights: return the weights too. They exist in the
                formula only, so "sdpa" takes that way too, this once.

        Returns:
            (B, T, D); with return_weights also (B, H, T, S), the weights
            before dropout.

        Raises:
            TypeError, ValueError: shapes, dtypes or options that do not
                fit; no more room in the cache; an empty row.
        """
        self._check(x, context, causal, cache, empty)
        with _as_it_was_on_error(cache):
            q, k, v = self.project(x, context, cache)
            heads, weights = self._attend(
                q, k, v, mask, score_bias, causal, empty, return_weights
            )  # (B, H, T, K), (B, H, T, S)
            output: Tensor = self.w_o(merge_heads(heads))  # (B, T, D)
        return output if weights is None else (output, weights)

    def project(
        self,
        x: Tensor,
        context: Tensor | None = None,
        cache: KVCache | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The queries of x; keys and values of what it looks at.

        Args:
            x, context, cache: as in `forward`.

        Returns:
            q: (B, H, T, K).
            k, v: (B, G, S, K). With a cache they are added to it,
                and are all that it holds then.
        """
        source = x if context is None else context
        offset = 0 if cache is None else cache.length
        q = split_heads(self.w_q(x), self.n_heads)  # (B, H, T, K)
        k = split_heads(self.w_k(source), self.n_kv_heads)  # (B, G, S, K)
        v = split_heads(self.w_v(source), self.n_kv_heads)  # (B, G, S, K)
        if self.rope is not None:
            # Both at once: for one token, as in decoding, the
            # call costs more than its work.
            both = torch.cat([q, k], dim=-3)  # (B, H + G, T, K)
            both = apply_rope(both, offset=offset, **self.rope)
            q = both[..., : self.n_heads, :, :]
            k = both[..., self.n_heads :, :, :]
        return (q, k, v) if cache is None else (q, *cache.append(k, v))

    def new_cache(self, batch: int, max_length: int) -> KVCache:
        """An empty cache for this layer: of its heads, dtype and device.

        Args:
            batch: the number B of sequences.
            max_length: how many tokens there is room for.

        >>> layer = MultiHeadAttention(d_model=8, n_heads=4, n_kv_heads=2)
        >>> layer.new_cache(batch=1, max_length=16)
        KVCache(batch=1, n_kv_heads=2, max_length=16, d_head=2, length=0)
        """
        sizes = (batch, self.n_kv_heads, max_length, self.d_head)
        return KVCache(*sizes, like=self.w_k.weight)

    @classmethod
    def from_torch(
        cls,
        theirs: nn.MultiheadAttention,
        *,
        impl: Literal["formula", "sdpa"] = "formula",
    ) -> MultiHeadAttention:
        """A layer with a copy of the weights of torch's own.

        Ours is always (B, T, D), whatever `batch_first` says there. Mind
        the masks: True in theirs forbids, in ours it allows.

        Args:
            theirs: torch's layer.
            impl: as in the constructor.

        Returns:
            A layer of the same dropout, dtype, device and mode (training or
            not), with memory of its own.

        Raises:
            TypeError: `theirs` is no nn.MultiheadAttention.
            ValueError: it has what ours has not: keys or values of another
                width (kdim, vdim), or rows added to them.

        >>> theirs = nn.MultiheadAttention(8, 2, batch_first=True).eval()
        >>> ours = MultiHeadAttention.from_torch(theirs)
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(ours(x), theirs(x, x, x)[0], atol=1e-6)
        True
        """
        _check_theirs(theirs)
        bias = theirs.in_proj_bias is not None
        ours = cls(
            theirs.embed_dim, theirs.num_heads, bias=bias, dropout=theirs.dropout, impl=impl,
            rng=torch.Generator(),  # torch's own is left alone
        ).to(theirs.out_proj.weight).train(theirs.training)  # fmt: skip
        weights = [*theirs.in_proj_weight.chunk(3), theirs.out_proj.weight]
        biases = [*theirs.in_proj_bias.chunk(3), theirs.out_proj.bias] if bias else [None] * 4
        with torch.no_grad():
            linears = (ours.w_q, ours.w_k, ours.w_v, ours.w_o)
            for linear, weight, b in zip(linears, weights, biases, strict=True):
                linear.weight.copy_(weight)
                if b is not None:
                    linear.bias.copy_(b)
        return ours

    def extra_repr(self) -> str:
        rope = f", rope={self.rope}" if self.rope is not None else ""
        return (
            f"d_model={self.d_model}, n_heads={self.n_heads}, n_kv_heads={self.n_kv_heads}, "
            f"dropout={self.dropout}{rope}, impl={self.impl!r}"
        )

    def _attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Any,
        bias: Any,
        causal: bool,
        empty: Empty,
        return_weights: bool,
    ) -> tuple[Tensor, Tensor | None]:
        """The heads' outputs, (B, H, T, K), and the weights if they are wanted."""
        mask, bias = _beside_scores(mask, bias, q, k)
        dropout = self.dropout if self.training else 0.0
        if self.impl == "sdpa" and not return_weights:
            heads = fused_attention(
                q, k, v, mask=mask, bias=bias, causal=causal, dropout=dropout, empty=empty
            )
            return heads, None
        if causal:
            mask = with_causal(mask, q, k)
        if dropout == 0:
            heads, weights = grouped_query_attention(q, k, v, mask=mask, bias=bias, empty=empty)
        else:  # values of width 0: the weights alone
            _, weights = grouped_query_attention(
                q, k, v[..., :0], mask=mask, bias=bias, empty=empty
            )
            heads = weigh_values(F.dropout(weights, dropout), v)
        return heads, weights if return_weights else None

    def _check(self, x: Any, context: Any, causal: Any, cache: KVCache | None, empty: Any) -> None:
        check_empty(empty)
        for name, value in (("x", x),) if context is None else (("x", x), ("context", context)):
            _check_tokens(value, name, like=self.w_q.weight)
        if context is not None:
            if context.shape[:-2] != x.shape[:-2]:
                raise ValueError(
                    f"context must be of as many sequences as x, {tuple(x.shape[:-2])}; "
                    f"got {tuple(context.shape[:-2])}"
                )
            if causal or cache is not None or self.rope is not None:
                what = "causal" if causal else "cache" if cache is not None else "rope"
                raise ValueError(
                    f"{what} must be left out where there is a context, whose tokens are not "
                    "earlier or later than those of x"
                )
        if cache is not None and not causal:
            raise ValueError(
                "causal must be True with a cache: the tokens in it never saw a later one"
            )


def _beside_scores(mask: Any, bias: Any, q: Tensor, k: Tensor) -> tuple[Any, Any]:
    """Mask and bias as tensors beside q, with as many axes as the scores (..., H, T, S)."""
    scores = (*q.shape[:-1], k.shape[-2])
    if mask is not None:
        shape, mask = tuple(as_mask(mask).shape), for_all_heads(mask, len(scores) - 1)
        mask = beside(check_stretches(mask, "mask", scores, shape), like=q)
    if bias is not None:
        bias = beside(check_stretches(as_array(bias, "score_bias"), "score_bias", scores), like=q)
        bias = bias.to(q.dtype)
    return mask, bias


@contextmanager
def _as_it_was_on_error(cache: KVCache | None) -> Iterator[None]:
    """A call that fails adds nothing to the cache."""
    length = cache.length if cache is not None else 0
    try:
        yield
    except BaseException:
        if cache is not None:
            cache.rewind(length)
        raise


def _new_linear(d_in: int, d_out: int, bias: bool, rng: torch.Generator | None) -> nn.Linear:
    """A linear layer whose first values come from `rng` alone."""
    with torch.device("meta"):  # its own first values would come from torch's generator
        linear = nn.Linear(d_in, d_out, bias=bias)
    linear.to_empty(device=torch.get_default_device())
    nn.init.xavier_uniform_(linear.weight, generator=rng)
    if bias:
        nn.init.zeros_(linear.bias)
    return linear


# What is refused


def _check_sizes(d_model: Any, n_heads: Any, n_kv_heads: Any) -> tuple[int, int, int]:
    d_model, n_heads = check_size(d_model, "d_model"), check_size(n_heads, "n_heads")
    if d_model % n_heads:
        raise ValueError(f"n_heads must divide d_model, which is {d_model}; got {n_heads}")
    return d_model, *check_head_counts(n_heads, n_kv_heads)


def _check_rope(rope: Any, d_head: int) -> dict[str, Any] | None:
    if rope is None:
        return None
    if not isinstance(rope, Mapping):
        raise TypeError(f"rope must be a dict of options, or None; got {type(rope).__name__}")
    unknown = sorted(map(repr, rope.keys() - {"base", "layout"}))
    if unknown:
        raise ValueError(f"rope must have no keys but 'base' and 'layout'; got {unknown[0]}")
    options = {"base": 10000.0, "layout": "interleaved", **rope}
    rope_angles(1, d_head, base=options["base"])  # d_head is even, the base above 1
    split_pairs(np.zeros(2), options["layout"])  # a layout that there is
    return options


def _check_options(dropout: Any, impl: Any) -> tuple[float, str]:
    if impl not in ("formula", "sdpa"):
        raise ValueError(f"impl must be 'formula' or 'sdpa'; got {impl!r}")
    number = check_number(dropout, "dropout")
    if not 0 <= number < 1:
        raise ValueError(f"dropout must be at least 0 and below 1; got {dropout}")
    return number, impl


def _check_tokens(x: Any, name: str, like: Tensor) -> None:
    """Refuse what is no tensor (..., tokens, D) of the weights' dtype."""
    if not isinstance(x, Tensor):
        raise TypeError(f"{name} must be a torch tensor; got {type(x).__name__}")
    if x.ndim < 2 or x.shape[-1] != like.shape[1]:
        raise ValueError(
            f"{name} must be (B, tokens, {like.shape[1]}), as d_model is; got {tuple(x.shape)}"
        )
    if x.dtype != like.dtype and not torch.is_autocast_enabled(x.device.type):
        raise TypeError(f"{name} must be {like.dtype}, as the weights are; got {x.dtype}")


def _check_theirs(theirs: Any) -> None:
    if not isinstance(theirs, nn.MultiheadAttention):
        raise TypeError(f"theirs must be an nn.MultiheadAttention; got {type(theirs).__name__}")
    D = theirs.embed_dim
    if (theirs.kdim, theirs.vdim) != (D, D):
        raise ValueError(
            f"kdim and vdim of theirs must be its embed_dim, {D}, for ours reads keys and values "
            f"from tokens as wide as the queries'; got {theirs.kdim} and {theirs.vdim}"
        )
    if theirs.bias_k is not None or theirs.add_zero_attn:
        option = "add_bias_kv" if theirs.bias_k is not None else "add_zero_attn"
        raise ValueError(f"{option} of theirs must be False: ours adds no row to keys and values")

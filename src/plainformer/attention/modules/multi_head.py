"""`MultiHeadAttention`, the layer: the formula with parameters, and all that a model asks of it.

One class serves the three uses. Without a context, tokens look at one another (self-attention);
with `causal=True`, none sees a later one; with a context, the tokens of one text look at those of
another (cross-attention).

Two ways lead to one result. `impl="formula"` takes the steps of `grouped_query_attention`, writes
all weights out and can show them. `impl="sdpa"` hands the same queries, keys and values to torch's
fused kernel (`fused.py`), which never holds all weights at once. A kernel that gets its mask upside
down still runs, so the tests compare the two on every combination of masks.

*A query that may look at no key* is an error that names it, both ways. A batch that is padded on
the left and causal has such queries, those of the padding: there `fully_masked="zero"` lets them
find nothing, and the other tokens do not notice.

But: a context has neither a cache nor rotary positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, overload

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.attention import KVCache
from plainformer.attention.checks import FullyMasked, check_options
from plainformer.attention.modules.checks import (
    check_bias,
    check_call,
    check_dropout_and_impl,
    check_rope_options,
    check_sizes,
    check_theirs,
    is_autocast,
)
from plainformer.attention.modules.fused import fused_attention, with_causal
from plainformer.attention.modules.linear import new_linear
from plainformer.attention.multi_head import grouped_matmul, merge_formula, split_formula
from plainformer.attention.stable_softmax import softmax_formula
from plainformer.inputs.checks import check_positions, check_rope
from plainformer.inputs.relative_positions.rope import rope_formula, rope_frequencies

__all__ = ["MultiHeadAttention"]

Context = Tensor | tuple[Tensor, Tensor]
"""What is looked at: tokens, or their keys and values."""


class MultiHeadAttention(nn.Module):
    """Multi-head attention with parameters: self, causal or cross.

    Args:
        d_model: the width D of a token.
        n_heads: the number H of heads.
        n_kv_heads: the number G of heads of keys and values; it divides
            H. None means H; 1 is multi-query attention.
        d_head: the width K of a head; None means D / H, and H divides D.
        bias: whether the projections have biases: True or False for all
            four, or for each, {"q": True, "k": True, "v": True, "o":
            False}, as Qwen2 has it.
        dropout: the share of weights set to 0 in training; the rest are
            multiplied by 1 / (1 - dropout).
        rope: turn queries and keys by their positions: the options of
            `apply_rope`, such as {"rope_theta": 500000.0, "layout":
            "half"}, and a "rope_scaling" if there is one; {} for its
            defaults. None: do not.
        impl: "formula", or "sdpa" for torch's fused kernel; `fused.py`
            says where its gradients are worse.
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
        d_head: int | None = None,
        bias: bool | Mapping[str, bool] = True,
        dropout: float = 0.0,
        rope: Mapping[str, Any] | None = None,
        impl: Literal["formula", "sdpa"] = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        D, H, G, K = check_sizes(d_model, n_heads, n_kv_heads, d_head)
        self.d_model, self.n_heads, self.n_kv_heads, self.d_head = D, H, G, K
        self.dropout, self.impl = check_dropout_and_impl(dropout, impl)
        self.rope = check_rope_options(rope, K)
        if self.rope is not None:
            self.layout = self.rope["layout"]
            self.frequencies = rope_frequencies(
                K, *check_rope(self.rope["rope_theta"], self.rope["rope_scaling"])
            )  # (K/2,), NumPy, float64: they stay so when the layer is turned to half precision
        has = check_bias(bias)
        self.w_q = new_linear(D, H * K, has["q"], rng)
        self.w_k = new_linear(D, G * K, has["k"], rng)
        self.w_v = new_linear(D, G * K, has["v"], rng)
        self.w_o = new_linear(H * K, D, has["o"], rng)

    @overload
    def forward(
        self, x: Tensor, context: Context | None = None, *, mask: Any = None, attn_bias: Any = None,
        causal: bool = False, cache: KVCache | None = None, positions: Any = None,
        fully_masked: FullyMasked = "error", return_weights: Literal[False] = False,
    ) -> Tensor: ...  # fmt: skip

    @overload
    def forward(
        self, x: Tensor, context: Context | None = None, *, mask: Any = None, attn_bias: Any = None,
        causal: bool = False, cache: KVCache | None = None, positions: Any = None,
        fully_masked: FullyMasked = "error", return_weights: Literal[True],
    ) -> tuple[Tensor, Tensor]: ...  # fmt: skip

    def forward(
        self,
        x: Tensor,
        context: Context | None = None,
        *,
        mask: Any = None,
        attn_bias: Any = None,
        causal: bool = False,
        cache: KVCache | None = None,
        positions: Any = None,
        fully_masked: FullyMasked = "error",
        return_weights: bool = False,
    ) -> Tensor | tuple[Tensor, Tensor]:
        """What every token of x finds, in x itself or in a context.

        Args:
            x: (B, T, D), or (T, D).
            context: (B, S, D), what x looks at; None means x itself. Or
                its keys and values, as `project_context` gives them,
                for a context that is looked at many times.
            mask: boolean, True where attention is allowed. (T, S), or
                with B as the leading axis: (B, 1, S), (B, T, S), the
                same for all heads; or (B, H, T, S). With a cache, S
                counts the tokens in it too.
            attn_bias: numbers added to the scaled scores, (B, H, T, S)
                or what broadcasts to it, as ALiBi's (H, T, S).
            causal: no token sees a later one; with a mask, both hold.
            cache: keys and values of the tokens before x, to which
                those of x are added; `causal` must be True. If the call
                fails, the cache stays as it was.
            positions: (T,) or (B, T), where the tokens of x stand, for
                rotary positions; a batch padded on the left needs them.
                None: after those in the cache, if there is one.
            fully_masked: what becomes of a query that may look at no
                key: "error", or "zero", as if all its weights were 0.
            return_weights: return the weights too. The fused
                kernel never holds them: with "sdpa" this call uses the
                formula.

        Returns:
            (B, T, D); with return_weights also (B, H, T, S), the weights
            before dropout.

        Raises:
            TypeError, ValueError: shapes, dtypes or options that do not
                fit; no more room in the cache; a query without a key.
        """
        check_call(
            x, context, like=self.w_q.weight, causal=causal, cache=cache, positions=positions,
            return_weights=return_weights, rope=self.rope,
        )  # fmt: skip
        with _as_it_was_on_error(cache):
            q, k, v = self.project(x, context, cache, positions)
            scores = (*q.shape[:-1], k.shape[-2])  # (B, H, T, S)
            mask, attn_bias, scale, fully_masked = check_options(
                mask, attn_bias, None, fully_masked, scores, self.d_head,
                like=q, heads=True, n_axes=x.ndim,
            )  # fmt: skip
            if self.impl == "sdpa" and not return_weights:
                dropout = self.dropout if self.training else 0.0
                heads = fused_attention(
                    q, k, v, mask=mask, attn_bias=attn_bias, causal=causal, dropout=dropout,
                    fully_masked=fully_masked,
                )  # fmt: skip
            else:
                mask = with_causal(mask, q, k) if causal else mask
                heads, weights = self.attend(q, k, v, mask, attn_bias, scale, fully_masked)
            output: Tensor = self.w_o(merge_formula(heads))  # (B, T, D)
        return (output, weights) if return_weights else output

    def project(
        self,
        x: Tensor,
        context: Context | None = None,
        cache: KVCache | None = None,
        positions: Any = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The queries of x; keys and values of what it looks at.

        Args:
            x, context, cache, positions: as in `forward`.

        Returns:
            q: (B, H, T, K).
            k, v: (B, G, S, K). With a cache they are added to it,
                and are all that it holds then.
        """
        q = split_formula(self.w_q(x), self.n_heads)  # (B, H, T, K)
        if isinstance(context, tuple):
            return q, *context
        k, v = self.project_context(x if context is None else context)
        if self.rope is not None:
            offset = 0 if cache is None else cache.length
            q, k = self._turn(q, k, positions, offset)
        if cache is None:
            return q, k, v
        if is_autocast(x):  # which gives q, k and v a dtype of its own
            q, k, v = (each.to(cache.keys.dtype) for each in (q, k, v))
        return q, *cache.append(k, v)

    def project_context(self, context: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of what is looked at, once for many calls.

        Args:
            context: (B, S, D).

        Returns:
            k, v: (B, G, S, K).
        """
        k = split_formula(self.w_k(context), self.n_kv_heads)
        v = split_formula(self.w_v(context), self.n_kv_heads)
        return k, v

    def attend(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        mask: Tensor | None,
        attn_bias: Tensor | None,
        scale: float,
        fully_masked: FullyMasked,
    ) -> tuple[Tensor, Tensor]:
        """The formula, with dropout: what the heads find, and their weights.

        It is `grouped_query_formula` but for one line. Its three steps are
        methods, so that a trace of a model can stand between them.
        """
        scores = self.score(q, k, attn_bias, scale)  # (B, H, T, S)
        weights = self.weigh(scores, mask, fully_masked)  # (B, H, T, S)
        return self.mix(weights, v), weights

    def score(self, q: Tensor, k: Tensor, attn_bias: Tensor | None, scale: float) -> Tensor:
        """How well each key answers each query, before the mask: (B, H, T, S)."""
        scores: Tensor = grouped_matmul(q * scale, k.mT)
        return scores if attn_bias is None else scores + attn_bias

    def weigh(self, scores: Tensor, mask: Tensor | None, fully_masked: FullyMasked) -> Tensor:
        """Scores to weights, in each row of which what the mask hides has 0."""
        weights: Tensor = softmax_formula(scores, mask=mask, fully_masked=fully_masked)
        return weights

    def mix(self, weights: Tensor, v: Tensor) -> Tensor:
        """The values by their weights, with dropout: (B, H, T, K)."""
        kept = F.dropout(weights, self.dropout, self.training)
        heads: Tensor = grouped_matmul(kept, v)
        return heads

    def _turn(self, q: Tensor, k: Tensor, positions: Any, offset: int) -> tuple[Tensor, Tensor]:
        """Rotary positions: turn queries and keys, each by where its token stands."""
        # Both at once: for one token, as in decoding, the call costs more than its work.
        both = torch.cat([q, k], dim=-3)  # (B, H + G, T, K)
        if positions is None:
            places = torch.arange(offset, offset + q.shape[-2], device=q.device)  # (T,)
        else:
            places = check_positions(q[..., 0, :, :], positions, 0)
            places = places[..., None, :] if places.ndim > 1 else places  # (B, 1, T)
        both = rope_formula(both, places, self.frequencies, self.layout)
        return both[..., : self.n_heads, :, :], both[..., self.n_heads :, :, :]

    def new_cache(self, batch: int, max_length: int | None = None) -> KVCache:
        """An empty cache for this layer: of its heads, dtype and device.

        Args:
            batch: the number B of sequences.
            max_length: how many tokens there is room for; None: for as
                many as come.

        >>> layer = MultiHeadAttention(d_model=8, n_heads=4, n_kv_heads=2)
        >>> layer.new_cache(batch=1, max_length=16)
        KVCache(batch=1, n_kv_heads=2, max_length=16, d_head=2, length=0)
        """
        like = self.w_k.weight
        if is_autocast(like):  # the dtype that its keys will have
            like = like.new_empty(0, dtype=torch.get_autocast_dtype(like.device.type))
        return KVCache(batch, self.n_kv_heads, max_length, self.d_head, like=like)

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
        check_theirs(theirs)
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
            f"d_head={self.d_head}, dropout={self.dropout}{rope}, impl={self.impl!r}"
        )


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

"""`MultiHeadAttention`: attention with parameters, and all that a model needs around it.

With `impl="formula"` the layer takes the three steps of `attention` one by one, so that the weights
can be returned, traced and replaced. With `impl="sdpa"` it passes the same queries, keys and values
to torch's fused kernel (`fused.py`), which is faster and never holds all weights at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_choice, check_flag, check_number, check_size
from plainformer.attention.kv_cache import KVCache
from plainformer.attention.masking import causal_mask
from plainformer.attention.modules.checks import (
    check_call,
    check_rope_options,
    fit_to_scores,
    is_autocast,
)
from plainformer.attention.modules.fused import fused_attention
from plainformer.attention.modules.linear import new_linear
from plainformer.attention.multi_head import merge_heads, repeat_kv, split_heads
from plainformer.attention.self_attention import attention_scores
from plainformer.attention.stable_softmax import FullyMasked, softmax
from plainformer.blocks.normalization import rms_norm
from plainformer.inputs.checks import check_positions
from plainformer.inputs.positions.angles import angles
from plainformer.inputs.relative_positions.rope import rope_frequencies, rotate_pairs
from plainformer.inputs.relative_positions.scaling import BY_LENGTH, attention_factor

__all__ = ["MultiHeadAttention"]

Context = Tensor | tuple[Tensor, Tensor]
"""What is attended to: tokens, or their keys and values."""


class MultiHeadAttention(nn.Module):
    """Multi-head attention with parameters: self-attention, causal or not, and cross-attention.

    Its parameters are four nn.Linear: `w_q` (H · K, D), `w_k` and `w_v` (G · K, D), and `w_o` (D, H
    · K), each the transpose of the matrix in the formula. Weights are drawn from `rng` as in Glorot
    and Bengio 2010 (equation 16), and biases are 0.

    The modules called `hook_queries`, `hook_keys`, `hook_values`, `hook_scores`, `hook_weights` and
    `hook_heads` return their input unchanged. A forward hook on one of them can read or replace the
    result of that step, which is how `plainformer.blocks.modules.tracing` works. Scores and weights
    exist only when the formula is used.

    Args:
        n_kv_heads: G, the number of key and value heads, which divides H. None means H, and 1 is
            multi-query attention.
        d_head: K, the width of a head; None means D / H, and H must divide D.
        bias: whether the projections have biases: True or False for all four, or one for each,
            {"q": True, "k": True, "v": True, "o": False}, as in Qwen2.
        dropout: the fraction of weights that is set to 0 in training.
        rope: options of `apply_rope` for rotary positions, such as {"rope_theta": 500000.0,
            "layout": "half"}; {} means the defaults, and None turns rotary positions off.
        qk_norm: whether RMSNorm is applied to the K numbers of each query and key, before rotary
            positions, as in Qwen3 and Gemma 3; `norm_eps` is its ε, and its factors are the
            parameters `q_norm` and `k_norm`.
        zero_centered_gamma: whether these norms multiply by 1 plus their factors, as in Gemma 3.
        scale, softcap: as in `attention`. Torch's kernel has no softcap, so such a layer always
            uses the formula.
        window: a query sees only this many keys, of which its own is the last, as in Mistral and
            Gemma. Attention must be causal then.
        impl: "formula", or "sdpa" for torch's fused kernel; `fused.py` says where its gradients are
            less exact.

    Source: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 (GQA); Henry et al. 2020 (norms
    of queries and keys).

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
        qk_norm: bool = False,
        norm_eps: float = 1e-6,
        zero_centered_gamma: bool = False,
        scale: float | None = None,
        softcap: float | None = None,
        window: int | None = None,
        impl: Literal["formula", "sdpa"] = "formula",
        rng: torch.Generator | None = None,
    ) -> None:
        super().__init__()
        self.d_model = D = check_size(d_model, "d_model")
        self.n_heads = H = check_size(n_heads, "n_heads")
        self.n_kv_heads = G = H if n_kv_heads is None else check_size(n_kv_heads, "n_kv_heads")
        if H % G:
            raise ValueError(f"n_kv_heads must divide n_heads, which is {H}; got {G}")
        if d_head is None and D % H:
            raise ValueError(f"n_heads must divide d_model, which is {D}; got {H}")
        self.d_head = K = D // H if d_head is None else check_size(d_head, "d_head")
        self.dropout = check_number(dropout, "dropout")
        if not 0 <= self.dropout < 1:
            raise ValueError(f"dropout must be at least 0 and below 1; got {dropout}")
        self.scale = None if scale is None else check_number(scale, "scale")
        self.softcap = None if softcap is None else check_number(softcap, "softcap")
        if self.softcap is not None and self.softcap <= 0:
            raise ValueError(f"softcap must be above 0; got {softcap}")
        self.window = None if window is None else check_size(window, "window")
        self.impl = check_choice(impl, "impl", ["formula", "sdpa"])
        self.rope = check_rope_options(rope, K)
        if self.rope is not None:
            self.layout, scaling = self.rope["layout"], self.rope["rope_scaling"]
            self._by_length = scaling is not None and scaling["rope_type"] in BY_LENGTH
            # (K/2,), NumPy's float64 even if the layer is converted to half precision
            self.frequencies = rope_frequencies(K, self.rope["rope_theta"], scaling)
            self.attention_factor = attention_factor(scaling)  # for scaled queries and keys
        if not isinstance(bias, Mapping):
            bias = dict.fromkeys("qkvo", check_flag(bias, "bias"))
        if set(bias) != set("qkvo"):
            got = ", ".join(map(repr, bias)) or "none"
            raise ValueError(f"bias must be True, False, or a dict of q, k, v and o; got {got}")
        for name, has in bias.items():
            check_flag(has, f"bias[{name!r}]")
        self.w_q = new_linear(D, H * K, bias["q"], rng)
        self.w_k = new_linear(D, G * K, bias["k"], rng)
        self.w_v = new_linear(D, G * K, bias["v"], rng)
        self.w_o = new_linear(H * K, D, bias["o"], rng)
        self.norm_eps, self.zero_centered_gamma = norm_eps, zero_centered_gamma
        factors = torch.zeros if zero_centered_gamma else torch.ones
        self.q_norm = nn.Parameter(factors(K)) if qk_norm else None
        self.k_norm = nn.Parameter(factors(K)) if qk_norm else None
        self.hook_queries, self.hook_keys, self.hook_values = (nn.Identity() for _ in range(3))
        self.hook_scores, self.hook_weights, self.hook_heads = (nn.Identity() for _ in range(3))

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
        """The output of attention for every token of x, which attends to x itself or to a context.

        With `return_weights`, the weights before dropout are returned too, (B, H, T, S), and the
        formula is used. `mask`, `attn_bias` and `fully_masked` are as in `attention`. The first two
        broadcast to (B, H, T, S), where S includes the tokens in a cache.

        Args:
            context: (B, S, D), or its keys and values from `project_context`, which saves work if
                it is used many times. It allows neither a cache nor rotary positions.
            causal: no token sees a later one; with a mask, both apply.
            cache: keys and values of the tokens before x, to which those of x are added; `causal`
                must be True. If the call fails, the cache is left unchanged.
            positions: (T,) or (B, T), the positions of x's tokens for rotary positions. A batch
                padded on the left needs them; None continues after the tokens in the cache.
        """
        check_call(self, x, context, causal, cache, positions, fully_masked)
        held = 0 if cache is None else cache.length
        try:
            q, k, v = self.project(x, context, cache, positions)
            q, k, v = self.hook_queries(q), self.hook_keys(k), self.hook_values(v)
            if mask is not None:
                mask = fit_to_scores("mask", mask, q, k)
            if attn_bias is not None:
                attn_bias = fit_to_scores("attn_bias", attn_bias, q, k)
            if self.impl == "sdpa" and self.softcap is None and not return_weights:
                heads = fused_attention(
                    q, k, v, mask=mask, attn_bias=attn_bias, causal=causal, window=self.window,
                    scale=self.scale, dropout=self.dropout if self.training else 0.0,
                    fully_masked=fully_masked,
                )  # fmt: skip
            else:
                T, S = q.shape[-2], k.shape[-2]
                if causal and (T > 1 or self.window):  # the newest token sees all keys
                    window = self.window
                    allowed = causal_mask.unchecked(T, S, offset=S - T, window=window, like=q)
                    mask = allowed if mask is None else mask & allowed
                # From here on, the steps of `grouped_query_attention`, with a hook after each.
                repeats = self.n_heads // self.n_kv_heads
                if repeats > 1:
                    k, v = repeat_kv(k, repeats), repeat_kv(v, repeats)  # (B, H, S, K)
                scores = attention_scores.unchecked(q, k, scale=self.scale, softcap=self.softcap)
                if attn_bias is not None:
                    scores = scores + attn_bias
                scores = self.hook_scores(scores)  # (B, H, T, S)
                weights = softmax.unchecked(scores, mask=mask, fully_masked=fully_masked)
                weights = self.hook_weights(weights)
                kept = F.dropout(weights, self.dropout, self.training)
                heads = kept @ v
            heads = self.hook_heads(heads)  # (B, H, T, K)
        except BaseException:
            if cache is not None:
                cache.rewind(held)
            raise
        output: Tensor = self.w_o(merge_heads.unchecked(heads))  # (B, T, D)
        return (output, weights) if return_weights else output

    def project(
        self,
        x: Tensor,
        context: Context | None = None,
        cache: KVCache | None = None,
        positions: Any = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """The queries of x, (B, H, T, K), and the keys and values that it attends to, (B, G, S, K).

        The arguments are those of `forward`. With a cache, the new keys and values are added to it,
        and all those that it then holds are returned.
        """
        q = split_heads.unchecked(self.w_q(x), self.n_heads)  # (B, H, T, K)
        if self.q_norm is not None:
            gamma = self.q_norm + self.zero_centered_gamma
            q = rms_norm.unchecked(q, gamma, eps=self.norm_eps)
        if isinstance(context, tuple):
            return q, *context
        k, v = self.project_context(x if context is None else context)
        if self.rope is not None:
            if positions is None:
                offset = 0 if cache is None else cache.length
                end = offset + x.shape[-2]
                positions = torch.arange(offset, end, device=x.device)
            else:
                positions = check_positions(x, positions, 0)
                if positions.ndim > 1:
                    positions = positions[..., None, :]
            omega = self.frequencies
            if self._by_length:
                options = self.rope["rope_theta"], self.rope["rope_scaling"]
                omega = rope_frequencies(self.d_head, *options, positions)
            angle = angles(positions, omega)  # (..., T, K/2)
            q = rotate_pairs(q, angle, self.layout)
            k = rotate_pairs(k, angle, self.layout)
            if self.attention_factor != 1:
                q, k = q * self.attention_factor, k * self.attention_factor
        if cache is None:
            return q, k, v
        # Under autocast, q, k and v can differ in dtype from the cache.
        if k.dtype != cache.dtype and is_autocast(x):
            q, k, v = (each.to(cache.dtype) for each in (q, k, v))
        return q, *cache.append(k, v)

    def project_context(self, context: Tensor) -> tuple[Tensor, Tensor]:
        """The keys and values of a context, (B, G, S, K), computed once for many calls."""
        k = split_heads.unchecked(self.w_k(context), self.n_kv_heads)
        v = split_heads.unchecked(self.w_v(context), self.n_kv_heads)
        if self.k_norm is not None:
            k = rms_norm.unchecked(k, self.k_norm + self.zero_centered_gamma, eps=self.norm_eps)
        return k, v

    def new_cache(self, batch: int, max_length: int | None = None) -> KVCache:
        """An empty cache with this layer's number of heads, dtype and device.

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
        torch_layer: nn.MultiheadAttention,
        *,
        impl: Literal["formula", "sdpa"] = "formula",
    ) -> MultiHeadAttention:
        """A layer with a copy of the weights, dropout, dtype, device and mode of torch's layer.

        Our layer always takes (B, T, D), whatever `batch_first` is in torch's, and masks have the
        opposite meaning: True forbids in torch's layer and allows in ours. Options that ours lacks
        raise an error.

        >>> torch_layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
        >>> layer = MultiHeadAttention.from_torch(torch_layer)
        >>> x = torch.ones(1, 3, 8)
        >>> torch.allclose(layer(x), torch_layer(x, x, x)[0], atol=1e-6)
        True
        """
        D = torch_layer.embed_dim
        if (torch_layer.kdim, torch_layer.vdim) != (D, D):
            raise ValueError(
                f"kdim and vdim of torch_layer must be its embed_dim, {D}, because our layer reads "
                f"keys and values from tokens of one width; got {torch_layer.kdim} and "
                f"{torch_layer.vdim}"
            )
        if torch_layer.bias_k is not None or torch_layer.add_zero_attn:
            option = "add_zero_attn" if torch_layer.add_zero_attn else "add_bias_kv"
            raise ValueError(f"{option} of torch_layer must be False: ours adds no keys and values")
        bias = torch_layer.in_proj_bias is not None
        ours = cls(
            D, torch_layer.num_heads, bias=bias, dropout=torch_layer.dropout, impl=impl,
            rng=torch.Generator(),  # leaves torch's global generator unchanged
        ).to(torch_layer.out_proj.weight).train(torch_layer.training)  # fmt: skip
        theirs = {"weight": (*torch_layer.in_proj_weight.chunk(3), torch_layer.out_proj.weight)}
        if bias:
            theirs["bias"] = (*torch_layer.in_proj_bias.chunk(3), torch_layer.out_proj.bias)
        ours.load_state_dict(
            {
                f"w_{name}.{kind}": parameter
                for kind, parameters in theirs.items()
                for name, parameter in zip("qkvo", parameters, strict=True)
            }
        )
        return ours

    def extra_repr(self) -> str:
        names = ("rope", "scale", "softcap", "window")
        chosen = ((name, getattr(self, name)) for name in names)
        options = "".join(f", {name}={value}" for name, value in chosen if value is not None)
        return (
            f"d_model={self.d_model}, n_heads={self.n_heads}, n_kv_heads={self.n_kv_heads}, "
            f"d_head={self.d_head}, dropout={self.dropout}{options}, impl={self.impl!r}"
        )

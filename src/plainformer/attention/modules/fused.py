"""Attention by torch's fused kernel: the same result, without ever storing the weights.

The kernel alone does not handle every mask. Its own causal mask lets query 0 see only key 0, even
if the queries are the last of many positions, as in decoding with a cache. It accepts its causal
mask or another one, but not both, and its implementations disagree about the output for a query
that may attend to no key. Finding such queries means waiting for the mask, which
`fully_masked="zero"` avoids.

In the backward pass the kernel recomputes the weights, with rounding errors. Where all weights are
0 or 1, the formula gives a query no gradient, whereas the kernel returns rounding errors times the
size of the keys. In a stack of 64 layers without norms, where numbers reach 1e12, these errors grow
until gradients are far off or NaN. To avoid that, normalise the stream or use `impl="formula"`.
"""

from __future__ import annotations

from functools import partial

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.attention.masking import causal_mask
from plainformer.attention.multi_head import grouped_query_attention
from plainformer.attention.stable_softmax import FullyMasked, fully_masked_error

__all__ = ["fused_attention"]


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: Tensor | None = None,
    attn_bias: Tensor | None = None,
    causal: bool = False,
    window: int | None = None,
    scale: float | None = None,
    dropout: float = 0.0,
    fully_masked: FullyMasked = "error",
) -> Tensor:
    """The output of `grouped_query_attention`, by torch's fused kernel.

    With `causal`, the queries are the last T of S positions, and each sees at most `window` keys.
    `dropout` is the fraction of weights that is set to 0.

    >>> q, k = torch.ones(1, 2, 3, 4), torch.ones(1, 1, 3, 4)
    >>> fused_attention(q, k, k, causal=True).shape
    torch.Size([1, 2, 3, 4])
    """
    T, S = q.shape[-2], k.shape[-2]
    if S == 0:
        nothing: Tensor = grouped_query_attention.unchecked(q, k, v, fully_masked=fully_masked)[0]
        return nothing
    if T == 1 and window is None:
        causal = False  # the newest token sees all keys
    shared = q.shape[-3] != k.shape[-3]
    kernel = partial(
        F.scaled_dot_product_attention, q, k, v, dropout_p=dropout, scale=scale, enable_gqa=shared
    )
    if causal and not (mask is None and attn_bias is None and window is None and T == S):
        allowed = causal_mask.unchecked(T, S, offset=S - T, window=window, like=q)
        mask, causal = allowed if mask is None else mask & allowed, False
    if mask is None and attn_bias is None:
        return kernel(is_causal=causal)
    allowed = mask
    if attn_bias is not None:
        allowed = attn_bias if mask is None else torch.where(mask, attn_bias, -torch.inf)
    assert allowed is not None
    allowed = allowed[(None,) * (q.ndim - allowed.ndim)]  # as many axes as the scores
    has_key = (allowed if attn_bias is None else allowed > -torch.inf).any(dim=-1, keepdim=True)
    if fully_masked == "error":
        if not bool(has_key.all()):
            raise fully_masked_error((~has_key).expand(*q.shape[:-1], 1), mask=mask)
        return kernel(attn_mask=allowed)
    # Queries without a key attend to everything here and their output is then discarded, so that
    # neither the kernel nor a gradient meets a row of -∞.
    allowed = torch.where(has_key, allowed, True if attn_bias is None else 0.0)
    return torch.where(has_key, kernel(attn_mask=allowed), 0.0)

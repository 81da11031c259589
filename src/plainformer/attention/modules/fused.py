"""Attention by torch's fused kernel: the same result, and the weights are never written out.

`scaled_dot_product_attention` picks a kernel for the device at hand. What it asks of its caller is
dull, and each point has cost somebody a model that saw the future:

- a boolean mask is True where attention is allowed, as everywhere here;
- its own causal mask lets query 0 see key 0 alone, even where the queries are the last of many
  (decoding with a cache);
- it takes its causal mask or another one, not both;
- what becomes of a query that may look at no key differs from kernel to kernel.

But: to look for such queries is to wait for the mask, so on a GPU a call with a mask waits until it
has caught up, as the formula does; with `fully_masked="zero"` there is nothing to look for, and no
call waits. Scores that overflow to -∞ are not looked for.

But: *backwards, the kernel computes the weights anew*, and rounds. Where all weights are 0 or 1, a
query has no gradient by the formula; by the kernel it has rounding times the size of the keys. For
scores of an ordinary size that is nothing. In a stack of 64 layers without norms, numbers reach
1e12, the remainder grows from layer to layer, and gradients end far off, or as NaN. Norm the
stream, or take `impl="formula"`.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.attention.checks import FullyMasked
from plainformer.attention.multi_head import grouped_query_formula
from plainformer.attention.stable_softmax import fully_masked_error

__all__ = ["fused_attention", "with_causal"]


def fused_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    mask: Tensor | None = None,
    attn_bias: Tensor | None = None,
    causal: bool = False,
    dropout: float = 0.0,
    fully_masked: FullyMasked = "error",
) -> Tensor:
    """The output of `grouped_query_attention`, by torch's fused kernel.

    Args:
        q: (..., H, T, K).
        k: (..., G, S, K); G divides H.
        v: (..., G, S, K).
        mask: boolean, True where attention is allowed; it broadcasts to
            the scores (..., H, T, S).
        attn_bias: numbers added to the scaled scores; the same.
        causal: no query sees a later key; the queries are the last T of S.
        dropout: the share of weights set to 0.
        fully_masked: "error" or "zero", as in `attention`.

    Returns:
        (..., H, T, K).

    Raises:
        ValueError: as `FullyMaskedRowError`, a query may look at no key.

    >>> q, k = torch.ones(1, 2, 3, 4), torch.ones(1, 1, 3, 4)
    >>> fused_attention(q, k, k, causal=True).shape
    torch.Size([1, 2, 3, 4])
    """
    T, S = q.shape[-2], k.shape[-2]
    if S == 0:
        nothing: Tensor = grouped_query_formula(q, k, v, fully_masked=fully_masked)[0]
        return nothing
    kernel = partial(
        F.scaled_dot_product_attention,
        q,
        k,
        v,
        dropout_p=dropout,
        enable_gqa=q.shape[-3] != k.shape[-3],
    )
    if causal and not (mask is None and attn_bias is None and T == S):
        # The kernel's own causal mask counts from the first key even where
        # the queries are the last ones, and it goes with no other mask.
        mask, causal = with_causal(mask, q, k), False
    if mask is None and attn_bias is None:
        return kernel(is_causal=causal)
    allowed, sees = _as_kernels_mask(mask, attn_bias)
    allowed = allowed[(None,) * (q.ndim - allowed.ndim)]  # as many axes as the scores
    if fully_masked == "error":
        if bool(sees.all()):
            return kernel(attn_mask=allowed)
        raise fully_masked_error((~sees).expand(*q.shape[:-1], 1), mask=mask)
    # Let such queries see everything, then throw away what they found: no
    # kernel, and no gradient, meets a row of -∞.
    allowed = torch.where(sees, allowed, True if attn_bias is None else 0.0)
    return torch.where(sees, kernel(attn_mask=allowed), 0.0)


def with_causal(mask: Tensor | None, q: Tensor, k: Tensor) -> Tensor | None:
    """A mask that forbids later keys too; the queries are the last T of S.

    Args:
        mask: boolean, broadcasts to (..., T, S); None allows all.
        q: (..., T, K).
        k: (..., S, K).

    Returns:
        Boolean, or None where everything is allowed.

    >>> with_causal(None, torch.ones(2, 4), torch.ones(3, 4)).int().tolist()
    [[1, 1, 0], [1, 1, 1]]
    """
    T, S = q.shape[-2], k.shape[-2]
    if T == 1:  # nothing is later than the newest token
        return mask
    allowed = torch.ones(T, S, dtype=torch.bool, device=q.device).tril(S - T)
    return allowed if mask is None else mask & allowed


def _as_kernels_mask(mask: Any, attn_bias: Any) -> tuple[Tensor, Tensor]:
    """Mask and bias as the kernel's one argument, and which queries see a key, (..., T, 1)."""
    if attn_bias is None:
        return mask, mask.any(dim=-1, keepdim=True)  # there too, True is allowed
    scores = attn_bias if mask is None else torch.where(mask, attn_bias, -torch.inf)
    return scores, (scores > -torch.inf).any(dim=-1, keepdim=True)

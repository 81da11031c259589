"""Multi-head attention: H narrow heads side by side, at the cost of a single wide one.

During generation most of the memory traffic is for keys and values, so several query heads may
share them: G heads of keys and values serve H heads of queries (grouped-query attention, GQA), or
just one does (multi-query attention, MQA). The code here repeats each shared head for the query
heads that use it, whereas a fast kernel reads it in place.
"""

from __future__ import annotations

import array_api_compat

from plainformer.attention.self_attention import attention
from plainformer.attention.stable_softmax import FullyMasked
from plainformer.shapes import Array, Bool, Float, Size, checked

__all__ = [
    "grouped_query_attention",
    "merge_heads",
    "multi_head_attention",
    "repeat_kv",
    "split_heads",
]


@checked
def multi_head_attention(
    x_q: Float[Array, "... T D"],
    x_kv: Float[Array, "... S D_kv"],
    w_q: Float[Array, "D n_heads*K"],
    w_k: Float[Array, "D_kv n_kv_heads*K"],
    w_v: Float[Array, "D_kv n_kv_heads*Kv"],
    w_o: Float[Array, "n_heads*Kv D_out"],
    *,
    n_heads: Size,
    n_kv_heads: Size | None = None,
    mask: Bool[Array, "... #n_heads #T #S"] | None = None,
    attn_bias: Float[Array, "... #n_heads #T #S"] | None = None,
    scale: float | None = None,
    fully_masked: FullyMasked = "error",
) -> tuple[Float[Array, "... T D_out"], Float[Array, "... n_heads T S"]]:
    """Project, split into heads, attend in each of them, merge, and project again.

    With x_kv = x_q this is self-attention, and with the tokens of another text it is
    cross-attention. `n_kv_heads`, the number of key and value heads, must divide `n_heads`; None
    infers it from the width of w_k. To mask each text of a batch differently, pass a mask of shape
    (B, 1, T, S). `mask`, `attn_bias`, `scale`, `fully_masked` and the errors are as in `attention`.
    The projections have no biases, as in the paper.

    Returns the output and the weights, each row of which sums to 1.

    Source: Vaswani et al. 2017, section 3.2.2; for G < H, Ainslie et al. 2023 (GQA), section 2.2;
    for G = 1, Shazeer 2019 (MQA), section 3.

    >>> import numpy as np
    >>> x_q = np.array([[1.0, 0.0]])
    >>> x_kv = np.array([[np.log(3), 8.0], [0.0, 4.0]])
    >>> w_q = np.array([[1.0, 0.0], [0.0, 0.0]])  # only head 0 asks
    >>> w_k = np.array([[1.0, 1.0], [0.0, 0.0]])  # keys are the first number
    >>> w_v = np.array([[0.0, 0.0], [1.0, 1.0]])  # values are the second
    >>> output, weights = multi_head_attention(
    ...     x_q, x_kv, w_q, w_k, w_v, np.eye(2), n_heads=2
    ... )
    >>> weights.round(6).tolist()  # head 0, head 1
    [[[0.75, 0.25]], [[0.5, 0.5]]]
    >>> output.round(6).tolist()  # 6 + 1 and 4 + 2
    [[7.0, 6.0]]
    """
    K = w_q.shape[-1] // n_heads
    G = w_k.shape[-1] // K
    if n_heads % G:
        needed = f"divide n_heads, which is {n_heads}"
        raise ValueError(f"n_kv_heads must {needed}; got {G}")
    q = split_heads.unchecked(x_q @ w_q, n_heads)  # (..., H, T, K)
    k = split_heads.unchecked(x_kv @ w_k, G)  # (..., G, S, K)
    v = split_heads.unchecked(x_kv @ w_v, G)  # (..., G, S, Kv)
    heads, weights = grouped_query_attention.unchecked(
        q, k, v, mask=mask, attn_bias=attn_bias, scale=scale,
        fully_masked=fully_masked,
    )  # fmt: skip
    y = merge_heads.unchecked(heads) @ w_o  # (..., T, D)
    return y, weights  # weights: (..., H, T, S)


@checked
def grouped_query_attention(
    q: Float[Array, "... G*R T K"],
    k: Float[Array, "... G S K"],
    v: Float[Array, "... G S Kv"],
    *,
    mask: Bool[Array, "... #G*R #T #S"] | None = None,
    attn_bias: Float[Array, "... #G*R #T #S"] | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    fully_masked: FullyMasked = "error",
) -> tuple[Float[Array, "... G*R T Kv"], Float[Array, "... G*R T S"]]:
    """Attention in which R query heads at a time share one head of keys and values.

    The first R = H / G query heads share head 0 of the keys and values, the next R share head 1,
    and so on. With G = H this is plain `attention`; see there for the other arguments and the
    return values.

    Source: Ainslie et al. 2023 (GQA), section 2.2.

    >>> import numpy as np
    >>> q = np.array([[[1.0]], [[0.0]]])  # H = 2, T = 1
    >>> k = np.array([[[np.log(3)], [0.0]]])  # G = 1, S = 2
    >>> v = np.array([[[8.0], [4.0]]])
    >>> output, weights = grouped_query_attention(q, k, v)
    >>> output.round(6).tolist()
    [[[7.0]], [[6.0]]]
    """
    repeats = q.shape[-3] // k.shape[-3]
    if repeats > 1:
        k = repeat_kv(k, repeats)  # (..., H, S, K)
        v = repeat_kv(v, repeats)  # (..., H, S, Kv)
    return attention.unchecked(
        q, k, v, mask=mask, attn_bias=attn_bias,
        scale=scale, softcap=softcap, fully_masked=fully_masked,
    )  # fmt: skip


def repeat_kv(x: Array, repeats: int) -> Array:
    """(..., G, S, K) -> (..., G · repeats, S, K): repeat each head for its query heads.

    >>> import numpy as np
    >>> repeat_kv(np.array([[[1.0]], [[2.0]]]), 2).tolist()
    [[[1.0]], [[1.0]], [[2.0]], [[2.0]]]
    """
    xp = array_api_compat.array_namespace(x)
    return xp.repeat(x, repeats, axis=-3)


# Splitting and merging


@checked
def split_heads(
    x: Float[Array, "... T n_heads*K"], n_heads: Size
) -> Float[Array, "... n_heads T K"]:
    """Cut every row into one piece per head: head h gets the columns from h · K to (h + 1) · K - 1.

    In torch the result is a view of x where possible.

    >>> import numpy as np
    >>> x = np.array([[1.0, 2, 3, 4], [5, 6, 7, 8]])  # T = 2, D = 4
    >>> split_heads(x, 2).tolist()
    [[[1.0, 2.0], [5.0, 6.0]], [[3.0, 4.0], [7.0, 8.0]]]
    """
    xp = array_api_compat.array_namespace(x)
    *rows, D = x.shape
    x = xp.reshape(x, (*rows, n_heads, D // n_heads))  # (..., T, H, K)
    return xp.moveaxis(x, -3, -2)  # (..., H, T, K)


@checked
def merge_heads(x: Float[Array, "... H T K"]) -> Float[Array, "... T H*K"]:
    """Concatenate the heads of every token, head 0 first; the inverse of `split_heads`.

    >>> import numpy as np
    >>> x = np.array([[[1.0, 2], [5, 6]], [[3, 4], [7, 8]]])  # H = 2
    >>> merge_heads(x).tolist()
    [[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]
    """
    xp = array_api_compat.array_namespace(x)
    x = xp.moveaxis(x, -3, -2)  # (..., T, H, K)
    *rows, H, K = x.shape
    return xp.reshape(x, (*rows, H * K))

"""Part 2, attention: how tokens look at one another.

>>> from plainformer.attention import attention, causal_mask
>>> x = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
>>> output, weights = attention(x, x, x, mask=causal_mask(3))
>>> weights[0].tolist()  # the first token sees itself alone
[1.0, 0.0, 0.0]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.attention.attention_gradients import (
        attention_backward,
        central_differences,
        linear_backward,
        projection_backward,
        softmax_backward,
    )
    from plainformer.attention.efficient import KVCache, blockwise_attention
    from plainformer.attention.lookup import lookup
    from plainformer.attention.masking import causal_mask, combine_masks, padding_mask
    from plainformer.attention.multi_head import (
        MultiHeadAttention,
        grouped_query_attention,
        merge_heads,
        multi_head_attention,
        split_heads,
    )
    from plainformer.attention.self_attention import attention, attention_scores
    from plainformer.attention.softmax import softmax

__all__ = [
    "KVCache",
    "MultiHeadAttention",
    "attention",
    "attention_backward",
    "attention_scores",
    "blockwise_attention",
    "causal_mask",
    "central_differences",
    "combine_masks",
    "grouped_query_attention",
    "linear_backward",
    "lookup",
    "merge_heads",
    "multi_head_attention",
    "padding_mask",
    "projection_backward",
    "softmax",
    "softmax_backward",
    "split_heads",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "softmax": ["softmax"],
        "lookup": ["lookup"],
        "self_attention": ["attention", "attention_scores"],
        "attention_gradients": [
            "attention_backward", "softmax_backward", "linear_backward", "projection_backward",
            "central_differences",
        ],
        "masking": ["causal_mask", "combine_masks", "padding_mask"],
        "multi_head": [
            "MultiHeadAttention",  # this needs torch
            "grouped_query_attention", "merge_heads", "multi_head_attention", "split_heads",
        ],
        "efficient": ["KVCache", "blockwise_attention"],
    },
)  # fmt: skip

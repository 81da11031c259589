"""Several attentions side by side, each in a narrower space of its own.

In reading order:

- `heads.py`: split, attend, merge;
- `grouped.py`: how the heads attend, and how they share their keys and values (GQA, MQA);
- `modules.py`: `MultiHeadAttention`, in torch: parameters, a fused path, rotary positions, a cache.
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:
    from plainformer.attention.multi_head.grouped import grouped_query_attention
    from plainformer.attention.multi_head.heads import (
        merge_heads,
        multi_head_attention,
        split_heads,
    )
    from plainformer.attention.multi_head.modules import MultiHeadAttention

__all__ = [
    "MultiHeadAttention",
    "grouped_query_attention",
    "merge_heads",
    "multi_head_attention",
    "split_heads",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "heads": ["merge_heads", "multi_head_attention", "split_heads"],
        "grouped": ["grouped_query_attention"],
        "modules": ["MultiHeadAttention"],  # this needs torch
    },
)

"""The same attention, for less time or memory.

In reading order:

- `kv_cache.py`: keys and values kept from token to token, for decoding;
- `blockwise.py`: the online softmax, which never writes all scores out;
- `modules.py`: torch's fused kernel, with the masks that it asks for.
"""

from plainformer.attention.efficient.blockwise import blockwise_attention, online_attention
from plainformer.attention.efficient.kv_cache import KVCache

__all__ = ["KVCache", "blockwise_attention", "online_attention"]

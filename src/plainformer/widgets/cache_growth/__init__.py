"""`CacheGrowth`: decoding token by token, without a cache and with one."""

from .widget import CacheGrowth

__all__ = ["CacheGrowth"]

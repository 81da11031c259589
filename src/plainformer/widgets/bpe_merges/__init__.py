"""`BPEMerges`: the merges that a BPE tokenizer applies to a text, one by one."""

from .widget import BPEMerges

__all__ = ["BPEMerges"]

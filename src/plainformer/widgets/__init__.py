"""The course's interactive pictures: in Jupyter, in the static page, and on paper.

>>> from plainformer.widgets import BPEMerges
"""

from .bpe_merges import BPEMerges

__all__ = ["BPEMerges"]

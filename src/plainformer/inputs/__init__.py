"""Part 1, inputs: from text to what a transformer reads.

>>> from plainformer.inputs import CharTokenizer
>>> CharTokenizer("act").encode("cat")
[2, 1, 3]
"""

from typing import TYPE_CHECKING

from plainformer._lazy import lazy_exports

if TYPE_CHECKING:  # what a type checker reads; a program imports each name when it asks for it
    from plainformer.inputs.tokenization import (
        GPT2_PATTERN,
        BPETokenizer,
        CharTokenizer,
        Tokenizer,
        WordTokenizer,
    )

__all__ = ["GPT2_PATTERN", "BPETokenizer", "CharTokenizer", "Tokenizer", "WordTokenizer"]

__getattr__, __dir__ = lazy_exports(__name__, {"tokenization": __all__})

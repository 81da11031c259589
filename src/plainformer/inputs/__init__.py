"""Part 1, inputs: from text to what a transformer reads."""

from plainformer.inputs.tokenization import (
    GPT2_PATTERN,
    BPETokenizer,
    CharTokenizer,
    Tokenizer,
    WordTokenizer,
)

__all__ = ["GPT2_PATTERN", "BPETokenizer", "CharTokenizer", "Tokenizer", "WordTokenizer"]

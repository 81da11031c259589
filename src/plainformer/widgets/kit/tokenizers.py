"""A BPE tokenizer as a page carries it: what ``formulas/bpe.js`` needs to do the same."""

from __future__ import annotations

from typing import Any

from plainformer.inputs import BPETokenizer

from .js_pattern import js_pattern

__all__ = ["check_tokenizer", "pack_reader", "pack_tokenizer", "unknown_id"]


def check_tokenizer(tokenizer: Any) -> None:
    """Refuse what the front end cannot do: it makes tokens of a text by merges alone."""
    if not isinstance(tokenizer, BPETokenizer):
        raise TypeError(f"tokenizer must be a BPETokenizer; got {type(tokenizer).__name__}")
    if tokenizer.ignore_merges:
        raise ValueError(
            "tokenizer must make its tokens by merges alone; got one with ignore_merges=True, "
            "which takes whole words from its vocabulary"
        )


def pack_tokenizer(tokenizer: BPETokenizer) -> dict[str, Any]:
    """Return what the front end needs of a tokenizer, with pairs as ids to keep it small."""
    vocab, merges = tokenizer.vocab, tokenizer.merges
    if tokenizer.byte_level:
        alphabet: Any = [vocab.get(bytes([value]), -1) for value in range(256)]
    else:
        single = {symbol: number for symbol, number in vocab.items() if len(symbol) == 1}
        alphabet = ["".join(single), list(single.values())]
    made = [vocab[left + right] for left, right in merges]
    in_a_row = bool(made) and made == list(range(made[0], made[0] + len(made)))
    return {
        "byteLevel": bool(tokenizer.byte_level),
        "pattern": js_pattern(tokenizer.pattern),
        "alphabet": alphabet,
        "unknown": unknown_id(tokenizer),
        "prefixSpace": tokenizer.add_prefix_space,
        "start": tokenizer.special_tokens[tokenizer.bos_token] if tokenizer.bos_token else None,
        "pairs": [vocab[symbol] for pair in merges for symbol in pair],
        "made": made[0] if in_a_row else made,
        "counts": list(tokenizer.merge_counts),
    }


def pack_reader(tokenizer: Any, config: Any, most: int = 128) -> dict[str, Any]:
    """Return what ``engine/reader.js`` needs to read a text with a model of this configuration.

    Args:
        tokenizer: the model's `BPETokenizer`.
        config: the model's `TransformerConfig`.
        most: the most tokens of a text that the widget has room for.

    Raises:
        TypeError, ValueError: as `check_tokenizer`.
    """
    check_tokenizer(tokenizer)
    return {
        "tokenizer": pack_tokenizer(tokenizer),
        "special": {str(number): token for token, number in tokenizer.special_tokens.items()},
        "room": min(config.max_length or most, most),
        "size": config.vocab_size,
        "layers": config.n_layers,
        "d_head": config.d_head or config.d_model // config.n_heads,
    }


def unknown_id(tokenizer: BPETokenizer) -> Any:
    """The id of whatever the vocabulary lacks; None when there is none."""
    return tokenizer.special_tokens[tokenizer.unk_token] if tokenizer.unk_token else None

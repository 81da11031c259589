"""Checks of the parts of a `BPETokenizer`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any

from plainformer.arrays import check_size
from plainformer.inputs.tokenization.special_tokens import check_special_tokens, ordinary_token

__all__ = ["check_named", "check_parts", "errors_from", "merges_to_learn"]


def check_parts(
    vocab: Mapping[Any, int],
    merges: Sequence[tuple[Any, Any]],
    special_tokens: Mapping[str, int],
    byte_level: bool,
    merge_counts: Sequence[int],
) -> None:
    """Refuse parts that do not form a tokenizer; the arguments are those of `BPETokenizer`.

    >>> check_parts({"a": 0, "b": 1}, [("a", "b")], {}, byte_level=False, merge_counts=[])
    Traceback (most recent call last):
    ValueError: merges must make tokens of the vocabulary; got ('a', 'b') and no 'ab' in it
    """
    for name, ids in (("vocab", vocab), ("special_tokens", special_tokens)):
        if not isinstance(ids, Mapping):
            raise TypeError(f"{name} must map tokens to ids; got {type(ids).__name__}")
    check_special_tokens(special_tokens)
    kind = bytes if byte_level else str
    for token in vocab:
        if not isinstance(token, kind):
            raise TypeError(f"vocab must have {kind.__name__} for tokens; got {token!r}")
    if kind() in vocab:
        raise ValueError("vocab must not have an empty token; got one")
    token_of: dict[int, Any] = {}
    for token, id_ in chain(vocab.items(), special_tokens.items()):
        if type(id_) is not int or not 0 <= id_ < 2**32:  # tokenizers stores an id in 32 bits
            raise ValueError(f"ids must be integers from 0 to 2**32 - 1; got {id_!r} for {token!r}")
        if id_ in token_of:
            raise ValueError(
                f"ids must be different; got {id_} for both {token_of[id_]!r} and {token!r}"
            )
        token_of[id_] = token
    for merge in merges:
        pair = isinstance(merge, tuple) and len(merge) == 2
        if not pair or not all(isinstance(token, kind) for token in merge):
            raise TypeError(f"merges must be pairs of {kind.__name__}; got {merge!r}")
        for token in (*merge, merge[0] + merge[1]):
            if token not in vocab:
                said = f"got {merge!r} and no {token!r} in it"
                raise ValueError(f"merges must make tokens of the vocabulary; {said}")
    twice = [pair for pair, times in Counter(merges).items() if times > 1]
    if twice:
        raise ValueError(f"merges must be different; got {twice[0]!r} twice")
    if merge_counts and len(merge_counts) != len(merges):
        raise ValueError(
            f"merge_counts must have one count for each of {len(merges)} merges, or none; "
            f"got {len(merge_counts)}"
        )
    for special in special_tokens:
        if ordinary_token(special, byte_level) in vocab:
            raise ValueError(
                "special_tokens must not be written like ordinary tokens; "
                f"got {special!r}, which is also in the vocabulary"
            )


def check_named(name: str, token: str | None, special_tokens: Collection[str]) -> None:
    """Refuse a start token or an `<unk>` that is not a special token."""
    if token is not None and token not in special_tokens:
        raise ValueError(f"{name} must be one of special_tokens; got {token!r}")


def merges_to_learn(vocab_size: int, special: list[str], alphabet: list[Any]) -> int:
    """How many places in the vocabulary are left for merges."""
    smallest = len(special) + len(alphabet)
    places = check_size(vocab_size, "vocab_size", least=0) - smallest
    if places < 0:
        raise ValueError(
            f"vocab_size must be at least {smallest}: {len(special)} special tokens and an "
            f"alphabet of {len(alphabet)}; got {vocab_size}"
        )
    return places


@contextmanager
def errors_from(*paths: str | os.PathLike[str]) -> Iterator[None]:
    """Add the names of files to an error about their contents."""
    try:
        yield
    except (TypeError, ValueError) as error:
        names = " and ".join(map(str, paths))
        raise ValueError(f"{names} cannot be read as a tokenizer: {error}") from error

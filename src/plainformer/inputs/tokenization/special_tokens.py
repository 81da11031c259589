"""Special tokens: ids that do not encode any text, such as the end of a document.

They are written like text, as in "<|endoftext|>", which is dangerous, because a stranger could type
one and end your document. Text therefore only becomes a special token if the caller allows it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations
from typing import Literal, TypeAlias

import regex

from plainformer.inputs.tokenization.byte_alphabet import unicode_to_bytes
from plainformer.inputs.tokenization.protocol import check_text

__all__ = ["Allowed", "check_special_tokens", "cut_at_special_tokens", "ordinary_token"]

Allowed: TypeAlias = Iterable[str] | Literal["all"]


def check_special_tokens(special_tokens: Iterable[str]) -> list[str]:
    """Return the special tokens as a list, if a text can be split at them unambiguously.

    >>> check_special_tokens(["<s>", "<s><s>"])
    Traceback (most recent call last):
    ValueError: special_tokens must not contain one another; got '<s>' inside '<s><s>'
    """
    if isinstance(special_tokens, str) or not isinstance(special_tokens, Iterable):
        raise TypeError(f"special_tokens must be a collection of str; got {special_tokens!r}")
    special_tokens = list(special_tokens)
    for token in special_tokens:
        check_text(token, "each of special_tokens")
        if not token:
            raise ValueError("special_tokens must not be empty; got ''")
    if len(set(special_tokens)) < len(special_tokens):
        raise ValueError(f"special_tokens must be different; got {special_tokens}")
    for inner, outer in permutations(special_tokens, 2):
        if inner in outer:
            raise ValueError(
                f"special_tokens must not contain one another; got {inner!r} inside {outer!r}"
            )
    return special_tokens


def cut_at_special_tokens(
    text: str, special_tokens: Mapping[str, int], allowed: Allowed
) -> Iterator[tuple[str, bool]]:
    """Split a text at the allowed special tokens, and say of each piece whether it is one.

    >>> list(cut_at_special_tokens("a<s>b</s>", {"<s>": 0, "</s>": 1}, allowed=["<s>"]))
    [('a', False), ('<s>', True), ('b</s>', False)]
    """
    if allowed == "all":
        allowed = special_tokens
    if isinstance(allowed, str) or not isinstance(allowed, Iterable):
        raise TypeError(f'allowed_special must be "all" or a collection of str; got {allowed!r}')
    allowed = list(allowed)
    for token in allowed:
        if token not in special_tokens:
            raise ValueError(
                "allowed_special must name special tokens of this tokenizer "
                f"({', '.join(special_tokens) or 'it has none'}); got {token!r}"
            )
    either = "|".join(map(regex.escape, allowed))
    for i, piece in enumerate(regex.split(f"({either})", text) if either else [text]):
        yield piece, i % 2 == 1  # split by a group: text, match, text, match, ..., text


def ordinary_token(special_token: str, byte_level: bool) -> bytes | str | None:
    """The ordinary token that a vocabulary file would spell like this special token, if any.

    >>> [ordinary_token(special, byte_level=True) for special in ("<eos>", "Ġcat", "猫")]
    [b'<eos>', b' cat', None]
    """
    if not byte_level:
        return special_token
    try:
        return unicode_to_bytes(special_token)
    except ValueError:
        return None

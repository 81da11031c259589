"""The interface of all tokenizers, and the checks that they share.

A tokenizer turns a string into a list of integers, the *input IDs*, and back. The rest of a
transformer sees only the integers.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar, runtime_checkable

__all__ = ["UNK", "Tokenizer", "check_text", "look_up"]

UNK = "<unk>"  # the token for anything that is not in the vocabulary

T = TypeVar("T")


@runtime_checkable
class Tokenizer(Protocol):
    """The four methods that the rest of the course uses.

    >>> from plainformer.inputs.tokenization import CharTokenizer
    >>> isinstance(CharTokenizer("abc"), Tokenizer)
    True
    """

    @property
    def vocab_size(self) -> int:
        """The number of different tokens, including special tokens."""

    def encode(self, text: str) -> list[int]:
        """The ids of the text's tokens, in order."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text that these ids encode."""

    def tokens(self, text: str) -> list[str]:
        """The text's tokens in a readable form, one for each id."""


def check_text(text: object, name: str = "text") -> None:
    r"""Refuse anything but a string that can be written as UTF-8.

    A *surrogate* is half of a pair that UTF-16 uses for one character. UTF-8 cannot express it,
    and it only ever gets into a Python string through a decoding mistake.

    >>> check_text("any other string, even \0")
    >>> check_text("a\ud83d")
    Traceback (most recent call last):
    ValueError: text must not contain lone surrogates; got U+D83D at position 1
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str; got {type(text).__name__}")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = error.start
        raise ValueError(
            f"{name} must not contain lone surrogates; got U+{ord(text[at]):04X} at position {at}"
        ) from None


def look_up(ids: Iterable[int], tokens: Mapping[int, T]) -> list[T]:
    """The token of each id, which may be a Python, NumPy or torch integer.

    >>> look_up([1, 0, 1], {0: "to", 1: "be"})
    ['be', 'to', 'be']
    >>> look_up([1, 2], {0: "to", 1: "be"})
    Traceback (most recent call last):
    ValueError: ids must be ids of this vocabulary of 2 tokens; got 2 at position 1
    """
    found = []
    for position, id_ in enumerate(ids):
        try:
            found.append(tokens[operator.index(id_)])
        except TypeError:
            raise TypeError(f"ids must be integers; got {id_!r} at position {position}") from None
        except KeyError:
            raise ValueError(
                f"ids must be ids of this vocabulary of {len(tokens)} tokens; "
                f"got {id_!r} at position {position}"
            ) from None
    return found

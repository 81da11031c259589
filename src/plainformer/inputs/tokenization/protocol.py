"""What every tokenizer can do, and the checks that all of them share.

A tokenizer turns a string into a list of integers, the *input IDs*, and back. Everything after it
in a transformer sees the integers only.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar, runtime_checkable

__all__ = ["UNK", "Tokenizer", "check_int", "check_text", "look_up"]

UNK = "<unk>"  # the token that stands for whatever the vocabulary lacks

T = TypeVar("T")


@runtime_checkable
class Tokenizer(Protocol):
    """The four things that the rest of the course asks of a tokenizer.

    >>> from plainformer.inputs.tokenization import CharTokenizer
    >>> isinstance(CharTokenizer("abc"), Tokenizer)
    True
    """

    @property
    def vocab_size(self) -> int:
        """How many different tokens there are, special tokens included."""

    def encode(self, text: str) -> list[int]:
        """The ids of the text's tokens, in order."""

    def decode(self, ids: Iterable[int]) -> str:
        """The text that these ids stand for."""

    def tokens(self, text: str) -> list[str]:
        """The text's tokens in a form that a person can read, one for each id."""


def check_text(text: object, name: str = "text") -> None:
    r"""Refuse what is no string, and strings that no UTF-8 file can hold.

    A *surrogate* is half of a pair that UTF-16 uses for one character. In a string of Python's it
    is no character, has no UTF-8 form, and gets there only by a mistake in decoding, be it alone
    or in a pair.

    Args:
        text: what a caller gave.
        name: what the caller's argument is called.

    Raises:
        TypeError: `text` is not a str.
        ValueError: `text` contains a surrogate.

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
        try:  # two that belong together
            whole = text[at : at + 2].encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            raise ValueError(
                f"{name} must not contain lone surrogates; "
                f"got U+{ord(text[at]):04X} at position {at}"
            ) from None
        raise ValueError(
            f"{name} must hold {whole} itself, not the two surrogates by which UTF-16 writes it; "
            f"got U+{ord(text[at]):04X} U+{ord(text[at + 1]):04X} at position {at}"
        ) from None


def check_int(number: object, name: str) -> int:
    """The number as an int. NumPy's integers will do; True, 2.0 and "2" will not.

    Raises:
        TypeError: `number` is no integer; the message calls it `name`.

    >>> check_int(300, "vocab_size")
    300
    >>> check_int(300.0, "vocab_size")
    Traceback (most recent call last):
    TypeError: vocab_size must be an int; got float
    """
    try:
        if isinstance(number, bool):
            raise TypeError
        return operator.index(number)  # type: ignore[arg-type]  # the wrong kinds end below
    except TypeError:
        raise TypeError(f"{name} must be an int; got {type(number).__name__}") from None


def look_up(ids: Iterable[int], tokens: Mapping[int, T]) -> list[T]:
    """The token of each id.

    Args:
        ids: integers; those of NumPy and torch will do.
        tokens: the token of every id that exists.

    Raises:
        TypeError: `ids` cannot be gone through, or something in it is not an integer.
        ValueError: an id does not exist.

    >>> look_up([1, 0, 1], {0: "to", 1: "be"})
    ['be', 'to', 'be']
    >>> look_up([1, 2], {0: "to", 1: "be"})
    Traceback (most recent call last):
    ValueError: ids must be ids of this vocabulary of 2 tokens; got 2 at position 1
    """
    try:
        ids = iter(ids)
    except TypeError:
        raise TypeError(f"ids must be an iterable of integers; got {ids!r}") from None
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

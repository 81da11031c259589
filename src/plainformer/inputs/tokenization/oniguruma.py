r"""Patterns in the two dialects of regular expressions, that of `regex` and that of `tokenizers`.

`tokenizers` gives its patterns to Oniguruma, which reads them as Ruby does. Some patterns mean
something else to it without any warning: to `regex`, ``x{1,3}+`` is a possessive repeat and ``$``
the end of the text, and to Oniguruma they are a repeated repeat and the end of a line. A pattern
therefore passes unchanged from one to the other if it consists of parts that mean the same in both,
as all published ones do except those in `PUBLISHED`. Any other pattern is rejected.

Even so, the two may differ on rare characters in ``\w``, ``\b`` and ``\s``, on "ß" and "İ" where
case is ignored, and on where to continue after a match of the empty string.
"""

from __future__ import annotations

import regex

__all__ = ["PUBLISHED", "from_oniguruma", "to_oniguruma"]

PUBLISHED = {
    # GPT-2 as tiktoken has it (r50k_base, p50k_base)
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s":
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++\Z|\s+(?!\S)|\s",
    # GPT-4 (cl100k_base)
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s":
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|(?>\p{N}{1,3})| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
}  # fmt: skip
"""Patterns that `regex` and Oniguruma read differently, each with what Oniguruma should read."""

_CHARACTER = (  # an escape for one character or for a class of characters
    r"\\(?:[dDsSwWrntfva]|[pP]\{\^?(?!(?i:XDigit)\})\w+\}|x[0-7][0-9A-Fa-f]|u[0-9A-Fa-f]{4}"
    r"|[^\p{L}\p{N}])"
)
_SAME = regex.compile(
    rf"""(?:
      \[\^?\]? (?: {_CHARACTER} | [^\]\[\\&] | &(?!&) )* \]  # a set without sets in it
    | {_CHARACTER} | \\[bBARX]
    | \( (?: \?[:=!>] | \?<[=!] ) | \)
    | \(\?i: [^()\\]* \)   # \p{{Lu}} in it would match small letters in `regex` alone
    | [*+?] [+?]? | \{{ (?: \d+(?:,\d*)? | ,\d+ ) \}} (?![+?])
    | [^\\\[({{^$*+?)]
    )*+""",
    regex.VERBOSE,
)


def to_oniguruma(pattern: str) -> str:
    r"""The pattern with which `tokenizers` splits where `regex` splits with this one.

    Raises:
        ValueError: a part may mean something else there; the message quotes it.

    >>> to_oniguruma(r" ?\p{L}+|\p{N}{1,3}")
    ' ?\\p{L}+|\\p{N}{1,3}'
    """
    return _translate(pattern, PUBLISHED)


def from_oniguruma(pattern: str) -> str:
    """The pattern with which `regex` splits where `tokenizers` splits with this one.

    Raises:
        ValueError: as for `to_oniguruma`.
    """
    return _translate(pattern, {theirs: ours for ours, theirs in PUBLISHED.items()})


def _translate(pattern: str, known: dict[str, str]) -> str:
    if pattern in known:
        return known[pattern]
    same = _SAME.match(pattern)
    end = same.end() if same else 0
    if end < len(pattern):
        raise ValueError(
            "pattern must mean the same to `regex` and to `tokenizers`, which reads it as Ruby "
            f"does; {pattern[end : end + 20]!r} may not"
        )
    return pattern

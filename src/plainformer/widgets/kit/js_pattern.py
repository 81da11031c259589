"""The pre-split pattern of a tokenizer, in the words of JavaScript's regular expressions.

Patterns are written for Python's ``regex`` module. JavaScript (with its ``u`` flag) reads most of
them alike, with one trap: its ``\\s`` is not Unicode's White_Space (it has U+FEFF and lacks
U+0085), and a page would cut some texts where the tokenizer does not.

Python cannot ask a browser, so everything that is not known to be the same is refused.
"""

from __future__ import annotations

import regex

__all__ = ["js_pattern"]

# What both languages read alike, or what has a translation, inside [...] and outside.
_CLASSES = r"\\[sSdD] | \\[pP]\{\^?[A-Z][a-z]?\}"
_ESCAPES = r"\\[rntfv\\.*+?()\[\]{}|^$/] | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4}"
_INSIDE = regex.compile(rf"{_CLASSES} | {_ESCAPES} | \\- | \] | [^\\\[\]]", regex.VERBOSE)
_OUTSIDE = regex.compile(
    rf"""
      {_CLASSES} | {_ESCAPES} | \[\^?
    | \(\?: | \(\?= | \(\?! | \(\?<= | \(\?<! | [)|^]
    | (?: [*+?] | \{{\d+(?:,\d*)?\}} ) \?? (?![+*?])     # quantifiers, not possessive
    | [^\\()\[\]{{}}*+?|.^$]                             # any other character is itself
    """,
    regex.VERBOSE,
)
_TRANSLATED = {
    r"\s": r"\p{White_Space}",
    r"\S": r"\P{White_Space}",
    r"\d": r"\p{Nd}",
    r"\D": r"\P{Nd}",
}


def js_pattern(pattern: str) -> str:
    r"""Return the pattern for JavaScript's ``new RegExp(pattern, "gu")``.

    >>> js_pattern(r" ?[^\s\p{L}]+|\s+(?!\S)")
    ' ?[^\\p{White_Space}\\p{L}]+|\\p{White_Space}+(?!\\P{White_Space})'

    Raises TypeError when the pattern is not a string; ValueError when it is not a pattern, or uses
    something that JavaScript lacks or reads differently (possessive quantifiers, inline flags,
    ``\w``, ``.``, ``$``, capturing groups, scripts).
    """
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be a string; got {type(pattern).__name__}")
    try:
        regex.compile(pattern)
    except regex.error as error:
        raise ValueError(f"pattern must be a regular expression; {error}") from error
    position, inside, translated = 0, False, []
    while position < len(pattern):
        element = (_INSIDE if inside else _OUTSIDE).match(pattern, position)
        if element is None:
            raise ValueError(
                "pattern must be one that a browser can run as Python does; "
                f"got {pattern[position : position + 12]!r} at index {position}"
            )
        inside = element[0] != "]" if inside else element[0].startswith("[")
        translated.append(_TRANSLATED.get(element[0], element[0]))
        position = element.end()
    return "".join(translated)

r"""Split a text into pre-tokens: pieces whose boundaries no merge crosses.

On raw text, BPE soon learns "e" with the space after it, and later one token each for "dog.",
"dog!" and "dog?". GPT-2 therefore splits the text with a regular expression first, and BPE works
inside each piece (Radford et al., 2019, section 2.2). The pattern belongs to the tokenizer from
then on, because different pieces would produce different ids.

What counts as a letter depends on the Unicode version that a library knows, so `regex` and
`tokenizers` may split differently at characters that are too new for one of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

import regex

from plainformer.inputs.tokenization.protocol import check_text

__all__ = ["GPT2_PATTERN", "count_words", "pre_tokenize", "with_prefix_space"]

# A common English ending | letters | digits | anything else | space before space | space.
# Each run includes one space before it: " cat" is one piece. \p{L} is a letter of any script,
# \p{N} a number. The pattern of GPT-2, as published with the model's code.
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def pre_tokenize(text: str, pattern: str = GPT2_PATTERN) -> Iterator[str]:
    """Split a text into the pieces that the pattern matches and the text between them.

    Nothing is lost, so joining the pieces gives the text again, whatever the pattern, which is a
    regular expression of the `regex` module without capturing groups.

    >>> list(pre_tokenize("He's 42,  isn't he?"))
    ['He', "'s", ' 42', ',', ' ', ' isn', "'t", ' he', '?']
    >>> list(pre_tokenize("matches, and the rest", pattern="[a-z]+"))
    ['matches', ', ', 'and', ' ', 'the', ' ', 'rest']
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a str; got {type(text).__name__}")
    return filter(None, _compile(pattern).splititer(text))


def count_words(
    texts: str | Iterable[str], pattern: str = GPT2_PATTERN, *, add_prefix_space: bool = False
) -> Counter[str]:
    """Count how often each pre-token occurs, which is all that training needs from a corpus.

    Args:
        texts: one string, or any iterable of strings. They are read one at a time, and no
            pre-token extends from one into the next.
        pattern: as for `pre_tokenize`.
        add_prefix_space: put a space in front of each text that does not begin with one.

    >>> count_words(["the cat and", " the cat"])
    Counter({' cat': 2, 'the': 1, ' and': 1, ' the': 1})
    """
    if isinstance(texts, str):
        texts = [texts]
    elif not isinstance(texts, Iterable) or isinstance(texts, (bytes, bytearray)):
        raise TypeError(f"texts must be a str or an iterable of str; got {type(texts).__name__}")
    words: Counter[str] = Counter()
    for text in texts:
        check_text(text, "each of texts")
        text = with_prefix_space(text) if add_prefix_space else text
        words.update(pre_tokenize(text, pattern))
        del text  # before the next one is fetched
    return words


@lru_cache(maxsize=32)
def _compile(pattern: str) -> regex.Pattern[str]:
    """The pattern as one group, so that splitting keeps the matches."""
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be a str; got {type(pattern).__name__}")
    try:
        groups = regex.compile(pattern).groups  # alone first: "a)(b" is valid only in parentheses
        compiled = regex.compile(f"({pattern})")
    except regex.error as error:
        said = f"pattern must be a regular expression; got {pattern!r}: {error}"
        raise ValueError(said) from None
    if groups:
        raise ValueError(f"pattern must have no capturing groups; write (?:...); got {pattern!r}")
    return compiled


def with_prefix_space(text: str) -> str:
    """Put a space in front of a text that does not begin with one; an empty text stays empty."""
    return text if not text or text.startswith(" ") else " " + text

r"""The two obvious ways to split a text: into words, and into characters.

Both keep a list of the tokens seen in training, in which a token's index is its id, and anything
that is not in the list becomes `<unk>`. Words lose whatever was not seen in training ("cats" if
only "cat" occurred), and with it the spaces and line breaks of the text. Characters lose little,
but a text has four to five times as many of them, and a single one means nothing. `BPETokenizer` is
a compromise between the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

import regex

from plainformer.arrays import check_size
from plainformer.inputs.tokenization.pretokenize import count_words
from plainformer.inputs.tokenization.protocol import UNK, check_text, look_up
from plainformer.inputs.tokenization.special_tokens import check_special_tokens

__all__ = ["WORD_PATTERN", "CharTokenizer", "WordTokenizer"]

# A word, which may contain apostrophes ("don't"), or a single punctuation mark.
WORD_PATTERN = r"\w+(?:['’]\w+)*|[^\w\s]"


class _ListTokenizer:
    """A tokenizer whose vocabulary is a list. Subclasses define how to split and how to join."""

    pattern: str  # matches one token
    separator: str  # put between two tokens in decoding

    def __init__(self, tokens: Iterable[str], *, special_tokens: Iterable[str] = ()) -> None:
        special = [UNK, *check_special_tokens(special_tokens)]
        self.vocab: dict[str, int] = {}
        for token in [*special, *tokens]:
            check_text(token, "each token")
            if token in self.vocab:
                raise ValueError(f"tokens must be different from one another; got {token!r} twice")
            self.vocab[token] = len(self.vocab)
        for token in special:
            if regex.fullmatch(self.pattern, token):
                raise ValueError(
                    "special_tokens must not look like tokens of a text; write them like '<pad>'; "
                    f"got {token!r}"
                )
        self.special_tokens = {token: self.vocab[token] for token in special}
        self._token_of = {id_: token for token, id_ in self.vocab.items()}

    @classmethod
    def train(
        cls,
        texts: str | Iterable[str],
        vocab_size: int | None = None,
        *,
        special_tokens: Iterable[str] = (),
    ) -> Self:
        """Build the vocabulary from the tokens of some texts, the most frequent first.

        Args:
            texts: a string, or any iterable of strings, taken one at a time.
            vocab_size: how many tokens to keep at most, including special tokens; None keeps all.
            special_tokens: tokens such as "<pad>" that no text contains. Their ids follow that of
                `<unk>`, which is 0.

        >>> WordTokenizer.train("the cat and the dog", special_tokens=["<pad>"]).vocab
        {'<unk>': 0, '<pad>': 1, 'the': 2, 'and': 3, 'cat': 4, 'dog': 5}
        """
        special = check_special_tokens(special_tokens)
        least = len(special) + 1  # with <unk>
        if vocab_size is not None and check_size(vocab_size, "vocab_size", least=0) < least:
            raise ValueError(
                f"vocab_size must be at least the number of special tokens, {least} with <unk>; "
                f"got {vocab_size}"
            )
        pieces = count_words(texts, cls.pattern)
        counts = {t: n for t, n in pieces.items() if regex.fullmatch(cls.pattern, t)}
        tokens = sorted(counts, key=lambda token: (-counts[token], token))
        if vocab_size is not None:
            tokens = tokens[: vocab_size - least]
        return cls(tokens, special_tokens=special)

    @property
    def vocab_size(self) -> int:
        """The number of different tokens, including special tokens."""
        return len(self.vocab)

    def encode(self, text: str) -> list[int]:
        """The ids of the text's tokens; that of `<unk>` for those not in the vocabulary."""
        return [self.vocab[token] for token in self.tokens(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The tokens of these ids, joined. What `encode` lost cannot be recovered."""
        return self.separator.join(look_up(ids, self._token_of))

    def tokens(self, text: str) -> list[str]:
        """The text's tokens; `<unk>` for those not in the vocabulary."""
        check_text(text)
        found = regex.findall(self.pattern, text)
        return [token if token in self.vocab else UNK for token in found]

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"


class WordTokenizer(_ListTokenizer):
    """Words and punctuation marks by `WORD_PATTERN`. Decoding puts a space between tokens.

    >>> tokenizer = WordTokenizer(["your", "cat", "is", "a", "lovely", "!"])
    >>> ids = tokenizer.encode("your  dog\\nis a lovely cat!")
    >>> ids, tokenizer.decode(ids)
    ([1, 0, 3, 4, 5, 2, 6], 'your <unk> is a lovely cat !')
    """

    pattern = WORD_PATTERN
    separator = " "


class CharTokenizer(_ListTokenizer):
    """Characters, which are Unicode code points: "é" may be one or two, a flag is two.

    >>> tokenizer = CharTokenizer("act ")
    >>> ids = tokenizer.encode("cat at bat")
    >>> ids, tokenizer.decode(ids)
    ([2, 1, 3, 4, 1, 3, 4, 0, 1, 3], 'cat at <unk>at')
    """

    pattern = r"(?s:.)"
    separator = ""

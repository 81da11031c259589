"""Vocabularies for translation, both with four special tokens.

    <pad>  pads a shorter sentence, so that a batch is a tensor
    <unk>  a word that did not occur in training, or not often enough
    <sos>  the start of a sentence, which the decoder reads before the first token
    <eos>  the end of a sentence, which the decoder generates after the last token

`Vocabulary` consists of words, and suits small texts whose words all occur many times. Real text
needs `SubwordVocabulary`, whose byte-level BPE tokens can represent any text.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from plainformer.arrays import check_size
from plainformer.inputs.tokenization import BPETokenizer, count_words
from plainformer.inputs.tokenization.protocol import check_text, look_up

__all__ = ["SPECIAL_TOKENS", "SubwordVocabulary", "Vocabulary"]

SPECIAL_TOKENS = ("<pad>", "<unk>", "<sos>", "<eos>")

# In English the apostrophe begins a word ('s, 't, 'll), in Italian it ends one (l', un', c').
_ENGLISH = r"['’](?:s|t|d|m|re|ve|ll)\b"
_PATTERN = rf"\w+(?={_ENGLISH})|{_ENGLISH}|\w+['’](?=\w)|\w+|[^\w\s]"


class Vocabulary:
    """Words and their ids; `<pad>`, `<unk>`, `<sos>` and `<eos>` have the first four ids.

    Unlike `WordTokenizer`, it also splits at apostrophes, so that *albero* is the same word with
    and without an article: *l'albero* becomes *l'* and *albero*.

    >>> vocabulary = Vocabulary(["il", "tuo", "gatto", "un", "è"])
    >>> vocabulary.encode("il tuo gatto è un gatto adorabile")
    [4, 5, 6, 8, 7, 6, 1]
    >>> vocabulary.decode([2, 4, 5, 6, 3, 0, 0])
    'il tuo gatto'
    """

    pad_id, unk_id, sos_id, eos_id = range(4)

    def __init__(self, words: Iterable[str]) -> None:
        self.vocab = {token: id_ for id_, token in enumerate(SPECIAL_TOKENS)}
        for word in words:
            check_text(word, "each of words")
            if word in self.vocab:
                why = "is a special token" if word in SPECIAL_TOKENS else "occurs twice"
                raise ValueError(f"words must be different and ordinary; {word!r} {why}")
            self.vocab[word] = len(self.vocab)
        self._word_of = {id_: word for word, id_ in self.vocab.items()}

    @classmethod
    def build(
        cls, texts: str | Iterable[str], *, minimum_count: int = 1, maximum_size: int | None = None
    ) -> Vocabulary:
        """Collect the words of texts in one or several languages, most frequent first.

        Words that occur less often than `minimum_count` become `<unk>`. The largest size includes
        the four special tokens.

        >>> Vocabulary.build(["l'oca", "l'albero e l'oca"], minimum_count=2).vocab
        {'<pad>': 0, '<unk>': 1, '<sos>': 2, '<eos>': 3, "l'": 4, 'oca': 5}
        """
        check_size(minimum_count, "minimum_count")
        counts = count_words(texts, _PATTERN)
        words = [w for w, n in counts.items() if n >= minimum_count and not w.isspace()]
        words.sort(key=lambda word: (-counts[word], word))
        if maximum_size is not None:
            least = len(SPECIAL_TOKENS) + 1
            words = words[: check_size(maximum_size, "maximum_size", least=least) - least + 1]
        return cls(words)

    @property
    def vocab_size(self) -> int:
        """The number of ids, including those of the special tokens."""
        return len(self.vocab)

    @staticmethod
    def split(text: str) -> list[str]:
        """Split a text into words, whether or not they are in a vocabulary.

        >>> Vocabulary.split("anna's l'oca, forse")
        ['anna', "'s", "l'", 'oca', ',', 'forse']
        """
        check_text(text)
        words: list[str] = regex.findall(_PATTERN, text)
        return words

    def tokens(self, text: str) -> list[str]:
        """Split a text into words, with `<unk>` for those that are not in the vocabulary."""
        return [self._word_of[id_] for id_ in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """Convert a text to ids, without `<sos>` and `<eos>`."""
        return [self.vocab.get(word, self.unk_id) for word in self.split(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Convert ids to a text that ends at the first `<eos>`, without `<pad>` and `<sos>`."""
        words = look_up(ids, self._word_of)
        if "<eos>" in words:
            words = words[: words.index("<eos>")]
        return join([word for word in words if word not in ("<pad>", "<sos>")])

    def token(self, id_: int) -> str:
        """Return the text of one token."""
        return self._word_of[id_]

    def __repr__(self) -> str:
        return f"Vocabulary(vocab_size={self.vocab_size})"


class SubwordVocabulary:
    """Byte-level BPE tokens, whose ids follow the same four special tokens as in `Vocabulary`.

    >>> vocabulary = SubwordVocabulary.build(["your cat is a lovely cat"], vocab_size=270)
    >>> ids = vocabulary.encode("Perché no?")
    >>> vocabulary.unk_id in ids, vocabulary.decode([vocabulary.sos_id, *ids, vocabulary.eos_id])
    (False, 'Perché no?')
    """

    pad_id, unk_id, sos_id, eos_id = range(4)

    def __init__(self, tokenizer: BPETokenizer) -> None:
        self.tokenizer = tokenizer

    @classmethod
    def build(cls, texts: str | Iterable[str], *, vocab_size: int) -> SubwordVocabulary:
        """Train a tokenizer on some texts; it has fewer tokens if little in the texts is repeated.

        The smallest size is 260, for the bytes and the special tokens.
        """
        check_size(vocab_size, "vocab_size", least=256 + len(SPECIAL_TOKENS))
        return cls(BPETokenizer.train(texts, vocab_size - len(SPECIAL_TOKENS)))

    @property
    def vocab_size(self) -> int:
        """The number of ids, including those of the special tokens."""
        return self.tokenizer.vocab_size + len(SPECIAL_TOKENS)

    def tokens(self, text: str) -> list[str]:
        """Split a text into tokens; a token may end in the middle of a character."""
        return [self.token(id_) for id_ in self.encode(text)]

    def token(self, id_: int) -> str:
        """Return the text of one token."""
        n = len(SPECIAL_TOKENS)
        return SPECIAL_TOKENS[id_] if id_ < n else self.tokenizer.decode([id_ - n])

    def encode(self, text: str) -> list[int]:
        """Convert a text to ids, without `<sos>` and `<eos>`."""
        return [id_ + len(SPECIAL_TOKENS) for id_ in self.tokenizer.encode(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Convert ids to the exact text up to the first `<eos>`, without special tokens."""
        kept = list(ids)
        if self.eos_id in kept:
            kept = kept[: kept.index(self.eos_id)]
        n = len(SPECIAL_TOKENS)
        return self.tokenizer.decode([int(id_) - n for id_ in kept if id_ >= n])

    def __repr__(self) -> str:
        return f"SubwordVocabulary(vocab_size={self.vocab_size})"


def join(words: list[str]) -> str:
    """Join words the way they are written, without a space at an apostrophe or before a comma."""
    text = ""
    for word in words:
        closes = regex.fullmatch(rf"[.,;:!?…)\]»]|{_ENGLISH}", word)
        elided = regex.search(r"\w['’]$", text)
        text += word if not text or closes or elided else f" {word}"
    return text

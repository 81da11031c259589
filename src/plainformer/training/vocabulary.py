"""The words of two languages and their ids, with four that no sentence contains.

    <pad>  fills a shorter sentence up, so that a batch is a rectangle
    <unk>  a word that training did not meet, or met too seldom
    <sos>  the start of a sentence: what the decoder reads before the first word
    <eos>  its end: what the decoder writes after the last word

`WordTokenizer` cuts at spaces and leaves *l'albero* whole. Here an apostrophe parts two words, as
it does in Italian: *l'* and *albero*. So *albero* is one word, whatever stands before it.

But: a language written without spaces, or with many forms to a word, wants `BPETokenizer`.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from plainformer.arrays import check_size
from plainformer.inputs.tokenization import count_words
from plainformer.inputs.tokenization.protocol import check_text, look_up

__all__ = ["SPECIAL_TOKENS", "Vocabulary"]

SPECIAL_TOKENS = ("<pad>", "<unk>", "<sos>", "<eos>")

# English 's, 't, 'll belong to the right of the apostrophe, Italian l', un' and c' to its left.
_ENGLISH = r"['’](?:s|t|d|m|re|ve|ll)\b"
_PATTERN = rf"\w+(?={_ENGLISH})|{_ENGLISH}|\w+['’](?=\w)|\w+|[^\w\s]"


class Vocabulary:
    """Words and their ids; `<pad>`, `<unk>`, `<sos>` and `<eos>` have the first four.

    Args:
        words: in the order of their ids, without the four; no two the same.

    Raises:
        TypeError, ValueError: a word is no str, comes twice, or is one of the four.

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
                why = "is a special token" if word in SPECIAL_TOKENS else "comes twice"
                raise ValueError(f"words must be different and ordinary; {word!r} {why}")
            self.vocab[word] = len(self.vocab)
        self._word_of = {id_: word for word, id_ in self.vocab.items()}

    @classmethod
    def build(
        cls,
        texts: str | Iterable[str],
        *,
        minimum_count: int = 1,
        maximum_size: int | None = None,
    ) -> Vocabulary:
        """The words of some texts, the most frequent first.

        Args:
            texts: sentences of one language, or of two that are to share their ids.
            minimum_count: words met less often become `<unk>`.
            maximum_size: keep so many words at most, the four special ones included.

        Raises:
            TypeError, ValueError: `texts` holds something else than strings; a number that is not
                a positive integer; no room for a single word.

        >>> Vocabulary.build(["l'oca", "l'albero e l'oca"], minimum_count=2).vocab
        {'<pad>': 0, '<unk>': 1, '<sos>': 2, '<eos>': 3, "l'": 4, 'oca': 5}
        """
        check_size(minimum_count, "minimum_count")
        counts = count_words(texts, _PATTERN)
        words = [w for w, n in counts.items() if n >= minimum_count and not w.isspace()]
        words.sort(key=lambda word: (-counts[word], word))
        if maximum_size is not None:
            room = check_size(maximum_size, "maximum_size") - len(SPECIAL_TOKENS)
            if room < 1:
                raise ValueError(f"maximum_size must be 5 or more; got {maximum_size}")
            words = words[:room]
        return cls(words)

    @property
    def vocab_size(self) -> int:
        """How many ids there are, those of the special tokens included."""
        return len(self.vocab)

    @staticmethod
    def split(text: str) -> list[str]:
        """The words of a text, known or not.

        Raises:
            TypeError, ValueError: `text` is no str, or contains a lone surrogate.

        >>> Vocabulary.split("anna's l'oca, forse")
        ['anna', "'s", "l'", 'oca', ',', 'forse']
        """
        check_text(text)
        words: list[str] = regex.findall(_PATTERN, text)
        return words

    def tokens(self, text: str) -> list[str]:
        """The words of a text; `<unk>` for those that the vocabulary lacks."""
        return [self._word_of[id_] for id_ in self.encode(text)]

    def encode(self, text: str) -> list[int]:
        """The ids of a text's words. `<sos>` and `<eos>` are for the caller to add.

        Raises:
            TypeError, ValueError: `text` is no str, or contains a lone surrogate.
        """
        return [self.vocab.get(word, self.unk_id) for word in self.split(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """The text that these ids stand for, up to the first `<eos>`; no `<pad>`, no `<sos>`.

        Raises:
            TypeError, ValueError: something in `ids` is no id of this vocabulary.

        >>> vocabulary = Vocabulary.build("anna's un'oca,")
        >>> vocabulary.decode(vocabulary.encode("un'oca, anna's"))
        "un'oca, anna's"
        """
        words = look_up(ids, self._word_of)
        if "<eos>" in words:
            words = words[: words.index("<eos>")]
        return join([word for word in words if word not in ("<pad>", "<sos>")])

    def __repr__(self) -> str:
        return f"Vocabulary(vocab_size={self.vocab_size})"


def join(words: list[str]) -> str:
    """Words as they are written: no space at an apostrophe, and none before a comma."""
    text = ""
    for word in words:
        closes = regex.fullmatch(rf"[.,;:!?…)\]»]|{_ENGLISH}", word)
        elided = regex.search(r"\w['’]$", text)
        text += word if not text or closes or elided else f" {word}"
    return text

"""Logits small enough to check by hand: what comes after "your cat is a".

Suppose that a hundred people finished the sentence. *The next token* and *Penalties* compute with
the counts of their answers, whose logarithms are the logits, because a pencil is enough for that.
Otherwise the chapters of this part show what course-lm expects (`LanguageModel.next_logits`).

>>> float(np.exp(LOGITS).sum().round())
100.0

There is also a model that is large enough to generate text: an n-gram model of Python's manual,
with its tokenizer. Both are created when first used, which takes a second or two, and then cached.

>>> tokenizer().vocab_size, len(model()(np.array([tokenizer().encode("The")]))[0])
(1024, 1024)
"""

from __future__ import annotations

from functools import cache

import numpy as np

from plainformer.arrays import Array
from plainformer.data import python_manual
from plainformer.decoding.next_token.ngram import NGramModel
from plainformer.inputs.tokenization import BPETokenizer

__all__ = ["CONTEXT", "COUNTS", "EOS", "LOGITS", "WORDS", "ids", "model", "tokenizer"]

CONTEXT = "your cat is a"
WORDS = ("lovely", "good", "very", "small", "cat", "hungry", "your", "is")
COUNTS = (40, 20, 12, 10, 8, 5, 3, 2)

LOGITS = np.log(np.array(COUNTS, dtype=np.float64))
"""(V,) = (8,): the natural logarithm of each count. Read-only, but a `.copy()` can be changed."""
LOGITS.flags.writeable = False

EOS = "<|endoftext|>"


@cache
def tokenizer() -> BPETokenizer:
    """A byte-level BPE tokenizer of 1,024 tokens, trained on the manual; `EOS` has the id 0.

    >>> tokenizer().special_tokens
    {'<|endoftext|>': 0}
    """
    return BPETokenizer.train(_sections(), vocab_size=1024, special_tokens=[EOS])


@cache
def ids() -> Array:
    """(N,), the manual as token ids, with `EOS` after each section. Read-only.

    >>> 150_000 < len(ids()) < 250_000 and int(ids()[-1]) == 0
    True
    """
    encode = tokenizer().encode
    array = np.array([id_ for section in _sections() for id_ in (*encode(section), 0)])
    array.flags.writeable = False
    return array


@cache
def model() -> NGramModel:
    """The n-gram model of order 4 that the chapters of this part use.

    >>> words = tokenizer()
    >>> best = model()(np.array([words.encode("The name of the")])).argmax()
    >>> words.decode([int(best)])[0]  # a word, with its space
    ' '
    """
    return NGramModel(order=4, vocab_size=tokenizer().vocab_size).fit(ids())


def _sections() -> list[str]:
    """The sections of the manual, none of them empty."""
    return [part for part in map(str.strip, python_manual().split("\n\n\n")) if part]

"""Experiments on tokens, their vectors, and their order."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.arrays import Array

from .judging import Experiment, Finding
from .measuring import check_text, model, name_of, probabilities

__all__ = ["EXPERIMENTS"]


def count_pieces(answer: Any) -> Finding:
    """Five words that the tokenizer cuts into as many tokens as possible."""
    text = check_text(answer, (5, 5))
    for word in text.split():
        if not (word.isascii() and word.isalpha() and word.islower() and len(word) <= 7):
            raise ValueError(f"each word must be one to seven letters from a to z; got {word!r}")
    n = len(model().tokenizer.encode(text)) - 1  # without <sos>
    return Finding(
        n >= 18,
        f"The tokenizer cuts these five words into {n} tokens. "
        "The experiment looks for 18 or more.",
    )


def similar_words(answer: Any) -> Finding:
    """Two words that the model has learned to treat alike."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise TypeError(f"the answer must be a pair of words; got {answer!r}")
    first, second = (_vector(word) for word in answer)
    if answer[0].lower()[:3] == answer[1].lower()[:3]:
        raise ValueError("the two words must not begin with the same three letters")
    cosine = float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))
    return Finding(
        cosine >= 0.65,
        f"The cosine similarity of “{answer[0]}” and “{answer[1]}” is {cosine:.2f}. The "
        "experiment looks for 0.65 or more.",
    )


def _vector(word: Any) -> Array:
    ids = model().tokenizer.encode(check_text(word, (1, 1)))
    if len(ids) != 2:  # <sos> and the word
        raise ValueError(f"each word must be a single token; {word!r} has {len(ids) - 1}")
    table: Array = model().model.embedding.tokens.detach().numpy()
    return table[ids[1]]


def two_orders(answer: Any) -> Finding:
    """The same words in two orders, after which the model expects different things."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise TypeError(f"the answer must be a pair of texts; got {answer!r}")
    first, second = (check_text(text, (3, 12)) for text in answer)
    if sorted(first.split()) != sorted(second.split()):
        raise ValueError("the two texts must consist of the same words")
    p, q = probabilities(first), probabilities(second)
    a, b = int(p.argmax()), int(q.argmax())
    return Finding(
        bool(a != b and min(p[a], q[b]) >= 0.5),
        f"After the first text, {name_of(a)} has a probability of {p[a]:.2f}, and after the "
        f"second, {name_of(b)} has {q[b]:.2f}. The experiment looks for two different tokens "
        "with at least 0.50 each.",
    )


EXPERIMENTS = (
    Experiment(
        "inputs.tokenization",
        "A tokenizer that stumbles",
        "Find five words, each of at most seven small letters, that course-lm's tokenizer cuts "
        "into 18 tokens or more. The answer is a text.",
        count_pieces,
        ("quartz jinxed zephyr vortex hymnal",),
    ),
    Experiment(
        "inputs.embedding",
        "Two words that are close together",
        "Find two words whose rows in course-lm's table of embeddings have a cosine similarity of "
        "at least 0.65, and which do not begin with the same three letters. The answer is a pair "
        "of words.",
        similar_words,
        (("boy", "girl"), ("started", "began")),
    ),
    Experiment(
        "inputs.positions",
        "The same words in another order",
        "Find two texts of three to twelve words that differ only in the order of the words, and "
        "after which course-lm is at least 50 % sure of different tokens. The answer is a pair of "
        "texts.",
        two_orders,
        (("once a time upon", "once upon a time"),),
    ),
)

"""Convert texts and labels to batches of ids, masks and label numbers.

Words are converted to lower case, and a text is truncated after `max_length` of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from plainformer.arrays import check_size
from plainformer.inputs.tokenization import WordTokenizer
from plainformer.training.batches import pad_batch

__all__ = ["PAD", "Example", "collate", "make_examples", "make_vocabulary"]

PAD = "<pad>"


class Example(NamedTuple):
    """A text to classify: its ids, and the number of its label, a position in a list of labels."""

    ids: list[int]
    label: int


def make_vocabulary(texts: Iterable[str], vocab_size: int) -> WordTokenizer:
    """Collect the most frequent words of some texts, after `<unk>` (id 0) and `<pad>` (id 1).

    >>> make_vocabulary(["The cat and the dog"], 4).vocab
    {'<unk>': 0, '<pad>': 1, 'the': 2, 'and': 3}
    """
    lower = (text.lower() for text in texts)
    return WordTokenizer.train(lower, vocab_size, special_tokens=[PAD])


def make_examples(
    texts: Sequence[str],
    labels: Sequence[str],
    tokenizer: WordTokenizer,
    names: Sequence[str],
    max_length: int,
) -> list[Example]:
    """Convert texts and their labels to numbers, with a tokenizer made by `make_vocabulary`.

    Raises:
        ValueError: the numbers of texts and labels differ; a text has no word; a label is not in
            `names`, which are all labels.

    >>> tokenizer = make_vocabulary(["a cat"], 10)
    >>> make_examples(["A dog"], ["noun"], tokenizer, ["noun"], 8)
    [Example(ids=[2, 0], label=0)]
    """
    check_size(max_length, "max_length")
    if len(texts) != len(labels):
        raise ValueError(f"each text needs a label; got {len(texts)} texts and {len(labels)}")
    examples = []
    for text, label in zip(texts, labels, strict=True):
        ids = tokenizer.encode(text.lower())[:max_length]
        if not ids:
            raise ValueError(f"texts must have at least one word; got {text!r}")
        if label not in names:
            raise ValueError(f"label must be one of {', '.join(names)}; got {label!r}")
        examples.append(Example(ids, names.index(label)))
    return examples


def collate(examples: Sequence[Example], pad_id: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """Make a batch of (B, T) ids, a (B, T) mask that is False for padding, and (B,) labels.

    >>> ids, mask, labels = collate([Example([5, 6], 0), Example([7], 2)])
    >>> ids.tolist(), mask.tolist(), labels.tolist()
    ([[5, 6], [7, 1]], [[True, True], [True, False]], [0, 2])
    """
    ids, mask = pad_batch([each.ids for each in examples], pad_id)
    return ids, mask, torch.tensor([each.label for each in examples])

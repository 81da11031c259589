"""The settings of the classification task, its labelled texts, and the untrained model."""

from __future__ import annotations

import csv
import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from plainformer.blocks import TransformerConfig
from plainformer.data import python_docstrings
from plainformer.files import readable_file
from plainformer.inputs.tokenization import WordTokenizer
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.tasks.classification.examples import (
    Example,
    make_examples,
    make_vocabulary,
)
from plainformer.training.tasks.classification.fitting import (
    batches_of,
    classification_loss,
    falling_rate,
)
from plainformer.training.tasks.classification.models import EncoderClassifier
from plainformer.training.tasks.settings import Settings

__all__ = ["DOCSTRINGS", "ClassificationSettings", "LabelledTexts", "new_run", "read_texts"]

DOCSTRINGS = Path(__file__).with_name("docstrings.toml")


@dataclass(frozen=True, kw_only=True)
class ClassificationSettings(Settings):
    """Everything that the trained classifier depends on, except the texts themselves.

    The data are "docstrings", or the path of a CSV file (or TSV, with tabs) whose first row names
    its columns, of which two are read.
    """

    name: str = "classification"
    data: str = "docstrings"
    text_column: str = "text"
    label_column: str = "label"
    held_out: float = 0.2  # the share of the texts that is never trained on
    vocab_size: int = 8000  # the largest number of words
    n_layers: int = 1
    n_heads: int = 4
    d_model: int = 128
    max_length: int = 48  # tokens, after which a text is truncated
    dropout: float = 0.2
    word_dropout: float = 0.4  # the probability of hiding a whole word in training
    steps: int = 450
    batch_size: int = 32
    peak: float = 3e-3


@dataclass(frozen=True)
class LabelledTexts:
    """Texts with labels as a model reads them, split into those to train on and those to test on.

    The tokenizer knows the words of the texts to train on.
    """

    tokenizer: WordTokenizer
    labels: list[str]  # in alphabetical order
    counts: Counter[str]  # of the texts of each label
    train: list[Example]
    held_out: list[Example]
    example: str  # the first held-out text, whose prediction is recorded in the history
    sha256: str  # of all texts and labels, on which all measured numbers depend


def read_texts(settings: ClassificationSettings) -> LabelledTexts:
    """Read the texts that the settings name, hold some of them out, and collect the words."""
    if settings.data == "docstrings":
        found = [(each.text, each.field) for each in python_docstrings()]
    else:
        found = _table(settings)
    texts, names = zip(*found, strict=True)
    order = np.random.default_rng(settings.seed).permutation(len(found)).tolist()
    cut = max(1, round(len(found) * settings.held_out))
    held_out, train = order[:cut], order[cut:]
    labels = sorted(set(names))
    if missing := set(labels) - {names[i] for i in train}:
        raise ValueError(
            f"each label needs a text to train on; {min(missing)!r} has none, because too few "
            "texts have it. Add some, or leave it out"
        )
    tokenizer = make_vocabulary([texts[i] for i in train], settings.vocab_size)
    examples = make_examples(texts, names, tokenizer, labels, settings.max_length)
    return LabelledTexts(
        tokenizer,
        labels,
        Counter(names),
        [examples[i] for i in train],
        [examples[i] for i in held_out],
        texts[held_out[0]],
        hashlib.sha256(json.dumps(found).encode()).hexdigest(),
    )


def new_run(settings: ClassificationSettings, texts: LabelledTexts) -> Run:
    """Return the untrained model, and everything that training needs."""
    torch.manual_seed(settings.seed)  # for the weights and the dropout
    config = TransformerConfig(
        family="encoder", vocab_size=texts.tokenizer.vocab_size, d_model=settings.d_model,
        n_layers=settings.n_layers, n_heads=settings.n_heads, d_ff=2 * settings.d_model,
        positions="learned", max_length=settings.max_length, dropout=settings.dropout,
    )  # fmt: skip
    model = EncoderClassifier(config, len(texts.labels), settings.word_dropout)
    schedule = falling_rate(settings.peak, settings.steps)
    batches = batches_of(texts.train, settings.batch_size, settings.seed)
    return Run(model, adamw(model), schedule, batches, classification_loss)


def _table(settings: ClassificationSettings) -> list[tuple[str, str]]:
    """Read pairs of a text and its label from a CSV file, without rows that have no text."""
    path = readable_file(settings.data)
    columns = settings.text_column, settings.label_column
    found = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            if missing := [each for each in columns if each not in (rows.fieldnames or [])]:
                raise ValueError(
                    f"{path} must have a column {missing[0]!r}, named in its first row; it has "
                    f"{', '.join(map(repr, rows.fieldnames or [])) or 'none'}. To read other "
                    "columns, set text_column and label_column (--text-column, --label-column)"
                )
            for row in rows:
                text, label = (row[each] or "" for each in columns)
                if not text.split():
                    continue
                if not label.strip():
                    raise ValueError(f"{path}, line {rows.line_num:,}: the text has no label")
                found.append((text, label.strip()))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} must be UTF-8 text; {error}. Save it as UTF-8 first") from None
    if len({label for _, label in found}) < 2:
        raise ValueError(f"{path} must have texts of at least two labels; got {len(found)} texts")
    return found

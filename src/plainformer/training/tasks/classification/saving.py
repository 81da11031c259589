"""Train a classifier with the command line's settings, save it in a folder, and open it again.

Besides what `tasks/saving.py` lists, the folder contains the labels (labels.json) and the words
(vocabulary.json), both in the order of their numbers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import TransformerConfig
from plainformer.inputs.tokenization import WordTokenizer
from plainformer.training.history import History
from plainformer.training.tasks.classification.examples import PAD, Example, make_examples
from plainformer.training.tasks.classification.fitting import accuracy, predict
from plainformer.training.tasks.classification.models import EncoderClassifier
from plainformer.training.tasks.classification.settings import (
    ClassificationSettings,
    new_run,
    read_texts,
)
from plainformer.training.tasks.running import Task
from plainformer.training.tasks.saving import load_weights, open_metadata, save_model

__all__ = ["ClassificationTask", "Classifier", "open_classifier"]

MAX_EVALUATED = 640  # held-out texts whose loss is computed during training


@dataclass(frozen=True)
class Classifier:
    """A trained classifier in evaluation mode, its words and labels, its history, and its card."""

    model: EncoderClassifier
    tokenizer: WordTokenizer
    labels: list[str]
    history: History
    card: dict[str, Any]

    def classify(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """Return the most probable label of each text, with its probability."""
        if not texts:
            return []
        probabilities = self.probabilities(texts)
        best = probabilities.max(-1)
        names = [self.labels[i] for i in best.indices.tolist()]
        return list(zip(names, best.values.tolist(), strict=True))

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """Return the probabilities of all labels, (N, labels)."""
        names = [self.labels[0]] * len(texts)  # predict ignores the labels of examples
        most = self.model.encoder.config.max_length or 0
        examples = make_examples(texts, names, self.tokenizer, self.labels, most)
        return predict(self.model, examples).softmax(-1)


class ClassificationTask(Task):
    """Train a classifier."""

    settings_type = ClassificationSettings
    command, data_setting = "classification", "data"

    def __init__(self, settings: ClassificationSettings) -> None:
        self.settings = settings
        self.texts = texts = read_texts(settings)
        self.run = new_run(settings, texts)
        self.model = cast(EncoderClassifier, self.run.model)
        ids = [id_ for each in texts.held_out for id_ in each.ids]
        labels = ", ".join(f"{name} ({texts.counts[name]:,})" for name in texts.labels)
        self.description = (
            f"texts: {texts.counts.total():,} read, {len(texts.held_out):,} held out, "
            f"{len(texts.train):,} to train on\nlabels: {labels}\n"
            f"vocabulary: {texts.tokenizer.vocab_size:,} words; {ids.count(0) / len(ids):.2%} of "
            "those in held-out texts are unknown"
        )
        self.dataset = {"texts": texts.counts.total(), "sha256": texts.sha256}

    def evaluate(self, history: History) -> None:
        texts, step = self.texts, self.run.step
        history.add_held_out(step, self._loss(texts.held_out[:MAX_EVALUATED]))
        guess = texts.labels[int(predict(self.model, texts.held_out[:1]).argmax())]
        history.add_snapshot(step, f"{texts.example[:300]} → {guess}")

    def card(self) -> dict[str, Any]:
        settings, texts, ours = self.settings, self.texts, self.settings.data == "docstrings"
        return {
            "what": "A small text classifier, trained with the course Transformers, Plainly.",
            "licence": "MIT; of its texts, the PSF's" if ours else "that of its texts",
            "text": {
                "name": settings.data,
                "sha256": texts.sha256,
                "texts_to_train_on": len(texts.train),
                "texts_held_out": len(texts.held_out),
                "labels": texts.labels,
            },
            "texts_seen": settings.steps * settings.batch_size,
            "parameters": sum(p.numel() for p in self.model.parameters()),
            "held_out": {
                "nats_per_text": round(self._loss(texts.held_out), 4),
                "accuracy": round(accuracy(self.model, texts.held_out), 4),
            },
        }

    def save(self, folder: Path) -> None:
        model, tokenizer, labels = self.model, self.texts.tokenizer, self.texts.labels
        words = [word for word in tokenizer.vocab if word not in tokenizer.special_tokens]
        save_model(folder, model, model.encoder.config, labels=labels, vocabulary=words)

    def _loss(self, examples: Sequence[Example]) -> float:
        labels = torch.tensor([each.label for each in examples])
        return F.cross_entropy(predict(self.model, examples), labels).item()


def open_classifier(folder: str | os.PathLike[str]) -> Classifier:
    """Open a classifier that a run has saved; an error names a file that is missing or damaged."""
    place = Path(folder)
    history, data = open_metadata(place, "config", "labels", "vocabulary")
    tokenizer = WordTokenizer(data["vocabulary"], special_tokens=[PAD])
    model = EncoderClassifier(TransformerConfig(**data["config"]), len(data["labels"]))
    load_weights(place / "model.safetensors", model)
    return Classifier(model.eval(), tokenizer, data["labels"], history, data["card"])

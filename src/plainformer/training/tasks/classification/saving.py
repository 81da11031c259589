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
from plainformer.training.tasks.classification.examples import PAD, Example, Labels, make_examples
from plainformer.training.tasks.classification.fitting import accuracy, predict
from plainformer.training.tasks.classification.models import EncoderClassifier
from plainformer.training.tasks.classification.settings import (
    ClassificationSettings,
    LabelledTexts,
    new_run,
    read_texts,
)
from plainformer.training.tasks.running import Task, run_task
from plainformer.training.tasks.saving import load_weights, new_card, open_metadata, save_model

__all__ = ["Classifier", "open_classifier", "run_classification", "save_classifier"]

MAX_EVALUATED = 640  # held-out texts whose loss is computed during training


@dataclass(frozen=True)
class Classifier:
    """A trained classifier in evaluation mode, its words and labels, its history, and its card."""

    model: EncoderClassifier
    tokenizer: WordTokenizer
    labels: Labels
    history: History
    card: dict[str, Any]

    def classify(self, texts: Sequence[str]) -> list[tuple[str, float]]:
        """Return the most probable label of each text, with its probability."""
        if not texts:
            return []
        probabilities = self.probabilities(texts)
        best = probabilities.max(-1)
        names = [self.labels.names[i] for i in best.indices.tolist()]
        return list(zip(names, best.values.tolist(), strict=True))

    def probabilities(self, texts: Sequence[str]) -> Tensor:
        """Return the probabilities of all labels, (N, labels)."""
        names = [self.labels.names[0]] * len(texts)  # predict ignores the labels of examples
        most = self.model.encoder.config.max_length or 0
        examples = make_examples(texts, names, self.tokenizer, self.labels, most)
        return predict(self.model, examples).softmax(-1)


def run_classification(config: Path, out: Path, **options: Any) -> Path:
    """Train a model from a file of `ClassificationSettings`, with the options of `run_task`."""
    if options.get("data") is not None:  # then it is not the classifier that the file describes
        options["name"] = "classification"
    return run_task(ClassificationSettings, _begin, config, out, **options)


def _begin(settings: ClassificationSettings) -> Task:
    texts = read_texts(settings)
    run = new_run(settings, texts)
    model = cast(EncoderClassifier, run.model)

    def evaluate(history: History) -> None:
        history.add_held_out(run.step, _loss(model, texts.held_out[:MAX_EVALUATED]))
        guess = texts.labels.names[int(predict(model, texts.held_out[:1]).argmax())]
        history.add_snapshot(run.step, f"{texts.example[:300]} → {guess}")

    def save(folder: Path, history: History) -> dict[str, Any]:
        card = _card(settings, texts, model)
        trained = Classifier(model.eval(), texts.tokenizer, texts.labels, history, card)
        save_classifier(folder, trained)
        return card

    dataset = {"texts": texts.counts.total(), "sha256": texts.sha256}
    return Task(run, dataset, texts.description(), evaluate, save)


def _loss(model: EncoderClassifier, examples: Sequence[Example]) -> float:
    labels = torch.tensor([each.label for each in examples])
    return F.cross_entropy(predict(model, examples), labels).item()


def _card(
    settings: ClassificationSettings, texts: LabelledTexts, model: EncoderClassifier
) -> dict[str, Any]:
    """Describe a trained classifier, with its scores on the held-out texts."""
    ours = settings.data == "docstrings"
    text = {
        "name": settings.data,
        "sha256": texts.sha256,
        "texts_to_train_on": len(texts.train),
        "texts_held_out": len(texts.held_out),
        "labels": list(texts.labels.names),
    }
    scores = {
        "nats_per_text": round(_loss(model, texts.held_out), 4),
        "accuracy": round(accuracy(model, texts.held_out), 4),
    }
    return new_card(
        settings,
        text,
        scores,
        what="A small text classifier, trained with the course Transformers, Plainly.",
        licence="MIT; of its texts, the PSF's" if ours else "that of its texts",
        made_by="python -m plainformer.training classification",
        texts_seen=settings.steps * settings.batch_size,
        parameters=sum(p.numel() for p in model.parameters()),
    )


def save_classifier(folder: str | os.PathLike[str], trained: Classifier) -> None:
    """Save a trained classifier in a new folder, with its weights in float16."""
    model, tokenizer = trained.model, trained.tokenizer
    words = [word for word in tokenizer.vocab if word not in tokenizer.special_tokens]
    given = model, model.encoder.config, trained.history, trained.card
    save_model(folder, *given, labels=trained.labels.names, vocabulary=words)


def open_classifier(folder: str | os.PathLike[str]) -> Classifier:
    """Open a classifier that a run has saved; an error names a file that is missing or damaged."""
    place = Path(folder)
    history, data = open_metadata(place, "config", "labels", "vocabulary")
    labels = Labels(tuple(data["labels"]))
    tokenizer = WordTokenizer(data["vocabulary"], special_tokens=[PAD])
    model = EncoderClassifier(TransformerConfig(**data["config"]), len(labels))
    load_weights(place / "model.safetensors", model)
    return Classifier(model.eval(), tokenizer, labels, history, data["card"])

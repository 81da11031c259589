"""Train a classifier with the command line's settings, save it in a folder, and open it again.

config.json, model.safetensors    the encoder's configuration, and the weights in float16
labels.json, vocabulary.json      the labels and the words, in the order of their numbers
history.json                      losses and a prediction during training
card.json                         the texts, the settings, the scores, and how to train it again
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor

from plainformer.arrays import check_number
from plainformer.blocks import TransformerConfig
from plainformer.data import python_docstrings
from plainformer.files import atomic_write
from plainformer.inputs.tokenization import WordTokenizer
from plainformer.training.batches import ExampleBatches
from plainformer.training.history import History
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.tasks.classification.examples import (
    PAD,
    Labels,
    collate,
    make_examples,
    make_vocabulary,
)
from plainformer.training.tasks.classification.fitting import (
    accuracy,
    classification_loss,
    predict,
)
from plainformer.training.tasks.classification.models import EncoderClassifier
from plainformer.training.tasks.running import Parallelism, Task, run_task, task_settings
from plainformer.training.tasks.saving import (
    load_weights,
    new_folder,
    open_metadata,
    read_json,
    save_metadata,
)
from plainformer.training.tasks.settings import check_sizes

__all__ = [
    "ClassificationSettings", "Classifier", "open_classifier", "read_labelled_texts",
    "run_classification",
]  # fmt: skip

MAX_EVALUATED = 640  # held-out texts whose loss is computed during training


@dataclass(frozen=True, kw_only=True)
class ClassificationSettings:
    """Everything that the trained classifier depends on, except the texts themselves.

    Attributes:
        name: the name of the run.
        data: "docstrings", or the path of a CSV file (or TSV, with tabs) whose first row names its
            columns.
        text_column, label_column: the columns of a file to read.
        held_out: the share of the texts that is never trained on.
        vocab_size: V, the largest number of words.
        n_layers, n_heads, d_model: the sizes of the encoder; F is 2 D.
        max_length: texts are truncated to this many tokens.
        dropout, word_dropout: the probabilities of dropout and of hiding a whole word in training.
        steps: the number of updates.
        batch_size: B, the texts in a step.
        peak: the highest learning rate.
        bfloat16: whether to compute in bfloat16 (mixed precision).
        seed: fixes the split, the initial weights, the order and the dropout.
    """

    name: str = "classification"
    data: str = "docstrings"
    text_column: str = "text"
    label_column: str = "label"
    held_out: float = 0.2
    vocab_size: int = 8000
    n_layers: int = 1
    n_heads: int = 4
    d_model: int = 128
    max_length: int = 48
    dropout: float = 0.2
    word_dropout: float = 0.4
    steps: int = 450
    batch_size: int = 32
    peak: float = 3e-3
    bfloat16: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        check_sizes(self, "vocab_size n_layers n_heads d_model max_length steps batch_size")
        if not 0 < check_number(self.held_out, "held_out") < 1:
            raise ValueError(f"held_out must be above 0 and below 1; got {self.held_out}")
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")

    def model_config(self, vocab_size: int) -> TransformerConfig:
        """Return the configuration of the encoder."""
        return TransformerConfig(
            family="encoder",
            vocab_size=vocab_size,
            d_model=self.d_model,
            n_layers=self.n_layers,
            n_heads=self.n_heads,
            d_ff=2 * self.d_model,
            positions="learned",
            max_length=self.max_length,
            dropout=self.dropout,
        )


@dataclass(frozen=True)
class Classifier:
    """A trained classifier and what belongs to it.

    Attributes:
        model: in evaluation mode, in float32.
        tokenizer: of lower-case words.
        labels: the labels, in the order of their numbers.
        history: the history of its training.
        card: a description of the classifier, as plain data.
    """

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
        return predict(
            self.model, make_examples(texts, names, self.tokenizer, self.labels, most)
        ).softmax(-1)


def read_labelled_texts(settings: ClassificationSettings) -> list[tuple[str, str]]:
    """Read pairs of a text and its label; rows without words are left out.

    Raises:
        FileNotFoundError, ValueError: there is no such file, or it lacks a column, a label, or
            texts. The message names the line.
    """
    if settings.data == "docstrings":
        return [(each.text, each.field) for each in python_docstrings()]
    path = Path(settings.data).expanduser()
    if path.is_dir():
        raise ValueError(f"data must be a CSV file; {path} is a folder")
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} (looked in {Path.cwd()})")
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


def run_classification(
    config: Path,
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    parallelism: Parallelism | None = None,
    **changes: Any,
) -> Path:
    """Train a classifier with the settings of a file, and return the folder that contains it.

    Args:
        config: a TOML file with the settings that `ClassificationSettings` describes.
        out, resume, threads, parallelism: as in `run_task`, which also raises the errors.
        changes: settings that replace those of the file; None leaves one as it is.
    """
    if changes.get("data") is not None:  # then it is not the classifier that the file describes
        changes["name"] = "classification"
    settings = task_settings(ClassificationSettings, config, out, resume, changes)
    return run_task(settings, _begin, out, resume=resume, threads=threads, parallelism=parallelism)


def _begin(settings: ClassificationSettings) -> Task:
    found = read_labelled_texts(settings)
    order = np.random.default_rng(settings.seed).permutation(len(found)).tolist()
    cut = max(1, round(len(found) * settings.held_out))
    held_out, train = ([found[i] for i in part] for part in (order[:cut], order[cut:]))
    labels = Labels.of(label for _, label in found)
    if missing := set(labels.names) - {label for _, label in train}:
        raise ValueError(
            f"each label needs a text to train on; {min(missing)!r} has none, because too few "
            "texts have it. Add some, or leave it out"
        )
    tokenizer = make_vocabulary([text for text, _ in train], settings.vocab_size)
    examples, tests = (
        make_examples(
            [text for text, _ in some],
            [label for _, label in some],
            tokenizer,
            labels,
            settings.max_length,
        )
        for some in (train, held_out)
    )
    torch.manual_seed(settings.seed)
    model = EncoderClassifier(
        settings.model_config(tokenizer.vocab_size), len(labels), settings.word_dropout
    )
    batches = ExampleBatches(
        examples,
        settings.batch_size,
        collate=collate,
        length_of=lambda each: len(each.ids),
        seed=settings.seed,
    )
    steps = settings.steps
    schedule = Cosine(settings.peak, total=steps + 1, warmup=steps // 10)
    run = Run(model, adamw(model), schedule, batches, classification_loss)

    def loss(count: int | None = None) -> float:
        some = tests[:count]
        numbers = torch.tensor([each.label for each in some])
        return torch.nn.functional.cross_entropy(predict(model, some), numbers).item()

    def evaluate(history: History) -> None:
        history.add_held_out(run.step, loss(MAX_EVALUATED))
        guess = labels.names[int(predict(model, tests[:1]).argmax())]
        history.add_snapshot(run.step, f"{held_out[0][0][:300]} → {guess}")

    def save_model(folder: Path, history: History) -> dict[str, Any]:
        scores = {"nats_per_text": loss(), "accuracy": accuracy(model, tests)}
        card = {
            "name": settings.name,
            "what": "A small text classifier, trained with the course Transformers, Plainly.",
            "licence": "MIT; of its texts, the PSF's"
            if settings.data == "docstrings"
            else "that of its texts",
            "text": {
                "name": settings.data,
                "sha256": digest,
                "texts_to_train_on": len(train),
                "texts_held_out": len(held_out),
                "labels": list(labels.names),
            },
            "settings": asdict(settings),
            "texts_seen": settings.steps * settings.batch_size,
            "parameters": sum(p.numel() for p in model.parameters()),
            "held_out": {name: round(score, 4) for name, score in scores.items()},
            "torch": torch.__version__.partition("+")[0],
            "made_by": "python -m plainformer.training classification",
        }
        save_classifier(folder, Classifier(model.eval(), tokenizer, labels, history, card))
        return card

    digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
    ids = [id_ for each in tests for id_ in each.ids]
    counts = Counter(label for _, label in found)
    return Task(
        run,
        {"texts": len(found), "sha256": digest},
        f"texts: {len(found):,} read, {len(held_out):,} held out, {len(train):,} to train on\n"
        f"labels: {', '.join(f'{name} ({counts[name]:,})' for name in labels.names)}\n"
        f"vocabulary: {tokenizer.vocab_size:,} words; {ids.count(0) / len(ids):.2%} of those in "
        "held-out texts are unknown",
        evaluate,
        save_model,
    )


def save_classifier(folder: str | os.PathLike[str], trained: Classifier) -> None:
    """Save a trained classifier in a folder, with its weights in float16.

    Raises:
        FileExistsError: the folder is not empty.
    """
    place = new_folder(folder)
    weights = {name: p.detach().half() for name, p in trained.model.named_parameters()}
    atomic_write(place / "model.safetensors", save(weights, {"format": "pt"}))
    config = asdict(trained.model.encoder.config)
    atomic_write(place / "config.json", json.dumps(config, indent=2) + "\n")
    words = [
        word for word in trained.tokenizer.vocab if word not in trained.tokenizer.special_tokens
    ]
    for name, data in (("labels", trained.labels.names), ("vocabulary", words)):
        atomic_write(place / f"{name}.json", json.dumps(data, ensure_ascii=False) + "\n")
    save_metadata(place, trained.history, trained.card)


def open_classifier(folder: str | os.PathLike[str]) -> Classifier:
    """Open a classifier that a run has saved, to classify texts with it.

    Raises:
        FileNotFoundError, ValueError: it is not such a folder, or a file in it is damaged.
    """
    place = Path(folder)
    history, card = open_metadata(place)
    config = TransformerConfig(**read_json(place / "config.json"))
    labels = Labels(tuple(read_json(place / "labels.json")))
    tokenizer = WordTokenizer(read_json(place / "vocabulary.json"), special_tokens=[PAD])
    model = EncoderClassifier(config, len(labels))
    load_weights(place, model)
    return Classifier(model.eval(), tokenizer, labels, history, card)

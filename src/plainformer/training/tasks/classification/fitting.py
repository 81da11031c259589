"""Train a classifier, and evaluate it on held-out texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.optim import Optimizer

from plainformer.arrays import as_numpy, check_size
from plainformer.inputs.checks import as_ids
from plainformer.training.batches import ExampleBatches
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.history import Progress
from plainformer.training.loop import Run, limit_threads, train
from plainformer.training.loss import cross_entropy
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.tasks.classification.examples import Example, collate

__all__ = ["accuracy", "classification_loss", "confusion_matrix", "fit", "predict"]


def classification_loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """Compute the mean cross-entropy of the labels of a batch."""
    ids, mask, labels = batch
    loss: Tensor = cross_entropy(model(ids, mask), labels)
    return loss


def fit(
    make_model: Callable[[], nn.Module],
    examples: Sequence[Example],
    steps: int,
    *,
    peak: float = 2e-3,
    batch_size: int = 32,
    seed: int = 0,
    optimizer: Callable[[nn.Module], Optimizer] = adamw,
    schedule: Callable[[int], float] | None = None,
    report: Callable[[Progress], object] | None = None,
) -> Any:
    """Create a model and train it; the same seed gives the same model.

    The seed fixes the weights that `make_model` draws, the order of the examples and the dropout.
    The learning rate rises to its peak in a tenth of the steps and then falls along a cosine,
    unless a schedule replaces it. A batch has examples of similar length, and `report` is called
    after each step. Returns the model in evaluation mode.
    """
    # For matrices this small, a second thread costs more than it gains.
    with limit_threads(1), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = make_model()
        schedule = schedule or falling_rate(peak, steps)
        batches = batches_of(examples, batch_size, seed)
        moved, loss = optimizer(model), classification_loss
        run = Run(model, moved, schedule, batches, loss)
        train(run, steps, report=report)
    return model.eval()


def falling_rate(peak: float, steps: int) -> Cosine:
    """Return a schedule that rises in a tenth of the steps and then falls to almost 0."""
    return Cosine(peak, total=check_size(steps, "steps") + 1, warmup=steps // 10)


def batches_of(examples: Sequence[Example], batch_size: int, seed: int) -> ExampleBatches:
    """Return batches of examples of similar length."""
    return ExampleBatches(
        examples, batch_size, collate=collate, length_of=lambda each: len(each.ids), seed=seed
    )


def predict(model: nn.Module, examples: Sequence[Example], batch_size: int = 128) -> Tensor:
    """Return the (N, labels) logits, in the order of the examples.

    Texts of similar length are read together, so that there is little padding.
    """
    order, logits = sorted(range(len(examples)), key=lambda i: len(examples[i].ids)), []
    with evaluation_mode(model):
        for start in range(0, len(order), batch_size):
            ids, mask, _ = collate([examples[i] for i in order[start : start + batch_size]])
            logits.append(model(ids, mask))
    return torch.cat(logits)[torch.tensor(order).argsort()]


def accuracy(model: nn.Module, examples: Sequence[Example]) -> float:
    """Return the share of examples whose label has the largest logit."""
    labels = torch.tensor([each.label for each in examples])
    return (predict(model, examples).argmax(-1) == labels).double().mean().item()


def confusion_matrix(labels: Any, predicted: Any, n_labels: int) -> NDArray[np.int64]:
    """Count how often each label was predicted for each true label, both (N,) numbers.

    The counts have a row for each true label and a column for each predicted one, so that correct
    predictions are on the diagonal.

    >>> confusion_matrix([0, 0, 1], [0, 1, 1], n_labels=2)
    array([[1, 1],
           [0, 1]])
    """
    n = check_size(n_labels, "n_labels")
    true, guess = (
        as_numpy(as_ids(each, n, name=name))
        for each, name in ((labels, "labels"), (predicted, "predicted"))
    )
    if true.ndim != 1 or true.shape != guess.shape:
        got = f"{true.shape} and {guess.shape}"
        raise ValueError(f"labels and predicted must be of one length (N,); got {got}")
    counts: NDArray[np.int64] = np.bincount(true * n + guess, minlength=n * n).reshape(n, n)
    return counts

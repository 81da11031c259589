"""Step 7: the loss on text that was never read."""

import math
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F

from plainformer.exercises.spec import Arrays, Case, Exercise
from plainformer.exercises.training.capstone.examples import Bigram, Halving
from plainformer.exercises.training.capstone.tiny import TinyGPT


def loss_on(
    model: torch.nn.Module,
    ids: torch.Tensor,
    length: int,
) -> float:
    """A model's loss on a text: the mean over its tokens, in nats.

    The text is read in pieces of T tokens, one after the other:
    the first piece reads ids[0] to ids[T - 1] and is asked for
    ids[1] to ids[T]; the next one reads from ids[T] on. A remainder at
    the end is not read. The model is in evaluation mode, and no
    gradient is computed.
    model: maps (B, T) ids to (B, T, V) logits.
    ids: (N,), more than T of them. length: T.
    Returns a number.

    >>> table = torch.nn.Embedding.from_pretrained(torch.zeros(4, 4))
    >>> round(loss_on(table, torch.tensor([1, 2, 3, 0, 1]), 2), 4)
    1.3863
    """
    count = (len(ids) - 1) // length
    inputs = ids[: count * length].view(count, length)
    targets = ids[1 : count * length + 1].flatten()
    model.eval()
    with torch.no_grad():
        logits = model(inputs).flatten(0, 1)
    return F.cross_entropy(logits, targets).item()


_Three = tuple[torch.nn.Module, torch.Tensor, int]


def _draw(rng: np.random.Generator) -> _Three:
    V, T, seed = (int(n) for n in rng.integers([3, 2, 0], [6, 5, 1000]))
    ids = torch.from_numpy(rng.integers(V, size=T * rng.integers(1, 4) + rng.integers(1, T + 1)))
    if rng.random() < 0.5:
        return TinyGPT(V, 4, 1, T, seed=seed), ids, T
    model = Halving(V, seed=seed)
    return model.train(rng.random() < 0.5), ids, T


_L3 = math.log(3)
_TURNS = [[0.0, _L3], [_L3, 0.0]]  # the other token follows with odds of three to one


def _training(table: list[list[float]]) -> Halving:
    return Halving(table).train()


EXERCISE = Exercise(
    id="training.capstone.7",
    title="The held-out loss",
    reference=loss_on,
    compare=Arrays(),
    cases=(
        # Three equally likely tokens.
        Case((Bigram(3), torch.tensor([0, 1, 2, 0, 1]), 2), math.log(3)),
        # Each target had 3/4.
        Case((Bigram(_TURNS), torch.tensor([0, 1, 0, 1, 0]), 2), math.log(4 / 3)),
        # 0 → 1 had 3/4, 1 → 1 had 1/4. The last token is left over.
        Case(
            (Bigram(_TURNS), torch.tensor([0, 1, 1, 0]), 2),
            (math.log(4 / 3) + math.log(4)) / 2,
        ),
        # In evaluation mode the odds are three to one; in training mode they would be √3 to one.
        Case((_training(_TURNS), torch.tensor([0, 1, 0]), 1), math.log(4 / 3)),
    ),
    generate=_draw,
    hints=(
        "How many whole pieces are there? Each target has to exist as well, so N - 1 tokens can be "
        "read: (N - 1) // T pieces.",
        "Inputs and targets are two slices of the same length, shifted by one position, both "
        "viewed as (count, T).",
    ),
    mutants={
        "You have put the model into training mode, where dropout, for example, would disturb "
        "the measurement. Call eval() first.": "model.eval() -> model.train()",
        "You leave the model in the mode it was in, which here was training mode. Call eval() "
        "first.": "model.eval() -> pass",
        "Your targets are the inputs and not the "
        "tokens that follow them.": "ids[1 : count * length + 1] -> ids[: count * length]",
        "Your last whole piece is missing.": "(len(ids) - 1) // length -> "
        "max(1, (len(ids) - 1) // length - 1)",
        "You read only the first piece.": "(len(ids) - 1) // length -> 1",
        "You read all tokens as one text. A piece has length "
        "tokens.": "inputs = ids[: count * length].view(count, length) -> "
        "inputs = ids[: count * length].view(1, -1)",
        "Your pieces begin at ids[1].": "inputs = ids[: count * length] -> "
        "inputs = ids[1 : count * length + 1]; targets = ids[1 : count * length + 1] -> "
        "targets = ids.roll(-2)[: count * length]",
        "That is the sum. The task asks for "
        "the mean over the tokens.": "F.cross_entropy(logits, targets) -> "
        'F.cross_entropy(logits, targets, reduction="sum")',
        "That is the perplexity, e to the loss.": "F.cross_entropy(logits, targets).item() -> "
        "F.cross_entropy(logits, targets).exp().item()",
        "Those are bits, from the logarithm to base "
        "2. The task asks for nats.": "F.cross_entropy(logits, targets).item() -> "
        "F.cross_entropy(logits, targets).item() / math.log(2)",
        "You take the softmax before the cross-entropy, which already "
        "includes it.": "model(inputs).flatten(0, 1) -> model(inputs).flatten(0, 1).softmax(-1)",
        "Your pieces are columns: "
        "a piece should be a row.": ".view(count, length) -> .view(length, count).T",
    },
)


@EXERCISE.alternate
def _piece_by_piece(model: torch.nn.Module, ids: torch.Tensor, length: int) -> Any:
    model.eval()
    total, count = 0.0, 0
    for start in range(0, len(ids) - length, length):
        piece = ids[start : start + length + 1]
        log_p = model(piece[None, :-1])[0].detach().log_softmax(-1)
        total -= log_p[torch.arange(length), piece[1:]].sum().item()
        count += length
    return total / count


@EXERCISE.alternate
@torch.inference_mode()
def _unfolded(model: torch.nn.Module, ids: torch.Tensor, length: int) -> Any:
    was = model.training
    pieces = ids.unfold(0, length + 1, length)
    logits = model.eval()(pieces[:, :-1])
    model.train(was)
    return F.cross_entropy(logits.transpose(1, 2), pieces[:, 1:])

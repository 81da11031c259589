"""Step 9: the bug hunt. A training loop with six mistakes; each has its own symptom, and case.

The six mistakes, written as changes to the reference, are combined, so
that a reader who has left one or two of them is told which.
"""

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np
import torch
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from plainformer.exercises.compare import Arrays, describe_type
from plainformer.exercises.spec import Case, Exercise
from plainformer.exercises.training.capstone.examples import Bigram, Halving


def mended_run(
    model: torch.nn.Module,
    batches: Iterable[torch.Tensor],
    held_out: torch.Tensor,
    rate: float,
) -> tuple[list[float], float]:
    """Mend a training run. It has six mistakes, but runs to the end.

    Its symptoms:
    a. A model that always repeats what it has just read gets a
       perfect score.
    b. However certain a model is, and right, its loss stays above 0.5.
    c. When one batch is repeated, the steps keep growing.
    d. One strange batch throws the weights far away, though
       gradients are clipped.
    e. The more padding a batch has, the more its loss depends on
       padding. (Token 0 is padding, and fills a text at its end.)
    f. The held-out loss is measured with dropout, so it would be
       different each time.

        optimizer = torch.optim.SGD(model.parameters(), lr=rate)
        losses = []
        model.train()
        for texts in batches:                          # (B, T + 1)
            inputs, targets = texts[:, :-1], texts[:, :-1]
            p = model(inputs).softmax(-1)              # (B, T, V)
            loss = F.cross_entropy(
                p.flatten(0, 1), targets.flatten())
            loss.backward()
            optimizer.step()
            clip_grad_norm_(model.parameters(), 1.0)
            losses.append(loss.item())
        with torch.no_grad():
            logits = model(held_out[:, :-1])
            loss = F.cross_entropy(logits.flatten(0, 1),
                                   held_out[:, 1:].flatten())
        return losses, loss.item()

    model: maps (B, T) ids to (B, T, V) logits. batches, held_out:
    ids, (B, T + 1) each. held_out has no padding. rate: the learning
    rate of SGD.
    Returns the loss of each step before its update, over the targets
    that are not padding, and the held-out loss.

    >>> table = torch.nn.Embedding.from_pretrained(torch.zeros(3, 3))
    >>> texts = torch.tensor([[1, 2, 0]])
    >>> losses, held = mended_run(
    ...     table.requires_grad_(), [texts], texts[:, :2], rate=0.0)
    >>> [round(loss, 4) for loss in [*losses, held]]
    [1.0986, 1.0986]
    """
    weights, nats = list(model.parameters()), []
    sgd = torch.optim.SGD(weights, lr=rate)
    model.train(True)
    for batch in batches:
        asked = batch[:, 1:].flatten()
        said = model(batch[:, :-1]).flatten(0, 1)
        error = F.cross_entropy(said, asked, ignore_index=0)
        sgd.zero_grad()
        error.backward()
        clip_grad_norm_(weights, 1.0)
        sgd.step()
        nats.append(error.item())
    model.eval()
    with torch.inference_mode():
        said = model(held_out[:, :-1]).flatten(0, 1)
    last = F.cross_entropy(said, held_out[:, 1:].flatten())
    return nats, last.item()


class _Run(Arrays):
    """A list of losses, and a number."""

    def difference(self, expected: Any, got: Any, *, reveal: bool = True) -> str | None:
        if not (isinstance(got, tuple) and len(got) == 2 and isinstance(got[0], list)):
            return f"it should be a list of losses and a number, not {describe_type(got)}"
        if len(got[0]) != len(expected[0]):
            return f"it should hold a loss for each batch, {len(expected[0])}, not {len(got[0])}"
        want, have = np.array(expected[0]), np.array(got[0], dtype=float)
        if said := super().difference(want, have, reveal=reveal):
            return f"of the losses of the steps, {said}"
        if said := super().difference(expected[1], got[1], reveal=reveal):
            return f"the held-out loss: {said}"
        return None


_Four = tuple[torch.nn.Module, list[torch.Tensor], torch.Tensor, float]


class _Batches(list[torch.Tensor]):
    """Batches of ids, shown in one line."""

    def __repr__(self) -> str:
        return f"[{', '.join(f'torch.tensor({each.tolist()})' for each in self)}]"


def _draw(rng: np.random.Generator) -> _Four:
    V, T, seed = (int(n) for n in rng.integers([3, 2, 0], [5, 4, 1000]))
    batches = _Batches()
    for _ in range(3):
        texts = rng.integers(1, V, size=(2, T + 1))
        texts[1, rng.integers(2, T + 2) :] = 0  # one target or more is left
        batches.append(torch.from_numpy(texts))
    held_out = torch.from_numpy(rng.integers(1, V, size=(1, 3)))
    model = Halving(V, seed=seed) if rng.random() < 0.4 else Bigram(V, seed=seed)
    return model, batches, held_out, float(rng.choice([0.5, 1.0, 4.0]))


def _given(model: Any, batches: list[list[list[int]]], rate: float, held: Any = ((1, 2),)) -> _Four:
    texts = _Batches(torch.tensor(each) for each in batches)
    return model, texts, torch.tensor(held), rate


def _repeats(k: float) -> list[list[float]]:
    """Token 1 is followed by itself with k / (k + 2)."""
    return [[0.0, 0.0, 0.0], [0.0, math.log(k), 0.0], [0.0, 0.0, 0.0]]


_L3 = math.log(3)
# A row of three equal logits, asked for its last, goes to (-a, -a, 2a). Its loss there is
# ln(1 + 2 e^-3a); the others' gradient is 1 / (2 + e^3a) each, the last one's -2 times that.
_A1 = 0.3 / 3
_A2 = _A1 + 0.3 / (2 + math.exp(3 * _A1))


def _flat(a: float) -> float:
    return math.log(1 + 2 * math.exp(-3 * a))


MISTAKES = {
    "a": "asked = batch[:, 1:] -> asked = batch[:, :-1]",
    "b": "said = model(batch[:, :-1]) -> said = model(batch[:, :-1]).softmax(-1)",
    "c": "sgd.zero_grad() -> pass",
    "d": "clip_grad_norm_(weights, 1.0) -> pass; nats.append -> "
    "clip_grad_norm_(weights, 1.0)\n        nats.append",
    "e": ", ignore_index=0 ->",
    "f": "model.eval() -> pass",
}
_SAID = {
    "a": "what is the model asked for at each position, and what has it just read?",
    "b": "how many times is the softmax taken, the cross-entropy's own included?",
    "c": "what is in .grad when a step begins?",
    "d": "which has to come first, the clipping or the step?",
    "e": "padding is not part of any text. Which targets count?",
    "f": "in which mode is the model while it is measured?",
}


EXERCISE = Exercise(
    id="training.capstone.9",
    title="A bug hunt",
    reference=mended_run,
    points=3,
    compare=_Run(),
    n_generated=20,
    seconds=20.0,
    cases=(
        # a: token 1 is repeated with 8/10, and 2 follows with 1/10. The rate is 0: nothing moves.
        Case(
            _given(Bigram(_repeats(8)), [[[1, 2]]], 0.0),
            ([math.log(10)], math.log(10)),
        ),
        # b: ln 98 to 1 and 1, and right: 98/100.
        Case(
            _given(Bigram(_repeats(98)), [[[1, 1]]], 0.0, ((1, 1),)),
            ([-math.log(0.98)], -math.log(0.98)),
        ),
        # c: three steps on one batch, each as long as its own gradient.
        Case(
            _given(Bigram(3), [[[1, 2]], [[1, 2]], [[1, 2]]], 0.3, ((2, 1),)),
            ([_flat(0), _flat(_A1), _flat(_A2)], _L3),
        ),
        # d: certain and wrong, the gradient is (0, 1, -1), cut to a length of 1, and the rate is
        # 10√2: logits of 100 and 0 become 90 and 10.
        Case(
            _given(
                Bigram([[0.0] * 3, [0.0, 100.0, 0.0], [0.0] * 3]),
                [[[1, 2]], [[1, 2]]],
                10 * math.sqrt(2),
                ((2, 1),),
            ),
            ([100.0, 80.0], _L3),
        ),
        # e: two targets are words, each 1 of 10; the two of padding are left out.
        Case(
            _given(Bigram(_repeats(8)), [[[1, 2, 0, 0], [1, 2, 0, 0]]], 0.0, ((1, 1),)),
            ([math.log(10)], math.log(10 / 8)),
        ),
        # f: halved logits are 4 to 1 and 1, so a loss of ln 6; whole ones 16 to 1 and 1: ln 18.
        Case(
            _given(Halving(_repeats(16)), [[[1, 2]]], 0.0),
            ([math.log(6)], math.log(18)),
        ),
    ),
    generate=_draw,
    hints=(
        "Take one symptom at a time: the check has six examples, one for each, in their order. "
        "Their models are so small that you know what should come out: one repeats, one is "
        "certain, one has no preference.",
        "Two of the six are a line that is missing, one is a line that comes at the wrong time, "
        "one is a slice, one an argument, and one a call that should go.",
        "The held-out half needs one more line, which comes before it.",
    ),
    mutants={
        "Most of the symptoms are still there, or all six. Begin with a: " + _SAID["a"]: "; ".join(
            MISTAKES.values()
        ),
        **{f"Symptom {s} is still there: {_SAID[s]}": MISTAKES[s] for s in MISTAKES},
        **{
            f"Symptoms {s} and {t} are still there. For {s}: {_SAID[s]} For {t}: {_SAID[t]}": (
                f"{MISTAKES[s]}; {MISTAKES[t]}"
            )
            for s, t in combinations(MISTAKES, 2)
            if s + t
            != "bd"  # with the softmax taken twice, no gradient is long enough to be clipped
        },
        "The inputs were right: the model reads all tokens but the last.": (
            "said = model(batch[:, :-1]) -> said = model(batch[:, 1:])"
        ),
        "You have mended the loss of the steps, and spoilt the held-out one: it is the mean over "
        "its targets.": "F.cross_entropy(said, held_out[:, 1:].flatten()) -> "
        'F.cross_entropy(said, held_out[:, 1:].flatten(), reduction="sum")',
        "The model learns in evaluation mode. It is in training mode for the steps, and in "
        "evaluation mode for the measuring.": "model.train(True) -> model.train(False)",
    },
)


@EXERCISE.alternate
def _by_hand(model: torch.nn.Module, batches: Any, held_out: torch.Tensor, rate: float) -> Any:
    def loss_of(texts: torch.Tensor) -> torch.Tensor:
        log_p = model(texts[:, :-1]).log_softmax(-1)
        picked = log_p.gather(-1, texts[:, 1:, None])[..., 0]
        real = texts[:, 1:] > 0
        return -(picked * real).sum() / real.sum()

    losses = []
    model.train()
    for texts in batches:
        loss = loss_of(texts)
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        norm = sum(float((g**2).sum()) for g in gradients) ** 0.5
        with torch.no_grad():
            for p, g in zip(model.parameters(), gradients, strict=True):
                p.sub_(rate * g * min(1.0, 1 / (norm + 1e-6)))
        losses.append(loss.item())
    model.eval()
    return losses, loss_of(held_out).item()


@EXERCISE.alternate
def _line_by_line(model: torch.nn.Module, batches: Any, held_out: torch.Tensor, rate: float) -> Any:
    optimizer = torch.optim.SGD(model.parameters(), lr=rate)
    losses = []
    for texts in batches:
        model.train()
        inputs, targets = texts[:, :-1], texts[:, 1:]
        loss = F.cross_entropy(model(inputs)[targets > 0], targets[targets > 0])
        loss.backward()
        clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    with torch.no_grad():
        logits = model.eval()(held_out[:, :-1])
        return losses, F.cross_entropy(logits.transpose(1, 2), held_out[:, 1:]).item()

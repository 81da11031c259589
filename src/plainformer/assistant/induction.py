"""The birth of an induction head: two layers learn to continue a text that repeats itself.

A text is a block of random letters, written again and again. Within the first block nothing can be
predicted, and from the second on everything can, by looking for the present letter in what came
before and copying the one that followed it. The length of the block changes from text to text,
because a block of one length could be continued by looking back a fixed number of positions, which
needs no such search.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import Array, check_number, check_size
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.heads import attention_maps, induction_scores
from plainformer.training.history import History, Progress
from plainformer.training.loop import Run, train
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Constant

__all__ = ["InductionRun", "repeated_letters", "show_letters", "train_induction"]

LETTERS = 26
SHORTEST = 6  # the shortest block


def repeated_letters(
    count: int, length: int, block: int | Tensor, rng: torch.Generator, letters: int = LETTERS
) -> Tensor:
    """Draw texts, (N, length): a random block of letters, repeated as often as it fits.

    `block` is the length of the block, or (N,) lengths, one for each text.

    >>> ids = repeated_letters(1, 8, 3, torch.Generator().manual_seed(0))
    >>> show_letters(ids[0])
    'q p b q p b q p'
    """
    N, T = check_size(count, "count"), check_size(length, "length")
    check_size(letters, "letters", least=2)
    blocks = torch.as_tensor(block).expand(N)
    for each in {int(b) for b in blocks}:
        if check_size(each, "block") >= T:
            raise ValueError(
                f"block must be shorter than the text, or nothing is repeated; got block={each} "
                f"and length={T}"
            )
    drawn = torch.randint(letters, (N, T), generator=rng)
    return drawn.gather(1, torch.arange(T) % blocks[:, None])


def show_letters(ids: Tensor) -> str:
    """Write ids as letters, with spaces between them.

    >>> show_letters(torch.tensor([0, 1, 25]))
    'a b z'
    """
    return " ".join(chr(97 + int(i)) for i in ids)


class Blocks:
    """Batches of repeated letters, whose blocks have different lengths."""

    def __init__(self, length: int, batch_size: int, blocks: tuple[int, int], seed: int) -> None:
        self.length, self.batch_size, self.blocks = length, batch_size, blocks
        self.rng = torch.Generator().manual_seed(seed)

    def next_batch(self) -> tuple[Tensor, Tensor]:
        """Return inputs and targets, (B, length - 1) each."""
        low, high = self.blocks
        blocks = torch.randint(low, high + 1, (self.batch_size,), generator=self.rng)
        ids = repeated_letters(self.batch_size, self.length, blocks, self.rng)
        return ids[:, :-1], ids[:, 1:]

    def state_dict(self) -> dict[str, list[int]]:
        """Return the state of the random generator."""
        return {"rng": self.rng.get_state().tolist()}

    def load_state_dict(self, state: dict[str, list[int]]) -> None:
        """Continue from the state of a random generator."""
        self.rng.set_state(torch.tensor(state["rng"], dtype=torch.uint8))


@dataclass
class InductionRun:
    """A trained model, its history, and what was measured of it on the way.

    `measured` has a row for each snapshot: the step, the loss on letters that nothing announces,
    the loss on repeated ones, and the largest induction score of a head.
    """

    model: DecoderOnly
    history: History
    measured: list[tuple[int, float, float, float]] = field(default_factory=list)

    def jump(self) -> tuple[int, int]:
        """Return the two steps between which the share of attention rises most."""
        rises = [b[3] - a[3] for a, b in zip(self.measured, self.measured[1:], strict=False)]
        at = int(np.argmax(rises))
        return self.measured[at][0], self.measured[at + 1][0]


def train_induction(
    steps: int = 700,
    *,
    length: int = 24,
    batch_size: int = 32,
    blocks: tuple[int, int] | None = None,
    every: int = 100,
    layers: int = 2,
    rate: float = 3e-3,
    seed: int = 0,
) -> InductionRun:
    """Train a small decoder on repeated letters, and watch its heads.

    Args:
        steps: how many; with the default settings, the jump comes between steps 350 and 500.
        length: T, the letters of a text.
        batch_size: how many texts a step has.
        blocks: the shortest and the longest block; None for 6 and half of the text.
        every: after how many steps the model is measured.
        layers: 2, since an induction head reads what a head of an earlier layer wrote.
        rate: the learning rate.
        seed: of the weights and of the texts.

    Source: Elhage et al. 2021 and Olsson et al. 2022, whose models read text.

    >>> run = train_induction(2, every=1, batch_size=2)
    >>> [step for step, *_ in run.measured]
    [0, 1, 2]
    """
    check_size(steps, "steps")
    check_size(every, "every")
    check_size(layers, "layers")
    check_number(rate, "rate")
    check_size(length, "length", least=2 * SHORTEST)
    low, high = (SHORTEST, length // 2) if blocks is None else blocks
    if not 1 <= check_size(low, "blocks") <= check_size(high, "blocks") < length:
        raise ValueError(
            f"blocks must be the shortest and the longest block, below length={length}; "
            f"got {blocks}"
        )
    config = TransformerConfig(
        family="decoder", vocab_size=LETTERS, d_model=32, n_layers=layers, n_heads=2, d_ff=64,
        max_length=2 * length, positions="rope", position_layout="half", norm="rms",
        attention_bias=False, ff_bias=False,
    )  # fmt: skip
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    model = DecoderOnly(config, impl="sdpa", rng=rng)
    batches = Blocks(length, check_size(batch_size, "batch_size"), (low, high), seed)
    loss = lambda model, batch: F.cross_entropy(  # noqa: E731
        model(batch[0]).flatten(0, 1), batch[1].flatten()
    )
    run = Run(model, adamw(model, weight_decay=0.0), Constant(rate, warmup=50), batches, loss)
    found = InductionRun(model, History("repeated letters"))

    def report(progress: Progress) -> None:
        found.history.report(progress)

    seen = [_measure(found, 0)]
    for step in [*range(every, steps, every), steps]:
        train(run, step, report=report)
        seen.append(_measure(found, step))
    _add_snapshots(found, seen)
    model.eval()
    return found


def _measure(found: InductionRun, step: int) -> tuple[str, Array]:
    """Measure the model after a step; return what it writes and the maps of all its heads."""
    model, rng = found.model, torch.Generator().manual_seed(2_000_003)
    length = (model.config.max_length or 64) // 2
    block = max(2, length // 3)
    ids = repeated_letters(64, length, block, rng)
    with evaluation_mode(model):
        losses = F.cross_entropy(
            model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), reduction="none"
        ).view(len(ids), -1)
        new, again = float(losses[:, : block - 1].mean()), float(losses[:, block:].mean())
        score = float(induction_scores(model, length // 2).max())
        maps = attention_maps(model, _shown())[:, :, 0]
        written = _shown()
        while written.shape[-1] < 3 * SHORTEST:
            likeliest = model(written)[:, -1:].argmax(-1)
            written = torch.cat([written, likeliest], dim=-1)
    found.measured.append((step, new, again, score))
    found.history.add_held_out(step, again)
    return show_letters(written[0]), maps


def _shown() -> Tensor:
    """The text of the maps, (1, 12): six different letters, twice."""
    return torch.tensor([[ord(letter) - 97 for letter in "kartmekartme"]])


def _add_snapshots(found: InductionRun, seen: list[tuple[str, Array]]) -> None:
    """Add the maps of one head to the history: the one with the highest score at the end."""
    scores = induction_scores(found.model, 8)
    layer, head = np.unravel_index(int(scores.argmax()), scores.shape)
    words = show_letters(_shown()[0]).split()
    for (step, *_), (written, maps) in zip(found.measured, seen, strict=True):
        found.history.add_snapshot(step, written, words, maps[layer, head].clip(0, 1))

"""Step 2: pieces of a text, each split into inputs and targets."""

import numpy as np
import torch

from plainformer.exercises.spec import Arrays, Case, Exercise


def pairs_at(
    ids: torch.Tensor,
    starts: torch.Tensor,
    length: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Cut a batch of inputs and targets out of one long text.

    ids: (N,) the text. starts: (B,) where each piece begins; after
    each start there are more than length tokens. length: T.
    Returns inputs and targets, (B, T) each: row b of the inputs
    begins at starts[b], and each target is the token that follows
    its input in the text.

    >>> ids = torch.tensor([5, 6, 7, 8, 9])
    >>> inputs, targets = pairs_at(ids, torch.tensor([0, 2]), 2)
    >>> inputs.tolist(), targets.tolist()
    ([[5, 6], [7, 8]], [[6, 7], [8, 9]])
    """
    places = starts[:, None] + torch.arange(length)  # (B, T)
    return ids[places], ids[places + 1]


_Three = tuple[torch.Tensor, torch.Tensor, int]


def _draw(rng: np.random.Generator) -> _Three:
    length = int(rng.integers(1, 5))
    ids = torch.from_numpy(rng.integers(0, 50, size=length + rng.integers(2, 8)))
    starts = rng.integers(len(ids) - length, size=rng.integers(1, 4))
    return ids, torch.from_numpy(starts), length


def _given(ids: list[int], starts: list[int], length: int) -> _Three:
    return torch.tensor(ids), torch.tensor(starts), length


def _pair(inputs: list[list[int]], targets: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(inputs), torch.tensor(targets)


EXERCISE = Exercise(
    id="training.capstone.2",
    title="A batch of shifted pairs",
    reference=pairs_at,
    compare=Arrays(),
    cases=(
        Case(_given([5, 6, 7, 8, 9], [0, 2], 2), _pair([[5, 6], [7, 8]], [[6, 7], [8, 9]])),
        Case(_given([3, 1, 4, 1, 5], [1], 3), _pair([[1, 4, 1]], [[4, 1, 5]])),
        Case(_given([2, 7], [0], 1), _pair([[2]], [[7]])),
        Case(
            _given([1, 2, 3, 4], [1, 0, 1], 2),
            _pair([[2, 3], [1, 2], [2, 3]], [[3, 4], [2, 3], [3, 4]]),
        ),
    ),
    generate=_draw,
    hints=(
        "For one start: ids[start : start + length], and the same slice shifted by one position.",
        "torch.stack makes a (B, T) tensor of a list of B pieces. Or index all at once: "
        "starts[:, None] + torch.arange(length) is a (B, T) table of positions.",
    ),
    mutants={
        "Your targets are the inputs. A model would learn to copy.": (
            "ids[places + 1] -> ids[places]"
        ),
        "Your inputs are the targets: the answer is in what is read.": (
            "return ids[places], -> return ids[places + 1],"
        ),
        "You return the targets first.": (
            "ids[places], ids[places + 1] -> ids[places + 1], ids[places]"
        ),
        "Your targets are the tokens before the inputs. The task "
        "asks for the next ones.": "ids[places], ids[places + 1] -> ids[places], ids[places - 1]",
        "Your batch is transposed: a piece is a row.": (
            "starts[:, None] + torch.arange(length) -> starts + torch.arange(length)[:, None]"
        ),
        "Your pieces are one token short: T inputs need T + 1 tokens of "
        "the text.": "torch.arange(length) -> torch.arange(length - 1)",
        "All of your pieces begin at the first start.": "starts[:, None] -> "
        "starts[:1].expand(len(starts))[:, None]",
        "Your last target is the first token of the piece, because roll wraps around. Take the "
        "one that follows in the text.": "ids[places + 1] -> ids[places].roll(-1, 1)",
    },
)


@EXERCISE.alternate
def _slices(ids: torch.Tensor, starts: torch.Tensor, length: int) -> object:
    pieces = [ids[s : s + length + 1] for s in starts.tolist()]
    texts = torch.stack(pieces)
    return texts[:, :-1], texts[:, 1:]


@EXERCISE.alternate
def _unfolded(ids: torch.Tensor, starts: torch.Tensor, length: int) -> object:
    windows = ids.unfold(0, length + 1, 1)[starts]
    return windows[:, :length], windows[:, 1:]

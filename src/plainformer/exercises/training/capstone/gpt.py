"""Step 5: the whole model, from ids to logits."""

import numpy as np
import torch
from torch.nn import functional as F

from plainformer.exercises.spec import Case, Exercise
from plainformer.exercises.training.capstone.block import block
from plainformer.exercises.training.capstone.causal import Causal
from plainformer.exercises.training.capstone.examples import Weights, gpt_weights


def gpt(
    ids: torch.Tensor,
    w: dict[str, torch.Tensor],
    n_heads: int,
) -> torch.Tensor:
    """A GPT: embeddings, L blocks, a last norm, a tied head.

    The first token of a text is at position 0. The weights of block i
    are w["qkv"][i], w["out"][i], w["up"][i], w["down"][i]; block is
    your function from step 4, which expects them under these names. The
    norm is again F.layer_norm(x, x.shape[-1:]). The head is the token
    table once more: logit v is the dot product with row v.
    ids: (B, T), T at most that of w["positions"]. w: "tokens"
    (V, D), "positions" (longest, D), and four tensors with L
    matrices each, (L, ..., ...).
    Returns logits, (B, T, V).

    >>> w = {name: torch.zeros(0, 2, 2) for name in
    ...      ("qkv", "out", "up", "down")}  # no block at all
    >>> w["tokens"] = torch.tensor([[1.0, 3.0], [0.0, 2.0]])
    >>> w["positions"] = torch.zeros(4, 2)
    >>> gpt(torch.tensor([[0]]), w, n_heads=1).round().tolist()
    [[[2.0, 2.0]]]
    """
    x = w["tokens"][ids] + w["positions"][: ids.shape[1]]
    for i in range(len(w["qkv"])):
        names = ("qkv", "out", "up", "down")
        own = {name: w[name][i] for name in names}
        x = block(x, own, n_heads)
    return F.layer_norm(x, x.shape[-1:]) @ w["tokens"].T


_Three = tuple[torch.Tensor, Weights, int]


def _draw(rng: np.random.Generator) -> _Three:
    V, D, L = int(rng.integers(4, 8)), int(rng.choice([2, 4])), int(rng.integers(1, 4))
    T = int(rng.integers(2, 5))
    w = gpt_weights(V, D, L, T + int(rng.integers(1, 3)), seed=int(rng.integers(1000)))
    text = rng.integers(V, size=T)
    other = text.copy()
    other[-1] = (text[-1] + 1) % V
    return torch.from_numpy(np.stack([text, other])), w, 2


def _bare(tokens: object, positions: object) -> Weights:
    """No block at all, so that the result can be worked out by hand."""
    D = len(np.array(tokens)[0])
    shapes = {"qkv": (0, D, 3 * D), "out": (0, D, D), "up": (0, D, 4 * D), "down": (0, 4 * D, D)}
    tensors = {name: torch.zeros(shape).double() for name, shape in shapes.items()}
    tensors["tokens"] = torch.tensor(tokens, dtype=torch.float64)
    tensors["positions"] = torch.tensor(positions, dtype=torch.float64)
    return Weights(f"no blocks, tokens {tokens}, positions {positions}", tensors)


_R = 1 / (1 + 1e-5) ** 0.5
_R4 = 2 / (4 + 1e-5) ** 0.5

EXERCISE = Exercise(
    id="training.capstone.5",
    title="The GPT",
    reference=gpt,
    points=2,
    compare=Causal(),
    cases=(
        # (1, 3) has mean 2 and variance 1, so it is normed to (-1, 1); 3 - 1 = 2 and 2 - 0 = 2.
        Case(
            (torch.tensor([[0]]), _bare([[1, 3], [0, 2]], [[0, 0]]), 1),
            torch.tensor([[[2 * _R, 2 * _R]]], dtype=torch.float64),
        ),
        # Position 0 turns (0, 2) into (2, 0); position 1 leaves (1, 3) as (1, 3).
        Case(
            (torch.tensor([[1, 0]]), _bare([[1, 3], [0, 2]], [[2, -2], [0, 0], [9, 9]]), 1),
            torch.tensor([[[-2 * _R, -2 * _R], [2 * _R, 2 * _R]]], dtype=torch.float64),
        ),
        # A table of three: (5, 1) is normed to (1, -1), and asks each row.
        Case(
            (torch.tensor([[2], [2]]), _bare([[1, 3], [4, 4], [5, 1]], [[0, 0]]), 1),
            torch.tensor([[[-2 * _R4, 0, 4 * _R4]]] * 2, dtype=torch.float64),
        ),
    ),
    generate=_draw,
    hints=(
        "A table is read by indexing: w['tokens'][ids] is (B, T, D). The positions are the first "
        "T rows of theirs.",
        "Block i takes its own dict, with its four matrices under the names 'qkv', 'out', 'up' "
        "and 'down'.",
        "The logits are (B, T, D) @ (D, V): the token table, transposed.",
    ),
    mutants={
        "The positions are missing: a text and its letters shuffled would look "
        "alike.": ' + w["positions"][: ids.shape[1]] ->',
        "Your positions begin at 1. The first token "
        "is at 0.": '[: ids.shape[1]] -> [torch.arange(1, ids.shape[1] + 1) % len(w["positions"])]',
        "All of your tokens are at position 0.": "[: ids.shape[1]] -> [:1]",
        "Your positions are counted from the end of the table. The first row belongs to the first "
        "token.": "[: ids.shape[1]] -> [-ids.shape[1] :]",
        "The last norm is missing.": "F.layer_norm(x, x.shape[-1:]) @ -> x @",
        "You run only the first block. There are L of them.": "range(len( -> "
        'range(min(1, len(; len(w["qkv"])) -> len(w["qkv"])))',
        "Every block has the weights of the first.": "w[name][i] -> w[name][0]",
        "The blocks run from last to first.": "w[name][i] -> w[name][-1 - i]",
        "The last block is left out.": 'range(len(w["qkv"])) -> range(len(w["qkv"]) - 1)',
        "Every block reads the embeddings. Each should read the "
        "output of the one before.": 'x = block(x, own -> x = block(w["tokens"][ids] + '
        'w["positions"][: ids.shape[1]], own',
        "You return the last vectors, not logits. The head is missing.": ' @ w["tokens"].T ->',
        "You return probabilities. The task asks for logits, because the loss computes the "
        "softmax itself.": 'return F.layer_norm(x, x.shape[-1:]) @ w["tokens"].T -> '
        'return (F.layer_norm(x, x.shape[-1:]) @ w["tokens"].T).softmax(-1)',
        "You return only the logits of the last token. Training needs them for every "
        "position.": '@ w["tokens"].T -> @ w["tokens"].T\n    return None; return F.layer_norm(x, '
        "x.shape[-1:]) -> return F.layer_norm(x[:, -1:], x.shape[-1:])",
        "You use one head, whatever n_heads is: pass it on.": "own, n_heads -> own, 1",
    },
)


@EXERCISE.alternate
def _unbound(ids: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    names = ("qkv", "out", "up", "down")
    x = F.embedding(ids, w["tokens"])
    x = x + F.embedding(torch.arange(ids.size(1)), w["positions"])
    for layer in zip(*(w[name].unbind() for name in names), strict=True):
        x = block(x, dict(zip(names, layer, strict=True)), n_heads)
    return F.linear(F.layer_norm(x, (x.size(-1),)), w["tokens"])


@EXERCISE.alternate
def _row_by_row(ids: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    rows = []
    for text in ids:
        x = torch.stack([w["tokens"][i] + w["positions"][t] for t, i in enumerate(text.tolist())])
        for i in range(w["up"].shape[0]):
            x = block(x[None], {name: w[name][i] for name in w if w[name].ndim == 3}, n_heads)[0]
        rows.append(torch.einsum("td,vd->tv", F.layer_norm(x, x.shape[1:]), w["tokens"]))
    return torch.stack(rows)

"""Step 3: causal self-attention with several heads."""

import math

import numpy as np
import torch

from plainformer.exercises.spec import Case, Exercise
from plainformer.exercises.training.capstone.causal import Causal
from plainformer.exercises.training.capstone.examples import Weights, averaging, block_weights


def attend(
    x: torch.Tensor,
    w: dict[str, torch.Tensor],
    n_heads: int,
) -> torch.Tensor:
    """Causal self-attention of H heads.

    x @ w["qkv"] holds queries, keys and values, D numbers each, in
    this order. Each third is split into H heads of D/H adjacent
    numbers, the first head the first D/H. A head's weights: the softmax
    of q k^T / sqrt(D/H) over the tokens up to the query's own. The
    heads' outputs are put side by side again, and w["out"] mixes them.
    x: (B, T, D). w["qkv"]: (D, 3 D). w["out"]: (D, D). n_heads: H.
    Returns (B, T, D).

    >>> x = torch.tensor([[[2.0, 0.0], [4.0, 2.0]]])
    >>> no, eye = torch.zeros(2, 4), torch.eye(2)  # q = k = 0, v = x
    >>> w = {"qkv": torch.cat([no, eye], dim=1), "out": eye}
    >>> attend(x, w, n_heads=1).tolist()  # the mean of what was read
    [[[2.0, 0.0], [3.0, 1.0]]]
    """
    B, T, D = x.shape
    heads = (x @ w["qkv"]).view(B, T, 3, n_heads, D // n_heads)
    q, k, v = heads.permute(2, 0, 3, 1, 4)  # (B, H, T, D/H) each
    scores = q @ k.mT / math.sqrt(D // n_heads)  # (B, H, T, T)
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -math.inf).softmax(-1)
    side_by_side = (weights @ v).transpose(1, 2).reshape(B, T, D)
    return side_by_side @ w["out"]


_Three = tuple[torch.Tensor, Weights, int]


def _draw(rng: np.random.Generator) -> _Three:
    H = int(rng.choice([1, 2, 2]))
    D, T = (4, int(rng.integers(2, 4))) if H == 2 else (2, int(rng.integers(2, 5)))
    text = torch.from_numpy(rng.integers(-2, 3, size=(1, T, D)).astype(float))
    other = text.clone()  # the same text but for its end
    other[0, -1] = torch.from_numpy(rng.integers(-2, 3, size=D).astype(float))
    return torch.cat([text, other]), block_weights(D, seed=int(rng.integers(1000))), H


def _given(x: object) -> torch.Tensor:
    return torch.tensor(x, dtype=torch.float64)


def _attending() -> Weights:
    """D = 4: the query is 2 ln 3 times the second number, the key is the first; v = x."""
    qkv = torch.zeros(4, 12).double()
    qkv[1, 0], qkv[0, 4], qkv[:, 8:] = 2 * math.log(3), 1.0, torch.eye(4).double()
    return Weights(
        "q[0] = 2 ln 3 · x[1], k[0] = x[0], v = x", {"qkv": qkv, "out": torch.eye(4).double()}
    )


def _heads_apart() -> Weights:
    """D = 4, two heads: the first attends to everything equally, the second with ln 3 to tokens
    whose last number is 1."""
    qkv = torch.zeros(4, 12).double()
    qkv[3, 2], qkv[3, 6] = math.sqrt(2) * math.log(3), 1.0  # number 2: the first of head 1
    qkv[:, 8:] = torch.eye(4).double()
    return Weights(
        "q[2] = √2 ln 3 · x[3], k[2] = x[3], v = x", {"qkv": qkv, "out": torch.eye(4).double()}
    )


EXERCISE = Exercise(
    id="training.capstone.3",
    title="Causal self-attention",
    reference=attend,
    points=3,
    compare=Causal(),
    cases=(
        # Every token takes the mean of those up to it. The second text differs only at its end.
        Case(
            (_given([[[2, 0], [4, 2]], [[2, 0], [8, 6]]]), averaging(2), 1),
            _given([[[2, 0], [3, 1]], [[2, 0], [5, 3]]]),
        ),
        # One token has only itself to look at.
        Case((_given([[[7, -1]]]), averaging(2), 2), _given([[[7, -1]]])),
        # Token 1 asks; its score with token 0 is 2 ln 3 / √4 = ln 3, with itself 0: 3/4 and 1/4.
        Case(
            (_given([[[1, 0, 0, 0], [0, 1, 0, 0]]]), _attending(), 1),
            _given([[[1, 0, 0, 0], [0.75, 0.25, 0, 0]]]),
        ),
        # Head 1: token 1's score with itself is √2 ln 3 / √2 = ln 3, with token 0 it is 0.
        Case(
            (_given([[[4, 0, 4, 0], [0, 0, 0, 1]]]), _heads_apart(), 2),
            _given([[[4, 0, 4, 0], [2, 0, 1, 0.75]]]),
        ),
    ),
    generate=_draw,
    hints=(
        "Write it for one head first: q, k, v = (x @ w['qkv']).chunk(3, dim=-1), each (B, T, D). "
        "Check cell by cell that the shapes are what you think.",
        "For H heads, q.view(B, T, H, D // H).transpose(1, 2) is (B, H, T, D/H); k and v "
        "likewise. The rest of the code is the same as for one head, because @ treats all axes "
        "before the last two as batch axes.",
        "A mask is added before the softmax: scores.masked_fill(later, -math.inf), where later is "
        "True above the diagonal. After the heads, transpose(1, 2) back before you reshape.",
    ),
    mutants={
        "There is no mask: a token sees what comes after it.": "scores.masked_fill(later, "
        "-math.inf).softmax -> scores.softmax",
        "Your mask hides the token itself as well. A token may look at "
        "itself.": "masked_fill(later, -math.inf) -> "
        "masked_fill(later | torch.eye(T, dtype=torch.bool), -1e9)",
        "Your mask is the wrong triangle: it hides what came before, and shows what comes "
        "after.": ".triu(1) -> .tril(-1)",
        "You mask after the softmax, so the weights of a token do not sum to "
        "1.": "scores.masked_fill(later, -math.inf).softmax(-1) -> "
        "scores.softmax(-1).masked_fill(later, 0)",
        "You mask with 0. A score of 0 is a score like any other; only -inf gives a weight of 0.": (
            "masked_fill(later, -math.inf) -> masked_fill(later, 0.0)"
        ),
        "The scores are not divided by the root of D/H.": " / math.sqrt(D // n_heads) ->",
        "You divide by the root of D. A head has only D/H "
        "numbers.": "math.sqrt(D // n_heads) -> math.sqrt(D)",
        "You divide by D/H, not by its root.": "math.sqrt(D // n_heads) -> (D // n_heads)",
        "The softmax runs over the queries. The weights of one query sum to 1: the last "
        "axis.": "softmax(-1) -> softmax(-2)",
        "w['out'] is missing: it mixes the outputs of the heads.": 'side_by_side @ w["out"] -> '
        "side_by_side",
        "You put the heads together without bringing T before H again: "
        "transpose(1, 2).": "(weights @ v).transpose(1, 2).reshape -> (weights @ v).reshape",
        "Your heads take every H-th number. The "
        "numbers of a head are adjacent.": "view(B, T, 3, n_heads, D // n_heads) -> "
        "view(B, T, 3, D // n_heads, n_heads).transpose(3, 4)",
        "Queries and keys have changed places: the rows of the scores are the "
        "queries.": "q, k, v = -> k, q, v =",
        "You split each head's part into queries, keys and values. All queries come first, "
        "then all keys, then all values.": "view(B, T, 3, n_heads, D // n_heads) -> "
        "view(B, T, n_heads, 3, D // n_heads).transpose(2, 3)",
        "You use one head, whatever n_heads is.": (
            "B, T, D = x.shape -> B, T, D = x.shape\n    n_heads = 1"
        ),
    },
)


@EXERCISE.alternate
def _torchs(x: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    def cut(y: torch.Tensor) -> torch.Tensor:
        return y.unflatten(-1, (n_heads, -1)).transpose(1, 2)

    q, k, v = (x @ w["qkv"]).chunk(3, dim=-1)
    y = torch.nn.functional.scaled_dot_product_attention(cut(q), cut(k), cut(v), is_causal=True)
    return y.transpose(1, 2).flatten(2) @ w["out"]


@EXERCISE.alternate
def _head_by_head(x: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    D = x.shape[-1]
    size, outputs = D // n_heads, []
    for h in range(n_heads):
        q, k, v = (
            x @ w["qkv"][:, part * D + h * size : part * D + (h + 1) * size] for part in range(3)
        )
        rows = []
        for t in range(x.shape[1]):
            weights = (k[:, : t + 1] @ q[:, t, :, None] / size**0.5).softmax(dim=1)
            rows.append((weights * v[:, : t + 1]).sum(dim=1))
        outputs.append(torch.stack(rows, dim=1))
    return torch.cat(outputs, dim=-1) @ w["out"]

"""Step 4: a pre-norm block, with attention and a feed-forward layer on one stream."""

import numpy as np
import torch
from torch.nn import functional as F

from plainformer.exercises.spec import Case, Exercise
from plainformer.exercises.training.capstone.attend import attend
from plainformer.exercises.training.capstone.causal import Causal
from plainformer.exercises.training.capstone.examples import Weights, averaging, block_weights


def block(
    x: torch.Tensor,
    w: dict[str, torch.Tensor],
    n_heads: int,
) -> torch.Tensor:
    """A block: x plus attention, then that plus feed-forward.

    Each sublayer reads a normed copy of the stream, and what it
    writes is added to the stream itself. The norm is LayerNorm
    without gain and bias: F.layer_norm(x, x.shape[-1:]). Attention
    is your attend of step 3. The feed-forward layer is gelu(y @ up)
    @ down, with F.gelu; F is torch.nn.functional.
    x: (B, T, D). w: "qkv" (D, 3 D), "out" (D, D), "up" (D, 4 D),
    "down" (4 D, D). n_heads: H.
    Returns (B, T, D).

    >>> w = {"qkv": torch.zeros(2, 6), "out": torch.zeros(2, 2),
    ...      "up": torch.ones(2, 8), "down": torch.zeros(8, 2)}
    >>> block(torch.tensor([[[3.0, 1.0]]]), w, n_heads=1).tolist()
    [[[3.0, 1.0]]]
    """
    x = x + attend(F.layer_norm(x, x.shape[-1:]), w, n_heads)
    h = F.gelu(F.layer_norm(x, x.shape[-1:]) @ w["up"])
    return x + h @ w["down"]


_Three = tuple[torch.Tensor, Weights, int]


def _draw(rng: np.random.Generator) -> _Three:
    D, T = int(rng.choice([2, 4])), 3
    text = torch.from_numpy(rng.integers(-3, 4, size=(1, T, D)).astype(float))
    text[..., 0] += 0.5  # no two numbers alike: a norm has something to divide by
    other = text.clone()
    other[0, -1, 1] += 2
    return torch.cat([text, other]), block_weights(D, seed=int(rng.integers(1000))), 2


def _given(x: object) -> torch.Tensor:
    return torch.tensor(x, dtype=torch.float64)


_R = 1 / (1 + 1e-5) ** 0.5  # LayerNorm's ε keeps 1 from being 1
_R9 = 3 / (9 + 1e-5) ** 0.5


EXERCISE = Exercise(
    id="training.capstone.4",
    title="A pre-norm block",
    reference=block,
    points=2,
    compare=Causal(),
    cases=(
        # Mean 2, variance 1: normed, (3, 1) is (1, -1), and attention adds that.
        Case((_given([[[3, 1]]]), averaging(2), 1), _given([[[3 + _R, 1 - _R]]])),
        # Token 1 is normed to (-1, 1), and the mean of the two is 0.
        Case(
            (_given([[[3, 1], [1, 7]]]), averaging(2), 1),
            _given([[[3 + _R, 1 - _R], [1 + (_R - _R9) / 2, 7 + (_R9 - _R) / 2]]]),
        ),
        # The normed numbers sum to 0, so what all of up is does not matter: gelu(0) = 0.
        Case((_given([[[3, 1]]]), averaging(2, up=5.0, down=1.0), 2), _given([[[3 + _R, 1 - _R]]])),
    ),
    generate=_draw,
    hints=(
        "There are two lines of the same form: x = x + sublayer(norm(x)). The second reads "
        "what the first left.",
        "Call your own attend from step 3. Its x is the normed one.",
    ),
    mutants={
        "The first residual is missing: add what attention writes to "
        "x.": "x = x + attend( -> x = attend(",
        "The second residual is missing: add what the feed-forward layer writes to "
        "x.": "return x + h -> return h",
        "Attention reads the stream itself. It reads a normed "
        "copy.": "attend(F.layer_norm(x, x.shape[-1:]), -> attend(x,",
        "The feed-forward layer reads the stream itself. It reads a normed "
        "copy.": "F.layer_norm(x, x.shape[-1:]) @ -> x @",
        "Your gelu is missing: without an activation, two "
        "matrices are equivalent to one.": 'F.gelu(F.layer_norm(x, x.shape[-1:]) @ w["up"]) -> '
        'F.layer_norm(x, x.shape[-1:]) @ w["up"]',
        "That is a ReLU. This block has a gelu: F.gelu.": "F.gelu( -> F.relu(",
        "You norm over the tokens and features together: each token is normed by itself, over its "
        "D numbers.": "F.layer_norm(x, x.shape[-1:]) @ -> F.layer_norm(x, x.shape[-2:]) @",
        "You norm the stream at the end. A block passes it on unchanged; one norm follows the "
        "last block.": 'return x + h @ w["down"] -> y = x + h @ w["down"]\n'
        "    return F.layer_norm(y, y.shape[-1:])",
        "The residual takes the normed stream. It takes x itself.": (
            "x = x + attend( -> x = F.layer_norm(x, x.shape[-1:]) + attend("
        ),
        "Both sublayers read the same stream. The second reads what the first has "
        "added.": 'h = F.gelu(F.layer_norm(x, x.shape[-1:]) @ w["up"]) -> '
        'h = F.gelu(F.layer_norm(old, x.shape[-1:]) @ w["up"]); '
        "x = x + attend( -> old = x\n    x = x + attend(",
        "You use one head, whatever n_heads is: pass it on.": ", w, n_heads) -> , w, 1)",
    },
)


@EXERCISE.mutant(
    "The norm comes after the sum: that is post-norm. Pre-norm leaves the stream alone."
)
def _post(x: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    size = x.shape[-1:]
    x = F.layer_norm(x + attend(x, w, n_heads), size)
    return F.layer_norm(x + F.gelu(x @ w["up"]) @ w["down"], size)


@EXERCISE.alternate
def _by_modules(x: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    norm = torch.nn.LayerNorm(x.shape[-1], elementwise_affine=False)
    x = x + attend(norm(x), w, n_heads)
    return x + torch.nn.GELU()(norm(x) @ w["up"]) @ w["down"]


@EXERCISE.alternate
def _by_hand(x: torch.Tensor, w: dict[str, torch.Tensor], n_heads: int) -> torch.Tensor:
    def norm(y: torch.Tensor) -> torch.Tensor:
        variance, mean = torch.var_mean(y, dim=-1, keepdim=True, correction=0)
        return (y - mean) * (variance + 1e-5).rsqrt()

    stream = x.clone()
    stream += attend(norm(stream), w, n_heads)
    wide = norm(stream) @ w["up"]
    return torch.addmm(
        stream.flatten(0, 1), (wide * (1 + torch.erf(wide / 2**0.5)) / 2).flatten(0, 1), w["down"]
    ).view_as(x)

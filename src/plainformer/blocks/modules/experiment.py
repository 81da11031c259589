"""What a stack of layers does to its stream and to its gradients before any training.

The same encoder layers are joined by one of five rules: nothing, a norm, a residual, or both in one
of two orders. Tokens go up the stack, a loss comes down, and each layer is asked three things: how
large are the numbers in the stream, how much do the tokens still differ, and how large are the
gradients?

But: a narrow stack with weights as Glorot and Bengio drew them, random tokens and no training. It
shows what training starts from. Other first values shift all curves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.arrays import Array, check_choice
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.layers import EncoderLayer
from plainformer.blocks.modules.norms import LayerNorm

__all__ = ["RULES", "Measured", "measure", "run"]

Sublayer = Callable[[Tensor], Tensor]
Rule = Callable[[Tensor, Sublayer, nn.Module], Tensor]

RULES: dict[str, Rule] = {
    "neither": lambda x, sublayer, norm: sublayer(x),
    "norm": lambda x, sublayer, norm: norm(sublayer(x)),
    "residual": lambda x, sublayer, norm: x + sublayer(x),
    "post": lambda x, sublayer, norm: norm(x + sublayer(x)),
    "pre": lambda x, sublayer, norm: x + sublayer(norm(x)),
}
"""How x, a sublayer and a norm are put together."""


@dataclass(frozen=True)
class Measured:
    """A stack of L layers, from the bottom up."""

    size: Array  # (L + 1,), the root mean square of the stream's numbers, the input's first
    spread: Array  # (L + 1,), the share of the stream in which its tokens differ from their mean
    gradient: Array  # (L,), the length of the gradient of all that a layer learns
    attention: Array  # (L,), the same of the queries' and keys' matrices alone


def measure(
    rule: str,
    depth: int,
    D: int = 32,
    T: int = 6,
    seed: int = 0,
) -> Measured:
    """What one rule does in a stack that nobody has trained.

    Args:
        rule: a name from `RULES`.
        depth: L, how many layers, of two sublayers each.
        D: the width of a token.
        T: tokens in the text.
        seed: of the text, of what each token should become, and of all
            first values.

    >>> measure("post", 4).size[1:].round(2).tolist()  # all normed
    [1.0, 1.0, 1.0, 1.0]
    """
    check_choice(rule, "rule", list(RULES))
    g = torch.Generator().manual_seed(seed)
    config = TransformerConfig(
        family="encoder", vocab_size=1, d_model=D, d_ff=4 * D, n_heads=4,
        n_layers=depth,
    )  # fmt: skip
    layers = [EncoderLayer(config, rng=g).double() for _ in range(depth)]
    x = torch.randn(T, D, generator=g).double()
    unembedding = torch.randn(D, D, generator=g).double() / D**0.5
    wanted = torch.randint(D, (T,), generator=g)

    stream = run(layers, x, RULES[rule])
    # Pre-norm norms what is read, not the stream: so once more, here.
    last = LayerNorm(D).double() if rule == "pre" else nn.Identity()
    logits = last(stream[-1]) @ unembedding
    loss: Any = nn.functional.cross_entropy(logits, wanted)
    loss.backward()

    parts = [layer.attention for layer in layers]
    pairs = [(part.w_q.weight, part.w_k.weight) for part in parts]
    return Measured(
        size=_numbers(y.detach().square().mean().sqrt() for y in stream),
        spread=_numbers(_spread(y.detach()) for y in stream),
        gradient=_numbers(_length(layer.parameters()) for layer in layers),
        attention=_numbers(_length(pair) for pair in pairs),
    )


def run(
    layers: Iterable[EncoderLayer],
    x: Tensor,
    rule: Rule,
) -> list[Tensor]:
    """The stream before the first layer and after each."""
    stream = [x]
    for layer in layers:
        x = rule(x, layer.attention, layer.norm_1)
        x = rule(x, layer.feed_forward, layer.norm_2)
        stream.append(x)
    return stream


def _spread(y: Tensor) -> Tensor:
    share: Tensor = (y - y.mean(dim=0)).norm() / y.norm()
    return share


def _length(parameters: Iterable[Any]) -> Tensor:
    """The length of their gradients as one vector; a norm that a rule leaves out has none."""
    lengths = [p.grad.norm() for p in parameters if p.grad is not None]
    length: Tensor = torch.stack(lengths).norm()
    return length


def _numbers(each: Iterable[Tensor]) -> Array:
    return torch.stack(list(each)).numpy()

"""What a stack of layers does to activations and gradients before any training.

The same encoder layers are joined by one of five rules: plain composition, a norm, a residual
connection, or both in one of two orders. The stack is narrow, its weights are initialised as Glorot
and Bengio propose, and its tokens are random. Another initialisation would shift all curves.
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
"""How x, a sublayer and a norm are combined."""


@dataclass(frozen=True)
class Measured:
    """What was measured in a stack of L layers, from the first layer to the last."""

    size: Array  # (L + 1,), the root mean square of the stream, beginning with the input
    diversity: Array  # (L + 1,), how far tokens are from their mean, relative to their length
    gradient: Array  # (L,), the norm of the gradient of all parameters of a layer
    attention: Array  # (L,), the same for the matrices of queries and keys alone


def measure(
    rule: str,
    depth: int,
    D: int = 32,
    T: int = 6,
    seed: int = 0,
) -> Measured:
    """Measure an untrained stack of `depth` layers, joined by a rule from `RULES`.

    The seed determines the text of T tokens, the targets and the initial weights.

    >>> measure("post", 4).size[1:].round(2).tolist()  # all normalised
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
    targets = torch.randint(D, (T,), generator=g)

    stream = run(layers, x, RULES[rule])
    # With pre-norm the stream itself is never normalised, so we do it here.
    last = LayerNorm(D).double() if rule == "pre" else nn.Identity()
    logits = last(stream[-1]) @ unembedding
    loss: Any = nn.functional.cross_entropy(logits, targets)
    loss.backward()

    parts = [layer.attention for layer in layers]
    pairs = [(part.w_q.weight, part.w_k.weight) for part in parts]
    return Measured(
        size=_numbers(y.detach().square().mean().sqrt() for y in stream),
        diversity=_numbers(_diversity(y.detach()) for y in stream),
        gradient=_numbers(_grad_norm(one.parameters()) for one in layers),
        attention=_numbers(_grad_norm(pair) for pair in pairs),
    )


def run(layers: Iterable[EncoderLayer], x: Tensor, rule: Rule) -> list[Tensor]:
    """The stream before the first layer and after each of the layers."""
    stream = [x]
    for layer in layers:
        x = rule(x, layer.attention, layer.norm_1)
        x = rule(x, layer.feed_forward, layer.norm_2)
        stream.append(x)
    return stream


def _diversity(y: Tensor) -> Tensor:
    ratio: Tensor = (y - y.mean(dim=0)).norm() / y.norm()
    return ratio


def _grad_norm(parameters: Iterable[Any]) -> Tensor:
    """The norm of all gradients together; modules that the rule leaves out have no gradient."""
    norms = [p.grad.norm() for p in parameters if p.grad is not None]
    total: Tensor = torch.stack(norms).norm()
    return total


def _numbers(each: Iterable[Tensor]) -> Array:
    return torch.stack(list(each)).numpy()

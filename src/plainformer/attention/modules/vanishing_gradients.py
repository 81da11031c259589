"""How gradients shrink with distance from the last output, in an RNN and in a layer of attention.

Weights and texts are random, so this shows where training starts from and not where it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from plainformer.attention.self_attention import attention

__all__ = ["attention_layer", "gradient_sizes", "rnn"]

Network = Callable[[Tensor, Tensor], Tensor]
"""Maps (T, D) tokens and three (D, D) matrices to the output at the last token, (D,)."""


def gradient_sizes(
    network: Network,
    T: int = 50,
    D: int = 32,
    texts: int = 20,
) -> Any:
    """How strongly the last output depends on each input.

    Returns a NumPy array, (T,): the norm of the gradient for the input 0, 1, …, T - 1 tokens before
    the last, as a geometric mean over random texts, each with its own random matrices.

    >>> sizes = gradient_sizes(lambda x, _: x[-1] + x[-2] / 2, T=3, texts=1)
    >>> (sizes / sizes[0]).round(3).tolist()
    [1.0, 0.5, 0.0]
    """
    sizes = []
    for seed in range(texts):
        g = torch.Generator().manual_seed(seed)
        x = torch.randn(T, D, generator=g).double().requires_grad_()
        matrices = torch.randn(3, D, D, generator=g).double() / D**0.5
        direction = torch.randn(D, generator=g).double() / D**0.5
        change = network(x, matrices) @ direction
        (slopes,) = torch.autograd.grad(change, x)  # (T, D)
        sizes.append(slopes.norm(dim=1).flip(0))
    return torch.stack(sizes).log().mean(0).exp().numpy()


def rnn(size: float) -> Network:
    """A recurrent network whose hidden-to-hidden matrix is multiplied by `size`."""

    def network(x: Tensor, matrices: Tensor) -> Tensor:
        h = torch.zeros_like(x[0])
        for token in x:  # sequentially
            h = torch.tanh(h @ (size * matrices[0]) + token @ matrices[1])
        return h

    return network


def attention_layer(x: Tensor, matrices: Tensor) -> Tensor:
    """One layer of attention, which reads all tokens at once."""
    q, k, v = (x @ w for w in matrices)
    output: Tensor = attention(q, k, v)[0][-1]
    return output

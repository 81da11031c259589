"""Random attention of every kind: the arguments of a forward and a backward pass, as NumPy."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plainformer.attention.self_attention import attention


@dataclass
class Case:
    """What attention is given, and the gradient of its output."""

    q: Any
    k: Any
    v: Any
    grad_output: Any
    mask: Any = None
    attn_bias: Any = None
    scale: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        return {
            "mask": self.mask,
            "attn_bias": self.attn_bias,
            "scale": self.scale,
            "fully_masked": "zero",
        }

    @property
    def inputs(self) -> dict[str, Any]:
        """What has a gradient."""
        named = {"q": self.q, "k": self.k, "v": self.v, "attn_bias": self.attn_bias}
        return {name: array for name, array in named.items() if array is not None}

    @property
    def forward(self) -> tuple[Any, Any]:
        return attention(self.q, self.k, self.v, **self.options)

    def loss(self, **changed: Any) -> float:
        """A number whose gradient with respect to the output is `grad_output`."""
        arguments = {**self.inputs, "mask": self.mask, "scale": self.scale, **changed}
        output, _ = attention(**arguments, fully_masked="zero")
        return float(np.sum(self.grad_output * output))

    def as_torch(self) -> "Case":
        """The same as tensors; those that have gradients ask for them."""
        leaves = {name: torch.tensor(a, requires_grad=True) for name, a in self.inputs.items()}
        mask = None if self.mask is None else torch.tensor(self.mask)
        grad_output = torch.tensor(self.grad_output)
        return Case(**leaves, grad_output=grad_output, mask=mask, scale=self.scale)


@st.composite
def cases(
    draw: st.DrawFn,
    *,
    masks: bool = True,
    biases: bool = True,
    broadcast: bool = True,
    max_side: int = 4,
) -> Case:
    """Leading axes that broadcast or not; T, S, K and Dv apart; masks that may empty a row."""
    side = st.integers(1, max_side)
    T, S, K, Dv = draw(side), draw(side), draw(side), draw(side)
    leads = ((),) * 3
    if broadcast:
        shapes = hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=2, max_side=2)
        leads = draw(shapes).input_shapes
    scores = (*np.broadcast_shapes(leads[0], leads[1]), T, S)
    output = (*np.broadcast_shapes(*leads), T, Dv)

    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    mask = bias = scale = None
    if masks and draw(st.booleans()):
        mask = rng.random(draw(shapes_that_stretch_to(scores))) < 0.7
    if biases and draw(st.booleans()):
        bias = rng.uniform(-1, 1, draw(shapes_that_stretch_to(scores)))
    if draw(st.booleans()):
        scale = draw(st.sampled_from([1.0, 0.3, 0.0, -2.0]))
    return Case(
        q=rng.uniform(-1, 1, (*leads[0], T, K)),
        k=rng.uniform(-1, 1, (*leads[1], S, K)),
        v=rng.uniform(-1, 1, (*leads[2], S, Dv)),
        grad_output=rng.uniform(-1, 1, output),
        mask=mask,
        attn_bias=bias,
        scale=scale,
    )


@st.composite
def shapes_that_stretch_to(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    kept = shape[draw(st.integers(0, len(shape))) :]
    return tuple(draw(st.sampled_from([1, size])) for size in kept)


def random(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def agree(ours: Any, theirs: Any, tolerance: float = 1e-12) -> None:
    """Of one shape, and nowhere farther apart.

    Numbers here are from -1 to 1, and what is computed is a sum of at most some hundred products of
    them, each off by a few roundings of 2^-53: 1e-12 is ample.
    """
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=tolerance)


def refused(error: type[Exception], message: str) -> Any:
    return pytest.raises(error, match=f"^{re.escape(message)}$")

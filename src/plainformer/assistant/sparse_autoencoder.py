"""A sparse autoencoder: write each vector of the stream as a sum of a few features of many.

The encoder gives each of F features a score, all but the k highest are set to 0, and the decoder
adds up the directions of those that are left. It learns to lose as little of the vector as it can.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import array_api_compat
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.arrays import check_number, check_size
from plainformer.blocks import DecoderOnly, patch
from plainformer.shapes import Array, Float, Size, checked
from plainformer.training.evaluate import evaluation_mode

__all__ = [
    "TopKAutoencoder", "keep_top_k", "read_stream", "stream_loss", "train_autoencoder",
    "unexplained_variance", "write_stories",
]  # fmt: skip


@checked
def keep_top_k(
    scores: Float[Array, "... F"],
    k: Size,
) -> Float[Array, "... F"]:
    """Keep the k highest scores of each row if they are above 0.

    All others become 0.

    Source: Gao et al. 2024, section 2.3, with the ReLU of its equation 9.

    >>> keep_top_k([3.0, -1.0, 0.5, 2.0], 2).tolist()
    [3.0, 0.0, 0.0, 2.0]
    """
    size = scores.shape[-1]
    if k > size:
        most = f"the number of features, {size}"
        raise ValueError(f"k must be at most {most}; got {k}")
    xp = array_api_compat.array_namespace(scores)
    order = xp.argsort(scores, axis=-1, descending=True, stable=True)
    rank = xp.argsort(order, axis=-1)
    return xp.where((rank < k) & (scores > 0), scores, xp.zeros_like(scores))


@checked
def unexplained_variance(
    x: Float[Array, "N D"], reconstructed: Float[Array, "N D"]
) -> Float[Array, ""]:
    """The squared error of N vectors, divided by that of writing their mean each time.

    It is 0 if every vector is reconstructed, and 1 for what knows only the mean.

    Source: Gao et al. 2024, section 2.1 (normalised MSE).

    >>> float(unexplained_variance([[1.0], [3.0]], [[1.0], [2.0]]))
    0.5
    """
    xp = array_api_compat.array_namespace(x)
    if x.shape[0] < 2:
        raise ValueError(f"x must hold at least 2 vectors, to vary at all; got {x.shape[0]}")
    whole = xp.sum((x - xp.mean(x, axis=0)) ** 2)
    if not float(whole) > 0:
        raise ValueError("x must hold vectors that differ; all of them are equal")
    error: Array = xp.sum((x - reconstructed) ** 2) / whole
    return error


class TopKAutoencoder(nn.Module):
    """An autoencoder with F features, k of which are active at a time.

    `encode` gives the activations (…, F), of which at most k are above 0, and `decode` the vectors
    (…, D) that they stand for. The decoder's rows, (F, D), have length 1: the feature's direction.

    Source: Gao et al. 2024, section 2.3.

    >>> sae = TopKAutoencoder(d_model=8, n_features=32, k=4)
    >>> x = torch.randn(5, 8)
    >>> int((sae.encode(x) > 0).sum(-1).max()) <= 4, sae(x).shape
    (True, torch.Size([5, 8]))
    """

    def __init__(
        self, d_model: int, n_features: int, k: int, rng: torch.Generator | None = None
    ) -> None:
        super().__init__()
        D, size = check_size(d_model, "d_model"), check_size(n_features, "n_features")
        self.k = check_size(k, "k")
        if k > size:
            raise ValueError(
                f"k must be at most the number of features, n_features={size}; got {k}"
            )
        rows = F.normalize(torch.randn(size, D, generator=rng), dim=1)
        self.decoder = nn.Parameter(rows)
        self.encoder = nn.Parameter(rows.clone())
        self.bias = nn.Parameter(torch.zeros(size))
        self.centre = nn.Parameter(torch.zeros(D))

    def encode(self, x: Tensor) -> Tensor:
        """The activations of the features, (…, F)."""
        scores = (x - self.centre) @ self.encoder.T + self.bias
        top = scores.topk(self.k, dim=-1)
        kept = torch.zeros_like(scores)
        return kept.scatter(-1, top.indices, top.values.relu())

    def decode(self, activations: Tensor) -> Tensor:
        """The sum of the directions, each times its activation, plus the centre: (…, D)."""
        return activations @ self.decoder + self.centre

    def forward(self, x: Tensor) -> Tensor:
        """The reconstruction of vectors, (…, D)."""
        return self.decode(self.encode(x))

    @torch.no_grad()
    def normalize(self) -> None:
        """Give each direction length 1, or activations could shrink while directions grow."""
        self.decoder.div_(self.decoder.norm(dim=1, keepdim=True).clamp_min(1e-8))


def train_autoencoder(
    x: Tensor,
    n_features: int = 768,
    k: int = 16,
    steps: int = 500,
    *,
    batch_size: int = 512,
    rate: float = 2e-3,
    seed: int = 0,
) -> TopKAutoencoder:
    """Train an autoencoder on vectors, (N, D).

    The vectors are divided by their root mean square while it learns, and the result works on
    vectors as they are. Everything is checked before the first step.

    Source: Gao et al. 2024, section 2 and appendix A.1 for the initial weights.

    >>> x = torch.randn(64, 8, generator=torch.Generator().manual_seed(0))
    >>> sae = train_autoencoder(x, n_features=16, k=16, steps=3, batch_size=8)
    >>> sae.decoder.shape
    torch.Size([16, 8])
    """
    if x.ndim != 2 or 0 in x.shape:
        raise ValueError(f"x must be vectors, (N, D), at least one of them; got {tuple(x.shape)}")
    if not bool(x.isfinite().all()):
        raise ValueError("x must hold finite numbers")
    rate, B = check_number(rate, "rate"), check_size(batch_size, "batch_size")
    check_size(steps, "steps")
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    sae = TopKAutoencoder(x.shape[1], n_features, k, rng)
    scale = float((x - x.mean(0)).pow(2).mean().sqrt()) or 1.0
    x = x.detach() / scale
    with torch.no_grad():
        sae.centre.copy_(x.mean(0))
    optimizer = torch.optim.Adam(sae.parameters(), lr=rate, betas=(0.9, 0.99))
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = rate * min(1.0, 5 * (1 - step / steps))
        batch = x[torch.randint(len(x), (B,), generator=rng)]
        loss = (sae(batch) - batch).pow(2).mean()
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
        sae.normalize()
    with torch.no_grad():  # for vectors that are not divided
        sae.centre.mul_(scale)
        sae.bias.mul_(scale)
    return sae


@torch.no_grad()
def write_stories(model: DecoderOnly, start: int, count: int, length: int, seed: int = 0) -> Tensor:
    """Let a model write texts that begin with the token `start`, (count, length), at temperature 1.

    >>> from plainformer.training.tasks import course_lm
    >>> write_stories(course_lm().model, 0, count=2, length=5).shape
    torch.Size([2, 5])
    """
    N, T = check_size(count, "count"), check_size(length, "length")
    most = model.config.max_length or T
    if most < T:
        raise ValueError(f"length must be at most {most}, which the model can read; got {length}")
    V = model.config.vocab_size
    if not 0 <= check_size(start, "start", least=0) < V:
        raise ValueError(f"start must be a token from 0 to {V - 1}; got {start}")
    rng = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    ids = [torch.full((N, 1), start)]
    with evaluation_mode(model):
        cache = model.new_cache(N, T)
        while len(ids) < T:
            p = model(ids[-1], cache=cache)[:, -1].softmax(-1)
            ids.append(torch.multinomial(p, 1, generator=rng))
    return torch.cat(ids, dim=1)


@torch.no_grad()
def read_stream(model: DecoderOnly, ids: Tensor, layer: int) -> Tensor:
    """The stream after a layer, (B, T, D), for (B, T) ids; layers are counted from 0."""
    found: list[Tensor] = []
    hook = _layer(model, layer).register_forward_hook(lambda _, __, x: found.append(x))
    try:
        with evaluation_mode(model):
            for part in torch.split(ids, 64):  # all logits at once would be large
                model(part)
    finally:
        hook.remove()
    return torch.cat(found)


@torch.no_grad()
def stream_loss(
    model: DecoderOnly,
    ids: Tensor,
    layer: int,
    replace: Callable[[Tensor], Tensor] | None = None,
) -> float:
    """The loss on texts in nats per token, with the stream after a layer replaced.

    `replace` maps the stream, (B, T, D), to another, such as a `TopKAutoencoder`. None leaves it
    as it is.

    >>> from plainformer.training.tasks import course_lm
    >>> model, ids = course_lm().model, torch.tensor([[0, 10, 11]])
    >>> stream_loss(model, ids, 1) == stream_loss(model, ids, 1, lambda x: x)
    True
    """
    _layer(model, layer)
    new: dict[str, Any] = {} if replace is None else {f"layers.{layer}.residual_2": replace}
    logits = patch(model, ids, new)["logits"][:, :-1]
    return float(F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()))


def _layer(model: DecoderOnly, layer: int) -> nn.Module:
    """A layer of a model, after checking that it exists."""
    n = model.config.n_layers
    if not 0 <= check_size(layer, "layer", least=0) < n:
        raise ValueError(f"layer must be from 0 to {n - 1}; got {layer}")
    module: nn.Module = model.layers[layer]
    return module

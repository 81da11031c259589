"""A GPT and its training step in plain torch, to measure ours beside.

The sizes and the order of a step are those of nanoGPT on a CPU (github.com/karpathy/nanoGPT): one
product for queries, keys and values, no biases, a head that shares its table with the embedding,
AdamW with weight decay for matrices only, and a batch of random crops that is drawn during the
step. The code is our own.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

SIZES = {"n_layers": 4, "n_heads": 4, "d_model": 128}
LENGTH, BATCH = 64, 12


class Block(nn.Module):
    """One layer with the norms in front."""

    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.norm_1 = nn.LayerNorm(d_model, bias=False)
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)
        self.norm_2 = nn.LayerNorm(d_model, bias=False)
        self.up = nn.Linear(d_model, 4 * d_model, bias=False)
        self.down = nn.Linear(4 * d_model, d_model, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D)."""
        parts = self.qkv(self.norm_1(x)).chunk(3, dim=-1)
        q, k, v = (part.unflatten(-1, (self.n_heads, -1)).transpose(1, 2) for part in parts)
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(heads.transpose(1, 2).flatten(-2))
        y: Tensor = x + self.down(F.gelu(self.up(self.norm_2(x))))
        return y


class PlainGPT(nn.Module):
    """(B, T) ids to (B, T, V) logits."""

    def __init__(self, vocab_size: int) -> None:
        super().__init__()
        D = SIZES["d_model"]
        self.tokens, self.positions = nn.Embedding(vocab_size, D), nn.Embedding(LENGTH, D)
        self.blocks = nn.ModuleList(Block(D, SIZES["n_heads"]) for _ in range(SIZES["n_layers"]))
        self.norm = nn.LayerNorm(D, bias=False)
        for weight in (p for p in self.parameters() if p.ndim > 1):
            nn.init.normal_(weight, std=0.02)

    def forward(self, ids: Tensor) -> Tensor:
        """(B, T) ids to (B, T, V) logits."""
        x = self.tokens(ids) + self.positions(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.tokens.weight)


def plain_step(text: np.ndarray, vocab_size: int) -> Callable[[], float]:
    """Return a function that does one training step on a text of ids and returns the loss."""
    torch.manual_seed(0)
    model = PlainGPT(vocab_size)
    matrices = [p for p in model.parameters() if p.ndim > 1]
    vectors = [p for p in model.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99))

    def draw() -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(text) - LENGTH, (BATCH,))
        rows = [torch.from_numpy(text[i : i + LENGTH + 1].astype(np.int64)) for i in starts]
        batch = torch.stack(rows)
        return batch[:, :-1], batch[:, 1:]

    batch = draw()

    def step() -> float:
        nonlocal batch
        for group in optimizer.param_groups:
            group["lr"] = 1e-3
        ids, targets = batch
        loss = F.cross_entropy(model(ids).flatten(0, 1), targets.flatten())
        batch = draw()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    return step

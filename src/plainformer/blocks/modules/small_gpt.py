"""A small GPT, trained in seconds on the manual of Python: large enough to be looked into.

It has four layers and some 165,000 parameters, and reads 192,000 tokens, some more than once.

But: that is little. It guesses better than a table of how frequent each token is, and worse than
counts of three tokens in a row. Chapters look at how such a model works, not at what it can do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_
from torch.optim import AdamW
from torch.optim.lr_scheduler import OneCycleLR

from plainformer.arrays import check_length
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.models import DecoderOnly
from plainformer.data import python_manual
from plainformer.inputs.tokenization import BPETokenizer

__all__ = ["Trained", "perplexity", "small_gpt", "train"]

CONTEXT, BATCH = 48, 8  # tokens of a text, texts of a step


@dataclass(frozen=True)
class Trained:
    """A model, its tokenizer, and the tokens that it has read and has not."""

    model: DecoderOnly
    tokenizer: BPETokenizer
    read: Tensor  # (N,), seven eighths of the manual
    held_out: Tensor  # (M,), the last eighth


def train(steps: int, seed: int = 0) -> Trained:
    """Train a small model to say the next token of Python's manual.

    Args:
        steps: how many times the weights are moved.
        seed: of the first weights and of which texts are read.

    >>> train(1).model.config.n_layers
    4
    """
    check_length(steps, "steps")
    text, g = python_manual(), torch.Generator().manual_seed(seed)
    tokenizer = BPETokenizer.train(text, 1024)
    ids = torch.tensor(tokenizer.encode(text))
    cut, T = len(ids) * 7 // 8, CONTEXT
    read, held_out = ids[:cut], ids[cut:]
    config = TransformerConfig(
        family="decoder", vocab_size=tokenizer.vocab_size, d_model=48,
        n_layers=4, n_heads=4, d_ff=192, positions="learned",
        max_length=CONTEXT,
    )  # fmt: skip
    model = DecoderOnly(config, impl="sdpa", rng=g)
    weights = list(model.parameters())
    adam = AdamW(weights, weight_decay=0.05, betas=(0.9, 0.98))
    # The rate rises in the first tenth of the steps, then falls to near 0:
    # so high a rate does harm if it stays.
    rates = OneCycleLR(adam, 0.01, total_steps=steps + 1, pct_start=0.1)
    with _one_thread():
        for _ in range(steps):
            # T tokens to read, and as many to say, one place further on.
            starts = torch.randint(len(read) - T, (BATCH,), generator=g)
            texts = read[starts[:, None] + torch.arange(T + 1)]
            reads, wanted = texts[:, :-1], texts[:, 1:]  # (B, T) each
            logits = model(reads).flatten(0, 1)  # (B T, V)
            loss: Any = F.cross_entropy(logits, wanted.flatten())
            adam.zero_grad()
            loss.backward()
            clip_grad_norm_(weights, 1.0)
            adam.step()
            rates.step()
    return Trained(model.eval(), tokenizer, read, held_out)


@contextmanager
def _one_thread() -> Iterator[None]:
    """For a while, torch uses one core: on products as small as these, two get in their way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@cache
def small_gpt() -> Trained:
    """The model of the chapter, trained when it is first asked for, and kept."""
    return train(500)


@torch.no_grad()
def perplexity(model: DecoderOnly, ids: Tensor) -> float:
    """The perplexity of a model on (N,) tokens, cut into texts of `CONTEXT` tokens.

    What is left over at the end is not read.

    Raises:
        ValueError: fewer than `CONTEXT` + 1 tokens: no text has a next token.

    >>> trained = train(1)
    >>> 500 < perplexity(trained.model, trained.held_out[:500]) < 3000
    True
    """
    T = CONTEXT
    if len(ids) <= T:
        raise ValueError(f"ids must hold at least {T + 1} tokens; got {len(ids)}")
    count = (len(ids) - 1) // T
    reads, wanted = (ids[i : i + count * T].reshape(count, T) for i in (0, 1))
    losses = [  # one text at a time: the logits of all would be large
        F.cross_entropy(model(a[None])[0], b).item() for a, b in zip(reads, wanted, strict=True)
    ]
    return math.exp(sum(losses) / count)

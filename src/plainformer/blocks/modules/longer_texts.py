"""Train on short texts and test on longer ones, with five ways to encode positions.

A small `DecoderOnly` learns to predict the next token in windows of 16 tokens and then reads
windows of 128. The baseline is the same model reading only the last 16 tokens, because it then
never meets a position or a distance that it was not trained on.

This is one small model and one text, trained for a second or two, so it shows what breaks and says
little about how large models would rank. No scheme multiplies the embeddings by √D, as Vaswani et
al. 2017 do before they add sinusoids, because the models would then differ in two respects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_choice
from plainformer.blocks.config import TransformerConfig
from plainformer.blocks.modules.models import DecoderOnly

__all__ = ["SCHEMES", "Scheme", "Setting", "losses", "losses_with_last", "new_model", "train"]

Scheme = Literal["none", "sinusoidal", "learned", "rope", "alibi"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)


@dataclass(frozen=True)
class Setting:
    """The sizes of the experiment, the same for every scheme.

    >>> setting = Setting(vocab_size=100)
    >>> setting.test_length // setting.train_length
    8
    """

    vocab_size: int  # V
    train_length: int = 16  # tokens in a window for training
    test_length: int = 128  # tokens in a window for testing
    d_model: int = 48  # D
    n_heads: int = 4  # H; each has the width K = D / H
    n_layers: int = 1
    batch: int = 16  # windows in a training step
    steps: int = 400
    learning_rate: float = 0.01


def new_model(scheme: Scheme, setting: Setting, seed: int) -> DecoderOnly:
    """An untrained causal transformer that encodes positions with this scheme.

    A learned table has a row for every position of the *test*, so some of them are never trained.

    >>> model = new_model("learned", Setting(vocab_size=9), seed=0)
    >>> model.embedding.positions.shape
    torch.Size([128, 48])
    """
    check_choice(scheme, "scheme", list(SCHEMES))
    config = TransformerConfig(
        family="decoder", vocab_size=setting.vocab_size,
        d_model=setting.d_model, d_ff=2 * setting.d_model,
        n_layers=setting.n_layers, n_heads=setting.n_heads,
        positions=None if scheme == "none" else scheme,
        max_length=setting.test_length,
        activation="relu", attention_bias=False, tied=False,
    )  # fmt: skip
    g = torch.Generator().manual_seed(seed)
    return DecoderOnly(config, impl="sdpa", rng=g)


def train(
    scheme: Scheme,
    ids: Tensor,
    seed: int,
    setting: Setting,
) -> DecoderOnly:
    """Train a new model to predict the next token, on short windows of a text (N,).

    The seed determines the initial weights and which windows are drawn.
    """
    L, steps = setting.train_length, setting.steps
    if len(ids) <= L:
        needed = f"longer than train_length, which is {L}"
        raise ValueError(f"ids must be {needed}; got {len(ids)}")
    model = new_model(scheme, setting, seed)
    g = torch.Generator().manual_seed(seed)
    parameters = model.parameters()
    adam = torch.optim.Adam(parameters, betas=(0.9, 0.98), fused=True)
    for step in range(steps):
        # The rate rises for a tenth of the steps and then falls to 0.
        rate = min(10 * (step + 1) / steps, (1 - step / steps) / 0.9)
        adam.param_groups[0]["lr"] = setting.learning_rate * rate
        shape = (setting.batch, 1)
        starts = torch.randint(len(ids) - L, shape, generator=g)
        windows = ids[starts + torch.arange(L + 1)]  # (batch, L + 1)
        adam.zero_grad()
        loss: Any = _losses(model, windows).mean()
        loss.backward()
        adam.step()
    return model


@torch.no_grad()
def losses(model: DecoderOnly, windows: Tensor) -> Tensor:
    """The loss in nats of every next token in windows (N, T + 1), given all tokens so far: (N, T).

    It is minus the log of the probability that the model gave to the correct token.
    """
    return torch.cat([_losses(model, some) for some in torch.split(windows, 32)])


@torch.no_grad()
def losses_with_last(model: DecoderOnly, windows: Tensor, context: int, every: int = 1) -> Tensor:
    """The same losses if the model reads only the last `context` tokens before each prediction.

    To save time, only every n-th token is predicted, so the result corresponds to the columns
    `context - 1 :: every` of `losses`.
    """
    if not 1 <= context < windows.shape[1]:
        raise ValueError(f"context must be from 1 to {windows.shape[1] - 1}; got {context}")
    short = windows.unfold(1, context + 1, every)  # (N, M, context + 1)
    pieces = torch.split(short.flatten(0, 1), 512)
    last = [_losses(model, some)[:, -1] for some in pieces]
    return torch.cat(last).view(short.shape[:2])


def _losses(model: DecoderOnly, windows: Tensor) -> Tensor:
    inputs, targets = windows[:, :-1], windows[:, 1:]  # (N, T) each
    logits = model(inputs).flatten(0, 1)  # (N T, V)
    return F.cross_entropy(logits, targets.flatten(), reduction="none").view(targets.shape)

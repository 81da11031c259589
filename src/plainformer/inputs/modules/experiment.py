"""Train on short texts, test on longer ones: five ways to say where a token stands, in torch.

A causal transformer, about as small as one can be, learns to predict the next token in windows of
32. Then it reads windows of 256. Only the way in which positions enter differs: "none" at all,
"sinusoidal" and "learned" (added once, to the tokens' vectors), "rope" (turns queries and keys, in
every layer), "alibi" (lowers scores, in every layer).

The level to beat is the same model with a short memory, which reads only the last 32 tokens: it
never meets a position, or a distance, that it was not trained at.

But: one small model, one text, seconds of training. It shows what breaks; it ranks no large models.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.inputs.modules.positions import InputEmbedding
from plainformer.inputs.relative_positions.alibi import alibi_bias
from plainformer.inputs.relative_positions.rope import apply_rope

__all__ = ["Layer", "Model", "Scheme", "Setting", "losses", "losses_with_last", "train"]

Scheme = Literal["none", "sinusoidal", "learned", "rope", "alibi"]


@dataclass(frozen=True)
class Setting:
    """The sizes of the experiment, the same for every scheme.

    >>> setting = Setting(vocab_size=100)
    >>> setting.test_length // setting.train_length
    8
    """

    vocab_size: int  # V
    train_length: int = 32  # tokens that are read at once in training
    test_length: int = 256  # and in the test
    d_model: int = 48  # D
    n_heads: int = 4  # H; each has the width K = D / H
    n_layers: int = 2
    batch: int = 16  # windows in one step of training
    steps: int = 400
    learning_rate: float = 0.01

    def __post_init__(self) -> None:
        if self.d_model % self.n_heads:
            both = f"{self.d_model} and {self.n_heads}"
            message = "d_model must be a multiple of n_heads"
            raise ValueError(f"{message}; got {both}")


class Layer(nn.Module):
    """Causal self-attention, then a network; both add to what they read."""

    def __init__(self, scheme: Scheme, setting: Setting) -> None:
        super().__init__()
        D = setting.d_model
        self.scheme, self.n_heads = scheme, setting.n_heads
        self.norm_1, self.norm_2 = nn.LayerNorm(D), nn.LayerNorm(D)
        self.to_qkv = nn.Linear(D, 3 * D, bias=False)
        self.to_output = nn.Linear(D, D, bias=False)
        layers = nn.Linear(D, 2 * D), nn.ReLU(), nn.Linear(2 * D, D)
        self.network = nn.Sequential(*layers)

    def forward(self, x: Tensor) -> Tensor:
        """(B, T, D) to (B, T, D); what stands at t depends on 0 … t only."""
        x = x + self.attention(self.norm_1(x))
        y: Tensor = x + self.network(self.norm_2(x))
        return y

    def attention(self, x: Tensor) -> Tensor:
        """Each token gathers values from itself and from earlier ones."""
        B, T, D = x.shape
        qkv = self.to_qkv(x).view(B, T, 3, self.n_heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)  # (B, H, T, K) each
        if self.scheme == "rope":
            q, k = apply_rope(q), apply_rope(k)
        scores = q @ k.mT / math.sqrt(q.shape[-1])  # (B, H, T, T)
        if self.scheme == "alibi":
            scores = scores + alibi_bias(self.n_heads, T, like=scores)
        later = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        gathered = (weights @ v).transpose(1, 2).reshape(B, T, D)
        output: Tensor = self.to_output(gathered)
        return output


class Model(nn.Module):
    """A causal transformer: ids (B, T) in, logits (B, T, V) of each next token out.

    No scheme multiplies the tokens by √D, as Vaswani et al. 2017 do before they add sinusoids: one
    model that did would differ in two things. The learned table has a row for every position of the
    *test*; those beyond the training length are never trained.
    """

    def __init__(self, scheme: Scheme, setting: Setting) -> None:
        super().__init__()
        if scheme not in get_args(Scheme):
            raise ValueError(f"scheme must be one of {get_args(Scheme)}; got {scheme!r}")
        V, D = setting.vocab_size, setting.d_model
        self.embedding = InputEmbedding(
            V,
            D,
            positions=scheme if scheme in ("sinusoidal", "learned") else None,
            max_length=setting.test_length,
            scale=False,  # the same for all five: it is not what is compared
        )
        layers = [Layer(scheme, setting) for _ in range(setting.n_layers)]
        self.layers = nn.Sequential(*layers, nn.LayerNorm(D))
        self.to_logits = nn.Linear(D, V, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        """The logits of each next token."""
        logits: Tensor = self.to_logits(self.layers(self.embedding(ids)))
        return logits


def train(
    scheme: Scheme,
    ids: Tensor,
    seed: int,
    setting: Setting,
) -> Model:
    """Train a new model to predict next tokens, in short windows of a text.

    Args:
        scheme: how positions enter.
        ids: (N,), the text; N above the training length.
        seed: decides the first weights and which windows are drawn. The
            same seed gives the same model; torch's own generator stays as
            it was.
        setting: the sizes. With no steps, the model is as it was born.

    Raises:
        ValueError: no such scheme, or the text is too short.
    """
    L, steps = setting.train_length, setting.steps
    if len(ids) <= L:
        bound = f"train_length, which is {L}"
        raise ValueError(f"ids must be more than {bound}; got {len(ids)}")
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # the CPU's, and no GPU's
        model = Model(scheme, setting)
        optimiser = torch.optim.Adam(
            model.parameters(),
            setting.learning_rate,
            betas=(0.9, 0.98),
            fused=True,
        )
        for step in range(steps):
            # The rate goes up for a tenth of the steps, then down to 0.
            rate = min(10 * (step + 1) / steps, (1 - step / steps) / 0.9)
            optimiser.param_groups[0]["lr"] = setting.learning_rate * rate
            starts = torch.randint(len(ids) - L, (setting.batch, 1))
            windows = ids[starts + torch.arange(L + 1)]  # (batch, L + 1)
            optimiser.zero_grad()
            torch.autograd.backward(_losses(model, windows).mean())
            optimiser.step()
    return model


def losses(model: Model, windows: Tensor) -> Tensor:
    """How surprised the model is by each token, having read all before it in the window.

    Args:
        model: a trained model.
        windows: (N, T + 1), ids.

    Returns:
        (N, T), in nats: minus the log of the probability that the model gave to the
        token that came. Column t is what it knew after reading 0 … t.
    """
    with torch.no_grad():
        return torch.cat([_losses(model, some) for some in torch.split(windows, 32)])


def losses_with_last(model: Model, windows: Tensor, context: int, every: int = 1) -> Tensor:
    """The same with a short memory: of all that came before, only the last tokens are read.

    Args:
        model: a trained model.
        windows: (N, T + 1), ids.
        context: how many tokens are read for each prediction; T or fewer.
        every: only each `every`-th token is predicted, to save time.

    Returns:
        (N, M), in nats; what stands in the columns `context - 1 :: every` of `losses`.

    Raises:
        ValueError: `context` is not from 1 to T.
    """
    if not 1 <= context < windows.shape[1]:
        raise ValueError(f"context must be from 1 to {windows.shape[1] - 1}; got {context}")
    short = windows.unfold(1, context + 1, every)  # (N, M, context + 1)
    with torch.no_grad():
        pieces = torch.split(short.flatten(0, 1), 512)
        last = [_losses(model, some)[:, -1] for some in pieces]
    return torch.cat(last).view(short.shape[:2])


def _losses(model: Model, windows: Tensor) -> Tensor:
    logits = model(windows[:, :-1])  # (N, T, V)
    return F.cross_entropy(logits.mT, windows[:, 1:], reduction="none")  # (N, T)

"""A real run, and a small one: a model of one layer learns letters, and is watched."""

from __future__ import annotations

from functools import cache

import numpy as np
import torch
from torch.nn import functional as F

from plainformer.blocks import DecoderOnly, TransformerConfig, trace
from plainformer.data import python_manual
from plainformer.training import Cosine, History
from plainformer.training.history import Progress

ALPHABET = "abcdefghijklmnopqrstuvwxyz ."
LENGTH, BATCH = 24, 16
PROBE = "the value of"


def ids_of(text: str) -> torch.Tensor:
    """Letters as numbers; what the alphabet lacks is a space."""
    blank = ALPHABET.index(" ")
    found = (ALPHABET.find(each) for each in text.lower())
    return torch.tensor([each if each >= 0 else blank for each in found])


@cache
def letters(steps: int = 60, every: int = 10) -> History:
    """Train for so many steps; look at the model now and then."""
    g = torch.Generator().manual_seed(0)
    text = " ".join(python_manual()[:60_000].split())
    ids = ids_of(text)
    read, held_out = ids[:50_000], ids[50_000:52_401]
    config = TransformerConfig(
        family="decoder", vocab_size=len(ALPHABET), d_model=32, n_layers=1, n_heads=2, d_ff=64,
        positions="learned", max_length=LENGTH,
    )  # fmt: skip
    model = DecoderOnly(config, rng=g)
    adam = torch.optim.AdamW(model.parameters())
    schedule = Cosine(0.02, total=steps, warmup=steps // 10, floor=0.002)
    history = History("letters of Python's manual")

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        return F.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())

    @torch.no_grad()
    def write() -> str:
        out = ids_of(PROBE)[None]
        for _ in range(60):
            shares = model(out[:, -LENGTH:])[0, -1].softmax(-1)
            out = torch.cat([out, torch.multinomial(shares, 1, generator=g)[None]], dim=1)
        return "".join(ALPHABET[each] for each in out[0])

    @torch.no_grad()
    def look(step: int) -> None:
        history.add_held_out(step, float(loss_of(held_out[:2400].reshape(-1, LENGTH))))
        weights = trace(model, ids_of(PROBE)[None])["layers.0.attention.weights"][0].mean(0)
        history.add_snapshot(step, write(), list(PROBE), np.asarray(weights))

    for step in range(steps):
        if step % every == 0:
            look(step)
        starts = torch.randint(len(read) - LENGTH, (BATCH,), generator=g)
        loss = loss_of(read[starts[:, None] + torch.arange(LENGTH)])
        adam.zero_grad()
        loss.backward()
        adam.param_groups[0]["lr"] = schedule(step)
        adam.step()
        history.report(Progress(step, loss.item(), schedule(step)))
    look(steps)
    return history

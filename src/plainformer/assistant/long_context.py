"""Longer texts for a model that is trained already: losses by position, and a needle test.

`reconfigure` gives the weights of a model other rotary positions, a longest text or sliding
windows. `losses_in` says how well the result predicts each part of long texts, and `needle_test`
whether it finds again what it has read long ago, which is another question. `train_longer` goes on
with the training for a few steps, on texts that are longer than before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_number, check_size
from plainformer.assistant.attribution import mean_and_error
from plainformer.attention import causal_mask
from plainformer.blocks import DecoderOnly
from plainformer.inputs.tokenization.protocol import Tokenizer

__all__ = [
    "losses_in",
    "masked_losses",
    "needle_prompts",
    "needle_test",
    "reconfigure",
    "sink_mask",
    "train_longer",
]  # fmt: skip


def reconfigure(model: DecoderOnly, **changes: Any) -> DecoderOnly:
    """The same weights with other fields of the configuration, such as `rope_scaling`.

    Only fields that leave the shapes of all weights alone can be changed.

    >>> from plainformer.training.tasks import course_lm
    >>> longer = reconfigure(course_lm().model, max_length=512, rope_theta=20000.0)
    >>> longer.config.max_length
    512
    """
    other = DecoderOnly(replace(model.config, **changes), impl="sdpa")
    other.load_state_dict(model.state_dict())
    return other.eval()


def sink_mask(T: int, window: int, sinks: int = 0) -> Tensor:
    """A sliding window that also keeps the first tokens: (T, T), True where a query may look.

    Source: Xiao et al. 2024 (StreamingLLM), section 3.2.

    >>> sink_mask(5, window=2, sinks=1).int().tolist()[-2:]
    [[1, 0, 1, 1, 0], [1, 0, 0, 1, 1]]
    """
    check_size(T, "T")
    check_size(sinks, "sinks", least=0)
    like = torch.empty(0)
    recent = causal_mask(T, window=check_size(window, "window"), like=like)
    first = causal_mask(T, like=like) & (torch.arange(T) < sinks)
    both: Tensor = recent | first
    return both


@torch.no_grad()
def masked_losses(model: DecoderOnly, ids: Tensor, mask: Tensor) -> Tensor:
    """The loss of every next token if each token sees only what the mask allows: (N, T - 1).

    `ids` is (N, T), and the mask is (T - 1, T - 1).

    >>> from plainformer.training.tasks import course_lm
    >>> ids = torch.tensor([[0, 5, 6, 7]])
    >>> masked_losses(course_lm().model, ids, sink_mask(3, window=2)).shape
    torch.Size([1, 3])
    """
    inputs, targets = ids[:, :-1], ids[:, 1:]
    if mask.shape != (inputs.shape[1],) * 2:
        wanted = (inputs.shape[1],) * 2
        raise ValueError(f"mask must be {wanted}, one row less than ids; got {tuple(mask.shape)}")
    x = model.embedding(inputs)
    for layer in model.layers:
        x = layer(x, mask=mask)
    logits = model.head(model.norm(x))  # (N, T - 1, V)
    losses: Tensor = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none")
    return losses


def losses_in(losses: Tensor, ranges: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    """The mean loss in each range of positions, and its standard error over the texts.

    `losses` is (N, T), as `losses` of the experiment with longer texts returns it. A text counts
    once, because the losses of one text are not independent.

    >>> losses_in(torch.tensor([[1.0, 2.0, 4.0], [3.0, 4.0, 4.0]]), [(0, 2), (2, 3)])
    [(2.5, 1.0), (4.0, 0.0)]
    """
    for start, stop in ranges:
        if not 0 <= start < stop <= losses.shape[1]:
            most = losses.shape[1]
            raise ValueError(f"ranges must lie within 0 to {most}; got ({start}, {stop})")
    return [mean_and_error(losses[:, start:stop].mean(1)) for start, stop in ranges]


def needle_prompts(
    tokenizer: Tokenizer,
    filler: Sequence[int],
    distance: int,
    adjectives: Sequence[str],
    nouns: Sequence[str],
    *,
    repeats: int = 1,
    seed: int = 0,
) -> tuple[Tensor, Tensor]:
    """Texts that tell a fact, go on about something else, and come back to the fact.

    A text is "once there was a big fish.", then `distance` tokens from anywhere in the filler, and
    then "once there was a big". It has one such text for each adjective, noun and repeat.

    Returns:
        The ids, (N, T), and for each text which of the nouns is right, (N,).

    >>> from plainformer.training.tasks import course_lm
    >>> tokenizer = course_lm().tokenizer
    >>> ids, right = needle_prompts(tokenizer, [13] * 9, 3, ["big"], ["cat", "fish"])
    >>> tokenizer.decode(ids[1].tolist()[1:8]).strip(), right.tolist()
    ('once there was a big fish', [0, 1])
    """
    check_size(distance, "distance", least=0)
    check_size(repeats, "repeats")
    if len(filler) <= distance:
        raise ValueError(f"filler must have more than {distance} tokens; got {len(filler)}")
    g = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    begin = tokenizer.encode("")  # the token that begins a text
    rows, right = [], []
    for _ in range(repeats):
        for adjective in adjectives:
            asked = tokenizer.encode(f" once there was a {adjective}")[len(begin) :]
            for index, noun in enumerate(nouns):
                told = tokenizer.encode(f"once there was a {adjective} {noun}.")
                at = int(torch.randint(len(filler) - distance, (), generator=g))
                rows.append([*told, *filler[at : at + distance], *asked])
                right.append(index)
    return torch.tensor(rows), torch.tensor(right)


@torch.no_grad()
def needle_test(model: DecoderOnly, ids: Tensor, right: Tensor, nouns: Tensor) -> Tensor:
    """Whether the right noun is the likeliest of all nouns after each text: (N,), 0 or 1.

    `ids` and `right` are from `needle_prompts`, and `nouns` has the id of each noun. A model that
    has forgotten the fact is right about one time in as many as there are nouns.

    >>> from plainformer.training.tasks import course_lm
    >>> lm, words = course_lm(), ["cat", "dog"]
    >>> ids, right = needle_prompts(lm.tokenizer, [13] * 9, 0, ["big"], words)
    >>> nouns = torch.tensor([lm.tokenizer.encode(f"a {word}")[-1] for word in words])
    >>> needle_test(lm.model, ids, right, nouns).tolist()
    [1.0, 1.0]
    """
    # Only the last token's logits are needed, so the head is given nothing else.
    handle = model.head.register_forward_pre_hook(lambda _, given: (given[0][:, -1:],))
    try:
        last = torch.cat([model(some)[:, -1] for some in torch.split(ids, 16)])  # (N, V)
    finally:
        handle.remove()
    return (last[:, nouns].argmax(-1) == right).float()


def train_longer(
    model: DecoderOnly,
    texts: Tensor,
    *,
    steps: int = 20,
    batch: int = 2,
    rate: float = 3e-4,
    seed: int = 0,
) -> DecoderOnly:
    """Go on with the training of a model on longer texts, (N, T + 1), and return the model.

    >>> from plainformer.training.tasks import course_lm
    >>> longer = reconfigure(course_lm().model, max_length=300)
    >>> texts = torch.zeros(3, 6, dtype=torch.long)
    >>> train_longer(longer, texts, steps=1).config.max_length
    300
    """
    check_size(steps, "steps")
    check_size(batch, "batch")
    if check_number(rate, "rate") <= 0:
        raise ValueError(f"rate must be above 0; got {rate}")
    if texts.ndim != 2 or texts.shape[1] < 2:
        raise ValueError(f"texts must be (N, T + 1), T at least 1; got {tuple(texts.shape)}")
    longest = model.config.max_length
    if longest is not None and texts.shape[1] - 1 > longest:
        raise ValueError(
            f"texts must have at most {longest + 1} tokens, which is the model's max_length "
            f"and one to predict; got {texts.shape[1]}"
        )
    g = torch.Generator().manual_seed(check_size(seed, "seed", least=0))
    adam = torch.optim.Adam(model.parameters(), lr=rate, fused=True)
    model.train()
    for _ in range(steps):
        ids = texts[torch.randint(len(texts), (batch,), generator=g)]
        logits = model(ids[:, :-1]).flatten(0, 1)
        loss: Any = F.cross_entropy(logits, ids[:, 1:].flatten())
        adam.zero_grad()
        loss.backward()
        adam.step()
    return model.eval()

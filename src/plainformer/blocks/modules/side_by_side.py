"""One folder of weights, loaded by us and by transformers: are these the same model?

Both compute in float32, whatever the file holds. Our greedy tokens are made with a cache and theirs
without one, so that the two have as little in common as can be.

But: a few dozen tokens are compared, not long texts. transformers is imported when it is asked for,
and only there; it opens safetensors alone, and runs no code from the folder.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from plainformer.blocks.modules.pretrained import from_pretrained

__all__ = ["Comparison", "compare_with_transformers", "peak_memory"]

LOADERS = {
    "decoder": "AutoModelForCausalLM",
    "encoder": "AutoModelForMaskedLM",
    "encoder_decoder": "AutoModelForSeq2SeqLM",
}


@dataclass(frozen=True)
class Comparison:
    """What came out.

    Attributes:
        model: ours, in float32.
        difference: the largest, of all logits.
        largest: the size of the largest logit.
        ours, theirs: the likeliest tokens: of a decoder those that greedy
            search writes, of an encoder one for each place.
        memory: bytes, our process's peak before transformers came in;
            None where it cannot be asked.
    """

    model: Any
    difference: float
    largest: float
    ours: list[int]
    theirs: list[int]
    memory: int | None


@torch.no_grad()
def compare_with_transformers(
    folder: str | Path, ids: Sequence[int] | None = None, new_tokens: int = 20
) -> Comparison:
    """Load a folder by both, and let both read the same tokens.

    Args:
        folder: as for `from_pretrained`.
        ids: what they read, 1 or more; None: 24 random ids. Of an
            encoder-decoder it is the source.
        new_tokens: how many tokens greedy search writes; fewer, where the
            longest text has no room for them.

    Raises:
        ImportError: transformers is not installed.
        OSError, ValueError: as `from_pretrained`; an id the model lacks.
    """
    import transformers

    model = from_pretrained(folder).float()
    config = model.config
    if ids is None:
        count = min(24, config.max_length or 24)
        seeded = torch.Generator().manual_seed(0)
        ids = torch.randint(config.vocab_size, (count,), generator=seeded).tolist()
    given = torch.tensor([list(ids)])
    start = [] if config.family != "encoder_decoder" else [_first_token(folder)]
    logits, tokens = _ours(model, given, start, new_tokens)
    memory = peak_memory()
    theirs: Any = getattr(transformers, LOADERS[config.family]).from_pretrained(
        Path(folder), dtype=torch.float32, use_safetensors=True, local_files_only=True
    )
    theirs.eval()
    their_logits, their_tokens = _theirs(theirs, config.family, given, start, len(tokens))
    return Comparison(
        model,
        float((logits - their_logits).abs().max()),
        float(their_logits.abs().max()),
        tokens,
        their_tokens,
        memory,
    )


def _ours(model: Any, ids: Tensor, start: list[int], count: int) -> tuple[Tensor, list[int]]:
    """Our logits of what is read, and the likeliest tokens, found with a cache."""
    if model.config.family == "encoder":
        logits = model(ids)
        return logits, logits[0].argmax(dim=-1).tolist()
    causal = model.bind(ids) if start else model
    text = torch.tensor([start]) if start else ids
    room = (model.config.max_length or sys.maxsize) - text.shape[1]
    first = causal(text)  # it refuses a text that is too long, so there is room
    if count <= 0:
        return first, []
    cache = causal.new_cache(1, text.shape[1] + min(count, room))
    tokens, last = [], causal(text, cache=cache)
    while True:
        tokens.append(int(last[0, -1].argmax()))
        if len(tokens) >= min(count, room + 1):
            return first, tokens
        last = causal(torch.tensor([tokens[-1:]]), cache=cache)


def _theirs(
    theirs: Any, family: str, ids: Tensor, start: list[int], count: int
) -> tuple[Tensor, list[int]]:
    """The same by transformers, without a cache."""

    def read(text: Tensor) -> Tensor:
        seen = torch.ones_like(ids if start else text)  # no token is padding, whatever its id
        if start:
            result = theirs(ids, attention_mask=seen, decoder_input_ids=text)
        else:
            result = theirs(text, attention_mask=seen)
        logits: Tensor = result.logits
        return logits

    text = torch.tensor([start]) if start else ids
    logits = first = read(text)
    if family == "encoder":
        return first, first[0].argmax(dim=-1).tolist()
    tokens: list[int] = []
    while len(tokens) < count:
        tokens.append(int(logits[0, -1].argmax()))
        text = torch.cat([text, torch.tensor([tokens[-1:]])], dim=1)
        if len(tokens) < count:
            logits = read(text)
    return first, tokens


def _first_token(folder: str | Path) -> int:
    """The token that a decoder with an encoder begins with."""
    given = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
    if not isinstance(token := given.get("decoder_start_token_id"), int):
        raise ValueError("config.json must have 'decoder_start_token_id', a whole number")
    return token


def peak_memory() -> int | None:
    """The most bytes of memory that this process has held; None where it cannot be asked."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # kibibytes elsewhere

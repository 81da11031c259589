"""What the experiments measure with: course-lm, the stories that it wrote, and simple checks."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import Array
from plainformer.blocks import DecoderOnly, patch
from plainformer.training.tasks import LanguageModel, course_lm, course_lm_stories

__all__ = [
    "check_pair", "check_text", "model", "name_of", "probabilities", "silence", "stories",
    "story_loss", "written",
]  # fmt: skip

model = cache(course_lm)
"""The trained model of the book, opened once."""


@cache
def stories(length: int = 64) -> Tensor:
    """The beginnings of the stories that course-lm wrote, (64, length) ids."""
    lm = model()
    return torch.tensor([lm.tokenizer.encode(story)[:length] for story in course_lm_stories()])


def probabilities(text: str, lm: LanguageModel | None = None) -> Array:
    """The probability of each token after a text, (V,)."""
    logits = (lm or model()).next_logits(text)
    shares: Array = np.exp(logits - logits.max())
    return shares / shares.sum()


def story_loss(decoder: DecoderOnly, silenced: dict[str, Any] | None = None) -> float:
    """The mean loss on the stories in nats, with some intermediate results replaced."""
    ids = stories()
    with torch.no_grad():
        logits = patch(decoder, ids, silenced or {})["logits"]
        return float(F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()))


def silence(*layers: int) -> dict[str, Any]:
    """Replacements for `patch` with which these layers add nothing to the stream."""
    parts = ("attention", "feed_forward")
    return {f"layers.{i}.{part}.output": torch.zeros_like for i in layers for part in parts}


def written(ids: Any) -> str:
    """A text of course-lm as one line, in quotation marks."""
    text = model().tokenizer.decode(list(ids), skip_special_tokens=True)
    return f"“{' '.join(text.split())}”"


def name_of(token: int) -> str:
    """A token of course-lm in quotation marks, without the space before it."""
    return f"“{model().words[token]}”"


def check_text(answer: Any, words: tuple[int, int] | None = None, room: int = 100) -> str:
    """Refuse what is not a text, has too few or too many words, or leaves the model no room."""
    if not isinstance(answer, str):
        raise TypeError(f"the answer must be a text; got {type(answer).__name__}")
    if words and not words[0] <= len(answer.split()) <= words[1]:
        between = f"{words[0]} to {words[1]} words"
        raise ValueError(f"the text must have {between}; it has {len(answer.split())}")
    if not answer.strip():
        raise ValueError("the text must not be empty")
    lm = model()
    most = (lm.model.config.max_length or 0) - room
    if (length := len(lm.tokenizer.encode(answer))) > most:
        raise ValueError(f"the text must have at most {most} tokens; it has {length}")
    return answer


def check_pair(answer: Any, names: tuple[str, str], sizes: tuple[int, int]) -> tuple[int, int]:
    """Refuse what is not two indices, each from 0 up to its size."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise TypeError(f"the answer must be a pair ({names[0]}, {names[1]}); got {answer!r}")
    for value, name, size in zip(answer, names, sizes, strict=True):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < size:
            raise ValueError(f"{name} must be an index from 0 to {size - 1}; got {value!r}")
    return answer[0], answer[1]

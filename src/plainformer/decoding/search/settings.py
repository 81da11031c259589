"""What may be asked of a beam search: its numbers and options, checked before it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, get_args

from plainformer.arrays import Array, check_number, check_size
from plainformer.decoding.checks import check_eos_token_id
from plainformer.decoding.search.lengths import EarlyStopping, LengthNorm, length_divisor

__all__ = ["Settings", "check_settings"]


@dataclass(frozen=True)
class Settings:
    """What the caller of `beam_search` asked for, checked."""

    num_beams: int
    max_new_tokens: int
    eos_token_id: int | None
    length_penalty: float
    length_norm: LengthNorm
    early_stopping: EarlyStopping
    finished: Literal["separate", "in_beam"]
    num_return_sequences: int
    n_candidates: int

    def check_width(self, logits: Array) -> None:
        """See that the vocabulary is large enough for the other arguments."""
        width = logits.shape[-1]
        if self.num_beams > width ** min(self.max_new_tokens, 64):  # no beam has 2^64
            texts = width**self.max_new_tokens
            raise ValueError(
                f"num_beams must be {texts} or less, for {width} tokens make no more texts of "
                f"length {self.max_new_tokens}; got {self.num_beams}"
            )


def check_settings(
    prompts: list[list[int]],
    num_beams: object,
    max_new_tokens: object,
    eos_token_id: object,
    length_penalty: object,
    length_norm: object,
    early_stopping: object,
    finished: object,
    num_return_sequences: object,
    n_candidates: object,
) -> Settings:
    num_beams = check_size(num_beams, "num_beams")
    max_new_tokens = check_size(max_new_tokens, "max_new_tokens")
    eos_token_id = check_eos_token_id(eos_token_id)
    longest = max_new_tokens + max(map(len, prompts))
    length_penalty, length_norm = check_length_norm(length_penalty, length_norm, longest)
    early_stopping = check_early_stopping(early_stopping)
    if finished not in ("separate", "in_beam"):
        raise ValueError(f"finished must be 'separate' or 'in_beam'; got {finished!r}")
    if finished == "in_beam" and early_stopping is not False:
        raise ValueError(
            "early_stopping must be False with finished='in_beam', which stops when all beams are "
            f"whole; got {early_stopping!r}"
        )
    num_return_sequences = check_size(num_return_sequences, "num_return_sequences")
    if num_return_sequences > num_beams:
        raise ValueError(
            f"num_return_sequences must be num_beams, {num_beams}, or less; "
            f"got {num_return_sequences}"
        )
    if n_candidates is None:
        n_candidates = 2 * num_beams
    n_candidates = check_size(n_candidates, "n_candidates", least=2 * num_beams)
    return Settings(
        num_beams,
        max_new_tokens,
        eos_token_id,
        length_penalty,
        length_norm,
        early_stopping,
        finished,
        num_return_sequences,
        n_candidates,
    )


def check_length_norm(alpha: Any, rule: Any, longest: int) -> tuple[float, LengthNorm]:
    """Return α and the rule, or say what is wrong.

    >>> check_length_norm(1, "words", 10)
    Traceback (most recent call last):
    ValueError: length_norm must be 'generated', 'whole' or 'gnmt'; got 'words'
    """
    alpha = check_number(alpha, "length_penalty")
    if rule not in get_args(LengthNorm):
        raise ValueError(f"length_norm must be 'generated', 'whole' or 'gnmt'; got {rule!r}")
    try:
        divisor = length_divisor(longest, alpha, rule)
    except OverflowError:
        divisor = math.inf
    if not 0 < divisor < math.inf:
        raise ValueError(
            f"length_penalty must be one that a float can raise {longest} to; got {alpha}"
        )
    return alpha, rule


def check_early_stopping(value: object) -> EarlyStopping:
    """Return False, True or "never", or say what is wrong.

    >>> check_early_stopping("always")
    Traceback (most recent call last):
    ValueError: early_stopping must be False, True or 'never'; got 'always'
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value == "never":
        return "never"
    raise ValueError(f"early_stopping must be False, True or 'never'; got {value!r}")

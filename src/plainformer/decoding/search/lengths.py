"""How to compare a short text with a long one, and when to stop searching for better ones.

Every token lowers the score, because its log probability is negative, and this gives shorter texts
an advantage. Length normalisation makes up for it by dividing the score by a power of the length.
Papers and libraries disagree about what counts as length, and three of their rules are given here.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["EarlyStopping", "LengthNorm", "length_divisor", "may_improve"]

LengthNorm = Literal["generated", "whole", "gnmt"]
EarlyStopping = bool | Literal["never"]


def length_divisor(
    length: int,
    alpha: float,
    rule: LengthNorm = "generated",
    prompt_length: int = 0,
) -> float:
    """The number that the score of a text is divided by.

    `length` counts the tokens after the prompt, including the end-of-text token. "generated" is
    length^α, "whole" is (prompt_length + length)^α, and "gnmt" is ((5 + length) / 6)^α.

    Source: Wu et al. 2016, section 7, equation 14, for "gnmt".

    >>> length_divisor(4, 0.5), length_divisor(4, 1, "gnmt")
    (2.0, 1.5)
    >>> length_divisor(4, 1, "whole", prompt_length=3)
    7.0
    """
    if rule == "gnmt":
        return float(((5 + length) / 6) ** alpha)
    if rule == "whole":
        length += prompt_length
    return float(length**alpha)


def may_improve(
    best_running: float,
    worst_finished: float,
    length: int,
    max_length: int,
    alpha: float,
    early_stopping: EarlyStopping = False,
    rule: LengthNorm = "generated",
    prompt_length: int = 0,
) -> bool:
    """Whether a beam may still beat the worst of k finished texts.

    More tokens never raise the score, so the best that a beam can reach is its present score,
    `best_running`, divided by the best possible length, which is the longest one for α > 0. Only
    "never" looks that far ahead. The others use the present length, and may stop too early.
    `worst_finished` is already divided.

    >>> may_improve(-4.0, -1.5, length=2, max_length=4, alpha=1)
    False
    >>> may_improve(-4.0, -1.5, 2, 4, 1, early_stopping="never")
    True
    """
    if early_stopping == "never" and alpha > 0:
        length = max_length
    divisor = length_divisor(length, alpha, rule, prompt_length)
    return best_running / divisor > worst_finished

"""How to compare a short text with a long one, and when to stop looking for better ones.

Every token costs: its log probability is below 0. So of two texts the shorter one starts with an
advantage. Length normalisation divides the sum by a power of the length. What is to be counted as
length, though, the literature and the libraries do not agree on: three counts are here.
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
    """By what the score of a text is divided.

    Args:
        length: how many tokens it has after the prompt, the end
            of text included.
        alpha: 0 divides by 1; above 0 longer texts gain, below 0
            they lose.
        rule: "generated": length^α.
            "whole": (prompt_length + length)^α.
            "gnmt": ((5 + length) / 6)^α.
        prompt_length: how many tokens the prompt has.

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
    longest: int,
    alpha: float,
    early_stopping: EarlyStopping = False,
    rule: LengthNorm = "generated",
    prompt_length: int = 0,
) -> bool:
    """Whether a beam could still beat the worst of k whole texts.

    More tokens never raise the score, so its best outcome is the
    score it has, divided by the best length there is. For α > 0
    that is the longest one. But only "never" looks so far ahead;
    the others take the length of now, and may stop too soon.

    Args:
        best_running: the highest score of a beam, not divided.
        worst_finished: the lowest of k whole texts, divided.
        length: how many tokens the beams have after the prompt.
        longest: how many they may come to have.
        alpha, rule, prompt_length: see `length_divisor`.
        early_stopping: False, True or "never".

    >>> may_improve(-4.0, -1.5, length=2, longest=4, alpha=1)
    False
    >>> may_improve(-4.0, -1.5, 2, 4, 1, early_stopping="never")
    True
    """
    if early_stopping == "never" and alpha > 0:
        length = longest
    divisor = length_divisor(length, alpha, rule, prompt_length)
    return best_running / divisor > worst_finished

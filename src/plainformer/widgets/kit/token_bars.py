"""What widgets that show the probabilities of tokens share: their logits, their names, their bars.

The front end's part is ``token_bars.js`` (the bars) and ``formulas/sampling.js`` (the arithmetic).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from plainformer.arrays import Array, as_array, check_number
from plainformer.decoding.logits import check_logits
from plainformer.decoding.sampling.draw import draw_token

from .checks import check_strings
from .token_words import label, weight

__all__ = [
    "COLDEST",
    "HOTTEST",
    "LARGEST",
    "MOST_SHOWN",
    "MOST_TOKENS",
    "bars_of",
    "check_temperature",
    "check_vocabulary",
    "draw",
    "drawn",
    "leading",
    "logits_of",
    "rows_of",
    "words_for",
]

MOST_TOKENS = 3_000
"""The most tokens of a vocabulary: as many as a page may carry the logits of."""

MOST_SHOWN = 40
"""The most tokens that get a bar of their own."""

LARGEST = 1e4
"""The largest logit, either side of zero."""

COLDEST, HOTTEST = 0.01, 100.0
"""The temperatures that can be set, besides 0."""

WIDTH, LINE_HEIGHT, LONGEST = 400, 24, 14
INK = "var(--pf-ink, currentColor)"
LINE, WEIGHT = "var(--pf-line, #9a9a9a)", "var(--pf-weight, #cc79a7)"


def check_vocabulary(value: Any, size: int | None = None) -> list[float | None]:
    """Return the logits of one position as a page can carry them: None for -∞.

    Args:
        value: (V,) logits; None, too, stands for -∞.
        size: how many there must be; None: any number up to `MOST_TOKENS`.

    Raises:
        TypeError: no real numbers.
        ValueError: another shape; too large a number, NaN or +∞; or no token is possible.

    >>> check_vocabulary([0.5, -float("inf"), 2])
    [0.5, None, 2.0]
    >>> check_vocabulary([[1.0]])
    Traceback (most recent call last):
    ValueError: logits must have shape (V,), V from 1 to 3000; got (1, 1)
    """
    if isinstance(value, list | tuple):
        value = [-math.inf if each is None else each for each in value]
    array = as_array(value, "logits")
    if hasattr(array, "detach"):
        array = array.detach()
    shape = tuple(array.shape)
    wanted = f"({size},)" if size else f"(V,), V from 1 to {MOST_TOKENS}"
    if len(shape) != 1 or not (shape[0] == size if size else 1 <= shape[0] <= MOST_TOKENS):
        raise ValueError(f"logits must have shape {wanted}; got {shape}")
    found = [float(each) for each in check_logits(array)]
    for each in found:
        if each != -math.inf and abs(each) > LARGEST:
            raise ValueError(
                f"logits must be -inf or from {-LARGEST:,.0f} to {LARGEST:,.0f}; got {each:g}"
            )
    return [None if each == -math.inf else each for each in found]


def check_temperature(value: Any, name: str) -> float:
    """Return a temperature as a float: 0, or one from `COLDEST` to `HOTTEST`.

    >>> check_temperature(-1, "temperature")
    Traceback (most recent call last):
    ValueError: temperature must be 0, or from 0.01 to 100; got -1
    """
    found = check_number(value, name)
    if found != 0 and not COLDEST <= found <= HOTTEST:
        raise ValueError(f"{name} must be 0, or from {COLDEST:g} to {HOTTEST:g}; got {value}")
    return found


def words_for(words: Any, size: int) -> list[str]:
    """Return a name for each token; None: their ids."""
    if words is None:
        return [f"token {i}" for i in range(size)]
    return check_strings(words, "words", size, size, "token")


def logits_of(values: Sequence[float | None]) -> Array:
    """Return what `check_vocabulary` made of logits as an array again: (V,)."""
    return np.array([-math.inf if each is None else each for each in values], dtype=np.float64)


def leading(numbers: Array, room: int) -> list[int]:
    """Return the tokens of the largest numbers, the largest first; of two alike the first.

    >>> leading(np.array([1.0, 3.0, -np.inf, 3.0]), 3)
    [1, 3, 0]
    """
    return [int(i) for i in np.argsort(-numbers, kind="stable")[:room]]


def drawn(logits: Array, numbers: Array) -> list[int]:
    """Return the token that each random number draws, by `plainformer.decoding.draw_token`.

    Many together, because what a call checks takes longer than its draw; not all, because each row
    has the logits of the whole vocabulary.
    """
    parts = np.split(numbers, range(100, len(numbers), 100)) if len(numbers) else []
    rows = [draw_token(np.broadcast_to(logits, (len(u), len(logits))), u) for u in parts]
    return [int(each) for row in rows for each in row]


def rows_of(shares: Array, words: Sequence[str], order: Sequence[int]) -> list[tuple[str, float]]:
    """Return a name and a share for each of some tokens, then for all others together.

    >>> rows_of(np.array([0.25, 0.5, 0.25]), ["a", " b", "c"], [1])
    [('␣b', 0.5), ('2 others', 0.5)]
    """
    rows = [(label(words[i]), float(shares[i])) for i in order]
    if others := len(shares) - len(rows):
        rest = float(np.delete(shares, order).sum())
        rows.append((f"{others:,} other{'s' if others > 1 else ''}", rest))
    return rows


def bars_of(
    values: Sequence[float | None], shares: Array, words: Sequence[str], shown: int
) -> list[tuple[str, float]]:
    """Return the rows of a widget's bars: the tokens of its largest logits, then the others.

    >>> bars_of([0.5, None, 2.0], np.array([0.18, 0, 0.82]), ["a", "b", "c"], 1)
    [('c', 0.82), ('2 others', 0.18)]
    """
    return rows_of(shares, words, leading(logits_of(values), shown))


def draw(rows: Sequence[tuple[str, float]], note: str) -> str:
    """Return bars as SVG, with a note below.

    Args:
        rows: a name and a share, 0 to 1, for each bar.
        note: a sentence, as plain text.
    """
    parts = []
    for i, (name, part) in enumerate(rows):
        y = LINE_HEIGHT * (i + 0.5)
        short = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
        parts.append(
            f'<text x="112" y="{y + 4:g}" fill="{INK}" text-anchor="end">{escape(short)}</text>'
            f'<rect x="120" y="{y - 8:g}" width="{230 * part:.1f}" height="16" fill="{WEIGHT}"/>'
            f'<text x="{126 + 230 * part:.1f}" y="{y + 4:g}" fill="{INK}">{weight(part)}</text>'
        )
    height = LINE_HEIGHT * len(rows)
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" aria-hidden="true" font-size="13" '
        'style="display: block; width: 100%; max-width: 34rem; margin: 0 auto">'
        f'<path d="M119 0V{height}" stroke="{LINE}"/>{"".join(parts)}</svg>'
        f'<p class="pf-note">{escape(note)}</p>'
    )

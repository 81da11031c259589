"""A widget that decodes token by token, without a cache and with one, side by side.

Each step writes one token. On the left every query, key, value and score is computed again; on the
right only those of the new token, and the keys and values of the others are kept. Below, what it
costs so far: tokens projected, scores, multiplications. A rewind and a reset give memory back, and
no work. The front end (``view.js``) counts; a browser test holds its counts against Python.

It counts the multiplications of one layer of attention, without the feed-forward layer, and on the
left side it includes the scores that the causal mask discards.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple

import traitlets

from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole

__all__ = ["MAX_HISTORY", "MAX_TOKENS", "MAX_WIDTH", "CacheGrowth", "Count"]

MAX_TOKENS = 12
"""The most tokens that can be written."""

MAX_HISTORY = 200
"""The most steps, rewinds and resets that are remembered."""

MAX_WIDTH = 16_384
"""The widest layer."""


class Count(NamedTuple):
    """What was computed: tokens projected, scores, multiplications."""

    tokens: int
    scores: int
    multiplications: int


def _check_history(widget: Any, value: Any) -> list[int]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"history must be a list of lengths; got {type(value).__name__}")
    lengths = [check_whole(each, "every length", 0, len(widget.tokens)) for each in value]
    if len(lengths) > MAX_HISTORY:
        raise ValueError(f"history must have at most {MAX_HISTORY} entries; got {len(lengths)}")
    for before, after in zip([0, *lengths], lengths, strict=False):
        if after == before or after > before + 1:
            raise ValueError(
                "each length in history must be one more than the last (a token is written) or "
                f"less (a rewind); got {after} after {before}"
            )
    return lengths


def _check_d_model(widget: Any, value: Any) -> int:
    number = check_whole(value, "d_model", 1, MAX_WIDTH)
    if number % widget.n_heads:
        raise ValueError(
            f"d_model must be a multiple of the {widget.n_heads} heads; got {number:,}"
        )
    return number


def _check_n_kv_heads(widget: Any, value: Any) -> int:
    number = check_whole(value, "n_kv_heads", 1, widget.n_heads)
    if widget.n_heads % number:
        raise ValueError(f"n_kv_heads must divide the {widget.n_heads} heads; got {number}")
    return number


class CacheGrowth(Widget):
    """Show decoding without and with a cache of keys and values.

    Arguments: ``tokens``, the words that are written; ``d_model``, the width D of the layer;
    ``n_heads``, its heads H; ``n_kv_heads``, its heads of keys and values G (None: H); ``step``,
    how many tokens are written at first.

    In Jupyter ``history``, ``d_model`` and ``n_kv_heads`` are live. ``history`` holds the length
    of the text after each step: one more where a token was written, less after a rewind. ``length``
    is the last of them, ``without`` and ``with_cache`` count what was computed, ``kept`` is how
    many numbers the cache holds.

    >>> widget = CacheGrowth("your cat is a lovely cat".split(), d_model=4, n_heads=1, step=6)
    >>> widget.without.tokens, widget.with_cache.tokens, widget.kept
    (21, 6, 48)
    >>> widget.history = [*widget.history, 4]  # two tokens back
    >>> widget.length, widget.with_cache.tokens, widget.kept
    (4, 6, 32)

    Raises TypeError when an argument has the wrong type; ValueError when it lies outside, or heads
    do not divide.
    """

    front_end: ClassVar[str] = "cache_growth"

    data: Any = traitlets.Dict().tag(sync=True)
    d_model = ValidatedTrait(1, _check_d_model).tag(sync=True)
    n_kv_heads = ValidatedTrait(1, _check_n_kv_heads).tag(sync=True)
    history = ValidatedTrait[list[int]]([], _check_history).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        *,
        d_model: int = 64,
        n_heads: int = 8,
        n_kv_heads: int | None = None,
        step: int = 0,
        **options: Any,
    ) -> None:
        self.tokens = check_strings(tokens, "tokens", 1, MAX_TOKENS)
        self.n_heads = check_whole(n_heads, "n_heads", 1, MAX_WIDTH)
        super().__init__(
            data={"tokens": self.tokens, "heads": self.n_heads},
            d_model=d_model,
            n_kv_heads=self.n_heads if n_kv_heads is None else n_kv_heads,
            history=list(range(1, check_whole(step, "step", 0, len(self.tokens)) + 1)),
            **options,
        )

    @property
    def length(self) -> int:
        """How many tokens the text has now."""
        return self.history[-1] if self.history else 0

    @property
    def kept(self) -> int:
        """How many numbers the cache holds: keys and values of all tokens."""
        return 2 * self.n_kv_heads * (self.d_model // self.n_heads) * self.length

    @property
    def without(self) -> Count:
        """What was computed without a cache: all tokens, at every step."""
        return self._count(lambda t: t)

    @property
    def with_cache(self) -> Count:
        """What was computed with a cache: the new token, at every step."""
        return self._count(lambda t: 1)

    def _count(self, new: Any) -> Count:
        """Sums over all steps, where step t computes new(t) tokens."""
        D, shared = self.d_model, self.d_model // self.n_heads * self.n_kv_heads
        projections = 2 * D * D + 2 * D * shared  # queries and output; keys and values
        pairs = zip([0, *self.history], self.history, strict=False)
        steps = [after for before, after in pairs if after > before]
        tokens = sum(new(t) for t in steps)
        scores = sum(new(t) * t for t in steps)
        return Count(tokens, scores, tokens * projections + scores * 2 * D)

    def description(self) -> str:
        """Return as sentences what was computed and what is kept."""
        a, b = self.without, self.with_cache
        return (
            f"{self.length} of {len(self.tokens)} tokens are written. Without a cache "
            f"{a.tokens} tokens were projected, {a.multiplications:,} multiplications; with one "
            f"{b.tokens} tokens, {b.multiplications:,} multiplications. The cache holds "
            f"{self.kept:,} numbers."
        )

    def picture(self) -> str:
        """Return the two sides as grids of queries, keys, values and scores."""
        wrote = bool(self.history) and self.length > (self.history[-2:-1] or [0])[0]
        sides = "".join(
            f'<div class="cg-side"><p class="cg-title">{title}</p>{self._grid(cached, wrote)}</div>'
            for title, cached in (("Without a cache", False), ("With a cache", True))
        )
        return (
            f'<div class="cg-sides">{sides}</div><p class="pf-note">'
            f"{html.escape(self.description())} Full: computed in this step. Framed: kept.</p>"
        )

    def _grid(self, cached: bool, wrote: bool) -> str:
        """One side: a row for each token, with its query, key, value and scores."""
        T, last = len(self.tokens), self.length - 1
        cells = []
        for i, token in enumerate(self.tokens):
            now = wrote and (i == last or (not cached and i < last))
            old = "kept" if cached and i <= last else ""
            cells.append(f'<span class="cg-name">{html.escape(token)}</span>')
            for role in ("q", "k", "v"):
                kind = "now" if now else "" if role == "q" else old
                cells.append(f'<i class="cg-cell cg-{role} {kind and "cg-" + kind}"></i>')
            for j in range(T):
                seen = now and j <= last
                kind = "" if not seen else " cg-now" if j <= i else " cg-masked"
                cells.append(f'<i class="cg-cell cg-s{kind}"></i>')
        heads = "".join(f'<b class="cg-head">{name}</b>' for name in ("", "q", "k", "v"))
        scores = f'<b class="cg-head" style="grid-column: span {T}">scores</b>'
        return f'<div class="cg-grid" style="--cg-keys: {T}">{heads}{scores}{"".join(cells)}</div>'

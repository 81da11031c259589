"""A widget for everything between the logits and the token that is drawn.

Penalties, temperature, top-k, top-p and min-p are arranged in a row. Each can be set, switched off
and moved up or down, and each says how much of the probability it takes away and how many tokens
it leaves. Bars show what comes out. The reader draws from it, one token or a hundred at a time,
and sees the draws come closer to the bars.

The front end (``math.js``) computes it, with the same random numbers as
`plainformer.decoding.CounterRNG`. So the same seed draws the same tokens here and there, and a
browser test compares the two.

It shows only one position. A generation would count each drawn token before the next is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy, check_number, is_integer
from plainformer.attention.stable_softmax import softmax
from plainformer.decoding import (
    LogitsPipeline,
    TokenCounts,
    min_p,
    top_k,
    top_p,
)
from plainformer.decoding.example import CONTEXT, LOGITS, WORDS
from plainformer.decoding.penalties import (
    count_tokens,
    frequency_penalty,
    presence_penalty,
    repetition_penalty,
)
from plainformer.decoding.philox import CounterRNG
from plainformer.decoding.temperature import apply_temperature
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole
from plainformer.widgets.kit.token_bars import (
    MOST_SHOWN,
    MOST_TOKENS,
    bars_of,
    check_temperature,
    check_vocabulary,
    draw,
    drawn,
    logits_of,
    words_for,
)
from plainformer.widgets.kit.token_words import label, many, weight

__all__ = ["MOST_COUNTED", "MOST_DRAWN", "PRESETS", "STAGES", "STRONGEST", "SamplerLab"]

STAGES = ("penalties", "temperature", "top_k", "top_p", "min_p")
"""The stages, in the order that is common."""

NAMES = {"penalties": "penalties", "temperature": "temperature"} | {
    name: name.replace("_", "-") for name in STAGES[2:]
}

PRESETS: dict[str, dict[str, float]] = {
    "off": {},
    "greedy": {"temperature": 0},
    "focused": {"temperature": 0.7, "top_p": 0.9},
    "nucleus": {"top_p": 0.9},
    "creative": {"temperature": 1.4, "min_p": 0.1},
    "no repeats": {"repetition_penalty": 1.3},
}
"""Settings that go by a name: what each sets, besides which every stage is off."""

SETTINGS: dict[str, Any] = {
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
    "repetition_penalty": 1.0,
    "temperature": 1.0,
    "top_k": None,
    "top_p": None,
    "min_p": None,
}  # each with the value that changes nothing

MOST_DRAWN = 10_000
"""The most tokens that are drawn."""

MOST_COUNTED = 1_000
"""The most times that a token has occurred."""

STRONGEST = 10.0
"""The largest penalty, and 1 over it the smallest repetition penalty."""


def _check_counts(widget: Any, value: Any) -> list[int]:
    counts = as_numpy(as_array(value, "counts"))
    shape = tuple(counts.shape)
    if widget.size and shape != (widget.size,):
        raise ValueError(f"counts must have shape ({widget.size},), as logits have; got {shape}")
    if not is_integer(counts):
        raise TypeError(f"counts must be whole numbers; got an array of {counts.dtype}")
    found = [int(each) for each in counts]
    for each in found:
        if not 0 <= each <= MOST_COUNTED:
            raise ValueError(f"counts must be from 0 to {MOST_COUNTED}; got {each}")
    return found


def _penalty(name: str, least: float) -> Callable[[Any, Any], float]:
    def check(_: Any, value: Any) -> float:
        found = check_number(value, name)
        if not least <= found <= STRONGEST:
            raise ValueError(f"{name} must be from {least:g} to {STRONGEST:g}; got {value}")
        return found

    return check


def _check_top_k(_: Any, value: Any) -> int | None:
    return None if value is None else check_whole(value, "top_k", 1, MOST_TOKENS, " or None")


def _check_share(value: Any, name: str) -> float | None:
    if value is None:
        return None
    found = check_number(value, name)
    if not 0 < found <= 1:
        raise ValueError(f"{name} must be above 0, and 1 at most, or None; got {value}")
    return found


def _check_order(_: Any, value: Any) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(f"order must be a list of the stages' names; got {value!r}")
    found = list(value)
    if len(found) != len(STAGES) or set(map(str, found)) != set(STAGES):
        raise ValueError(f"order must have each of {', '.join(STAGES)} once; got {found!r}")
    return [str(each) for each in found]


def _check_preset(value: Any) -> dict[str, float]:
    """Return the settings that go by this name."""
    if not isinstance(value, str):
        raise TypeError(f"preset must be one of {', '.join(PRESETS)}; got {value!r}")
    if value not in PRESETS:
        raise ValueError(f"preset must be one of {', '.join(PRESETS)}; got {value!r}")
    return PRESETS[value]


class SamplerLab(Widget):
    """Set the stages of a sampler, change their order, and draw.

    Arguments: ``logits``, (V,), of up to 3,000 tokens, -∞ for one that is impossible; ``words``, a
    name for each. None for both is this part's example, after "your cat is a". ``counts``: how
    often each token has occurred, (V,) whole numbers for all three penalties; None: never, and in
    the example once for each word of the context. ``frequency_penalty``, ``presence_penalty``,
    ``repetition_penalty``, ``temperature``, ``top_k``, ``top_p``, ``min_p``: as in
    `LogitsPipeline.standard`; a stage whose number changes nothing is off. ``preset``: the name of
    settings in `PRESETS` to open with, where none of these is given. ``order``: the stages in
    another order than `STAGES`; the penalties stay together. ``seed``: of the draws, from 0 to 2⁵³
    - 1. ``drawn``: how many tokens are drawn at first. ``shown``: how many tokens get a bar of
    their own, up to 40; the others share one.

    In Jupyter all of these but ``words`` and ``shown`` are live (``logits`` and ``counts`` as many
    as before): what the reader does can be read here, and what is set here is drawn. `stages`,
    `probabilities`, `draws` and `tally` give what the page shows. The random
    numbers stay when a setting changes: the page shows what the same ones would have drawn.

    >>> lab = SamplerLab(top_k=2, drawn=5)
    >>> lab.probabilities()[:3].round(3).tolist()
    [0.667, 0.333, 0.0]
    >>> [WORDS[i] for i in lab.draws()]
    ['lovely', 'good', 'lovely', 'good', 'good']
    >>> lab.top_k = None
    >>> lab.probabilities()[:3].round(2).tolist()
    [0.4, 0.2, 0.12]
    >>> opened = SamplerLab()  # with a preset on: "focused"
    >>> opened.temperature, opened.top_p
    (0.7, 0.9)

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "sampler_lab"
    size: int | None = None  # how many tokens, once there are some

    data = traitlets.Dict().tag(sync=True)
    logits = ValidatedTrait[list[float | None]](
        [0.0], lambda widget, value: check_vocabulary(value, widget.size)
    ).tag(sync=True)
    counts = ValidatedTrait([0], _check_counts).tag(sync=True)
    frequency_penalty = ValidatedTrait(0.0, _penalty("frequency_penalty", -STRONGEST)).tag(
        sync=True
    )
    presence_penalty = ValidatedTrait(0.0, _penalty("presence_penalty", -STRONGEST)).tag(sync=True)
    repetition_penalty = ValidatedTrait(1.0, _penalty("repetition_penalty", 1 / STRONGEST)).tag(
        sync=True
    )
    temperature = ValidatedTrait(1.0, lambda _, v: check_temperature(v, "temperature")).tag(
        sync=True
    )
    top_k = ValidatedTrait(None, _check_top_k).tag(sync=True)
    top_p = ValidatedTrait(None, lambda _, value: _check_share(value, "top_p")).tag(sync=True)
    min_p = ValidatedTrait(None, lambda _, value: _check_share(value, "min_p")).tag(sync=True)
    order = ValidatedTrait(list(STAGES), _check_order).tag(sync=True)
    seed = ValidatedTrait(0, lambda _, v: check_whole(v, "seed", 0, 2**53 - 1)).tag(sync=True)
    drawn = ValidatedTrait(0, lambda _, v: check_whole(v, "drawn", 0, MOST_DRAWN)).tag(sync=True)

    def __init__(
        self,
        logits: Any = None,
        words: Sequence[str] | None = None,
        *,
        counts: Any = None,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        repetition_penalty: float = 1.0,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        preset: str = "focused",
        order: Sequence[str] | None = None,
        seed: int = 0,
        drawn: int = 0,
        shown: int = 12,
        **options: Any,
    ) -> None:
        given = check_vocabulary(LOGITS if logits is None else logits)
        if counts is None:
            counts = [0] * len(given)
            if logits is None:
                ids = [WORDS.index(word) for word in CONTEXT.split() if word in WORDS]
                counts = count_tokens(ids, len(WORDS))
        if logits is None and words is None:
            words = WORDS
        self.words = words_for(words, len(given))
        self.shown = check_whole(shown, "shown", 1, MOST_SHOWN)
        self.size = len(given)
        own: dict[str, Any] = {
            "frequency_penalty": frequency_penalty,
            "presence_penalty": presence_penalty,
            "repetition_penalty": repetition_penalty,
            "temperature": temperature,
            "top_k": top_k,
            "top_p": top_p,
            "min_p": min_p,
        }
        named = _check_preset(preset)
        super().__init__(
            data={"words": self.words, "shown": self.shown, "presets": list(PRESETS.items())},
            logits=given,
            counts=counts,
            **({**own, **named} if own == SETTINGS else own),
            order=STAGES if order is None else order,
            seed=seed,
            drawn=drawn,
            **options,
        )

    def stages(self) -> list[tuple[str, Array]]:
        """Return each stage's name, in order, and the (V,) logits as it leaves them."""
        pipeline = LogitsPipeline([(name, partial(self._apply, name)) for name in self.order])
        return pipeline.stages(logits_of(self.logits))

    def _apply(self, stage: str, z: Array, _: TokenCounts) -> Array:
        """What a stage makes of logits: (V,) to (V,)."""
        if stage == "penalties":
            z = frequency_penalty(z, self.counts, self.frequency_penalty)
            z = presence_penalty(z, self.counts, self.presence_penalty)
            return repetition_penalty(z, self.counts, self.repetition_penalty)
        if stage == "temperature":
            return apply_temperature(z, self.temperature)
        number = getattr(self, stage)
        cut: Any = {"top_k": top_k, "top_p": top_p, "min_p": min_p}[stage]
        return z if number is None else cut(z, number)

    def probabilities(self) -> Array:
        """Return the probability of each token after the last stage: (V,)."""
        return softmax(self.stages()[-1][1])

    def draws(self) -> list[int]:
        """Return the tokens that are drawn, the first first."""
        return drawn(self.stages()[-1][1], CounterRNG(self.seed).random(self.drawn))

    def tally(self) -> Array:
        """Return how often each token is drawn: (V,) whole numbers."""
        return np.bincount(np.array(self.draws(), dtype=np.int64), minlength=len(self.logits))

    def _settings(self) -> list[str]:
        """The stages that are on, in order, each with its numbers."""
        parts = []
        for name in self.order:
            if name == "penalties":
                neutral = {"frequency": 0, "presence": 0, "repetition": 1}
                set_ = {each: getattr(self, f"{each}_penalty") for each in neutral}
                parts += [f"{k} {v:g}" for k, v in set_.items() if v != neutral[k]]
            elif getattr(self, name) not in (None, 1 if name == "temperature" else None):
                parts.append(f"{NAMES[name]} {getattr(self, name):g}")
        return parts

    def description(self) -> str:
        """Return in a few sentences the stages, what comes out, and what was drawn."""
        last = self.stages()[-1][1]
        parts = ", ".join(f"{name} {weight(part)}" for name, part in self._rows())
        left = int(np.isfinite(last).sum())
        text = (
            f"A sampler of {many(len(self.logits), 'token')}: "
            f"{' → '.join(self._settings()) or 'every stage is off'}. "
            f"{many(left, 'token')} can be drawn: {parts}."
        )
        if self.drawn:
            tally = self.tally()
            gap = np.abs(tally / self.drawn - self.probabilities())
            text += (
                f" Of {many(self.drawn, 'draw')} with seed {self.seed}, the largest gap to these "
                f"is {gap.max():.2f}, at {label(self.words[int(gap.argmax())])}."
            )
        return text

    def picture(self) -> str:
        """Return the bars of what comes out, and the sentences."""
        return draw(self._rows(), self.description())

    def _rows(self) -> list[tuple[str, float]]:
        return bars_of(self.logits, self.probabilities(), self.words, self.shown)

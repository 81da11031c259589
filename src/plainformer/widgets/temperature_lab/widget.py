"""A widget with a dial from frozen to boiling, and what it does to the next token.

A bar shows how probable each token is, and a heap on it how often the token was drawn. The dial
goes from temperature 0 to ∞. The random numbers of the draws stay when it turns: the heap shows
what the same luck would have drawn at another temperature. Beside it, the course's language model
can continue the text at that temperature; a page fetches it when a reader first asks.

The front end (``view.js``) computes it; here the same numbers come from `plainformer.decoding`, and
a browser test compares the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array
from plainformer.attention.stable_softmax import softmax
from plainformer.decoding import CounterRNG
from plainformer.decoding.example import CONTEXT, LOGITS, WORDS
from plainformer.decoding.temperature import apply_temperature, entropy
from plainformer.widgets.engine import Weights
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole
from plainformer.widgets.kit.token_bars import (
    MOST_SHOWN,
    bars_of,
    check_temperature,
    check_vocabulary,
    draw,
    drawn,
    logits_of,
    words_for,
)
from plainformer.widgets.kit.token_words import label, weight

__all__ = ["MAX_SEED", "MOST_DRAWN", "TemperatureLab"]

MOST_DRAWN, MAX_SEED = 1_000, 999


def _check_logits(widget: Any, value: Any) -> list[float | None]:
    return check_vocabulary(value, widget.size)


def _check_dial(_: Any, value: Any) -> float | None:
    """Return a temperature as a page can carry it: None for ∞."""
    if value is None or (isinstance(value, float) and value == math.inf):
        return None
    return check_temperature(value, "temperature")


class TemperatureLab(Widget):
    """Turn the temperature, and see what becomes of the probabilities and of the draws.

    Arguments: ``logits``, (V,), of up to 3,000 tokens, -∞ for one that is impossible; ``words``, a
    name for each token. None for both is this part's example: eight words after "your cat is a".
    ``temperature``: τ, 0 (the first of the largest takes all), from 0.01 to 100, or ∞, which is
    kept as None. ``context``: the text before the token. ``shown``: how many tokens get a bar of
    their own, those of the largest logits, up to 40; the others share one. ``drawn``: how many
    tokens are drawn at first, up to `MOST_DRAWN`. ``seed``: of the draws, up to `MAX_SEED`.
    ``checkpoint``: "course-lm" for a button that lets this model continue the context; None for
    none.

    In Jupyter ``logits`` (as many as before; None in the list is -∞), ``temperature``, ``drawn``
    and ``seed`` are live: what the reader does can be read here, and what is set here is drawn.
    `probabilities`, `entropy` and `draws` give what the page shows.

    >>> lab = TemperatureLab(temperature=0.5, drawn=5)
    >>> lab.probabilities()[:2].round(2).tolist()  # "lovely" and "good"
    [0.68, 0.17]
    >>> [WORDS[i] for i in lab.draws()]
    ['lovely', 'cat', 'lovely', 'good', 'small']
    >>> lab.temperature = 0
    >>> [WORDS[i] for i in lab.draws()]
    ['lovely', 'lovely', 'lovely', 'lovely', 'lovely']
    >>> lab.temperature = math.inf
    >>> lab.probabilities()[:2].tolist()
    [0.125, 0.125]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "temperature_lab"
    size: int | None = None  # how many tokens, once there are some

    data = traitlets.Dict().tag(sync=True)
    logits = ValidatedTrait[list[float | None]]([0.0], _check_logits).tag(sync=True)
    temperature = ValidatedTrait[float | None](1.0, _check_dial).tag(sync=True)
    drawn = ValidatedTrait(0, lambda _, value: check_whole(value, "drawn", 0, MOST_DRAWN)).tag(
        sync=True
    )
    seed = ValidatedTrait(0, lambda _, value: check_whole(value, "seed", 0, MAX_SEED)).tag(
        sync=True
    )
    weights = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)

    def __init__(
        self,
        logits: Any = None,
        words: Sequence[str] | None = None,
        *,
        temperature: float | None = 1.0,
        context: str | None = None,
        drawn: int = 0,
        seed: int = 0,
        shown: int = 12,
        checkpoint: str | None = None,
        **options: Any,
    ) -> None:
        if logits is None:
            words = WORDS if words is None else words
            context = CONTEXT if context is None else context
        if not isinstance(context, str | None):
            raise TypeError(f"context must be a string; got {context!r}")
        (self.context,) = check_strings([context or ""], "context", 1, 1)
        self.shown = check_whole(shown, "shown", 1, MOST_SHOWN)
        given = check_vocabulary(LOGITS if logits is None else logits)
        self.words = words_for(words, len(given))
        if checkpoint not in (None, "course-lm"):
            raise ValueError(f"checkpoint must be 'course-lm' or None; got {checkpoint!r}")
        self._weights: Weights | None = None
        story = None
        if checkpoint:
            story, self._weights = _story(self.context)
        data = {"words": self.words, "context": self.context, "shown": self.shown, "story": story}
        super().__init__(data=data, logits=given, temperature=temperature, **options)
        self.size, self.drawn, self.seed = len(given), drawn, seed
        if self._weights is not None:
            self.weights = self._weights.trait()

    def state(self) -> dict[str, Any]:
        """Return what the front end draws from in a page: the weights are a file beside it."""
        in_page = None if self._weights is None else self._weights.in_page()
        return {**super().state(), "weights": in_page}

    def _heated(self, temperature: float | None) -> Array:
        z = logits_of(self.logits)
        if temperature is None:
            return np.where(np.isfinite(z), 0.0, z)
        return apply_temperature(z, temperature)

    def probabilities(self) -> Array:
        """Return the probability of each token: (V,)."""
        return softmax(self._heated(self.temperature))

    def draws(self) -> list[int]:
        """Return the tokens that are drawn, the first first."""
        return drawn(self._heated(self.temperature), CounterRNG(self.seed).random(self.drawn))

    def entropy(self) -> float:
        """Return how unpredictable the draw is, in nats."""
        return float(entropy(self.probabilities()))

    def most_entropy(self) -> float:
        """Return the most that the entropy can be: ln of how many tokens are possible."""
        return float(np.log(np.isfinite(logits_of(self.logits)).sum()))

    def description(self) -> str:
        """Return in a few sentences the probabilities and the entropy."""
        parts = ", ".join(f"{name} {weight(part)}" for name, part in self._rows())
        before = f" after “{label(self.context)}”" if self.context else ""
        degree = "∞" if self.temperature is None else f"{self.temperature:g}"
        return (
            f"The next token{before} at temperature {degree}: {parts}. Entropy "
            f"{self.entropy():.2f} of at most {self.most_entropy():.2f} nats."
        )

    def picture(self) -> str:
        """Return the bars, and the sentence."""
        return draw(self._rows(), self.description())

    def _rows(self) -> list[tuple[str, float]]:
        return bars_of(self.logits, self.probabilities(), self.words, self.shown)


def _story(context: str) -> tuple[dict[str, Any], Weights]:
    """What the page needs to let course-lm continue a text, and the weights of the model."""
    from plainformer.training.tasks import course_lm  # not at the top: it brings torch

    lm = course_lm()
    words = [lm.tokenizer.decode([i]).replace("�", "□") for i in range(lm.tokenizer.vocab_size)]
    (eos,) = lm.tokenizer.special_tokens.values()
    given = {"ids": lm.tokenizer.encode(context), "words": words, "eos": eos}
    return given, Weights.of(lm.model, name="course-lm")

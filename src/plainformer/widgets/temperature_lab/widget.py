"""A widget with one slider, the temperature, and what it does to the next token's probabilities.

Bars show the probability of each token, live. Next to them is the same picture as in physics:
every token is a level of energy E = -z, filled according to its probability. A cold system is in
its lowest level, a hot one may be in any. Below is the entropy, which is at most the logarithm of
the number of possible tokens. One temperature can be kept, and compared with any other.

The front end (``view.js``) computes it; here the same numbers come from
`plainformer.decoding`, and a browser test compares the two.

This is one step. A token that is drawn here changes the logits of all later ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array
from plainformer.attention.stable_softmax import softmax
from plainformer.decoding.example import CONTEXT, LOGITS, WORDS
from plainformer.decoding.temperature import apply_temperature, entropy
from plainformer.widgets.kit.base import Checked, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole
from plainformer.widgets.kit.token_bars import (
    MOST_SHOWN,
    bars_of,
    check_temperature,
    check_vocabulary,
    draw,
    leading,
    logits_of,
    words_for,
)
from plainformer.widgets.kit.token_words import label, weight

__all__ = ["TemperatureLab"]


def _check_logits(widget: Any, value: Any) -> list[float | None]:
    return check_vocabulary(value, widget.size)


def _check_compare(_: Any, value: Any) -> float | None:
    return None if value is None else check_temperature(value, "compare")


class TemperatureLab(Widget):
    """Turn the temperature, and see what becomes of the probabilities.

    Arguments: ``logits``, (V,), of up to 3,000 tokens, -∞ for one that is impossible; ``words``, a
    name for each token. None for both is this part's example: eight words after "your cat is a".
    ``temperature``: τ, 0 (the first of the largest takes all) or from 0.01 to 100. ``compare``: a
    temperature whose bars are shown next to them; None for none. ``context``: the text before the
    token.
    ``shown``: how many tokens get a bar of their own, those of the largest logits, up to 40; the
    others share one.

    In Jupyter ``logits`` (as many as before; None in the list is -∞), ``temperature`` and
    ``compare`` are live: what the reader does can be read here, and what is set here is drawn.
    `probabilities` and `entropy` give what the page shows.

    >>> lab = TemperatureLab(temperature=0.5)
    >>> lab.probabilities()[:2].round(2).tolist()  # "lovely" and "good"
    [0.68, 0.17]
    >>> round(lab.entropy(), 2)
    1.05
    >>> lab.temperature = 0
    >>> lab.probabilities()[:2].tolist()
    [1.0, 0.0]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "temperature_lab"
    size: int | None = None  # how many tokens, once there are some

    data = traitlets.Dict().tag(sync=True)
    logits = Checked[list[float | None]]([0.0], _check_logits).tag(sync=True)
    temperature = Checked(1.0, lambda _, value: check_temperature(value, "temperature")).tag(
        sync=True
    )
    compare = Checked(None, _check_compare).tag(sync=True)

    def __init__(
        self,
        logits: Any = None,
        words: Sequence[str] | None = None,
        *,
        temperature: float = 1.0,
        compare: float | None = None,
        context: str | None = None,
        shown: int = 12,
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
        data = {"words": self.words, "context": self.context, "shown": self.shown}
        super().__init__(
            data=data, logits=given, temperature=temperature, compare=compare, **options
        )
        self.size = len(given)

    def probabilities(self, temperature: float | None = None) -> Array:
        """Return the probability of each token: (V,); at another temperature, if one is given."""
        tau = self.temperature if temperature is None else temperature
        return softmax(apply_temperature(logits_of(self.logits), tau))

    def entropy(self, temperature: float | None = None) -> float:
        """Return how open the draw is, in nats; at another temperature, if one is given."""
        return float(entropy(self.probabilities(temperature)))

    def most_entropy(self) -> float:
        """Return the most that the entropy can be: ln of how many tokens are possible."""
        return float(np.log(np.isfinite(logits_of(self.logits)).sum()))

    def description(self) -> str:
        """Return in a few sentences the probabilities and the entropy."""
        parts = ", ".join(f"{name} {weight(part)}" for name, part in self._rows())
        before = f" after “{label(self.context)}”" if self.context else ""
        text = (
            f"The next token{before} at temperature {self.temperature:g}: {parts}. Entropy "
            f"{self.entropy():.2f} of at most {self.most_entropy():.2f} nats."
        )
        if self.compare is not None:
            best = leading(logits_of(self.logits), 1)[0]
            kept = weight(float(self.probabilities(self.compare)[best]))
            text += (
                f" At temperature {self.compare:g}, {label(self.words[best])} has {kept}, and the "
                f"entropy is {self.entropy(self.compare):.2f}."
            )
        return text

    def picture(self) -> str:
        """Return the bars, and the sentence."""
        return draw(self._rows(), self.description())

    def _rows(self) -> list[tuple[str, float]]:
        return bars_of(self.logits, self.probabilities(), self.words, self.shown)

"""A widget in which a small decoder trains while the reader watches, and can be broken on purpose.

All of the training happens in the reader's page, in a worker (``engine/training_session.js``): a
decoder of two layers learns one of three short texts, or the reader's own, character by character.
Python says where it starts. It does not see the run, and on paper there is only the text. What was
trained can be opened in a `GlassModel` below, whose code comes when a reader asks for it.
"""

from __future__ import annotations

from html import escape
from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_choice, check_number
from plainformer.widgets.engine import (
    glass_in_page,
    glass_trait,
    trainer_in_page,
    trainer_trait,
)
from plainformer.widgets.kit.base import ValidatedTrait, Widget

from .texts import TEXTS

__all__ = ["MAX_RATE", "MAX_TEXT", "TrainingLab"]

MAX_TEXT = 5_000
"""The longest text of one's own, in characters. (One of fewer than 100 is not trained on.)"""

MIN_RATE, MAX_RATE = 1e-5, 0.1
"""The smallest and the largest learning rate."""

BROKEN = {
    "nothing": "nothing is broken",
    "residuals": "without residual connections",
    "rate": "with a hundred times the learning rate",
    "mask": "without the mask",
}
"""What can be broken, and how the picture says so."""


def _check_rate(_: Any, value: Any) -> float:
    number = check_number(value, "rate")
    if not MIN_RATE <= number <= MAX_RATE:
        raise ValueError(f"rate must be from {MIN_RATE:g} to {MAX_RATE:g}; got {value}")
    return float(number)


def _check_own(_: Any, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"own must be a str; got {type(value).__name__}")
    if len(value) > MAX_TEXT:
        raise ValueError(f"own must have at most {MAX_TEXT:,} characters; got {len(value):,}")
    return value


class TrainingLab(Widget):
    """Train a small decoder in the page: watch it learn, change its learning rate, break it.

    Arguments: ``text``, the text to learn, "story", "recipes", "program" or "own"; ``rate``, the
    learning rate of AdamW, from 1e-5 to 0.1; ``broken``, what is broken on purpose: "nothing",
    "residuals", "rate" (a hundred times the learning rate) or "mask"; ``own``, a text of one's own,
    of at most `MAX_TEXT` characters, which is chosen if it is given; ``chapters``, the path from
    the page to the course's chapters, such as "..", for links to them where a reader looks inside
    the model.

    In Jupyter all of these but the chapters are live.

    >>> TrainingLab("recipes", rate=0.01).learned[:16]
    'Bread with seeds'
    >>> len(TrainingLab(own="your cat is a lovely cat. " * 5).learned)
    130

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "training_lab"

    engine = traitlets.Dict().tag(sync=True)
    glass = traitlets.Dict().tag(sync=True)
    texts = traitlets.Dict().tag(sync=True)
    text = ValidatedTrait(
        "story", lambda _, value: check_choice(value, "text", [*TEXTS, "own"])
    ).tag(sync=True)
    rate = ValidatedTrait(0.005, _check_rate).tag(sync=True)
    broken = ValidatedTrait(
        "nothing", lambda _, value: check_choice(value, "broken", list(BROKEN))
    ).tag(sync=True)
    own = ValidatedTrait("", _check_own).tag(sync=True)

    def __init__(
        self,
        text: str = "story",
        *,
        rate: float = 0.005,
        broken: str = "nothing",
        own: str = "",
        chapters: str | None = None,
        **options: Any,
    ) -> None:
        code = {"engine": trainer_trait(), "glass": {**glass_trait(), "chapters": chapters}}
        super().__init__(**code, texts=dict(TEXTS), own=own, **options)
        self.text = "own" if own else text
        self.rate, self.broken = rate, broken

    def state(self) -> dict[str, Any]:
        """Return what the front end needs in a page: the code comes in files beside it."""
        glass = {**glass_in_page(), "chapters": self.glass["chapters"]}
        return {**super().state(), "engine": trainer_in_page(), "glass": glass}

    @property
    def learned(self) -> str:
        """The text that is chosen."""
        return self.own if self.text == "own" else TEXTS[self.text]

    def description(self) -> str:
        """Return what would be trained, and the first words of its text."""
        first = " ".join(self.learned.split()[:20])
        return (
            "A small language model, before its training in the page. It is to train at a learning "
            f"rate of {self.rate:g}, and {BROKEN[self.broken]}. “{first} …”"
        )

    def picture(self) -> str:
        """Return the text that the model would learn: on paper nothing trains."""
        shown = escape(self.learned[:600])
        return (
            f'<p class="pf-note">{escape(self.description())}</p>'
            f'<p style="font-family: monospace; white-space: pre-wrap">{shown} …</p>'
        )

"""Translator on a page, for its tests: made, typed into, and waited for until it has searched."""

from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from tests.widgets.pages import FRAME

from plainformer.blocks import EncoderDecoder, TransformerConfig
from plainformer.training import Vocabulary
from plainformer.training.tasks.translation import Translator as Trained
from plainformer.training.tasks.translation import course_translator
from plainformer.widgets import Translator

if TYPE_CHECKING:
    from playwright.sync_api import Locator

trained = cache(course_translator)
"""The translator that the course ships, opened once."""


def translator(text: str = "your cat is a lovely cat", **options: Any) -> Translator:
    return Translator(trained(), text, **({"name": "course-translator"} | options))


@cache
def random_translator(n_layers: int = 12, n_heads: int = 12) -> Trained:
    """As many layers and heads as find room, long words, and numbers that mean nothing."""
    vocabulary = Vocabulary(["y" * 60, "donau", *"abcdefgh"])
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=vocabulary.vocab_size, d_model=24,
        n_layers=n_layers, n_heads=n_heads, d_ff=32,
    )  # fmt: skip
    rng = torch.Generator().manual_seed(3)
    return Trained(EncoderDecoder(config, rng=rng).eval(), vocabulary)


def settled(live: "Locator") -> None:
    """Wait until what is asked for has been found, or the widget has said that it cannot."""
    live.page.evaluate(FRAME)  # what was done last may not be drawn yet, nor that it is waited for
    live.locator(".pf-card:not(.tl-waits)").wait_for()

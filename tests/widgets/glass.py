"""GlassModel on a page, for its tests: made, and waited for until its model has computed."""

from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from tests.widgets.pages import FRAME

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.tasks import LanguageModel, course_lm
from plainformer.widgets import ForwardPass, GlassModel

if TYPE_CHECKING:
    from playwright.sync_api import Locator

lm = cache(course_lm)
"""The model that the course ships, at a step of its training or the end of it, opened once."""


def glass(**options: Any) -> GlassModel:
    trained: LanguageModel = lm()
    return GlassModel(trained.model, trained.tokenizer, **({"name": "course-lm"} | options))


def forward_pass(text: str = "your cat is a lovely", **options: Any) -> ForwardPass:
    """A pass through the course's model, which several tests look at."""
    trained: LanguageModel = lm()
    return ForwardPass(trained.model, trained.tokenizer, text, **options)


def growing(*steps: int) -> dict[str, Any]:
    """The options of a widget that has these checkpoints of the course's model."""
    return {"checkpoints": {step: lm(step).model for step in steps}, "trained": 8000}


def random_decoder(vocab_size: int, **options: Any) -> DecoderOnly:
    """As many layers and heads as find room, and numbers that mean nothing."""
    sizes: dict[str, Any] = {"d_model": 24, "n_layers": 12, "n_heads": 12, "d_ff": 48}
    config = TransformerConfig(family="decoder", vocab_size=vocab_size, **(sizes | options))
    return DecoderOnly(config, rng=torch.Generator().manual_seed(1))


def computed(live: "Locator") -> None:
    """Wait until what a widget asked its model for is drawn, or it has said that it cannot.

    Also what an experiment is compared with, which is asked for after the experiment itself.
    """
    live.page.evaluate(FRAME)  # what was done last may not be drawn yet, nor that it is waited for
    live.locator(".pf-card:not(.gm-waits) .gm-stage:not([aria-busy=true])").wait_for()

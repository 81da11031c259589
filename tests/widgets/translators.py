"""Translator on a page, for its tests: made, typed into, and waited for until it has searched."""

from functools import cache
from typing import TYPE_CHECKING, Any

import torch
from tests.widgets.pages import FRAME

from plainformer.blocks import EncoderDecoder, TransformerConfig, patch
from plainformer.blocks.modules.models import BoundDecoder
from plainformer.decoding import SearchTree, beam_search
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
def random_translator(n_layers: int = 12, n_heads: int = 12, norm_place: Any = "pre") -> Trained:
    """As many layers and heads as find room, long words, and numbers that mean nothing."""
    vocabulary = Vocabulary(["y" * 60, "donau", *"abcdefgh"])
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=vocabulary.vocab_size, d_model=24,
        n_layers=n_layers, n_heads=n_heads, d_ff=32, norm_place=norm_place,
    )  # fmt: skip
    rng = torch.Generator().manual_seed(3)
    return Trained(EncoderDecoder(config, rng=rng).eval(), vocabulary)


@torch.no_grad()
def swapped(
    found: Trained, ids: list[int], donor: list[int], place: int, *, num_beams: int
) -> tuple[SearchTree, Any]:
    """The search with one row of the encoder's output taken from another sentence, and its looks.

    The looks of the best text are (L, H, T, S). They are computed in one pass, with the row put
    into the keys' and values' common input by way of `patch`, and not word by word.
    """
    model = found.model
    source, other = torch.tensor([ids]), torch.tensor([donor])
    read = model.encode(source)
    read[:, place] = model.encode(other)[:, place]
    sos, eos = Vocabulary.sos_id, Vocabulary.eos_id
    decoder = BoundDecoder(model, read, None)
    tree = beam_search(decoder, [sos], num_beams=num_beams, max_new_tokens=20, eos_token_id=eos)
    name = (
        "norm" if model.config.norm_place == "pre" else f"layers.{len(model.layers) - 1}.residual_2"
    )
    steps = patch(model, (source, torch.tensor([tree.sequences[0][:-1]])), {name: read})
    layers = range(len(model.decoder_layers))
    weights = [steps[f"decoder_layers.{i}.cross_attention.weights"][0] for i in layers]
    return tree, torch.stack(weights).numpy()


def settled(live: "Locator") -> None:
    """Wait until what is asked for has been found, or the widget has said that it cannot."""
    live.page.evaluate(FRAME)  # what was done last may not be drawn yet, nor that it is waited for
    live.locator(".pf-card:not(.tl-waits)").wait_for()

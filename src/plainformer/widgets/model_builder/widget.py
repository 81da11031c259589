"""A widget that builds a whole model out of its sizes, and says what it costs.

The reader starts from a published model and moves its width, its depth, its vocabulary and the
length of the text. The drawing changes, and so do the parameters of each part, the memory and the
operations for a token. The front end (``view.js``) counts; here the same numbers come from
`plainformer.blocks.sizes`, and a browser test compares the two.

Sizes that depend on the width follow it: heads stay as wide as in the model that one starts from,
and the ratio of the feed-forward width to the model width stays the same.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_choice
from plainformer.blocks.config import PRESETS, TransformerConfig
from plainformer.blocks.sizes import (
    COUNTED,
    cache_bytes,
    count_flops,
    count_parameters,
    training_bytes,
)
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

from .picture import draw

__all__ = ["LABELS", "LONGEST", "MOST_LAYERS", "MOST_WORDS", "WIDEST", "ModelBuilder"]

LABELS = {
    "small": "Small",
    "gpt2": "GPT-2",
    "gpt2-medium": "medium",
    "gpt2-large": "large",
    "gpt2-xl": "XL",
    "bert-base": "BERT base",
    "transformer-base": "Vaswani 2017",
    "llama-2-7b": "Llama 2 7B",
    "llama-3-8b": "Llama 3 8B",
}
"""What the models are called on the buttons."""

COUNTED_IN_PAGE = COUNTED - {"qk_norm"}
"""The fields of a configuration that ``view.js`` takes into account when it counts."""

STEP = 64
WIDEST = 12_288
"""The widest token; widths go in steps of 64."""

MOST_LAYERS = 96
"""The most layers of a stack."""

MOST_WORDS = 300_000
"""The largest vocabulary."""

USUAL = 1024  # tokens, where a model has no longest text

LONGEST = 32_768
"""The longest text."""


def _check_preset(_: Any, value: Any) -> str:
    check_choice(value, "preset", list(LABELS))
    return str(value)


def _check_d_model(_: Any, value: Any) -> int:
    width = check_whole(value, "d_model", STEP, WIDEST)
    if width % STEP:
        raise ValueError(f"d_model must be a multiple of {STEP}; got {width}")
    return width


def _check_n_layers(_: Any, value: Any) -> int:
    return check_whole(value, "n_layers", 1, MOST_LAYERS)


def _check_vocab_size(_: Any, value: Any) -> int:
    return check_whole(value, "vocab_size", 2, MOST_WORDS)


def _check_length(_: Any, value: Any) -> int:
    return check_whole(value, "length", 1, LONGEST)


class ModelBuilder(Widget):
    """Build a model out of its sizes, and see where its parameters sit.

    Arguments: ``preset``, the model to start from, by its name in `plainformer.blocks.PRESETS`.
    ``d_model``, a multiple of 64; ``n_layers``; ``vocab_size``; and ``length``, the tokens of a
    text (of an encoder-decoder, of both texts). None takes those of the preset, and the longest
    text that it reads, or 1,024 tokens. Learned positions grow with a text that is longer.

    In Jupyter all five are live. ``config`` is the model as it is now, and ``parameters``,
    ``operations`` and ``memory`` follow from it.

    >>> builder = ModelBuilder("gpt2")
    >>> sum(builder.parameters.values())
    124439808
    >>> builder.d_model = 64  # the table of words takes over
    >>> max(builder.parameters, key=builder.parameters.get)
    'embedding'

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "model_builder"

    data = traitlets.Dict().tag(sync=True)
    preset = ValidatedTrait("gpt2", _check_preset).tag(sync=True)
    d_model = ValidatedTrait(768, _check_d_model).tag(sync=True)
    n_layers = ValidatedTrait(12, _check_n_layers).tag(sync=True)
    vocab_size = ValidatedTrait(50257, _check_vocab_size).tag(sync=True)
    length = ValidatedTrait(1024, _check_length).tag(sync=True)

    def __init__(
        self,
        preset: str = "gpt2",
        *,
        d_model: int | None = None,
        n_layers: int | None = None,
        vocab_size: int | None = None,
        length: int | None = None,
        **options: Any,
    ) -> None:
        start = PRESETS[_check_preset(None, preset)]
        for name in LABELS:
            PRESETS[name].require_known(COUNTED_IN_PAGE, "the page's model builder")
        super().__init__(
            preset=preset,
            d_model=start.d_model if d_model is None else d_model,
            n_layers=start.n_layers if n_layers is None else n_layers,
            vocab_size=start.vocab_size if vocab_size is None else vocab_size,
            length=(start.max_length or USUAL) if length is None else length,
            **options,
        )
        presets = {name: {**asdict(PRESETS[name].resolved()), "label": LABELS[name]}
                   for name in LABELS}  # fmt: skip
        limits = {"step": STEP, "d_model": WIDEST, "n_layers": MOST_LAYERS}
        limits |= {"vocab_size": MOST_WORDS, "length": LONGEST, "usual": USUAL}
        self.data = {"presets": presets, "limits": limits}

    @property
    def config(self) -> TransformerConfig:
        """The model as it is now."""
        start = PRESETS[self.preset].resolved()
        G: Any = start.n_kv_heads
        group, K = start.n_heads // G, start.resolved_head
        groups = max(1, self.d_model // (K * group))
        return replace(
            start,
            d_model=self.d_model,
            n_layers=self.n_layers,
            vocab_size=self.vocab_size,
            n_heads=groups * group,
            n_kv_heads=groups,
            d_ff=self.d_model * start.d_ff // start.d_model,
            max_length=max(start.max_length or 0, self.length),
        )

    @property
    def parameters(self) -> dict[str, int]:
        """How many, by part."""
        return count_parameters(self.config)

    @property
    def operations(self) -> dict[str, int]:
        """For one token of the text, by part."""
        T, config = self.length, self.config
        source = T if config.family == "encoder_decoder" else 0
        return {part: n // T for part, n in count_flops(config, T, source).items()}

    @property
    def memory(self) -> dict[str, int]:
        """Bytes: to run, the weights in float16 and the cache; to train on one text, in float32."""
        T, config = self.length, self.config
        source = T if config.family == "encoder_decoder" else 0
        needs = training_bytes(config, T, source_length=source)
        return {
            "weights": 2 * sum(self.parameters.values()),
            "cache": 0 if config.family == "encoder" else cache_bytes(config, T),
            "training": sum(needs.values()) - needs["activations"],
            "activations": needs["activations"],
        }

    def description(self) -> str:
        """Return in a few sentences how large the model is, and where its parameters sit."""
        parts, cost = self.parameters, sum(self.operations.values())
        total = sum(parts.values())
        said = ", ".join(
            f"{part.replace('_', '-')} {n / total:.1%}" for part, n in parts.items() if n
        )
        return (
            f"A model like {LABELS[self.preset]}: {self.d_model:,} wide, {self.n_layers} layers, "
            f"{self.vocab_size:,} words. It has {total:,} parameters: {said}. One token of "
            f"{self.length:,} costs {cost:,} operations."
        )

    def picture(self) -> str:
        """Return the parameters of each part as bars."""
        return draw(self.parameters, self.description())

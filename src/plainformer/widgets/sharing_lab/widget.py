"""A widget that shares out a step of training, and says who holds what and what is sent.

One process, one that accumulates, and several by DDP or by FSDP: under the same sliders, the bytes
on each process and those that it sends, forward and backward. The front end (``view.js``) counts;
here the same numbers come from `plainformer.training.sharing`, and a browser test compares the two.

It counts numbers in float32, as `step_cost` does.
"""

from __future__ import annotations

from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_choice
from plainformer.blocks.config import PRESETS
from plainformer.blocks.sizes import count_parameters, training_bytes
from plainformer.training.sharing import STRATEGIES, parameters_in_layers, step_cost
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

from .picture import draw, gigabytes

__all__ = ["BATCH", "LABELS", "LENGTH", "MODELS", "SharingLab"]

LABELS = {"one": "One process", "accumulate": "Accumulate", "ddp": "DDP", "fsdp": "FSDP"}
"""What the strategies are called on the page."""

MODELS = {
    "gpt2": "GPT-2",
    "gpt2-medium": "GPT-2 medium",
    "gpt2-large": "GPT-2 large",
    "gpt2-xl": "GPT-2 XL",
    "llama-2-7b": "Llama 2 7B",
}
"""The models, from small to large."""

BATCH, LENGTH = 64, 1024
"""Texts in a step, and the tokens of each."""


def _check_how(_: Any, value: Any) -> str:
    check_choice(value, "how", STRATEGIES)
    return str(value)


def _check_model(_: Any, value: Any) -> str:
    check_choice(value, "model", list(MODELS))
    return str(value)


def _check_parts(_: Any, value: Any) -> int:
    parts = check_whole(value, "parts", 1, BATCH)
    if BATCH % parts:
        raise ValueError(f"parts must divide the {BATCH} texts of a step; got {parts}")
    return parts


class SharingLab(Widget):
    """Share out a step of training, and see what each process holds and sends.

    Arguments: ``how``, "one", "accumulate", "ddp" or "fsdp". ``parts``: into how many parts the
    batch of 64 texts is cut, a divisor of 64; with "one" it waits. ``model``: one of `MODELS`.

    In Jupyter all three are live, and ``costs`` follows from them.

    >>> lab = SharingLab("fsdp", parts=8)
    >>> lab.costs["weights"] * 8 == SharingLab("ddp", parts=8).costs["weights"]
    True

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "sharing_lab"

    data = traitlets.Dict().tag(sync=True)
    how = ValidatedTrait("ddp", _check_how).tag(sync=True)
    parts = ValidatedTrait(8, _check_parts).tag(sync=True)
    model = ValidatedTrait("gpt2", _check_model).tag(sync=True)

    def __init__(
        self, how: str = "ddp", *, parts: int = 8, model: str = "gpt2", **options: Any
    ) -> None:
        super().__init__(how=how, parts=parts, model=model, **options)
        models = {}
        for name, label in MODELS.items():
            config = PRESETS[name]
            models[name] = {
                "label": label,
                "parameters": sum(count_parameters(config).values()),
                "layers": parameters_in_layers(config),
                "n_layers": config.n_layers,
                "activations": training_bytes(config, LENGTH)["activations"],
                "length": LENGTH,
            }
        self.data = {"models": models, "batch": BATCH}

    @property
    def costs(self) -> dict[str, int]:
        """What a step costs each process, as `step_cost` counts."""
        return step_cost(PRESETS[self.model], LENGTH, BATCH, self.how, self.parts)

    def description(self) -> str:
        """Return in a few sentences who holds what, and what is sent."""
        costs = self.costs
        held = sum(costs[part] for part in ("weights", "gradients", "adam"))
        number = 1 if self.how in ("one", "accumulate") else self.parts
        processes = f"{number} process{'' if number == 1 else 'es'}"
        cut = f" in {self.parts} parts" if self.how == "accumulate" else ""
        return (
            f"{LABELS[self.how]}: {MODELS[self.model]}, {BATCH} texts of {LENGTH:,} tokens a step, "
            f"read by {processes}{cut}. Each holds {gigabytes(held)} of weights, gradients and "
            f"Adam, and {gigabytes(costs['activations'])} of activations. In a step it sends "
            f"{gigabytes(costs['forward'])} forward and {gigabytes(costs['backward'])} backward."
        )

    def picture(self) -> str:
        """Return bars of what each process holds and sends, and the sentences."""
        return draw(self.costs, self.description())

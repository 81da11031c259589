"""What the overview of a model shows of one forward pass; ``summary.js`` makes the same of steps.

A page opens with the summary of the widget's first text, so that there is something to see before
any weights are fetched. It is a hundredth of what the steps themselves weigh.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["LIKELIEST", "summarize"]

LIKELIEST = 6
"""How many next tokens the overview shows."""


def summarize(model: Any, steps: Mapping[str, Any]) -> dict[str, Any]:
    """Return the overview's numbers, rounded as a page carries them.

    ``weights``: (L, H, T, T), in thousandths. ``activations``: (L, T, F), in percent of the largest
    of the layer. ``lens``: (L, T), the likeliest next token and its probability if the layer
    were the last. ``next``: for each token the `LIKELIEST` next ones, ``[id, logit]``, and
    ``sums``, the logarithm of the sum of all exp(logit): a softmax needs no more of the others.
    """
    L = model.config.n_layers
    streams = [steps[f"layers.{i}.residual_2"] for i in range(L)]
    lens = [model.head(model.norm(x))[0].detach().softmax(-1).max(-1) for x in streams]
    logits = steps["logits"][0]
    top = logits.topk(min(LIKELIEST, logits.shape[-1]))
    weights = [steps[f"layers.{i}.attention.weights"][0] for i in range(L)]
    return {
        "weights": [_thousandths(each) for each in weights],
        "activations": [
            _percent(steps[f"layers.{i}.feed_forward.activations"][0]) for i in range(L)
        ],
        "lens": [
            [[int(i), round(float(p), 4)] for p, i in zip(*each, strict=True)] for each in lens
        ],
        "next": [
            [[int(i), round(float(z), 4)] for z, i in zip(*row, strict=True)]
            for row in zip(*top, strict=True)
        ],
        "sums": [round(float(each), 4) for each in logits.logsumexp(-1)],
    }


def _thousandths(shares: Any) -> Any:
    """Whole thousandths; all and none only where it is exactly that."""
    between = (shares > 0) & (shares < 1)
    rounded = (shares * 1000).round()
    return rounded.where(~between, rounded.clamp(1, 999)).int().tolist()


def _percent(values: Any) -> list[list[int]]:
    """Whole percents of the largest size among them."""
    largest = values.abs().max().clamp_min(1e-12)
    found: list[list[int]] = (100 * values / largest).round().int().tolist()
    return found

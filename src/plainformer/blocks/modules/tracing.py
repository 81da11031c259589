"""Record the intermediate results of a forward pass by name, or rerun it with some replaced.

| name | shape | what it is |
|---|---|---|
| `embedding` | (B, T, D) | the input of the first layer |
| `layers.0.norm_1` | (B, T, D) | the output of this norm |
| `layers.0.attention.queries` | (B, H, T, K) | rotated, if positions are rotary |
| `layers.0.attention.keys`, `.values` | (B, G, S, K) | including those from a cache, if any |
| `layers.0.attention.scores` | (B, H, T, S) | scaled, with ALiBi's bias, before the mask |
| `layers.0.attention.weights` | (B, H, T, S) | after mask and softmax |
| `layers.0.attention.heads` | (B, H, T, K) | the output of each head, before W_O |
| `layers.0.attention.output` | (B, T, D) | the output of attention, after W_O |
| `layers.0.residual_1` | (B, T, D) | the residual stream after attention |
| `layers.0.norm_2` | (B, T, D) | the output of this norm |
| `layers.0.feed_forward.activations` | (B, T, F) | after the activation and the gate |
| `layers.0.feed_forward.output` | (B, T, D) | the output of the network |
| `layers.0.residual_2` | (B, T, D) | the residual stream after the layer |
| `norm` | (B, T, D) | the output of the final norm, absent with "post" |
| `head.norm` | (B, T, D) | only in BERT's head: the input of the unembedding |
| `logits` | (B, T, V) | the output of the model |

In an encoder-decoder, `layers` are those of the encoder and `decoder_layers` those of the decoder,
which also have `norm_cross`, `cross_attention` and `residual_cross` between attention and the
feed-forward network. The encoder's input is `source_embedding`, and the decoder ends with
`decoder_norm`.

With "pre", the stream after a sublayer is the stream before it plus the output of the sublayer.
With "post", that sum is normalised before it becomes the new stream.

Tracing runs the model in evaluation mode, without dropout, and with the plain implementation of
attention, because a fused kernel never stores the scores or weights. No other thread may run the
model in the meantime. A compiled model cannot be traced, but the original module can.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from itertools import cycle
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.arrays import check_size
from plainformer.blocks.modules.layers import Layer
from plainformer.blocks.modules.models import DecoderOnly, EncoderDecoder, EncoderOnly

__all__ = ["Trace", "ablate", "patch", "trace"]

Model = DecoderOnly | EncoderOnly | EncoderDecoder
Ids = Tensor | tuple[Tensor, Tensor]
Replacement = Tensor | Callable[[Tensor], Tensor]


class Trace(dict[str, Tensor]):
    """The intermediate results of one forward pass by name, in the order of computation."""

    def __missing__(self, name: str) -> Tensor:
        raise KeyError(f"{name!r} is not in the trace{_near(name, self)}")


def trace(model: Model, ids: Ids, **options: Any) -> Trace:
    """Run a model and keep all intermediate results.

    Gradients flow through the recorded tensors, except under `torch.no_grad()`.

    Args:
        model: a `DecoderOnly`, an `EncoderOnly` or an `EncoderDecoder`.
        ids: (B, T); for an `EncoderDecoder`, a tuple of source_ids and ids.
        options: other arguments of the model's forward pass, such as `mask`.

    >>> from plainformer.blocks import TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> steps = trace(DecoderOnly(config), torch.tensor([[1, 2, 3]]))
    >>> steps["layers.1.attention.weights"].shape, steps["logits"].shape
    (torch.Size([1, 2, 3, 3]), torch.Size([1, 3, 9]))
    """
    return patch(model, ids, {}, **options)


def patch(
    model: Model,
    ids: Ids,
    replacements: Mapping[str, Replacement],
    **options: Any,
) -> Trace:
    """Run a model with some intermediate results replaced, and return all of them.

    Args:
        model, ids, options: as in `trace`.
        replacements: for each name, a tensor of the same shape and dtype, or a function that
            returns one from the original, such as `ablate(2)` for "layers.0.attention.heads".

    >>> from plainformer.blocks import TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> model, ids = DecoderOnly(config), torch.tensor([[1, 2, 3]])
    >>> steps = patch(model, ids, {"layers.0.attention.heads": ablate(1)})
    >>> steps["layers.0.attention.heads"][0, 1].abs().sum().item()
    0.0
    """
    if not isinstance(model, Model):
        what = type(model).__name__
        raise TypeError(
            f"model must be a DecoderOnly, an EncoderOnly or an EncoderDecoder; got {what}"
        )
    with _Recorder(replacements) as recorder:
        for module in model.modules():
            recorder.set(module, training=False)
        _record_model(model, recorder)
        for name in replacements:
            if name not in recorder.names:
                raise ValueError(f"this model has no step {name!r}{_near(name, recorder.names)}")
        model(*(ids if isinstance(ids, tuple) else (ids,)), **options)
    return recorder.steps


def ablate(*heads: int) -> Callable[[Tensor], Tensor]:
    """A replacement for "….attention.heads" in which the output of these heads is 0.

    Heads are numbered from 0. One that does not exist raises an error once the model runs.

    >>> ablate(0)(torch.ones(1, 2, 1, 1)).flatten().tolist()
    [0.0, 1.0]
    """
    for head in heads:
        check_size(head, "heads", least=0)

    def zeros(found: Tensor) -> Tensor:
        for head in heads:
            if head >= found.shape[-3]:
                raise ValueError(f"heads must be from 0 to {found.shape[-3] - 1}; got {head}")
        off = torch.zeros(found.shape[-3], dtype=torch.bool, device=found.device)
        off[list(heads)] = True
        return found.masked_fill(off[:, None, None], 0.0)

    return zeros


class _Recorder(ExitStack):
    """The results recorded so far, and replacements for some of them.

    Closing it removes its hooks, so a model that is not being traced pays nothing.
    """

    def __init__(self, replacements: Mapping[str, Replacement]) -> None:
        super().__init__()
        self.replacements = replacements
        self.names: list[str] = []
        self.steps = Trace()

    def step(self, name: str) -> Callable[[Tensor], Tensor]:
        """A function that stores a tensor under this name and returns it, or its replacement."""
        self.names.append(name)

        def keep(value: Tensor) -> Tensor:
            if name in self.replacements:
                value = _replace(value, self.replacements[name], name)
            self.steps[name] = value
            return value

        return keep

    def output(self, module: nn.Module, *names: str) -> None:
        """Record the output of a module, under one name for each time that it runs."""
        runs = cycle([self.step(name) for name in names])
        hook = module.register_forward_hook(lambda _, __, output: next(runs)(output))
        self.enter_context(hook)

    def input(self, module: nn.Module, name: str) -> None:
        """Record the input of a module."""
        step = self.step(name)
        self.enter_context(module.register_forward_pre_hook(lambda _, given: (step(given[0]),)))

    def set(self, module: nn.Module, **attributes: Any) -> None:
        """Set attributes of a module until the recorder is closed."""
        before = {name: vars(module)[name] for name in attributes if name in vars(module)}

        def restore() -> None:
            for name in attributes:
                vars(module).pop(name, None)
            vars(module).update(before)

        self.callback(restore)
        vars(module).update(attributes)


def _replace(value: Tensor, new: Any, name: str) -> Tensor:
    """The replacement for a tensor, which must have the same shape and dtype."""
    # A copy, so that a function that works in place cannot change the model's cache.
    new = new if isinstance(new, Tensor) or not callable(new) else new(value.clone())
    if not isinstance(new, Tensor):
        raise TypeError(f"{name} must be replaced by a tensor; got {type(new).__name__}")
    if (new.shape, new.dtype) != (value.shape, value.dtype):
        there, got = ((tuple(each.shape), each.dtype) for each in (value, new))
        raise ValueError(
            f"{name} must have shape {there[0]} and {there[1]}; got {got[0]} and {got[1]}"
        )
    return new


def _record_model(model: Model, recorder: _Recorder) -> None:
    """Record all results of a model, in the order of the table at the top of this file."""
    two = isinstance(model, EncoderDecoder)
    recorder.output(model.embedding, *(["source_embedding"] if two else []), "embedding")
    for prefix in ("", "decoder_") if two else ("",):
        layers: Any = getattr(model, f"{prefix}layers")
        for i, layer in enumerate(layers):
            _record_layer(layer, f"{prefix}layers.{i}", recorder)
        norm = getattr(model, f"{prefix}norm")
        if not isinstance(norm, nn.Identity):
            recorder.output(norm, f"{prefix}norm")
    if model.head.transform:
        recorder.output(model.head.norm, "head.norm")
    recorder.output(model.head, "logits")


def _record_layer(layer: Layer, at: str, recorder: _Recorder) -> None:
    sublayers = {"1": "attention", "cross": "cross_attention", "2": "feed_forward"}
    residuals: dict[nn.Module, Callable[[Tensor], Tensor]] = {}
    for which, name in sublayers.items():
        if not hasattr(layer, name):  # no cross-attention
            continue
        sublayer = getattr(layer, name)
        recorder.output(getattr(layer, f"norm_{which}"), f"{at}.norm_{which}")
        if name == "feed_forward":
            recorder.input(sublayer.w_down, f"{at}.{name}.activations")
        else:
            for step in ("queries", "keys", "values", "scores", "weights", "heads"):
                recorder.output(getattr(sublayer, f"hook_{step}"), f"{at}.{name}.{step}")
            recorder.set(sublayer, impl="formula")
        recorder.output(sublayer, f"{at}.{name}.output")
        if (post := getattr(layer, f"norm_{which}_post")) is not None:
            recorder.output(post, f"{at}.norm_{which}_post")
        residuals[sublayer] = recorder.step(f"{at}.residual_{which}")
    add = layer.add

    def add_and_keep(x: Tensor, sublayer: nn.Module, *rest: Any, **options: Any) -> Tensor:
        return residuals[sublayer](add(x, sublayer, *rest, **options))

    recorder.set(layer, add=add_and_keep)


def _near(name: str, names: Any) -> str:
    """Names similar to this one, as the end of a message."""
    near = difflib.get_close_matches(str(name), list(names), n=3, cutoff=0.5)
    return f"; similar names: {', '.join(near)}" if near else ""

"""The intermediate results of a forward pass by their names, and the same pass with some replaced.

| name | shape | what it is |
|---|---|---|
| `embedding` | (B, T, D) | the input of the first layer |
| `layers.0.norm_1` | (B, T, D) | the output of this norm |
| `layers.0.attention.queries` | (B, H, T, K) | rotated, if positions are rotary |
| `layers.0.attention.keys`, `.values` | (B, G, S, K) | with those of a cache, if there is one |
| `layers.0.attention.scores` | (B, H, T, S) | scaled, with ALiBi's bias, before the mask |
| `layers.0.attention.weights` | (B, H, T, S) | after mask and softmax |
| `layers.0.attention.heads` | (B, H, T, K) | the output of each head, before W_O |
| `layers.0.attention.output` | (B, T, D) | the output of attention, after W_O |
| `layers.0.residual_1` | (B, T, D) | the residual stream after attention |
| `layers.0.norm_2` | (B, T, D) | the output of this norm |
| `layers.0.feed_forward.activations` | (B, T, F) | after the activation and the gate |
| `layers.0.feed_forward.output` | (B, T, D) | the output of the network |
| `layers.0.residual_2` | (B, T, D) | the residual stream after the layer |
| `norm` | (B, T, D) | the output of the last norm, which "post" lacks |
| `head.norm` | (B, T, D) | only in BERT's head: the input of the unembedding |
| `logits` | (B, T, V) | the output of the model |

In an encoder-decoder, `layers` are those of the encoder and `decoder_layers` those of the decoder,
which also have `norm_cross`, `cross_attention` and `residual_cross` between attention and the
feed-forward network. The encoder's input is `source_embedding`, and the decoder ends with
`decoder_norm`.

With "pre", the stream after a sublayer is the stream before it plus the output of the sublayer.
With "post", that sum is normalised, and the result is the stream.

A trace is taken in evaluation mode, without dropout, and the model's mode is restored afterwards.
Attention is computed by its formula, because a fused kernel never has the scores or weights in
memory. No other thread may run the model in the meantime. A compiled model cannot be traced, but
the model that was compiled can.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.arrays import check_length
from plainformer.blocks.modules.layers import Layer
from plainformer.blocks.modules.models import DecoderOnly, EncoderDecoder, EncoderOnly

__all__ = ["Trace", "ablate", "patch", "trace"]

Model = DecoderOnly | EncoderOnly | EncoderDecoder
Ids = Tensor | tuple[Tensor, Tensor]
Replacement = Tensor | Callable[[Tensor], Tensor]


class Trace(dict[str, Tensor]):
    """The intermediate results of one forward pass by their names, in the order of computation."""

    def __missing__(self, name: str) -> Tensor:
        raise KeyError(f"{name!r} is not in the trace{_near(name, self)}")


def trace(model: Model, ids: Ids, **options: Any) -> Trace:
    """Run a model and keep all intermediate results.

    Args:
        model: a `DecoderOnly`, an `EncoderOnly` or an `EncoderDecoder`.
        ids: (B, T); for an `EncoderDecoder`, source_ids and ids.
        options: other arguments of the model's forward pass, such as `mask`.

    Returns:
        The names of the table above, each with its tensor. Gradients flow through the tensors,
        unless it is called under `torch.no_grad()`.

    Raises:
        TypeError, ValueError: something that is not one of these models, or an error of the model.

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
    """Run a model with some intermediate results replaced, and keep them all.

    Args:
        model, ids, options: as in `trace`.
        replacements: for each name, a tensor of the same shape and dtype, or a function that
            returns one from the original, such as `ablate(2)` for "layers.0.attention.heads".

    Returns:
        A trace, which contains the new tensors under the names that were replaced.

    Raises:
        TypeError, ValueError: something that is not one of these models, a name that the model does
            not have, a tensor that does not fit, or an error of the model.

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
    recorder = _Recorder(replacements)
    inputs = ids if isinstance(ids, tuple) else (ids,)
    with _evaluation(model), ExitStack() as stack:
        _record_model(model, recorder, stack)
        for name in replacements:
            if name not in recorder.names:
                raise ValueError(f"this model has no step {name!r}{_near(name, recorder.names)}")
        model(*inputs, **options)
    return recorder.steps


def ablate(*heads: int) -> Callable[[Tensor], Tensor]:
    """A replacement for "….attention.heads" in which the output of these heads is 0.

    Args:
        heads: numbers of heads, from 0.

    Raises:
        TypeError, ValueError: a head that is not a whole number from 0 on, or, when the model runs,
            one that it does not have.

    >>> ablate(0)(torch.ones(1, 2, 1, 1)).flatten().tolist()
    [0.0, 1.0]
    """

    for head in heads:
        check_length(head, "heads")

    def zeros(found: Tensor) -> Tensor:
        for head in heads:
            if head >= found.shape[-3]:
                raise ValueError(f"heads must be from 0 to {found.shape[-3] - 1}; got {head}")
        off = torch.zeros(found.shape[-3], dtype=torch.bool, device=found.device)
        off[list(heads)] = True
        return found.masked_fill(off[:, None, None], 0.0)

    return zeros


# The hooks and wrapped methods below exist during one call, so an untraced model pays nothing.


class _Recorder:
    """The results so far, and what some of them are to be replaced by."""

    def __init__(self, replacements: Mapping[str, Replacement]) -> None:
        self.replacements = replacements
        self.names: list[str] = []
        self.steps = Trace()

    def record(self, name: str) -> Callable[[Tensor], Tensor]:
        """A function that stores a tensor under this name and returns it, or its replacement."""
        self.names.append(name)

        def keep(value: Tensor) -> Tensor:
            if name in self.replacements:
                value = _replace(value, self.replacements[name], name)
            self.steps[name] = value
            return value

        return keep


def _replace(value: Tensor, new: Any, name: str) -> Tensor:
    """The replacement of a tensor, which must have its shape and dtype."""
    # A function that changes its argument in place must not change the model's cache.
    new = new if isinstance(new, Tensor) or not callable(new) else new(value.clone())
    if not isinstance(new, Tensor):
        raise TypeError(f"{name} must be replaced by a tensor; got {type(new).__name__}")
    if (new.shape, new.dtype) != (value.shape, value.dtype):
        there, got = ((tuple(each.shape), each.dtype) for each in (value, new))
        raise ValueError(
            f"{name} must have shape {there[0]} and {there[1]}; got {got[0]} and {got[1]}"
        )
    return new


def _record_model(model: Model, recorder: _Recorder, stack: ExitStack) -> None:
    """Record all results of a model, in the order of the table."""
    two = isinstance(model, EncoderDecoder)
    embeddings = [
        recorder.record(name) for name in (["source_embedding"] if two else []) + ["embedding"]
    ]
    runs = iter(embeddings)
    stack.enter_context(_output(model.embedding, lambda value: next(runs)(value)))
    _record_stack(model, "", recorder, stack)
    if two:
        _record_stack(model, "decoder_", recorder, stack)
    if model.head.transform:
        stack.enter_context(_output(model.head.norm, recorder.record("head.norm")))
    stack.enter_context(_output(model.head, recorder.record("logits")))


def _record_stack(model: Model, prefix: str, recorder: _Recorder, stack: ExitStack) -> None:
    """Record the layers of an encoder or a decoder, and the final norm if there is one."""
    layers: Any = getattr(model, f"{prefix}layers")
    for i, layer in enumerate(layers):
        _record_layer(layer, f"{prefix}layers.{i}", recorder, stack)
    norm = getattr(model, f"{prefix}norm")
    if not isinstance(norm, nn.Identity):
        stack.enter_context(_output(norm, recorder.record(f"{prefix}norm")))


def _record_layer(layer: Layer, at: str, recorder: _Recorder, stack: ExitStack) -> None:
    sublayers = {"1": "attention", "cross": "cross_attention", "2": "feed_forward"}
    residuals: dict[nn.Module, Callable[[Tensor], Tensor]] = {}
    for which, name in sublayers.items():
        sublayer, norm = getattr(layer, name, None), getattr(layer, f"norm_{which}", None)
        if sublayer is None or norm is None:  # no cross-attention
            continue
        stack.enter_context(_output(norm, recorder.record(f"{at}.norm_{which}")))
        if name == "feed_forward":
            step = recorder.record(f"{at}.{name}.activations")
            stack.enter_context(_input(sublayer.w_down, step))
        else:
            _record_attention(sublayer, f"{at}.{name}", recorder, stack)
        stack.enter_context(_output(sublayer, recorder.record(f"{at}.{name}.output")))
        if (post := getattr(layer, f"norm_{which}_post")) is not None:
            stack.enter_context(_output(post, recorder.record(f"{at}.norm_{which}_post")))
        residuals[sublayer] = recorder.record(f"{at}.residual_{which}")
    add = layer.add

    def add_and_keep(x: Tensor, sublayer: nn.Module, *rest: Any, **options: Any) -> Tensor:
        return residuals[sublayer](add(x, sublayer, *rest, **options))

    stack.enter_context(_set(layer, add=add_and_keep))


def _record_attention(attention: Any, at: str, recorder: _Recorder, stack: ExitStack) -> None:
    for name in ("queries", "keys", "values", "scores", "weights", "heads"):
        hook = getattr(attention, f"hook_{name}")
        stack.enter_context(_output(hook, recorder.record(f"{at}.{name}")))
    stack.enter_context(_set(attention, impl="formula"))


@contextmanager
def _output(module: nn.Module, keep: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Pass the output of a module through `keep` inside the with block."""
    with module.register_forward_hook(lambda _, __, output: keep(output)):
        yield


@contextmanager
def _input(module: nn.Module, keep: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """Pass the input of a module through `keep` inside the with block."""
    with module.register_forward_pre_hook(lambda _, given: (keep(given[0]),)):
        yield


@contextmanager
def _set(module: nn.Module, **attributes: Any) -> Iterator[None]:
    """Set attributes of a module inside the with block."""
    before = {name: vars(module)[name] for name in attributes if name in vars(module)}
    try:
        vars(module).update(attributes)
        yield
    finally:
        for name in attributes:
            vars(module).pop(name, None)
        vars(module).update(before)


@contextmanager
def _evaluation(model: nn.Module) -> Iterator[None]:
    """Put the model into evaluation mode inside the with block."""
    modes = {module: module.training for module in model.modules()}
    try:
        model.eval()
        yield
    finally:
        for module, training in modes.items():
            module.training = training


def _near(name: str, names: Any) -> str:
    """Names similar to this one, as the end of a message."""
    near = difflib.get_close_matches(str(name), list(names), n=3, cutoff=0.5)
    return f"; similar names: {', '.join(near)}" if near else ""

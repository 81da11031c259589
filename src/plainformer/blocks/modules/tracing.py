"""What happens inside a model: every step of a forward pass by its name, and the same pass with
some step replaced.

| name | shape | what it is |
|---|---|---|
| `embedding` | (B, T, D) | what the first layer reads |
| `layers.0.norm_1` | (B, T, D) | what this norm gives |
| `layers.0.attention.queries` | (B, H, T, K) | turned, where positions are rotary |
| `layers.0.attention.keys`, `.values` | (B, G, S, K) | with those of a cache, if there is one |
| `layers.0.attention.scores` | (B, H, T, S) | scaled, with ALiBi's bias, before the mask |
| `layers.0.attention.weights` | (B, H, T, S) | after mask and softmax |
| `layers.0.attention.heads` | (B, H, T, K) | what each head found, before W_O |
| `layers.0.attention.output` | (B, T, D) | what attention writes, after W_O |
| `layers.0.residual_1` | (B, T, D) | the residual stream after it |
| `layers.0.norm_2` | (B, T, D) | what this norm gives |
| `layers.0.feed_forward.activations` | (B, T, F) | after the bend, and the gate if there is one |
| `layers.0.feed_forward.output` | (B, T, D) | what the network writes |
| `layers.0.residual_2` | (B, T, D) | the residual stream after the layer |
| `norm` | (B, T, D) | what the last norm gives; with "post" there is none |
| `head.norm` | (B, T, D) | only in BERT's head: what is compared with the table |
| `logits` | (B, T, V) | what the model says |

The layers of an encoder-decoder's encoder are `layers`, and those of its decoder `decoder_layers`.
Those have `cross_attention` between the two, then `residual_source`, and `norm_source`. What the
encoder reads is `source_embedding`, and the decoder ends with `decoder_norm`.

With "pre", the stream after a sublayer is the stream before it plus what the sublayer wrote. With
"post", that sum is normed, and the norm's result is the stream.

But: a trace is of the model in evaluation mode, without dropout; its mode is given back. Attention
is computed by its formula, since a fused kernel never holds scores or weights. While a trace is
taken, no other thread may run the model. A compiled model cannot be traced: trace the one that was
compiled.
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

__all__ = ["Trace", "patch", "switch_off", "trace"]

Model = DecoderOnly | EncoderOnly | EncoderDecoder
Ids = Tensor | tuple[Tensor, Tensor]
Replacement = Tensor | Callable[[Tensor], Tensor]


class Trace(dict[str, Tensor]):
    """The steps of one forward pass by their names, in the order in which they happened."""

    def __missing__(self, name: str) -> Tensor:
        raise KeyError(f"{name!r} is not in the trace{_near(name, self)}")


def trace(model: Model, ids: Ids, **options: Any) -> Trace:
    """Run a model, and keep what every step made.

    Args:
        model: a `DecoderOnly`, an `EncoderOnly` or an `EncoderDecoder`.
        ids: (B, T); for an `EncoderDecoder`, source_ids and ids.
        options: what else the model's forward pass takes, as `mask`.

    Returns:
        The names of the table above, each with its tensor; gradients flow
        through them, unless it is called under `torch.no_grad()`.

    Raises:
        TypeError, ValueError: no such model; and what the model raises.

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
    """Run a model with some of its steps replaced, and keep what every step made.

    Args:
        model, ids, options: as in `trace`.
        replacements: for a name, the tensor that takes its place; or a
            function of what is there, as `switch_off(2)` for
            "layers.0.attention.heads". Shapes and dtypes stay.

    Returns:
        A trace. Where a step was replaced, it holds the new tensor.

    Raises:
        TypeError, ValueError: no such model; a name that the model has
            not; a tensor that does not fit; and what the model raises.

    >>> from plainformer.blocks import TransformerConfig
    >>> config = TransformerConfig(
    ...     family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=32
    ... )
    >>> model, ids = DecoderOnly(config), torch.tensor([[1, 2, 3]])
    >>> steps = patch(model, ids, {"layers.0.attention.heads": switch_off(1)})
    >>> steps["layers.0.attention.heads"][0, 1].abs().sum().item()
    0.0
    """
    if not isinstance(model, Model):
        what = type(model).__name__
        raise TypeError(
            f"model must be a DecoderOnly, an EncoderOnly or an EncoderDecoder; got {what}"
        )
    seen = _Seen(replacements)
    inputs = ids if isinstance(ids, tuple) else (ids,)
    with _evaluation(model), ExitStack() as stack:
        _watch_model(model, seen, stack)
        for name in replacements:
            if name not in seen.names:
                raise ValueError(f"{name!r} is no step of this model{_near(name, seen.names)}")
        model(*inputs, **options)
    return seen.steps


def switch_off(*heads: int) -> Callable[[Tensor], Tensor]:
    """A replacement for "….attention.heads" that has zeros for what these heads found.

    Args:
        heads: which, from 0.

    Raises:
        TypeError, ValueError: what is no whole number from 0; and, when the
            model runs, a head that it has not.

    >>> switch_off(0)(torch.ones(1, 2, 1, 1)).flatten().tolist()
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


# How it is done: hooks and wrapped methods, which are there for one call and cost nothing without.


class _Seen:
    """What has happened so far, and what is to happen instead."""

    def __init__(self, replacements: Mapping[str, Replacement]) -> None:
        self.replacements = replacements
        self.names: list[str] = []
        self.steps = Trace()

    def step(self, name: str) -> Callable[[Tensor], Tensor]:
        """What keeps a tensor under this name and hands it on, or its replacement."""
        self.names.append(name)

        def keep(value: Tensor) -> Tensor:
            if name in self.replacements:
                value = _replace(value, self.replacements[name], name)
            self.steps[name] = value
            return value

        return keep


def _replace(value: Tensor, new: Any, name: str) -> Tensor:
    """The replacement of a step, which must look like the step."""
    # A clone: whoever changes it in place must not change the model's cache with it.
    new = new if isinstance(new, Tensor) or not callable(new) else new(value.clone())
    if not isinstance(new, Tensor):
        raise TypeError(f"{name} must be replaced by a tensor; got {type(new).__name__}")
    if (new.shape, new.dtype) != (value.shape, value.dtype):
        there, got = ((tuple(each.shape), each.dtype) for each in (value, new))
        raise ValueError(f"{name} must stay {there[0]} of {there[1]}; got {got[0]} of {got[1]}")
    return new


def _watch_model(model: Model, seen: _Seen, stack: ExitStack) -> None:
    """Watch all steps of a model, in the order of the table."""
    two = isinstance(model, EncoderDecoder)
    embeddings = [seen.step(name) for name in (["source_embedding"] if two else []) + ["embedding"]]
    runs = iter(embeddings)
    stack.enter_context(_output(model.embedding, lambda value: next(runs)(value)))
    _watch_stack(model, "", seen, stack)
    if two:
        _watch_stack(model, "decoder_", seen, stack)
    if model.head.transform:
        stack.enter_context(_output(model.head.norm, seen.step("head.norm")))
    stack.enter_context(_output(model.head, seen.step("logits")))


def _watch_stack(model: Model, prefix: str, seen: _Seen, stack: ExitStack) -> None:
    """An encoder's or a decoder's layers, and the norm that may end them."""
    layers: Any = getattr(model, f"{prefix}layers")
    for i, layer in enumerate(layers):
        _watch_layer(layer, f"{prefix}layers.{i}", seen, stack)
    norm = getattr(model, f"{prefix}norm")
    if not isinstance(norm, nn.Identity):
        stack.enter_context(_output(norm, seen.step(f"{prefix}norm")))


def _watch_layer(layer: Layer, at: str, seen: _Seen, stack: ExitStack) -> None:
    sublayers = {"1": "attention", "source": "cross_attention", "2": "feed_forward"}
    residuals: dict[nn.Module, Callable[[Tensor], Tensor]] = {}
    for which, name in sublayers.items():
        sublayer, norm = getattr(layer, name, None), getattr(layer, f"norm_{which}", None)
        if sublayer is None or norm is None:  # no look at a source
            continue
        stack.enter_context(_output(norm, seen.step(f"{at}.norm_{which}")))
        if name == "feed_forward":
            step = seen.step(f"{at}.{name}.activations")
            stack.enter_context(_input(sublayer.w_down, step))
        else:
            _watch_attention(sublayer, f"{at}.{name}", seen, stack)
        stack.enter_context(_output(sublayer, seen.step(f"{at}.{name}.output")))
        residuals[norm] = seen.step(f"{at}.residual_{which}")
    add = layer.add

    def and_keep(x: Tensor, norm: nn.Module, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return residuals[norm](add(x, norm, sublayer))

    stack.enter_context(_set(layer, add=and_keep))


def _watch_attention(attention: Any, at: str, seen: _Seen, stack: ExitStack) -> None:
    for name in ("queries", "keys", "values", "scores", "weights", "heads"):
        hook = getattr(attention, f"hook_{name}")
        stack.enter_context(_output(hook, seen.step(f"{at}.{name}")))
    stack.enter_context(_set(attention, impl="formula"))


@contextmanager
def _output(module: nn.Module, keep: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """For a while, what a module gives passes through `keep`."""
    with module.register_forward_hook(lambda _, __, output: keep(output)):
        yield


@contextmanager
def _input(module: nn.Module, keep: Callable[[Tensor], Tensor]) -> Iterator[None]:
    """For a while, what a module is given passes through `keep`."""
    with module.register_forward_pre_hook(lambda _, given: (keep(given[0]),)):
        yield


@contextmanager
def _set(module: nn.Module, **attributes: Any) -> Iterator[None]:
    """For a while, a module has these attributes of its own."""
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
    """For a while, the model is in evaluation mode."""
    modes = {module: module.training for module in model.modules()}
    try:
        model.eval()
        yield
    finally:
        for module, training in modes.items():
            module.training = training


def _near(name: str, names: Any) -> str:
    """Names that look like this one, as the end of a message."""
    near = difflib.get_close_matches(str(name), list(names), n=3, cutoff=0.5)
    return f"; near it: {', '.join(near)}" if near else ""

"""A widget that shows attention weights: tokens against tokens, and where one query's weight flows.

It takes the weights of any model and any sentence. A heat map has a row for each query and a column
for each key; beside it, bands run from the chosen query to the keys, as thick as the weights, with
their numbers. Masks, temperature and the scaling by √K are changed in the front end
(``view.js``), from the weights alone: softmax(log w + constant) = w, so log w will do for
the scores. `AttentionMap.shown` computes the same here, and a browser test compares the two.

Weights that the model itself set to 0 stay 0, because their scores are gone and no toggle brings
them back. A static page carries some 12,000 weights, as floats of four bytes; with more than that
it shows only the picture. Jupyter does not have this limit.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, check_number, check_size
from plainformer.widgets.kit.base import Checked, Widget
from plainformer.widgets.kit.checks import check_strings
from plainformer.widgets.kit.token_words import label, many, weight

from .checks import MAX_MAPS, MAX_TOKENS, weights_of
from .picture import draw
from .words import named

__all__ = ["MAX_MAPS", "MAX_TOKENS", "TEMPERATURES", "AttentionMap"]

TEMPERATURES = (0.1, 10.0)
"""The lowest and the highest temperature."""

MOST_EXACT = 4_000  # weights that travel as floats of eight bytes; more of them, of four


def _check_index(name: str, trait: str) -> Any:
    def check(widget: Any, value: Any) -> int:
        number, size = check_size(value, name, least=0), getattr(widget, trait)
        if number >= size:
            raise ValueError(f"{name} must be from 0 to {size - 1}; got {number}")
        return number

    return check


def _check_flag(widget: Any, value: Any, name: str) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False; got {value!r}")
    return bool(value)


def _check_causal(widget: Any, value: Any) -> bool:
    causal = _check_flag(widget, value, "causal")
    if causal and widget.n_queries != widget.n_keys:
        raise ValueError(
            f"causal needs a key for each token; got {widget.n_queries} tokens and "
            f"{widget.n_keys} keys"
        )
    return causal


def _check_scaled(widget: Any, value: Any) -> bool:
    scaled = _check_flag(widget, value, "scaled")
    if not scaled and widget.d_head is None:
        raise ValueError("scaled=False needs d_head, by whose root the scores were divided")
    return scaled


def _check_padding(widget: Any, value: Any) -> list[bool]:
    size = widget.n_keys
    if value is None:
        return [False] * size
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, list | tuple):
        raise TypeError(f"padding must be a list of True and False; got {type(value).__name__}")
    if not all(isinstance(each, bool) for each in value):
        raise TypeError(f"padding must be a list of True (padding) and False; got {value!r}")
    if len(value) != size:
        raise ValueError(f"padding must have {size} entries, one a key; got {len(value)}")
    return list(value)


def _check_temperature(widget: Any, value: Any) -> float:
    number = check_number(value, "temperature")
    low, high = TEMPERATURES
    if not low <= number <= high:
        raise ValueError(f"temperature must be from {low:g} to {high:g}; got {value}")
    return number


class AttentionMap(Widget):
    """Show attention weights as a heat map, and the flow from one query to its keys.

    Arguments: ``tokens``, a list of T strings; ``weights``, of shape (T, S), (H, T, S) or
    (L, H, T, S), each row summing to 1 (a row of zeros looks at nothing), from NumPy, torch or
    lists (the first of four axes counts layers, never the texts of a batch; but what a model
    returns for a batch of one, a (1, H, T, S) for each layer, will do as it is); ``keys``, a list
    of S strings where the keys are not the tokens (cross-attention); ``layer``, ``head`` and
    ``query``, what is shown first, counted from 0; ``causal``, whether later keys are masked
    (where T = S); ``padding``, S times True (padding, masked) or False; ``d_head``, the width K of
    a head, which makes the scaling by √K a choice; ``temperature``, by which the scores are
    divided, from 0.1 to 10; ``names``, a label for each head.

    In Jupyter, ``layer``, ``head``, ``query``, ``key`` (the chosen column), ``causal``,
    ``padding``, ``scaled``, ``temperature`` and ``weights`` (of the same shape) are live: what the
    reader chooses can be read here, and what is set here is drawn. ``max_error`` is the largest
    difference between the weights given and those that a page shows; ``weights`` are the latter.

    >>> widget = AttentionMap(["a", "cat"], [[0.5, 0.5], [0.2, 0.8]], query=1)
    >>> widget.shown.tolist(), widget.max_error
    ([[0.5, 0.5], [0.2, 0.8]], 0.0)
    >>> widget.causal = True
    >>> widget.temperature = 0.5  # scores twice as large: the weights' squares, shared out anew
    >>> widget.shown.round(3).tolist()
    [[1.0, 0.0], [0.059, 0.941]]
    >>> widget.entropy.round(3).tolist(), widget.largest_entropy.round(3).tolist()
    ([0.0, 0.224], [0.0, 0.693])

    Raises TypeError when an argument has the wrong type; ValueError when shapes do not agree, when
    there is too much to show, when weights are negative, not finite or do not sum to 1, and when a
    choice lies outside.
    """

    front_end: ClassVar[str] = "attention_map"

    data = traitlets.Dict().tag(sync=True)
    layer = Checked(0, _check_index("layer", "n_layers")).tag(sync=True)
    head = Checked(0, _check_index("head", "n_heads")).tag(sync=True)
    query = Checked(0, _check_index("query", "n_queries")).tag(sync=True)
    key = Checked(0, _check_index("key", "n_keys")).tag(sync=True)
    causal = Checked(False, _check_causal).tag(sync=True)
    padding = Checked[list[bool]]([], _check_padding).tag(sync=True)
    scaled = Checked(True, _check_scaled).tag(sync=True)
    temperature = Checked(1.0, _check_temperature).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        weights: Any,
        *,
        keys: Sequence[str] | None = None,
        layer: int = 0,
        head: int = 0,
        query: int = 0,
        causal: bool = False,
        padding: Sequence[bool] | Array | None = None,
        d_head: int | None = None,
        temperature: float = 1.0,
        names: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        self.tokens = check_strings(tokens, "tokens", 1, MAX_TOKENS)
        self.key_tokens = (
            self.tokens if keys is None else check_strings(keys, "keys", 1, MAX_TOKENS)
        )
        self.n_queries, self.n_keys = len(self.tokens), len(self.key_tokens)
        self.d_head = None if d_head is None else check_size(d_head, "d_head")
        given = weights_of(weights, self.n_queries, self.n_keys)
        self.n_layers, self.n_heads = given.shape[:2]
        self.names = None if names is None else check_strings(names, "names", 1, MAX_MAPS)
        if self.names is not None and len(self.names) != self.n_heads:
            raise ValueError(f"names must name each of the {self.n_heads} heads; got {self.names}")
        self._encode(given)
        super().__init__(data=self._data(), padding=padding, **options)
        self.layer, self.head, self.query = layer, head, query
        self.causal, self.temperature = causal, temperature
        if "key" not in options:
            self.key = int(self.shown[query].argmax())

    @classmethod
    def from_trace(
        cls,
        tokens: Sequence[str],
        steps: Mapping[str, Any],
        *,
        text: int = 0,
        attention: str = "layers.*.attention",
        **options: Any,
    ) -> AttentionMap:
        """All heads of all layers of a model, from what `plainformer.blocks.trace` returns.

        Arguments: ``tokens``, of the text; ``steps``, the trace; ``text``, which of the batch;
        ``attention``, of which layers, such as "decoder_layers.*.cross_attention" with ``keys``
        for the tokens of the source; and those of `AttentionMap`.

        >>> steps = {"layers.0.attention.weights": [[[[1.0, 0.0], [0.5, 0.5]]]]}
        >>> AttentionMap.from_trace(["a", "cat"], steps).n_layers
        1
        """
        before, star, after = attention.partition("*")
        if not star:
            raise ValueError(f"attention must have a * for the layer; got {attention!r}")
        found: list[Any] = []
        while (name := f"{before}{len(found)}{after}.weights") in steps:
            found.append(steps[name])
        if not found:
            raise ValueError(f"the trace must have weights of {attention}; it has none")
        if not 0 <= check_size(text, "text", least=0) < len(found[0]):
            raise ValueError(f"text must be from 0 to {len(found[0]) - 1}; got {text}")
        return cls(tokens, [layer[text] for layer in found], **options)

    @property
    def weights(self) -> Array:
        """The weights as a page shows them with nothing masked, (L, H, T, S), rows sum to 1."""
        return self._weights

    @weights.setter
    def weights(self, weights: Any) -> None:
        given = weights_of(weights, self.n_queries, self.n_keys)
        if given.shape != self._weights.shape:
            raise ValueError(
                f"weights must keep their shape {self._weights.shape}; got {given.shape}"
            )
        self._encode(given)
        self.data = self._data()

    @property
    def allowed(self) -> Array:
        """Which keys the toggles allow, (T, S): True where attention may go."""
        mask = np.tile(~np.array(self.padding, dtype=bool), (self.n_queries, 1))
        return mask & np.tri(*mask.shape).astype(bool) if self.causal else mask

    @property
    def shown(self) -> Array:
        """The weights of the chosen head under masks, temperature and scaling, (T, S).

        A row with nothing left to look at is all zeros.
        """
        power = (1.0 if self.scaled else math.sqrt(self.d_head or 1)) / self.temperature
        weights = np.where(self.allowed, self._weights[self.layer, self.head], 0.0)
        largest = weights.max(-1, keepdims=True)
        raised = (weights / np.where(largest > 0, largest, 1)) ** power
        total = raised.sum(-1, keepdims=True)
        return raised / np.where(total > 0, total, 1)

    @property
    def entropy(self) -> Array:
        """The entropy of each row of `shown` in nats, (T,); 0 for a row with nothing left."""
        shown = self.shown
        nats: Array = -(shown * np.log(np.where(shown > 0, shown, 1))).sum(-1)
        return np.maximum(nats, 0.0)

    @property
    def largest_entropy(self) -> Array:
        """The largest entropy that each row could have, (T,): ln of how many keys it may see."""
        return np.log(np.maximum(self.allowed.sum(-1), 1))

    def description(self) -> str:
        """Return what the map shows and where the chosen query looks."""
        queries, keys = many(self.n_queries, "query", "queries"), many(self.n_keys, "key")
        where = f"{queries} against {keys}"
        if self.n_layers > 1:
            where += f", layer {self.layer}"
        if self.n_heads > 1:
            where += f", {self._head_name()}"
        on = [
            text
            for text, flag in [
                ("causal mask", self.causal),
                (f"padding mask on {many(sum(self.padding), 'key')}", any(self.padding)),
                ("not scaled", not self.scaled),
                (f"temperature {self.temperature:.3g}", self.temperature != 1),
            ]
            if flag
        ]
        settings = f" ({', '.join(on)})" if on else ""
        row, name = self.shown[self.query], named(self.tokens, self.query)
        if not row.any():
            return (
                f"Attention weights, {where}{settings}. No key is left for {name} to look at: "
                "its row is empty."
            )
        order = np.argsort(-row, kind="stable")
        most = int(order[0])
        entropy, largest = self.entropy[self.query], self.largest_entropy[self.query]
        text = (
            f"Attention weights, {where}{settings}: {name} looks most at "
            f"{named(self.key_tokens, most)}, {weight(row[most])}"
        )
        if len(row) > 1 and row[order[1]] > 0:
            second = int(order[1])
            text += f", then at {named(self.key_tokens, second)}, {weight(row[second])}"
        return f"{text}. The entropy of its row is {entropy:.2f} of at most {largest:.2f} nats."

    def picture(self) -> str:
        """Return the heat map, and the flow of the chosen query below it, as SVG."""
        return draw(
            tokens=self.tokens,
            keys=self.key_tokens,
            weights=self.shown,
            allowed=self.allowed,
            query=self.query,
        )

    def _head_name(self) -> str:
        if self.names is None:
            return f"head {self.head}"
        return f"head “{label(self.names[self.head])}”"

    def _encode(self, given: Array) -> None:
        """Keep the weights as a page will show them, and by how much they differ."""
        total = given.sum(-1, keepdims=True)
        weights = given / np.where(np.abs(total - 1) > 1e-12, np.where(total > 0, total, 1), 1)
        kind = "f8" if weights.size <= MOST_EXACT else "f4"
        raw = np.ascontiguousarray(weights, dtype=f"<{kind}").tobytes()
        self._code = {"kind": kind, "text": base64.b64encode(raw).decode("ascii")}
        self._weights = np.frombuffer(raw, f"<{kind}").reshape(weights.shape).astype(np.float64)
        self._weights.flags.writeable = False
        self.max_error = float(np.abs(self._weights - given).max())

    def _data(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "keys": self.key_tokens,
            "names": self.names,
            "shape": list(self._weights.shape),
            "d_head": self.d_head,
            "code": self._code,
            "max_error": self.max_error,
        }

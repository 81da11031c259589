"""A widget that draws one head of attention over the words themselves.

Pointing at a word draws arcs to the words that it attends to, as thick as the weights. All other
heads and layers are thumbnails to choose from, and masks are switches. Temperature, the scaling by
√K, entropy and the head as one map are folded away.

It takes the weights of any model and any sentence. Masks, temperature and scaling are computed in
the front end (``view.js``) from the weights alone: since softmax(log w + constant) = w, log w
serves as the scores. `AttentionMap.shown` computes the same here, and a browser test compares the
two. Weights that the model itself set to 0 stay 0, because their scores are gone.

With a model and its tokenizer, a reader can also type a sentence, which the engine reads in the
page (``own.js``); Python does not see its weights. A static page carries some 12,000 weights, as
floats of four bytes; with more than that it shows only the picture. Jupyter does not have this
limit.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, check_number, check_size
from plainformer.widgets.engine import Weights
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag, check_strings, check_whole
from plainformer.widgets.kit.numbering import head_name, layer_name
from plainformer.widgets.kit.token_words import label, many, weight
from plainformer.widgets.kit.tokenizers import pack_reader

from .checks import MAX_MAPS, MAX_TOKENS, weights_of
from .picture import draw

__all__ = ["MAX_MAPS", "MAX_TEXT", "MAX_TOKENS", "TEMPERATURES", "AttentionMap"]

TEMPERATURES = (0.1, 10.0)
"""The lowest and the highest temperature."""

MAX_TEXT = 200
"""The longest sentence that a reader may type, in characters."""

MOST_EXACT = 4_000  # weights that travel as floats of eight bytes; more of them, of four


def _check_index(name: str, trait: str) -> Any:
    return lambda widget, value: check_whole(value, name, 0, getattr(widget, trait) - 1)


def _check_causal(widget: Any, value: Any) -> bool:
    causal = check_flag(value, "causal")
    if causal and widget.n_queries != widget.n_keys:
        raise ValueError(
            f"causal needs a key for each token; got {widget.n_queries} tokens and "
            f"{widget.n_keys} keys"
        )
    return causal


def _check_scaled(widget: Any, value: Any) -> bool:
    scaled = check_flag(value, "scaled")
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


def _check_text(widget: Any, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text must be a str; got {type(value).__name__}")
    if len(value) > MAX_TEXT:
        raise ValueError(f"text must have at most {MAX_TEXT} characters; got {len(value):,}")
    if value and widget.reader is None:
        raise ValueError("text needs a model and its tokenizer, which read it in the page")
    return value


class AttentionMap(Widget):
    """Draw a head of attention over the words: point at one, and see what it attends to.

    Arguments: ``tokens``, a list of T strings; ``weights``, of shape (T, S), (H, T, S) or
    (L, H, T, S), each row summing to 1 (a row of zeros attends to nothing), from NumPy, torch or
    lists (the first of four axes counts layers, never the texts of a batch; but what a model
    returns for a batch of one, a (1, H, T, S) for each layer, will do as it is); ``keys``, a list
    of S strings where the keys are not the tokens (cross-attention); ``layer``, ``head`` and
    ``query``, what is shown first, counted from 0; ``causal``, whether later keys are masked
    (where T = S); ``padding``, S times True (padding, masked) or False; ``d_head``, the width K of
    a head, which makes the scaling by √K a choice; ``temperature``, by which the scores are
    divided, from 0.1 to 10; ``names``, a label for each head; ``model``, a `DecoderOnly`, and its
    ``tokenizer``: with them a reader can type a sentence (a page of the site can compute only with
    a model that the course ships, ``checkpoint="course-lm"``).

    In Jupyter, ``layer``, ``head``, ``query``, ``causal``, ``padding``, ``scaled``,
    ``temperature``, ``text`` (the reader's own sentence) and ``weights`` (of the same shape) are
    live: what the reader chooses can be read here, and what is set here is drawn. ``max_error`` is
    the largest difference between the weights given and those that a page shows; ``weights`` are
    the latter.

    >>> widget = AttentionMap(["a", "cat"], [[0.5, 0.5], [0.2, 0.8]], query=1)
    >>> widget.shown.tolist(), widget.max_error
    ([[0.5, 0.5], [0.2, 0.8]], 0.0)
    >>> widget.causal = True
    >>> widget.temperature = 0.5  # scores twice as large: the weights' squares, renormalised
    >>> widget.shown.round(3).tolist()
    [[1.0, 0.0], [0.059, 0.941]]
    >>> widget.entropy.round(3).tolist(), widget.largest_entropy.round(3).tolist()
    ([0.0, 0.224], [0.0, 0.693])

    Raises TypeError when an argument has the wrong type; ValueError when shapes do not agree, when
    there is too much to show, when weights are negative, not finite or do not sum to 1, and when a
    choice lies outside.
    """

    front_end: ClassVar[str] = "attention_map"

    reader: dict[str, Any] | None = None  # what a page needs to read a text

    data = traitlets.Dict().tag(sync=True)
    engine = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    layer = ValidatedTrait(0, _check_index("layer", "n_layers")).tag(sync=True)
    head = ValidatedTrait(0, _check_index("head", "n_heads")).tag(sync=True)
    query = ValidatedTrait(0, _check_index("query", "n_queries")).tag(sync=True)
    causal = ValidatedTrait(False, _check_causal).tag(sync=True)
    padding = ValidatedTrait[list[bool]]([], _check_padding).tag(sync=True)
    scaled = ValidatedTrait(True, _check_scaled).tag(sync=True)
    temperature = ValidatedTrait(1.0, _check_temperature).tag(sync=True)
    text = ValidatedTrait("", _check_text).tag(sync=True)

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
        model: Any = None,
        tokenizer: Any = None,
        checkpoint: str | None = None,
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
        self._model = None if model is None else Weights.of(model, name=checkpoint)
        if model is not None:
            self.reader = pack_reader(tokenizer, model.config, MAX_TOKENS)
        super().__init__(data=self._data(), padding=padding, **options)
        if self._model is not None:
            self.engine = self._model.trait()
        self.layer, self.head, self.query = layer, head, query
        self.causal, self.temperature = causal, temperature

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

    def state(self) -> dict[str, Any]:
        """Return what the front end draws from in a page: the model is a file beside it."""
        in_page = None if self._model is None else self._model.in_page()
        return {**super().state(), "engine": in_page}

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
    def is_causal(self) -> bool:
        """Whether the weights came with a causal mask: no token has any weight on a later one."""
        return self.n_keys == self.n_queries > 1 and not np.triu(self._weights, 1).any()

    @property
    def allowed(self) -> Array:
        """Which keys the masks allow, (T, S): True where attention may go."""
        mask = np.tile(~np.array(self.padding, dtype=bool), (self.n_queries, 1))
        return mask & np.tri(*mask.shape).astype(bool) if self.causal or self.is_causal else mask

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
        """Return what is shown and what the chosen query attends to."""
        queries, keys = many(self.n_queries, "query", "queries"), many(self.n_keys, "key")
        where = f"{queries} against {keys}"
        if self.n_layers > 1:
            where += f", {layer_name(self.layer)}"
        if self.n_heads > 1:
            names = self.names
            named = f"head “{label(names[self.head])}”" if names else head_name(self.head)
            where += f", {named}"
        masks = {
            "causal mask": self.causal,
            f"padding mask on {many(sum(self.padding), 'key')}": any(self.padding),
            "not scaled": not self.scaled,
            f"temperature {self.temperature:.3g}": self.temperature != 1,
        }
        on = ", ".join(text for text, flag in masks.items() if flag)
        settings = f" ({on})" if on else ""
        row, name = self.shown[self.query], _quoted(self.tokens, self.query)
        if not row.any():
            return (
                f"Attention weights, {where}{settings}. No key is left for {name} to attend to: "
                "its row is empty."
            )
        first, *others = np.argsort(-row, kind="stable")[:2]
        text = (
            f"Attention weights, {where}{settings}: {name} attends most to "
            f"{_quoted(self.key_tokens, first)}, {weight(row[first])}"
        )
        for second in (each for each in others if row[each] > 0):
            text += f", then to {_quoted(self.key_tokens, second)}, {weight(row[second])}"
        entropy, largest = self.entropy[self.query], self.largest_entropy[self.query]
        return f"{text}. The entropy of its row is {entropy:.2f} of at most {largest:.2f} nats."

    def picture(self) -> str:
        """Return the chosen head as a heat map, with the chosen query framed, as SVG."""
        return draw(
            tokens=self.tokens,
            keys=self.key_tokens,
            weights=self.shown,
            allowed=self.allowed,
            query=self.query,
        )

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
            "causal": self.is_causal,
            "reader": self.reader,
        }


def _quoted(tokens: Sequence[str], place: int) -> str:
    """A token in quotes, with its position if it occurs more than once."""
    again = f" at position {place}" if list(tokens).count(tokens[place]) > 1 else ""
    return f"“{label(tokens[place])}”{again}"

"""A widget that runs a small language model in the page, as a drawing in which it can be watched.

The text that a reader types is cut into tokens, runs through every layer, and ends in bars for the
next token. The drawing zooms from the model to a layer, to a head, to one number, and says of the
number where it comes from. Heads, layers and positions can be switched off, and tokens hidden.

The page computes all of it, by the modules of ``engine/``. It opens with a summary of the first
text, made here, and fetches the weights when a reader first asks for more.

It is made for models of a few million parameters, `DecoderOnly` alone, with at most 12 layers and
heads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import check_number
from plainformer.inputs import BPETokenizer
from plainformer.widgets.engine import Weights
from plainformer.widgets.engine.travel import FOUND, SHIPPED, script_name
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag, check_whole
from plainformer.widgets.kit.token_words import label, weight
from plainformer.widgets.kit.tokenizers import check_tokenizer, pack_tokenizer

from .experiments import check_off, run
from .picture import draw
from .selection import check_selected
from .summary import summarize

__all__ = ["MAX_OUTPUT", "MAX_PARTS", "MAX_PROMPT", "GlassModel"]

MAX_PROMPT = 1_000
"""The longest prompt, in characters."""

MAX_OUTPUT = 200
"""The most tokens that are written after it."""

MAX_PARTS = 12
"""The most layers, and the most heads of each, that find room."""

MAX_SEED = 999
STRONGEST = "course-lm-strongest"  # where its units and heads are strongest
MOST_BAKED = 24_000  # numbers of a summary that a page brings; more would weigh too much
TEMPERATURES = (0.1, 10.0)


def _check_text(name: str) -> Callable[[Any, Any], str]:
    def check(widget: Any, value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a str; got {type(value).__name__}")
        if len(value) > MAX_PROMPT:
            most = f"{MAX_PROMPT:,} characters"
            raise ValueError(f"{name} must have at most {most}; got {len(value):,}")
        try:
            widget.tokenizer.encode(value)
        except ValueError as error:
            raise ValueError(f"{name} cannot be encoded: {error}") from None
        return value

    return check


def _check_ids(widget: Any, value: Any) -> list[int]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"output must be a list of token ids; got {value!r}")
    ids = list(value)
    if len(ids) > MAX_OUTPUT:
        raise ValueError(f"output must have at most {MAX_OUTPUT} tokens; got {len(ids):,}")
    most = widget.tokenizer.vocab_size - 1
    return [check_whole(each, "each id of output", 0, most) for each in ids]


def _check_hidden(widget: Any, value: Any) -> list[int]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"hidden must be a list of places of tokens; got {value!r}")
    most = widget.room - 1
    return sorted({check_whole(each, "each of hidden", 0, most) for each in value})


def _check_patched(widget: Any, value: Any) -> list[int]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"patched must be a list [layer, token], or []; got {value!r}")
    found = list(value)
    if len(found) not in (0, 2):
        raise ValueError(f"patched must be a list [layer, token], or []; got {value!r}")
    ends = (("layer", widget.sizes[0]), ("token", widget.room))
    return [
        check_whole(each, f"the {name} of patched", 0, most - 1)
        for each, (name, most) in zip(found, ends, strict=False)
    ]


def _check_place(widget: Any, value: Any) -> int | None:
    return None if value is None else check_whole(value, "place", 0, widget.room - 1, " or None")


def _check_checkpoint(widget: Any, value: Any) -> int | None:
    if value is not None and value not in list(widget.checkpoints):  # which may be no key of it
        known = ", ".join(map(str, widget.checkpoints)) or "there are none"
        raise ValueError(f"checkpoint must be None or a step of checkpoints ({known}); got {value}")
    return None if value is None else int(value)


def _check_temperature(_: Any, value: Any) -> float:
    number = check_number(value, "temperature")
    low, high = TEMPERATURES
    if not low <= number <= high:
        raise ValueError(f"temperature must be from {low:g} to {high:g}; got {value}")
    return number


class GlassModel(Widget):
    """Run a small `DecoderOnly` on any text, and look at every number of it.

    Arguments: ``model``, a `DecoderOnly`, and its ``tokenizer``, a `BPETokenizer`; ``prompt``, the
    text that it reads; ``name``, what the model is called ("course-lm" has a file on the course's
    site, and runs there; a page cannot compute with any other, but Jupyter can); ``off``, what is
    switched off, "1" for the layer at index 1 and "1.2" for its head at index 2 (code counts from
    0, the page from 1); ``hidden``, places of tokens that no other token may look at;
    ``positions``, False to put all tokens at position 0; ``other``, a second text to compare with,
    and ``patched``, ``[layer, token]``: after this layer the token goes on with the stream that
    its partner has in the second text, counted from the ends of both; ``temperature`` and ``seed``,
    of the draw; ``place``, the token that is looked at (None: the last); ``selected``, which view
    is open: "" is the model, "compare" are the two texts, "layers.1", "layers.1.heads.2", or a
    number by its name in a `trace`, "layers.1.attention.weights[2, 7, 5]"; ``chapters``, the path
    from the page to the course's chapters, such as ".", for links to them; ``checkpoints``, the
    same model earlier in its training, by the number of steps, which get a slider; ``trained``, the
    number of steps of ``model`` itself; and ``checkpoint``, the one that reads (None: ``model``).

    In Jupyter all of these are live except the models, the name and the chapters, and so is
    ``output``, the ids of the tokens that were written after the prompt. ``ids`` are what the model
    reads, ``steps`` is a `trace` of it under all that is switched off, ``probabilities`` are those
    of the next token.

    >>> from plainformer.training.tasks import course_lm
    >>> lm = course_lm()
    >>> glass = GlassModel(lm.model, lm.tokenizer, prompt="your cat is a lovely", off=["0.3"])
    >>> glass.likeliest(2)
    [(' cat', 0.53), (' little', 0.09)]
    >>> glass.steps["layers.1.attention.weights"].shape  # a batch of one, heads, queries, keys
    torch.Size([1, 4, 6, 6])

    Raises TypeError or ValueError when an argument is not as above, or a model is too large.
    """

    front_end: ClassVar[str] = "glass_model"

    data = traitlets.Dict().tag(sync=True)
    weights = traitlets.Dict(allow_none=True).tag(sync=True)
    prompt = ValidatedTrait("", _check_text("prompt")).tag(sync=True)
    other = ValidatedTrait("", _check_text("other")).tag(sync=True)
    output = ValidatedTrait[list[int]]([], _check_ids).tag(sync=True)
    off = ValidatedTrait[list[str]]([], lambda widget, value: check_off(value, *widget.sizes)).tag(
        sync=True
    )
    hidden = ValidatedTrait[list[int]]([], _check_hidden).tag(sync=True)
    positions = ValidatedTrait(True, lambda _, value: check_flag(value, "positions")).tag(sync=True)
    patched = ValidatedTrait[list[int]]([], _check_patched).tag(sync=True)
    temperature = ValidatedTrait(1.0, _check_temperature).tag(sync=True)
    seed = ValidatedTrait(0, lambda _, value: check_whole(value, "seed", 0, MAX_SEED)).tag(
        sync=True
    )
    place = ValidatedTrait[int | None](None, _check_place).tag(sync=True)
    checkpoint = ValidatedTrait[int | None](None, _check_checkpoint).tag(sync=True)
    selected = ValidatedTrait(
        "", lambda widget, value: check_selected(value, widget.model.config)
    ).tag(sync=True)

    def __init__(
        self,
        model: Any,
        tokenizer: BPETokenizer,
        *,
        prompt: str = "your cat is a lovely",
        name: str = "model",
        off: Sequence[str] = (),
        hidden: Sequence[int] = (),
        positions: bool = True,
        other: str = "",
        patched: Sequence[int] = (),
        temperature: float = 1.0,
        seed: int = 0,
        place: int | None = None,
        selected: str = "",
        chapters: str | None = None,
        checkpoints: Mapping[int, Any] | None = None,
        trained: int | None = None,
        checkpoint: int | None = None,
        **options: Any,
    ) -> None:
        from plainformer.blocks import DecoderOnly  # not at the top: it brings torch

        if not isinstance(model, DecoderOnly):
            raise TypeError(f"model must be a DecoderOnly; got {type(model).__name__}")
        check_tokenizer(tokenizer)
        config = model.config
        for which, size in (("layers", config.n_layers), ("heads", config.n_heads)):
            if size > MAX_PARTS:
                raise ValueError(f"model must have at most {MAX_PARTS} {which}; got {size}")
        if config.vocab_size < tokenizer.vocab_size:
            raise ValueError(
                f"model must know all {tokenizer.vocab_size:,} tokens of the tokenizer; it knows "
                f"{config.vocab_size:,}"
            )
        self.checkpoints = dict(sorted((checkpoints or {}).items()))
        for step, each in self.checkpoints.items():
            if not isinstance(each, DecoderOnly) or each.config != config:
                raise ValueError(f"checkpoints[{step}] must be the same kind of model as model")
        if self.checkpoints:
            check_whole(trained, "trained", max(self.checkpoints) + 1, 10**9)
        self.trained = trained
        self._final, self.tokenizer, self.name = model, tokenizer, name
        self.sizes = (config.n_layers, config.n_heads)
        self.room = min(config.max_length or 128, 128)
        self.begin = (tokenizer.encode("") or tokenizer.encode("\n"))[:1] or [0]
        super().__init__(data={}, prompt=prompt, weights={}, **options)
        self.checkpoint = checkpoint
        self._bring_weights()
        self.observe(lambda _: self._bring_weights(), "checkpoint")
        self.off, self.hidden, self.positions = off, hidden, positions
        self.other, self.patched = other, patched
        self.data = self._data(chapters)
        self.temperature, self.seed, self.place = temperature, seed, place
        self.selected = selected

    def state(self) -> dict[str, Any]:
        """Return what the front end draws from in a page: the weights are a file beside it."""
        state = {**super().state(), "weights": self._weights(None).in_page()}
        if text := self.data["strongest"]:
            script = script_name(STRONGEST, text["text"])
            state["data"] = {**self.data, "strongest": {"script": script}}
        return state

    @property
    def model(self) -> Any:
        """The model that reads: the one that was given, or the chosen checkpoint."""
        return self._final if self.checkpoint is None else self.checkpoints[self.checkpoint]

    def _weights(self, step: int | None) -> Weights:
        name = self.name if step is None else f"{self.name}-{step}"
        model = self._final if step is None else self.checkpoints[step]
        return Weights.of(model, name=name if name in SHIPPED else None)

    def _bring_weights(self) -> None:
        """Send the weights of the model that reads, all at once, to Jupyter."""
        self.weights = {**self._weights(self.checkpoint).trait(), "step": self.checkpoint}

    @property
    def ids(self) -> list[int]:
        """What the model reads: the prompt and what was written, or the end of it that has room."""
        return self._read()[-self.room :]

    def _read(self) -> list[int]:
        return [*self.tokenizer.encode(self.prompt), *self.output] or self.begin

    @property
    def other_ids(self) -> list[int]:
        """The second text as the model reads it."""
        return (self.tokenizer.encode(self.other) or self.begin)[-self.room :]

    @property
    def steps(self) -> Mapping[str, Any]:
        """Every step of the forward pass, by the names of `trace`, under all that is set."""
        options = (self.off, self._hidden(), self.positions)
        return run(self.model, self.ids, *options, taken=self._taken())

    @property
    def other_steps(self) -> Mapping[str, Any]:
        """Every step of the second text's, under all that is off; nothing of it is hidden."""
        return run(self.model, self.other_ids, self.off, (), self.positions)

    def _taken(self) -> tuple[int, int, Any] | None:
        """Where the second text's stream is taken in, and its row; None if nowhere."""
        if not self.patched:
            return None
        layer, token = self.patched
        at = token + len(self.other_ids) - len(self.ids)
        if token >= len(self.ids) or not 0 <= at < len(self.other_ids):
            return None
        return layer, token, self.other_steps[f"layers.{layer}.residual_2"][0, at]

    @property
    def probabilities(self) -> np.ndarray[Any, Any]:
        """(V,) the probability of each token to come after the chosen place."""
        logits = self.steps["logits"][0, self._place()] / self.temperature
        shares: np.ndarray[Any, Any] = logits.softmax(-1).numpy()
        return shares

    def likeliest(self, count: int = 6) -> list[tuple[str, float]]:
        """The likeliest next tokens, each with its probability, rounded."""
        shares = self.probabilities
        order = np.argsort(-shares, kind="stable")[:count]
        return [(self.tokenizer.decode([int(i)]), round(float(shares[i]), 2)) for i in order]

    def _hidden(self) -> list[int]:
        return [each for each in self.hidden if each < len(self.ids)]

    def _place(self) -> int:
        last = len(self.ids) - 1
        return last if self.place is None else min(self.place, last)

    def _is_small(self) -> bool:
        """Whether the summary of what is read finds room in a page."""
        L, H = self.sizes
        T = len(self.ids)
        small = L * T * (H * T + self.model.config.d_ff) <= MOST_BAKED
        return small and self._taken() is None  # a page computes that itself

    def _names(self) -> list[str]:
        return [self.tokenizer.decode([each]) for each in self.ids]

    def _data(self, chapters: str | None) -> dict[str, Any]:
        """What a page carries: sizes, the tokenizer, and the first text's summary."""
        config = self.model.config
        return {
            "name": self.name,
            "config": {
                "n_layers": config.n_layers,
                "n_heads": config.n_heads,
                "n_kv_heads": config.n_kv_heads or config.n_heads,
                "d_model": config.d_model,
                "d_head": config.d_head or config.d_model // config.n_heads,
                "d_ff": config.d_ff,
                "vocab_size": config.vocab_size,
                "norm": config.norm,
                "norm_eps": config.norm_eps,
                "norm_place": config.norm_place,
                "activation": config.activation,
                "positions": config.positions,
                "position_layout": config.position_layout,
                "rope_theta": config.rope_theta,
                "rope_scaling": config.rope_scaling and dict(config.rope_scaling),
                "scale_embedding": config.scale_embedding,
                "norm_embedding": config.norm_embedding,
                "max_length": config.max_length,
                "n_segments": config.n_segments,
            },
            "room": self.room,
            "begin": self.begin,
            "special": {
                str(number): token for token, number in self.tokenizer.special_tokens.items()
            },
            "tokenizer": pack_tokenizer(self.tokenizer),
            "chapters": chapters,
            "strongest": {"text": FOUND[STRONGEST]()} if self.name == "course-lm" else None,
            "trained": self.trained,
            "checkpoints": [
                {"step": step, "weights": self._weights(step).in_page()}
                for step in self.checkpoints
            ],
            "checkpoint": self.checkpoint,
            "ids": self.ids,
            "options": {"off": self.off, "hidden": self._hidden(), "positions": self.positions},
            "summary": summarize(self.model, self.steps) if self._is_small() else None,
        }

    def description(self) -> str:
        """Return what was read, and what comes next."""
        names, (word, share) = self._names(), self.likeliest(1)[0]
        layers, heads = self.sizes
        step = self.checkpoint
        age = "" if step is None else f" after {step:,} steps of training"
        return (
            f"A model of {layers} layers with {heads} heads each{age} reads {len(names)} tokens: "
            f"{', '.join(f'“{label(each)}”' for each in names[-20:])}. After "
            f"“{label(names[self._place()])}” the likeliest next token is “{label(word)}”, "
            f"probability {weight(share)}."
        )

    def picture(self) -> str:
        """Return the tokens, the maps of all heads, and the likeliest next tokens, as SVG."""
        maps = [
            self.steps[f"layers.{i}.attention.weights"][0].tolist() for i in range(self.sizes[0])
        ]
        return draw(self._names(), maps, self.likeliest())

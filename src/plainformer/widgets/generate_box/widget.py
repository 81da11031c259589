"""A widget that continues a text: a prompt, a model, and every setting of a sampler.

On a page without Python the model is an n-gram model, which the page computes by itself: it has
the text that the model was fitted on and counts. Or it is a transformer that the course ships
(``engine/``). What the course ships, a page fetches when a reader first asks for more than the bars
that it opens with; any other n-gram model it carries. In Jupyter it may be
any model that decoding takes, which the box asks for logits, one token at a time. Everywhere the
front end (``view.js``) does what comes after the logits: penalties, temperature, filters, the draw.
Browser tests hold its probabilities against `LogitsPipeline`, and its tokens, for the same seed,
against `sample`.

The model reads the whole text at each step, without a cache, and the n tokens of a continuation
use the first n random numbers of the seed, even after tokens were taken back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_numpy, check_number
from plainformer.attention import softmax
from plainformer.decoding import (
    CausalModel,
    CounterRNG,
    LogitsFn,
    LogitsPipeline,
    NGramModel,
    TokenCounts,
    count_tokens,
    sample,
)
from plainformer.decoding.state import next_logits
from plainformer.inputs import BPETokenizer
from plainformer.widgets.engine import Weights
from plainformer.widgets.engine.travel import script_name
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole
from plainformer.widgets.kit.token_words import many
from plainformer.widgets.kit.tokenizers import check_tokenizer, pack_tokenizer

from .pack import pack_model
from .picture import draw, probability, quoted

__all__ = ["MAX_OUTPUT", "MAX_PROMPT", "MAX_SEED", "MAX_STEP", "GenerateBox"]

MAX_PROMPT = 2_000
"""The longest prompt, in characters."""

MAX_OUTPUT = 2_000
"""The longest continuation, in tokens."""

MAX_STEP = 200
"""The most tokens that one press adds."""

MAX_SEED = 999
"""The largest seed: one slider reaches them all."""

MAX_BYTES = 300_000  # of a page, gzipped: six times what other widgets may weigh
SPARE = 20_000  # bytes of the page's limit for the tokenizer, prompt and output


def _number(name: str, least: float, most: float) -> Callable[[Any, Any], float]:
    """A trait: a number of a range."""

    def check(_: Any, value: Any) -> float:
        number = check_number(value, name)
        if not least <= number <= most:
            raise ValueError(f"{name} must be from {least:g} to {most:g}; got {value}")
        return float(number)

    return check


def _share(name: str) -> Callable[[Any, Any], float | None]:
    """A trait: a share above 0 and up to 1, or None."""

    def check(_: Any, value: Any) -> float | None:
        if value is None:
            return None
        number = check_number(value, name)
        if not 0 < number <= 1:
            raise ValueError(f"{name} must be above 0, and 1 at most, or None; got {value}")
        return float(number)

    return check


def _check_top_k(widget: Any, value: Any) -> int | None:
    most = widget.vocab_size or 10**6
    return None if value is None else check_whole(value, "top_k", 1, most, " or None")


def _check_prompt(widget: Any, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"prompt must be a str; got {type(value).__name__}")
    if not 1 <= len(value) <= MAX_PROMPT:
        count = f"{len(value):,}" if value else "none, and a model needs a token to start from"
        raise ValueError(f"prompt must have 1 to {MAX_PROMPT:,} characters; got {count}")
    try:
        widget.tokenizer.encode(value)
    except ValueError as error:
        raise ValueError(f"prompt cannot be encoded: {error}") from None
    return value


def _check_output(widget: Any, value: Any) -> list[int]:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        raise TypeError(f"output must be a list of token ids; got {value!r}")
    ids = list(value)
    if len(ids) > MAX_OUTPUT:
        raise ValueError(f"output must have at most {MAX_OUTPUT:,} tokens; got {len(ids):,}")
    most = (widget.vocab_size or 10**9) - 1
    return [check_whole(each, "each id of output", 0, most) for each in ids]


class GenerateBox(Widget):
    """Continue a prompt with a model, under all settings of a sampler.

    Arguments: ``model``, an `NGramModel`, which a page computes by itself, or any other that
    decoding takes, which runs in Python, so in Jupyter alone; ``tokenizer``, a `BPETokenizer`;
    ``prompt``, the text to continue; ``max_new_tokens``, how many tokens one press adds;
    ``temperature``, ``top_k``, ``top_p``, ``min_p``, ``frequency_penalty``, ``presence_penalty``
    and ``repetition_penalty``, as for `LogitsPipeline.standard`; ``seed``, 0 to `MAX_SEED`;
    ``eos_token_id``, the token that ends a text; ``checkpoint``, the name of the model if it is one
    that the course ships, "course-lm" or "manual-ngram", the one of `decoding.example`: then a page
    of the site fetches it.

    In Jupyter all but the first two and the last two are live, and so is ``output``, the ids of the
    tokens that were added. ``ids`` are those of the prompt and the output, ``text`` is what they
    spell, ``probabilities`` are those of the next token under the settings.

    >>> from plainformer.inputs import BPETokenizer
    >>> tokenizer = BPETokenizer.train("your cat is a lovely cat", vocab_size=260)
    >>> model = NGramModel(3, vocab_size=260).fit(tokenizer.encode("your cat is a lovely cat"))
    >>> box = GenerateBox(model, tokenizer, prompt="your", temperature=0)
    >>> box.continued(4)  # what a press would add
    [258, 220, 72, 82]
    >>> box.output = [258]
    >>> box.text
    'your cat'

    Raises TypeError when ``model`` cannot be called, ``tokenizer`` is not a `BPETokenizer`, or
    another argument has the wrong type; ValueError when a number is outside its range, when the
    prompt is empty, too long, or cannot be encoded, when an n-gram model does not know all tokens
    of the tokenizer, or is too large for a page; and when no such checkpoint is shipped.
    """

    front_end: ClassVar[str] = "generate_box"
    max_state_bytes: ClassVar[int] = MAX_BYTES

    data = traitlets.Dict().tag(sync=True)
    prompt = ValidatedTrait("", _check_prompt).tag(sync=True)
    output = ValidatedTrait[list[int]]([], _check_output).tag(sync=True)
    max_new_tokens = ValidatedTrait(
        40, lambda _, value: check_whole(value, "max_new_tokens", 1, MAX_STEP)
    ).tag(sync=True)
    temperature = ValidatedTrait(1.0, _number("temperature", 0, 3)).tag(sync=True)
    top_k = ValidatedTrait(None, _check_top_k).tag(sync=True)
    top_p = ValidatedTrait(None, _share("top_p")).tag(sync=True)
    min_p = ValidatedTrait(None, _share("min_p")).tag(sync=True)
    frequency_penalty = ValidatedTrait(0.0, _number("frequency_penalty", -2, 2)).tag(sync=True)
    presence_penalty = ValidatedTrait(0.0, _number("presence_penalty", -2, 2)).tag(sync=True)
    repetition_penalty = ValidatedTrait(1.0, _number("repetition_penalty", 0.5, 2)).tag(sync=True)
    seed = ValidatedTrait(0, lambda _, value: check_whole(value, "seed", 0, MAX_SEED)).tag(
        sync=True
    )

    def __init__(
        self,
        model: CausalModel | LogitsFn,
        tokenizer: BPETokenizer,
        *,
        prompt: str = "your cat is a lovely cat",
        max_new_tokens: int = 40,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        min_p: float | None = None,
        frequency_penalty: float = 0.0,
        presence_penalty: float = 0.0,
        repetition_penalty: float = 1.0,
        seed: int = 0,
        eos_token_id: int | None = None,
        checkpoint: str | None = None,
        **options: Any,
    ) -> None:
        if not callable(model):
            kind = type(model).__name__
            raise TypeError(f"model must be a function of (B, T) ids; got {kind}")
        check_tokenizer(tokenizer)
        self.model, self.tokenizer = model, tokenizer
        self.vocab_size: int | None = None
        self._most_tokens: int | None = None  # of a text, that the model reads
        if eos_token_id is not None:
            eos_token_id = check_whole(
                eos_token_id, "eos_token_id", 0, tokenizer.vocab_size - 1, " or None"
            )
        self.eos_token_id = eos_token_id
        table = None
        self._weights: Weights | None = None
        self._script: str | None = None  # that brings an n-gram model to a page of the site
        if isinstance(model, NGramModel):
            table = pack_model(model, MAX_BYTES - SPARE)
            if checkpoint is not None:
                self._script = script_name(checkpoint, table["packed"])
            self.vocab_size = model.vocab_size
            if model.vocab_size < tokenizer.vocab_size:
                raise ValueError(
                    f"model must know all {tokenizer.vocab_size:,} tokens of the tokenizer; it "
                    f"knows {model.vocab_size:,}: make it with vocab_size=tokenizer.vocab_size"
                )
        elif checkpoint is not None:
            self._weights = Weights.of(model, name=checkpoint)
        packed = pack_tokenizer(tokenizer)
        packed["counts"] = []  # of how often each merge was met: no one asks here
        data = {
            "tokenizer": packed,
            "special": _special_names(tokenizer),
            "model": table,
            "eos": eos_token_id,
            "engine": None,  # Jupyter asks Python; see `state` for a page
        }
        if self._weights is not None:
            self.vocab_size, self._most_tokens = tokenizer.vocab_size, _limit_of(model)
            if self._most_tokens and len(tokenizer.encode(prompt)) > self._most_tokens:
                raise ValueError(
                    f"prompt must have at most {self._most_tokens} tokens for this model; got "
                    f"{len(tokenizer.encode(prompt))}"
                )
        super().__init__(data=data, prompt=prompt, **options)
        self.needs_python = table is None and self._weights is None
        self.max_new_tokens, self.seed, self.temperature = max_new_tokens, seed, temperature
        self.top_k, self.top_p, self.min_p = top_k, top_p, min_p
        self.frequency_penalty, self.presence_penalty = frequency_penalty, presence_penalty
        self.repetition_penalty = repetition_penalty
        self.on_msg(self._answer)

    def state(self) -> dict[str, Any]:
        """Return what a page needs; with a model that it fetches, the first logits come along."""
        state = super().state()
        if self._weights is None and self._script is None:
            return state
        first = [float(f"{each:.6g}") for each in self._logits(self.ids)]
        opening = {"ids": self.ids, "logits": first}
        if self._weights is not None:
            engine = {"weights": self._weights.in_page(), "most": self._most_tokens, **opening}
            return {**state, "data": {**self.data, "engine": engine}}
        sizes = {key: value for key, value in self.data["model"].items() if key != "packed"}
        later = {"script": self._script, **sizes, **opening}
        return {**state, "data": {**self.data, "model": later}}

    @property
    def pipeline(self) -> LogitsPipeline:
        """The settings as stages between the model's logits and the draw."""
        return LogitsPipeline.standard(
            frequency_penalty=self.frequency_penalty,
            presence_penalty=self.presence_penalty,
            repetition_penalty=self.repetition_penalty,
            temperature=self.temperature,
            top_k=self.top_k,
            top_p=self.top_p,
            min_p=self.min_p,
        )

    @property
    def ids(self) -> list[int]:
        """The ids of the prompt, and after them the output's."""
        return [*self.tokenizer.encode(self.prompt), *self.output]

    @property
    def text(self) -> str:
        """The prompt and what was added to it."""
        return self.prompt + self.tokenizer.decode(self.output)

    @property
    def probabilities(self) -> Array:
        """(V,) the probability of each token to come next, under the settings."""
        logits = self._logits(self.ids)
        V = logits.shape[-1]
        prompt = self.tokenizer.encode(self.prompt)
        token_counts = TokenCounts(count_tokens(prompt, V), count_tokens(self.output, V))
        z = self.pipeline(logits, token_counts)
        return np.asarray(softmax(z))

    def continued(self, count: int) -> list[int]:
        """The tokens that the box adds to the prompt alone when it is asked for this many; may be
        none."""
        prompt = self.tokenizer.encode(self.prompt)
        if self._most_tokens is not None:
            count = min(count, self._most_tokens - len(prompt))
        if count == 0:
            return []
        found: list[int] = sample(
            self.model,
            prompt,
            max_new_tokens=count,
            pipeline=self.pipeline,
            rng=CounterRNG(self.seed),
            eos_token_id=self.eos_token_id,
        )
        return found[len(prompt) :]

    @traitlets.observe("prompt")
    def _start_over(self, change: Any) -> None:
        """What was added belongs to the old prompt."""
        self.output = []

    def _logits(self, ids: list[int]) -> Array:
        """(V,) float64 logits of the model for the token after these ids."""
        logits = next_logits(self.model, np.array([ids]))[0]
        return np.asarray(as_numpy(logits), dtype=np.float64)

    def _answer(self, _: Any, content: Any, buffers: Any) -> None:
        """Answer the front end, which sent ids: with logits, or with what went wrong."""
        ids = content["ids"]
        try:
            logits = self._logits(ids)
            if len(logits) < self.tokenizer.vocab_size:
                raise ValueError(
                    f"it must return logits for {self.tokenizer.vocab_size:,} tokens or more, as "
                    f"many as the tokenizer has; got {len(logits):,}"
                )
        except Exception as error:  # whatever a model may raise: the reader is told
            text = f"{type(error).__name__}: {error}"
            self.send({"kind": "error", "ids": ids, "text": text})
        else:
            self.send({"kind": "logits", "ids": ids}, buffers=[logits.tobytes()])

    # What replaces it on paper

    def _shown(self) -> list[int]:
        """The tokens in the picture: those that were added, else what a press would add."""
        if self.output or self.needs_python:
            return list(self.output)
        return self.continued(self.max_new_tokens)

    def description(self) -> str:
        """Return the prompt and its continuation, and what is most probable next."""
        added = self._shown()
        text = self.tokenizer.decode(added)
        said = f"The prompt “{self.prompt}”"
        if added:
            said += f", continued by {many(len(added), 'token')}: “{text}”"
        if self.needs_python:
            return f"{said}."
        best = int(self.probabilities.argmax())
        token = quoted(self.tokenizer, best)
        p = probability(float(self.probabilities[best]))
        after = "this text" if self.output else "the prompt"
        return f"{said}. After {after} the most probable token is {token}, with probability {p}."

    def picture(self) -> str:
        """Return the text, its added tokens marked, and bars of what may come next."""
        bars = None if self.needs_python else self.probabilities
        return draw(self.tokenizer, self.prompt, self._shown(), bars, bool(self.output))


def _limit_of(model: Any) -> int | None:
    """How many tokens of a text a transformer reads; None if that is not limited."""
    most: int | None = model.config.max_length
    return most


def _special_names(tokenizer: BPETokenizer) -> dict[str, str]:
    """Special tokens by id, as the front end holds tokens: a character a byte, or as they are."""
    names = {str(number): token for token, number in tokenizer.special_tokens.items()}
    if tokenizer.byte_level:
        names = {key: name.encode("utf-8").decode("latin-1") for key, name in names.items()}
    return names

"""A widget that steps through the merges which a BPE tokenizer applies to a text.

The reader types any text, sees it as characters or bytes, and moves from "every symbol is a token"
to the tokenizer's own result, one merge rule at a time, in rank order. The front end
(``view.js``) does the merging from the tokenizer's merge list; `replay` is the same in
Python, and a browser test holds the two against ``BPETokenizer.encode``.

Special tokens are ordinary text here, as they are to ``encode`` by default.
"""

from __future__ import annotations

import html
from itertools import islice
from typing import Any, ClassVar

import traitlets

from plainformer.inputs import BPETokenizer
from plainformer.inputs.tokenization import readable
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_flag
from plainformer.widgets.kit.tokenizers import check_tokenizer, pack_tokenizer, unknown_id

from .replay import Replay

__all__ = ["MAX_TEXT", "BPEMerges"]

MAX_TEXT = 10_000
"""The longest text, in characters, that the widget takes."""

PICTURED = 200  # tokens in the picture: as many as the front end shows before it is asked for all


def _check_text(widget: Any, value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise ValueError(f"text must have at most {MAX_TEXT:,} characters; got {len(value):,}")
    text: str = value
    widget.tokenizer.encode(text)  # raises if it is not text or cannot be encoded
    return text


def _check_step(widget: Any, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"step must be an integer or None; got {type(value).__name__}")
    last = widget.last_step
    if not 0 <= value <= last:
        raise ValueError(f"step must be from 0 to {last} for this text, or None; got {value}")
    return value


class BPEMerges(Widget):
    """Show how a trained BPE tokenizer merges a text, step by step.

    Arguments: ``tokenizer``, a `BPETokenizer`; ``text``, what to tokenize first (the reader may
    type something else); ``step``, how many merges are applied at first (None: all of them);
    ``compact``, a small version for the top of a page.

    In Jupyter, ``text`` and ``step`` are live: what the reader types can be read here, and what is
    set here is drawn. ``tokens`` and ``ids`` are the tokens at ``step``.

    >>> tokenizer = BPETokenizer.train("cat at a hat", vocab_size=9, byte_level=False)
    >>> widget = BPEMerges(tokenizer, text="cat at")
    >>> widget.tokens, widget.ids, widget.last_step
    (['c', 'at', ' at'], [2, 5, 8], 2)
    >>> widget.step = 1
    >>> widget.tokens
    ['c', 'at', ' ', 'at']

    Raises TypeError when ``tokenizer`` is not a `BPETokenizer` or another argument has the wrong
    type; ValueError when ``text`` cannot be encoded or is longer than `MAX_TEXT`, when ``step`` is
    outside the steps of the text, when a browser cannot run the tokenizer's pattern, or when its
    tokens do not come from merges alone.
    """

    front_end: ClassVar[str] = "bpe_merges"

    data = traitlets.Dict().tag(sync=True)
    text = ValidatedTrait("", _check_text).tag(sync=True)
    step = ValidatedTrait(None, _check_step).tag(sync=True)
    compact = ValidatedTrait(False, lambda _, value: check_flag(value, "compact")).tag(sync=True)

    def __init__(
        self,
        tokenizer: BPETokenizer,
        text: str = "your cat is a lovely cat",
        step: int | None = None,
        compact: bool = False,
        **options: Any,
    ) -> None:
        check_tokenizer(tokenizer)
        self.tokenizer = tokenizer
        self._replay: Replay | None = None
        super().__init__(data=pack_tokenizer(tokenizer), text=text, compact=compact, **options)
        self.step = step

    @property
    def last_step(self) -> int:
        """How many merges apply to the text."""
        return len(self.replay.steps)

    @property
    def replay(self) -> Replay:
        """The merges of the text as it is now."""
        if self._replay is None or self._replay.text != self.text:
            self._replay = Replay(self.tokenizer, self.text)
        return self._replay

    @property
    def symbols(self) -> list[Any]:
        """The tokens at ``step`` as the tokenizer holds them: bytes, or strings of characters."""
        return self.replay.symbols(self.last_step if self.step is None else self.step)

    @property
    def tokens(self) -> list[str]:
        """The tokens at ``step`` as readable text."""
        return [_text(symbol) for symbol in self.symbols]

    @property
    def ids(self) -> list[int]:
        """The ids of the tokens at ``step``; at the last step, what ``encode(text)`` returns."""
        vocab, unknown = self.tokenizer.vocab, unknown_id(self.tokenizer)
        return [vocab.get(symbol, unknown) for symbol in self.symbols]

    @traitlets.observe("text")
    def _keep_step_within_text(self, change: Any) -> None:
        """A new text may have fewer merges: go to its last."""
        if self.step is not None and self.step > self.last_step:
            self.step = None

    def description(self) -> str:
        """Return the tokens and their number as a sentence."""
        shown = ", ".join(f"“{token}”" for token in self.tokens[:40])
        more = ", and more" if len(self.tokens) > 40 else ""
        step = self.last_step if self.step is None else self.step
        return (
            f"After merge {step} of {self.last_step}, the text is {len(self.tokens)} tokens: "
            f"{shown}{more}."
        )

    def picture(self) -> str:
        """Return the tokens with their ids as boxes in a row."""
        boxes = [
            f'<span class="bpe-token bpe-c{_tint(number)}">'
            f"{html.escape(_visible(token))}<sub>{number}</sub></span>"
            for token, number in islice(zip(self.tokens, self.ids, strict=True), PICTURED)
        ]
        count = len(self.ids)
        if count > PICTURED:
            boxes.append(f"… and {count - PICTURED:,} more")
        ratio = f"{len(self.text) / count:.2f} characters per token" if count else "no text"
        step = self.last_step if self.step is None else self.step
        return (
            f'<div class="bpe-tokens">{" ".join(boxes)}</div>'
            f'<p class="pf-note">After merge {step} of {self.last_step}: {count} tokens, {ratio}. '
            "The small number under a token is its id.</p>"
        )


def _tint(number: int) -> int:
    """Which of the six fills a token has; ``view.js`` has the same rule."""
    return number * 5 % 6 if number % 2 else number * 7 % 6


def _text(symbol: bytes | str) -> str:
    """A symbol as readable text."""
    return symbol if isinstance(symbol, str) else readable(symbol)


def _visible(token: str) -> str:
    """The text of a token with its spaces and line breaks to be seen."""
    return token.translate({ord(" "): "·", ord("\n"): "↵", ord("\t"): "⇥", ord("\r"): "␍"})

"""A widget that follows one token's vector through a whole decoder, one operation at a time.

The drawing is a tower with the embedding at the bottom and the logits at the top. Each stop is one
operation, with the shape of its result, and after every addition the drawing says what the model
would answer if it stopped there (the logit lens of *The head*).

Python computes all of it once, so nothing in the page depends on the model: a reader can choose the
stop and the token, but not another text. It draws pre-norm decoders without options that change
what happens between the sublayers.
"""

from __future__ import annotations

from typing import Any, ClassVar

import traitlets

from plainformer.arrays import check_choice
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole
from plainformer.widgets.kit.token_words import label, weight
from plainformer.widgets.kit.tokenizers import check_tokenizer

from .computed import read, stops_of
from .picture import draw

__all__ = ["MOST_HEADS", "MOST_LAYERS", "MOST_TOKENS", "ForwardPass"]

MOST_LAYERS, MOST_HEADS, MOST_TOKENS = 6, 8, 8
"""The most layers, heads and tokens that there is room for."""


class ForwardPass(Widget):
    """Follow a vector from a token's ID through all layers to the next token.

    Arguments: ``model``, a `DecoderOnly` with pre-norm, and its ``tokenizer``; ``text``, what it
    reads; ``stop``, the operation that is shown first, counted from 0; ``token``, whose vector is
    followed (None: the last); ``chapters``, the path from the page to the course's chapters, such
    as "..", for links to them.

    In Jupyter ``stop`` and ``token`` are live: what the reader chooses can be read here, and what
    is set here is drawn. ``stops`` lists the operations, ``likeliest`` the next tokens at a depth.

    >>> from plainformer.training.tasks import course_lm
    >>> lm = course_lm()
    >>> walk = ForwardPass(lm.model, lm.tokenizer, "your cat is a lovely")
    >>> [(word, round(share, 2)) for word, share in walk.likeliest(8)]
    [(' cat', 0.63), (' little', 0.07), (' girl', 0.04)]

    Raises TypeError or ValueError when an argument is not as above, or there is no room for it.
    """

    front_end: ClassVar[str] = "forward_pass"

    data = traitlets.Dict().tag(sync=True)
    stop = ValidatedTrait(0, lambda widget, value: widget._whole(value, "stop")).tag(sync=True)
    token = ValidatedTrait(0, lambda widget, value: widget._whole(value, "token")).tag(sync=True)

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        text: str = "your cat is a lovely",
        *,
        stop: int = 0,
        token: int | None = None,
        chapters: str | None = None,
        **options: Any,
    ) -> None:
        from plainformer.blocks import DecoderOnly  # not at the top: it brings torch

        check_tokenizer(tokenizer)
        if not isinstance(model, DecoderOnly):
            raise TypeError(f"model must be a DecoderOnly; got {type(model).__name__}")
        config = model.config.resolved()
        check_choice(config.norm_place, "norm_place of model", ["pre"])
        check_whole(config.n_layers, "n_layers of model", 1, MOST_LAYERS)
        check_whole(config.n_heads, "n_heads of model", 1, MOST_HEADS)
        ids = tokenizer.encode(text)
        check_whole(len(ids), "the number of tokens in text", 1, MOST_TOKENS)
        self.stops = stops_of(config, len(ids))
        found = read(model, ids)
        self.tokens = [tokenizer.decode([each]) for each in ids]
        best = found.pop("best")
        words = [[[tokenizer.decode([i]) for i in each] for each in row] for row in best]
        super().__init__(**options)
        self.data = {
            "tokens": self.tokens,
            "ids": ids,
            "stops": [each._asdict() for each in self.stops],
            "words": words,
            "sizes": {"D": config.d_model, "F": config.d_ff, "V": config.vocab_size},
            "tied": config.tied,
            "chapters": chapters,
            **found,
        }
        self.stop = stop
        self.token = len(ids) - 1 if token is None else token

    def _whole(self, value: Any, name: str) -> int:
        return check_whole(value, name, 0, len(getattr(self, f"{name}s")) - 1)

    def likeliest(self, depth: int) -> list[tuple[str, float]]:
        """What the model would say after the chosen token: 0 is the embedding, 1 attention, ..."""
        words, shares = (self.data[name][depth][self.token] for name in ("words", "shares"))
        return list(zip(words, shares, strict=True))

    def _rows(self) -> list[tuple[str, str, float, list[float]]]:
        """For each depth from the bottom its name, the likeliest word, its share, and numbers."""
        ends = [i for i, each in enumerate(self.stops) if each.kind in ("rows", "add_1", "add_2")]
        rows = []
        for depth, i in enumerate(ends):
            stop = self.stops[i]
            part = {"rows": "embedding", "add_1": "attention", "add_2": "feed-forward"}[stop.kind]
            name = part if depth == 0 else f"{stop.layer + 1} {part}"
            word, share = self.likeliest(depth)[0]
            rows.append((name, word, share, self.data["vectors"][i][self.token]))
        return rows

    def description(self) -> str:
        """Return in a few sentences what the model would say at each depth."""
        said = [
            f"{name}: “{label(word.strip() or word)}” {weight(p)}"
            for name, word, p, _ in self._rows()
        ]
        return (
            f"A tower of {len(said)} depths, through which the vector of "
            f"“{label(self.tokens[self.token])}” travels. What the model would say after the "
            f"embedding and after each sublayer, numbered by layer: {'; '.join(said)}."
        )

    def picture(self) -> str:
        """Return the tower as one drawing, with all that the pass has found."""
        return draw(self.tokens[self.token], self._rows())

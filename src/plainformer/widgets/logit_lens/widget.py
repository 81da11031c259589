"""A widget that reads a model's stream after every layer, as if it were the last.

A grid has a row for each depth, the embedding at the bottom, and a column for each token that was
read. A cell shows the likeliest next token there, its shade how likely it is. The five likeliest
tokens of the chosen cell are listed below, and bars next to the grid show how the probability of
the token that really follows climbs from layer to layer.

Numbers come from Python; of a text that a reader types, from the engine (``own_text.js``).

A page carries the five likeliest tokens of each cell, not the whole vocabulary. A text that the
reader types stays in the page, and Python does not see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array, as_array, as_numpy
from plainformer.attention import softmax
from plainformer.widgets.engine import Weights
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_strings, check_whole
from plainformer.widgets.kit.numbering import layer_name
from plainformer.widgets.kit.token_words import label, weight
from plainformer.widgets.kit.tokenizers import check_tokenizer, pack_reader

from .picture import draw

__all__ = ["LIKELIEST", "MOST_COLUMNS", "MOST_ROWS", "MOST_WORDS", "LogitLens"]

LIKELIEST = 5
"""How many tokens of a cell are shown."""

MOST_ROWS, MOST_COLUMNS = 16, 16
"""The most depths and the most tokens that find room."""

MOST_WORDS = 300_000
"""The most words of a vocabulary."""

TOLERANCE = 1e-3  # by how much the probabilities of a cell may miss 1


def _check_row(widget: Any, value: Any) -> int:
    return check_whole(value, "row", 0, len(widget.names) - 1)


def _check_column(widget: Any, value: Any) -> int:
    return check_whole(value, "column", 0, len(widget.tokens) - 1)


class LogitLens(Widget):
    """Show what a model would say if it stopped after each of its layers.

    Arguments: ``tokens``, the T tokens that were read. ``words``, the V words of the vocabulary.
    ``probabilities``, (L, T, V): of each word to come next, at each depth from the bottom to the
    top. ``wanted``: the ID of the word that really follows each token, None where it is unknown.
    ``names``, of the depths; None: the embedding, then a layer each. ``row``, counted from the
    bottom, and ``column``, the cell that is chosen first (None: the column where the top gives what
    really follows the largest probability). ``model``, a `DecoderOnly`, and its ``tokenizer``: with
    them a reader can type a text of their own; a page of the site can compute only with a model
    that the course ships, ``checkpoint="course-lm"``.

    In Jupyter ``row`` and ``column`` are live: what the reader chooses can be read here, and what
    is set here is drawn. ``likeliest`` and ``climb`` are what is shown of that cell.

    >>> lens = LogitLens(["a"], ["a", "cat"], [[[0.75, 0.25]], [[0.5, 0.5]]], wanted=[1])
    >>> lens.climb
    [0.25, 0.5]
    >>> lens.likeliest  # at the bottom
    [('a', 0.75), ('cat', 0.25)]

    Raises TypeError or ValueError when an argument is not as above.
    """

    front_end: ClassVar[str] = "logit_lens"

    data = traitlets.Dict().tag(sync=True)
    weights = traitlets.Dict(allow_none=True, default_value=None).tag(sync=True)
    row = ValidatedTrait(0, _check_row).tag(sync=True)
    column = ValidatedTrait(0, _check_column).tag(sync=True)

    def __init__(
        self,
        tokens: Sequence[str],
        words: Sequence[str],
        probabilities: Any,
        wanted: Sequence[int | None] | None = None,
        *,
        names: Sequence[str] | None = None,
        row: int = 0,
        column: int | None = None,
        model: Any = None,
        tokenizer: Any = None,
        checkpoint: str | None = None,
        **options: Any,
    ) -> None:
        self.tokens = check_strings(tokens, "tokens", 1, MOST_COLUMNS)
        self.words = check_strings(words, "words", 1, MOST_WORDS)
        T, V = len(self.tokens), len(self.words)
        self.probabilities = _probabilities(probabilities, T, V)
        L = len(self.probabilities)
        names = ["embedding", *map(layer_name, range(L - 1))] if names is None else names
        self.names = check_strings(names, "names", L, L, "depth")
        self.wanted = _wanted(wanted, T, V)
        self._weights = None if model is None else Weights.of(model, name=checkpoint)
        super().__init__(data=self._data(), **options)
        if self._weights is not None:
            self.data = {**self.data, "model": _read_by_page(model, tokenizer, V, L)}
            self.weights = self._weights.trait()
        self.row = row
        self.column = self._clearest() if column is None else column

    @classmethod
    def from_logits(
        cls, ids: Any, logits: Any, words: Any, *, after: int | None = None, **options: Any
    ) -> LogitLens:
        """The lens of one text, from the logits that a model's head gives at each depth.

        Arguments: ``ids``, (T,) of the tokens that were read, or a batch of one, (1, T).
        ``logits``, (L, T, V), or a (T, V) for each depth, the bottom first. ``words``: a tokenizer,
        which ``model`` needs, or the V words of the vocabulary. ``after``: the ID of what follows
        the last token, if that is known. And those of `LogitLens`.

        >>> logits = [[[0.0, 0.0], [0.0, 0.0]], [[1.0, -1.0], [-1.0, 1.0]]]
        >>> lens = LogitLens.from_logits([0, 1], logits, ["a", "cat"])
        >>> lens.tokens, lens.wanted
        (['a', 'cat'], [1, None])
        """
        read = as_numpy(as_array(ids, "ids"))
        if read.ndim == 2 and len(read) == 1:
            read = read[0]
        if read.ndim != 1:
            raise ValueError(f"ids must have shape (T,) or (1, T), one text; got {read.shape}")
        parts = logits if isinstance(logits, list | tuple) else [logits]
        shapes = {as_array(each, "logits").shape for each in parts}
        if len(shapes) > 1:
            raise ValueError(f"logits must be of one shape at all depths; got {len(shapes)} shapes")
        found = np.stack([as_numpy(as_array(each, "logits")) for each in parts])
        found = found if isinstance(logits, list | tuple) else found[0]
        if found.ndim != 3:
            raise ValueError(f"logits must have shape (L, T, V); got {found.shape}")
        V = found.shape[-1]
        if hasattr(words, "decode"):
            options = {"tokenizer": words, **options}
            words = [words.decode([i]) for i in range(V)]
        words = check_strings(words, "words", V, V, "logit")
        places = [check_whole(each, "each of ids", 0, V - 1) for each in read]
        tokens = [words[each] for each in places]
        shares = softmax(found.astype(np.float64))
        return cls(tokens, words, shares, [*places[1:], after], **options)

    @property
    def likeliest(self) -> list[tuple[str, float]]:
        """The likeliest next tokens of the chosen cell, each with its probability."""
        shares = self.probabilities[self.row, self.column]
        return [(self.words[i], float(shares[i])) for i in _order(shares)]

    @property
    def climb(self) -> list[float] | None:
        """The probability of what really follows the chosen token, from the bottom to the top.

        None where it is unknown what follows.
        """
        right = self.wanted[self.column]
        return (
            None if right is None else [float(p) for p in self.probabilities[:, self.column, right]]
        )

    def state(self) -> dict[str, Any]:
        """Return what the front end draws from in a page: the weights are a file beside it."""
        in_page = None if self._weights is None else self._weights.in_page()
        return {**super().state(), "weights": in_page}

    def _clearest(self) -> int:
        """The column whose right next token has the largest probability at the top."""
        known = [
            (self.probabilities[-1, t, i], -t) for t, i in enumerate(self.wanted) if i is not None
        ]
        return -int(max(known)[1]) if known else len(self.tokens) - 1

    def _data(self) -> dict[str, Any]:
        """What a page carries: each cell's likeliest words, and what really follows."""
        top = [[_order(cell) for cell in row] for row in self.probabilities]
        likely = {i for row in top for cell in row for i in cell}
        shown = sorted(likely | {i for i in self.wanted if i is not None})
        place = {word: at for at, word in enumerate(shown)}
        return {
            "tokens": self.tokens,
            "names": self.names,
            "words": [self.words[i] for i in shown],
            "size": len(self.words),
            "top": [[[place[i] for i in cell] for cell in row] for row in top],
            "shares": [
                [self.probabilities[r, t][cell].tolist() for t, cell in enumerate(row)]
                for r, row in enumerate(top)
            ],
            "next": [None if i is None else place[i] for i in self.wanted],
            "right": [
                [None if i is None else float(row[t, i]) for t, i in enumerate(self.wanted)]
                for row in self.probabilities
            ],
        }

    def description(self) -> str:
        """Return in a few sentences what the head says at each depth of the chosen column."""
        said = []
        for name, row in zip(self.names, self.probabilities[:, self.column], strict=True):
            (first,) = _order(row)[:1]
            said.append(f"{label(name)}: “{label(self.words[first])}” {weight(float(row[first]))}")
        right = self.wanted[self.column]
        follows = "" if right is None else f" What follows is “{label(self.words[right])}”."
        return (
            f"A grid of {len(self.names)} depths and {len(self.tokens)} tokens. The likeliest next "
            f"token after “{label(self.tokens[self.column])}”, from the bottom: {'; '.join(said)}."
            f"{follows}"
        )

    def picture(self) -> str:
        """Return the grid as one drawing."""
        first = self.probabilities.argmax(-1)
        cells = [
            [(self.words[i], float(self.probabilities[r, t, i])) for t, i in enumerate(row)]
            for r, row in enumerate(first)
        ]
        return draw(self.tokens, self.names, cells, (self.row, self.column))


def _read_by_page(model: Any, tokenizer: Any, V: int, L: int) -> dict[str, Any]:
    """What the front end needs to read a text with a model, or a kind error."""
    check_tokenizer(tokenizer)
    config = model.config
    if config.vocab_size != V:
        raise ValueError(f"model must have {V:,} tokens, as words has; got {config.vocab_size:,}")
    if config.n_layers + 1 != L:
        raise ValueError(
            f"model must have {L - 1} layers, one less than depths; got {config.n_layers}"
        )
    return pack_reader(tokenizer, config)


def _order(shares: Array) -> list[int]:
    """The IDs of the largest probabilities, the largest first; of two alike the first."""
    return [int(i) for i in np.argsort(-shares, kind="stable")[:LIKELIEST]]


def _probabilities(value: Any, T: int, V: int) -> Array:
    """Probabilities as NumPy's (L, T, V), or a kind error."""
    found = as_numpy(as_array(value, "probabilities")).astype(np.float64)
    if found.ndim != 3 or not 1 <= len(found) <= MOST_ROWS or found.shape[1:] != (T, V):
        raise ValueError(
            f"probabilities must have shape (L, {T}, {V}), L from 1 to {MOST_ROWS}; "
            f"got {found.shape}"
        )
    if not (found >= 0).all():  # nor is a NaN
        raise ValueError(f"probabilities must be 0 or more; got {found.min():g}")
    worst = found.sum(-1).flat[np.abs(found.sum(-1) - 1).argmax()]
    if abs(worst - 1) > TOLERANCE:
        raise ValueError(f"the probabilities of each cell must sum to 1; got {worst:.4g}")
    return found


def _wanted(value: Any, T: int, V: int) -> list[int | None]:
    """What really follows each token, as IDs, or a kind error."""
    found = [None] * T if value is None else list(value)
    if len(found) != T:
        raise ValueError(f"wanted must have {T} entries, one for each token; got {len(found)}")
    return [
        None if each is None else check_whole(each, "each of wanted", 0, V - 1, " or None")
        for each in found
    ]

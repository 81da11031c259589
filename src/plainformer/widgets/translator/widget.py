"""A widget that translates what a reader types, word by word, and draws where each word looks.

Greedy search or beams write the translation, and a map shows cross-attention: a row for each word
that was written, a column for each word of the source. Words that the model never met are named.

The page computes all of it, by the modules of ``engine/``. It opens with the search of the first
sentence, made here, and fetches the weights when a reader first changes something.

With a second sentence as its donor, a row of buttons lets one word take its vector from there: the
encoder reads both sentences, and the decoder gets that vector in place of the word's own.

It takes an `EncoderDecoder` with at most 12 layers and heads, and sentences of at most 24 words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
import traitlets

from plainformer.arrays import Array
from plainformer.decoding import SearchTree
from plainformer.widgets.engine import Weights
from plainformer.widgets.engine.travel import SHIPPED
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole
from plainformer.widgets.kit.numbering import head_name, layer_name

from . import search as searching
from .picture import draw
from .words import listed

__all__ = [
    "MAX_BEAMS", "MAX_CHARACTERS", "MAX_KEPT", "MAX_PARTS", "MAX_WORDS", "MAX_WRITTEN",
    "Translator",
]  # fmt: skip

MAX_CHARACTERS = 200
"""The longest sentence, in characters."""

MAX_WORDS = 24
"""The longest sentence, in words; a comma counts as one."""

MAX_WRITTEN = 20
"""The most words of a translation, its end included."""

MAX_BEAMS = 4
"""The most texts that a search keeps."""

MAX_KEPT = MAX_BEAMS * MAX_WRITTEN
"""The most texts that a step has kept, with those that ended before it."""

MAX_PARTS = 12
"""The most layers, and the most heads of each."""

EXAMPLES = (
    "your cat is a lovely cat",
    "we wait for our grandmother's geese",
    "those eggs are not very beautiful",
    "your parrot is lovely",
)

MOST_BAKED = 12_000  # weights of a first search that a page brings; more would weigh too much


def _check_text(widget: Any, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"text must be a str; got {type(value).__name__}")
    if len(value) > MAX_CHARACTERS:
        raise ValueError(f"text must have at most {MAX_CHARACTERS} characters; got {len(value):,}")
    try:
        count = len(widget.vocabulary.encode(value.lower()))
    except ValueError as error:
        raise ValueError(f"text cannot be read: {error}") from None
    if count > MAX_WORDS:
        raise ValueError(f"text must have at most {MAX_WORDS} words; got {count}")
    return value


def _check_part(name: str) -> Any:
    """A trait: a layer or a head; a head may be None."""

    def check(widget: Any, value: Any) -> int | None:
        if value is None and name == "head":
            return None
        otherwise = " or None" if name == "head" else ""
        return check_whole(value, name, 0, getattr(widget, f"n_{name}s") - 1, otherwise)

    return check


def _check_place(name: str, most: int) -> Any:
    """A trait: a place from 0, or None."""

    def check(_: Any, value: Any) -> int | None:
        return None if value is None else check_whole(value, name, 0, most, " or None")

    return check


def _check_patched(widget: Any, value: Any) -> int | None:
    if value is None:
        return None
    if not widget.donor:
        raise ValueError(f"patched needs a donor, which the vector is taken from; got {value!r}")
    return check_whole(value, "patched", 0, len(widget.donor) - 1, " or None")


class Translator(Widget):
    """Translate a sentence word by word, and show which words each word looks at.

    Arguments: ``translator``, as `course_translator` opens it: an `EncoderDecoder` as its ``model``
    and a `Vocabulary` as its ``vocabulary``; ``text``, the sentence, read in small letters;
    ``name``, what the translator is called ("course-translator" has a file on the course's site,
    and runs there; a page cannot compute with any other, but Jupyter can); ``num_beams``, how many
    texts the search keeps, 1 (greedy) to 4; ``layer`` and ``head``, whose looks are drawn (head
    None: the mean of all); ``step``, how many words are written (None: all); ``rank``, which of the
    texts that this step kept is drawn (0 or None: the best); ``row`` and ``column``, the words
    written and read that are looked at (None: the last one, and where it looks most); ``donor``,
    another sentence with as many words (None: no buttons), and ``patched``, the word whose vector
    comes from there (None: each word has its own, as it has if the text is longer or shorter).

    In Jupyter all but the first, the name and the donor are live. ``translation`` is the best text,
    ``unknown`` are the words that the vocabulary lacks, ``tree`` is the whole search, and
    ``alignment`` are the weights of cross-attention, (L, H, T, S).

    >>> from plainformer.training.tasks.translation import course_translator
    >>> widget = Translator(course_translator(), "your parrot is a lovely cat", num_beams=2)
    >>> widget.unknown
    ['parrot']
    >>> widget.text = "your cat is a lovely cat"
    >>> widget.translation, widget.alignment.shape  # with a row for the end
    ('il tuo gatto è un gatto adorabile', (2, 4, 8, 6))

    Raises TypeError or ValueError when an argument is not as above, or a model is too large.
    """

    front_end: ClassVar[str] = "translator"

    data = traitlets.Dict().tag(sync=True)
    weights = traitlets.Dict(allow_none=True).tag(sync=True)
    text = ValidatedTrait("", _check_text).tag(sync=True)
    num_beams = ValidatedTrait(
        1, lambda _, value: check_whole(value, "num_beams", 1, MAX_BEAMS)
    ).tag(sync=True)
    layer = ValidatedTrait(0, _check_part("layer")).tag(sync=True)
    head = ValidatedTrait[int | None](None, _check_part("head")).tag(sync=True)
    step = ValidatedTrait[int | None](None, _check_place("step", MAX_WRITTEN)).tag(sync=True)
    rank = ValidatedTrait[int | None](None, _check_place("rank", MAX_KEPT - 1)).tag(sync=True)
    row = ValidatedTrait[int | None](None, _check_place("row", MAX_WRITTEN - 1)).tag(sync=True)
    column = ValidatedTrait[int | None](None, _check_place("column", MAX_WORDS - 1)).tag(sync=True)
    patched = ValidatedTrait[int | None](None, _check_patched).tag(sync=True)

    def __init__(
        self,
        translator: Any,
        text: str = EXAMPLES[0],
        *,
        name: str = "translator",
        num_beams: int = 1,
        layer: int | None = None,
        head: int | None = None,
        step: int | None = None,
        rank: int | None = None,
        row: int | None = None,
        column: int | None = None,
        donor: str | None = None,
        patched: int | None = None,
        **options: Any,
    ) -> None:
        self.model, self.vocabulary = _check_translator(translator)
        config = self.model.config
        self.n_layers, self.n_heads = config.n_layers, config.n_heads
        self._weights = Weights.of(self.model, name=name if name in SHIPPED else None)
        self._searched = lru_cache(4)(self._search)
        super().__init__(data={}, text=text, weights=self._weights.trait(), **options)
        self.donor = [] if donor is None else self._read_donor(donor)
        self.num_beams, self.patched = num_beams, patched
        self.layer = self.n_layers - 1 if layer is None else layer
        self.head, self.step, self.rank, self.row, self.column = head, step, rank, row, column
        self.data = {
            "name": name,
            "words": list(self.vocabulary.vocab)[4:],
            "n_layers": self.n_layers,
            "n_heads": self.n_heads,
            "examples": self._examples(text),
            "donor": (donor or "").lower(),
            "first": self._first(),
        }

    def state(self) -> dict[str, Any]:
        """Return what the front end draws from in a page: the weights are a file beside it."""
        return {**super().state(), "weights": self._weights.in_page()}

    @property
    def ids(self) -> list[int]:
        """What the encoder reads: a number for each word, 1 for one that it does not know."""
        ids: list[int] = self.vocabulary.encode(self.text.lower())
        return ids

    @property
    def unknown(self) -> list[str]:
        """The words that the vocabulary lacks, each once, as they are read."""
        return [w for w in dict.fromkeys(self._words()) if w not in self.vocabulary.vocab]

    @property
    def tree(self) -> SearchTree | None:
        """The search, with all that it weighed; None if there is nothing to translate."""
        return self._searched(tuple(self.ids), self.num_beams, self._place) if self.ids else None

    @property
    def translation(self) -> str:
        """The best text that the search found."""
        return self.vocabulary.decode(self.tree.sequences[0]) if self.tree else ""

    @property
    def alignment(self) -> Array | None:
        """(L, H, T, S): how much the step that wrote word t looked at word s, for the best text."""
        if self.tree is None:
            return None
        steps = searching.cross_attention_weights(
            self.model, self.ids, self.tree, self._patch(self._place)
        )
        nodes = self.tree.nodes
        return np.stack([steps[nodes[i].parent or 0] for i in searching.leader(self.tree)], axis=2)

    def _examples(self, text: str) -> list[str]:
        """What "Another sentence" goes through; all fit the donor, where there is one."""
        if not self.donor:
            return list(EXAMPLES)
        encode, count = self.vocabulary.encode, len(self.donor)
        return [text, *(each for each in EXAMPLES if len(encode(each)) == count)]

    def _search(self, source: tuple[int, ...], num_beams: int, place: int | None) -> SearchTree:
        patch = self._patch(place)
        return searching.search(self.model, list(source), num_beams, MAX_WRITTEN, patch)

    @property
    def _place(self) -> int | None:
        """The word whose vector is replaced, where the donor has a word for each of the text."""
        return self.patched if len(self.ids) == len(self.donor) else None

    def _patch(self, place: int | None) -> searching.Patch | None:
        return None if place is None else (self.donor, place)

    def _read_donor(self, donor: Any) -> list[int]:
        """The ids of the donor, which must have as many words as the text."""
        if not isinstance(donor, str):
            raise TypeError(f"donor must be a str or None; got {type(donor).__name__}")
        ids: list[int] = self.vocabulary.encode(donor.lower())
        if len(ids) != len(self.ids):
            wanted = f"{len(self.ids)} words, like the text"
            raise ValueError(f"donor must have {wanted}; got {len(ids)}")
        return ids

    def _words(self) -> list[str]:
        """The words of the sentence, known or not."""
        words: list[str] = self.vocabulary.split(self.text.lower())
        return words

    def _first(self) -> dict[str, Any] | None:
        """The first search, if it finds room in a page."""
        ids, tree = self.ids, self.tree
        if tree is None:
            return None
        looks = searching.cross_attention_weights(self.model, ids, tree, self._patch(self._place))
        if sum(each.size for each in looks.values()) > MOST_BAKED:
            return None
        asked = {"ids": ids, "num_beams": self.num_beams, "place": self._place}
        return {**asked, **searching.pack(tree, looks)}

    def _written(self) -> list[str]:
        """The words of the best text so far, its end included."""
        if self.tree is None:
            return []
        names = {number: word for word, number in self.vocabulary.vocab.items()}
        path = searching.leader(self.tree)
        return [names[self.tree.nodes[place].token or 0] for place in path][: self.step]

    def description(self) -> str:
        """Return the sentence, its translation, and the words that are unknown."""
        if self.tree is None:
            return "A translator from English to Italian, with nothing to translate."
        how = "greedy search" if self.num_beams == 1 else f"{self.num_beams} beams"
        said = f"“{self.text}” becomes “{self.translation}”, by {how}."
        if self._place is not None:
            word = self._words()[self._place]
            said += f" “⇄ {word}” has its vector from “{self.data['donor']}”."
        unknown = f" The model does not know {listed(self.unknown)}." if self.unknown else ""
        which = "all heads together" if self.head is None else head_name(self.head)
        where = f"{layer_name(self.layer)}, {which}"
        return f"{said}{unknown} A map shows where each word looked: {where}."

    def picture(self) -> str:
        """Return the translation, and the map of its alignment, as SVG."""
        weights = self.alignment
        if weights is None:
            return '<p class="pf-note">Nothing to translate yet.</p>'
        layer = weights[self.layer]
        rows = layer.mean(0) if self.head is None else layer[self.head]
        known = [w if w in self.vocabulary.vocab else f"{w} (?)" for w in self._words()]
        if self._place is not None:
            known[self._place] = f"⇄ {known[self._place]}"
        return draw(self._written(), known, rows.tolist(), self.translation)


def _check_translator(translator: Any) -> tuple[Any, Any]:
    """The model and the vocabulary of a translator, or a kind error."""
    from plainformer.blocks import EncoderDecoder  # not at the top: they bring torch
    from plainformer.training.vocabulary import Vocabulary

    model = getattr(translator, "model", None)
    vocabulary = getattr(translator, "vocabulary", None)
    if not isinstance(model, EncoderDecoder) or not isinstance(vocabulary, Vocabulary):
        raise TypeError(
            "translator must have an EncoderDecoder as its model and a Vocabulary as its "
            f"vocabulary, as course_translator() has; got {type(translator).__name__}"
        )
    config = model.config
    for which, size in (("layers", config.n_layers), ("heads", config.n_heads)):
        if size > MAX_PARTS:
            raise ValueError(
                f"the translator's model must have at most {MAX_PARTS} {which}; got {size}"
            )
    if config.vocab_size != vocabulary.vocab_size:
        raise ValueError(
            f"the translator's vocabulary must have {config.vocab_size:,} words, as its model has; "
            f"got {vocabulary.vocab_size:,}"
        )
    most = max(MAX_WORDS, MAX_WRITTEN)
    if config.max_length is not None and config.max_length < most:
        raise ValueError(
            f"the translator's model must read {most} words or more; it reads {config.max_length}"
        )
    return model, vocabulary

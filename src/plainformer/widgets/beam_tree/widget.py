"""A widget that grows a beam search, step by step, and ranks the texts that it finished.

Each step shows the candidates of every living beam: the token, its probability, the sum of the
logarithms from the prompt to here, and what became of it. A slider divides the sums of the finished
texts by a power of their length, and says when another one wins. The front end (``view.js``)
draws and ranks; a browser test holds its numbers against `BeamTree.ranking`.

The tree stays the one that was grown. With another α the search might have continued for longer
and finished other texts; the slider only reranks those that this search finished.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import traitlets

from plainformer.arrays import check_number
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.next_token.sequence import sequence_log_prob
from plainformer.decoding.search.beam import beam_search
from plainformer.decoding.search.greedy import greedy_search
from plainformer.decoding.search.lengths import LengthNorm
from plainformer.decoding.search.tree import SearchTree
from plainformer.widgets.kit.base import ValidatedTrait, Widget
from plainformer.widgets.kit.checks import check_whole

from . import example
from .data import SHAPES, STATUSES, check_tree, grown_with, pack
from .picture import draw, plain, quotient, signed, text_of

__all__ = ["MAX_ALPHA", "OPENS_AT", "BeamTree", "Ranked"]

MAX_ALPHA = 2.0
"""The largest α of the slider, unless the tree was grown with a larger one."""

OPENS_AT = 2
"""How many steps of the tree are shown at first: there is something to see, and more to come."""

ALPHA_LIMIT = 10.0  # either side of zero


class Ranked(NamedTuple):
    """A finished text: its place in the tree, its sum, and the sum divided by length^α."""

    node: int
    text: str
    length: int
    score: float
    normalised: float


def _check_step(widget: Any, value: Any) -> int:
    return check_whole(value, "step", 0, widget.last_step)


def _check_penalty(widget: Any, value: Any) -> float:
    alpha = check_number(value, "length_penalty")
    if not -ALPHA_LIMIT <= alpha <= ALPHA_LIMIT:
        raise ValueError(
            f"length_penalty must be from {-ALPHA_LIMIT:g} to {ALPHA_LIMIT:g}; got {alpha:g}"
        )
    return alpha


def _check_node(widget: Any, value: Any) -> int | None:
    if value is None:
        return None
    shown = {node[0] for node in widget.data["nodes"]}
    index = check_whole(value, "node", 0, max(shown), " or None")
    if index not in shown:
        raise ValueError(f"node must be one of those that are shown; {index} died, and is not")
    return index


class BeamTree(Widget):
    """Show a beam search as a tree that grows, and rank what it finished.

    Arguments: ``tree``, a `SearchTree` as `beam_search` returns it (None: a small search that a
    pencil can follow); either ``words``, a string for each id, or ``decode``, a function from a
    list of ids to a string (neither: ids are shown as numbers); ``greedy``, what `greedy_search`
    returned for the same prompt (None: its path is shown as far as the tree knows it), and
    ``greedy_score``, its sum of logarithms, if known; ``length_norm``, how length is counted, see
    `length_divisor` (None: as the tree was grown); ``length_penalty``, the α of the ranking (None:
    as the tree was grown); ``step``, how many steps are shown at first (None: `OPENS_AT`, or
    fewer if the search took fewer); ``node``, the node of the tree whose path is shown first, or
    None.

    `BeamTree.search` runs both searches and shows them.

    In Jupyter ``step``, ``length_penalty`` and ``node`` are live. ``ranking`` holds the texts that
    are finished at ``step``, the best first.

    >>> widget = BeamTree(step=4)
    >>> [(each.text, round(each.normalised, 2)) for each in widget.ranking]
    [('lovely', -1.02), ('a lovely cat', -1.82), ('a cat', -1.97)]
    >>> widget.length_penalty = 1
    >>> [(each.text, round(each.normalised, 2)) for each in widget.ranking]
    [('a lovely cat', -0.46), ('lovely', -0.51), ('a cat', -0.66)]

    Raises TypeError or ValueError when an argument is not as above, or the tree is too large: see
    `check_tree`.
    """

    front_end: ClassVar[str] = "beam_tree"

    data: Any = traitlets.Dict().tag(sync=True)
    step = ValidatedTrait(0, _check_step).tag(sync=True)
    length_penalty = ValidatedTrait(0.0, _check_penalty).tag(sync=True)
    node = ValidatedTrait(None, _check_node).tag(sync=True)

    def __init__(
        self,
        tree: SearchTree | None = None,
        *,
        words: Sequence[str] | None = None,
        decode: Callable[[list[int]], str] | None = None,
        greedy: Sequence[int] | None = None,
        greedy_score: float | None = None,
        length_norm: LengthNorm | None = None,
        length_penalty: float | None = None,
        step: int | None = None,
        node: int | None = None,
        **options: Any,
    ) -> None:
        if tree is None:
            tree = beam_search(
                example.logits,
                example.PROMPT,
                num_beams=2,
                max_new_tokens=5,
                eos_token_id=example.END,
            )
            words = example.WORDS if words is None and decode is None else words
        check_tree(tree)
        if greedy_score is not None:
            greedy_score = check_number(greedy_score, "greedy_score")
            if greedy_score > 0:
                raise ValueError(
                    "greedy_score must be 0 or below, a sum of logarithms of probabilities; got "
                    f"{greedy_score:g}"
                )
        alpha, rule = grown_with(tree)
        if length_norm is not None:
            if not isinstance(length_norm, str) or length_norm not in SHAPES:
                kind = ValueError if isinstance(length_norm, str) else TypeError
                known = "'generated', 'whole' or 'gnmt'"
                raise kind(f"length_norm must be {known}; got {length_norm!r}")
            rule = length_norm
        name, joint = _naming(words, decode)
        data = pack(
            tree,
            name,
            joint,
            rule=rule,
            alpha=alpha,
            greedy=_check_greedy(greedy, tree),
            greedy_score=greedy_score,
        )
        super().__init__(data=data, **options)
        self.length_penalty = alpha if length_penalty is None else length_penalty
        self.step = min(OPENS_AT, self.last_step) if step is None else step
        self.node = node

    @classmethod
    def search(
        cls,
        model: CausalModel | LogitsFn,
        prompt: Any,
        *,
        num_beams: int,
        max_new_tokens: int,
        eos_token_id: int | None = None,
        words: Sequence[str] | None = None,
        decode: Callable[[list[int]], str] | None = None,
        step: int | None = None,
        **options: Any,
    ) -> BeamTree:
        """Search by beams and greedily, and show the tree.

        Args:
            model: any `CausalModel`, or a function of (B, T) ids.
            prompt: (T,) ids, one prompt.
            num_beams, max_new_tokens, eos_token_id: as `beam_search` takes them.
            words, decode, step: as the constructor takes them.
            **options: more options of `beam_search`, such as `length_penalty`.

        Raises:
            TypeError, ValueError: as `beam_search` and the constructor do.

        >>> import numpy as np
        >>> widget = BeamTree.search(
        ...     lambda ids: np.log([[0.75, 0.25]] * len(ids)), [0], num_beams=2, max_new_tokens=3
        ... )
        >>> widget.data["greedy"]["text"]
        '0 0 0'
        """
        prompts, single = check_prompts(prompt)
        if not single:
            raise ValueError(f"prompt must be one prompt, (T,) ids; got {len(prompts)}")
        limits: dict[str, Any] = {"max_new_tokens": max_new_tokens, "eos_token_id": eos_token_id}
        tree = beam_search(model, prompts[0], num_beams=num_beams, **limits, **options)
        greedy = greedy_search(model, prompts[0], **limits)
        return cls(
            tree,
            words=words,
            decode=decode,
            greedy=greedy,
            greedy_score=sequence_log_prob(model, greedy, len(prompts[0])),
            length_norm=options.get("length_norm"),
            step=step,
        )

    @property
    def last_step(self) -> int:
        """How many steps the search took."""
        return len(self.data["more"])

    @property
    def grown_with(self) -> float:
        """The α that the tree was grown with."""
        return float(self.data["grown"])

    @property
    def ranking(self) -> list[Ranked]:
        """The texts that are finished at ``step``, ranked by their sum / length^α."""
        return self.ranked(self.step, self.length_penalty)

    def ranked(self, step: int, alpha: float) -> list[Ranked]:
        """The texts that are finished after `step` steps, ranked with this α."""
        found = []
        for place, (index, _, at, _, _, score, status) in enumerate(self.data["nodes"]):
            if at <= step and STATUSES[status] in ("finished", "limit"):
                normalised = score / self.data["lengths"][at] ** alpha
                found.append(Ranked(index, text_of(self.data, place), at, score, normalised))
        return sorted(found, key=lambda each: (-each.normalised, each.node))

    def description(self) -> str:
        """Return in a few sentences what the search found."""
        data = self.data
        ranking = self.ranked(self.last_step, self.length_penalty)
        said = dict(zip(STATUSES, ("kept", "ended", "cut at the limit", "died"), strict=True))
        counts = [f"{n} {said[each]}" for each in STATUSES if (n := self._count(each))]
        best = "No text is finished."
        if ranking:
            texts = "; ".join(
                f"“{plain(each.text)}”, sum {signed(each.score)}, divided "
                f"{quotient(each.normalised)}"
                for each in ranking[:3]
            )
            best = f"The best of {len(ranking)} finished, at α = {self.length_penalty:g}: {texts}."
        beams, steps = _plural(data["beams"], "beam"), _plural(self.last_step, "step")
        return (
            f"A beam search with {beams} after “{plain(data['prompt'])}”, all of its {steps}. Of "
            f"the candidates shown {', '.join(counts)}. {best} "
            f"Greedy search took “{plain(data['greedy']['text'])}”."
        )

    def _count(self, status: str) -> int:
        return sum(STATUSES[node[6]] == status for node in self.data["nodes"][1:])

    def picture(self) -> str:
        """Return the whole search, whichever ``step`` is shown: on paper nothing grows."""
        ranking = self.ranked(self.last_step, self.length_penalty)
        return draw(self.data, ranking, self.length_penalty)


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _naming(words: Any, decode: Any) -> tuple[Callable[[Sequence[int]], str], str]:
    """How tokens become text, and what separates two of them."""
    if words is not None and decode is not None:
        raise TypeError("words or decode must be given, not both")
    if decode is not None:
        if not callable(decode):
            raise TypeError(f"decode must be a function of a list of ids; got {decode!r}")

        def by_decode(ids: Sequence[int]) -> str:
            text = decode(list(ids))
            if not isinstance(text, str):
                raise TypeError(f"decode must return a string; got {text!r}")
            return text

        return by_decode, ""
    if words is None:
        return lambda ids: " ".join(map(str, ids)), " "
    if isinstance(words, str) or not hasattr(words, "__getitem__"):
        raise TypeError(f"words must be a list of strings; got {words!r}")

    def by_word(ids: Sequence[int]) -> str:
        for token in ids:
            if token >= len(words):
                raise ValueError(f"words must have a string for id {token}; it has {len(words)}")
            if not isinstance(words[token], str):
                raise TypeError(
                    f"words must be a list of strings; words[{token}] is {words[token]!r}"
                )
        return " ".join(words[token] for token in ids)

    return by_word, " "


def _check_greedy(greedy: Any, tree: SearchTree) -> list[int] | None:
    """Return what greedy search added to the prompt."""
    if greedy is None:
        return None
    prompts, single = check_prompts(greedy, "greedy")
    start = len(tree.prompt)
    if not single or tuple(prompts[0][:start]) != tree.prompt or len(prompts[0]) == start:
        raise ValueError("greedy must be the prompt of tree and one or more tokens after it")
    return prompts[0][start:]

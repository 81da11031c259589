"""Beam search: keep the k best texts so far, continue each by every token, keep the k best again.

Two questions are left open by this sentence, and each library answers them in its own way.

What becomes of a text that has ended? It may stand in a separate list of the k best, while k others
go on (`finished="separate"`, as in transformers); or it may keep its place among the k, which
leaves fewer to go on (`finished="in_beam"`).

How long is a text? See `length_divisor`.

The model's cache follows the beams: at each step its rows are reordered as the beams are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, overload

import numpy as np

from plainformer.arrays import Array, as_numpy
from plainformer.decoding.ids import check_prompts
from plainformer.decoding.logits import log_softmax
from plainformer.decoding.model import CausalModel, LogitsFn
from plainformer.decoding.search.lengths import (
    EarlyStopping,
    LengthNorm,
    length_divisor,
    may_improve,
)
from plainformer.decoding.search.settings import Settings, check_settings
from plainformer.decoding.search.tree import Hypothesis, Node, NodeStatus, SearchTree, Step
from plainformer.decoding.stepping import Texts

__all__ = ["beam_search", "best_continuations"]


@overload
def beam_search(
    model: CausalModel | LogitsFn,
    prompt: Sequence[int],
    *,
    num_beams: int,
    max_new_tokens: int,
    eos_token_id: int | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["separate", "in_beam"] = "separate",
    num_return_sequences: int = 1,
    n_candidates: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> SearchTree: ...


@overload
def beam_search(
    model: CausalModel | LogitsFn,
    prompt: Sequence[Sequence[int]],
    *,
    num_beams: int,
    max_new_tokens: int,
    eos_token_id: int | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["separate", "in_beam"] = "separate",
    num_return_sequences: int = 1,
    n_candidates: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> list[SearchTree]: ...


@overload  # an array may be one prompt or several
def beam_search(
    model: CausalModel | LogitsFn,
    prompt: Array,
    *,
    num_beams: int,
    max_new_tokens: int,
    eos_token_id: int | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["separate", "in_beam"] = "separate",
    num_return_sequences: int = 1,
    n_candidates: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Any: ...


def beam_search(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    num_beams: int,
    max_new_tokens: int,
    eos_token_id: int | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["separate", "in_beam"] = "separate",
    num_return_sequences: int = 1,
    n_candidates: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Any:
    """Search for a likely text, k beams at a time.

    Args:
        model: any `CausalModel`, as a transformer with a cache, or
            any function of (B, T) ids that returns (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
            Each is searched by itself; they share the model's
            calls.
        num_beams: how many texts to keep, k; 1 is greedy search.
        max_new_tokens: a text that comes to have so many ends; 1
            or more.
        eos_token_id: the id of the end of text, or None.
        length_penalty: α; a whole text's score is divided by
            `length_divisor`. 0 leaves it as it is.
        length_norm: what counts as length: see `length_divisor`.
        early_stopping: when k texts are whole, go on only while
            a beam may still beat the worst of them: by what it
            would score at its length of now (False), or at the
            best length (`"never"`). True: stop at once.
        finished: `"separate"` keeps the k best whole texts beside
            k beams that go on. `"in_beam"` lets a whole text
            keep its place among the k until it is outdone, and
            stops when all k are whole.
        num_return_sequences: how many texts to return, `num_beams` at most.
        n_candidates: how many candidates of each step the tree
            keeps; 2 * num_beams, which None means, or more.
        on_step: is called with each `Step` when it is done.

    Returns:
        A `SearchTree`: `.sequences`, `.scores`, `.hypotheses` and
        `.nodes`. For several prompts, a list of such. Ties go to
        the better parent, then to the lower id.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as it must, see `CausalModel`.

    Source: Graves 2012; Wu et al. 2016, section 7.

    >>> table = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
    >>> tree = beam_search(lambda ids: table[ids[:, -1]], [0], num_beams=2, max_new_tokens=2)
    >>> tree.sequences, np.exp(tree.scores).round(2).tolist()
    ([[0, 2, 0]], [0.27])
    """
    prompts, single = check_prompts(prompt)
    settings = check_settings(
        prompts,
        num_beams,
        max_new_tokens,
        eos_token_id,
        length_penalty,
        length_norm,
        early_stopping,
        finished,
        num_return_sequences,
        n_candidates,
    )
    texts = Texts(model, prompts, settings.eos_token_id)
    searches = [_Search(row, each, settings) for row, each in enumerate(prompts)]
    going = searches
    while going:
        logits = texts.next_logits()  # (B, V), all beams of all searches
        settings.check_width(logits)
        log_probs = log_softmax.formula(as_numpy(logits).astype(np.float64))
        start, parents = 0, []  # of each search, its first row
        for each in going:
            end = start + len(each.beams)
            step = each.grow(log_probs[start:end])
            parents.append(start + each.parents)
            start = end
            if on_step is not None:
                on_step(step)
        kept = [i for i, each in enumerate(going) if not each.done]
        going, parents = [going[i] for i in kept], [parents[i] for i in kept]
        if going:  # a beam goes on where its parent's row was; a search that is done leaves
            texts.select(np.concatenate(parents))
            texts.append(np.concatenate([each.tokens for each in going]))
    trees = [each.tree() for each in searches]
    return trees[0] if single else trees


def best_continuations(
    scores: Array,
    log_probs: Array,
    count: int,
) -> tuple[Array, Array, Array]:
    """Of all beams with one token more, those of highest score.

    Args:
        scores: (K,) the score of each beam.
        log_probs: (K, V) of each token after each beam; -∞ for
            what is impossible.
        count: how many to return, n; fewer if fewer are possible.

    Returns:
        Three arrays, (n,), by falling score: which beam each
        continues, by which token, and its score. Ties go to the
        earlier beam, then to the lower id.

    >>> scores = np.array([-1.0, -2.0])
    >>> log_probs = np.log([[0.5, 0.5], [0.9, 0.1]])
    >>> best = best_continuations(scores, log_probs, 3)
    >>> [each.round(2).tolist() for each in best]
    [[0, 0, 1], [0, 1, 0], [-1.69, -1.69, -2.11]]
    """
    totals = (scores[:, None] + log_probs).reshape(-1)  # (K * V,)
    if count < totals.shape[0]:
        worst = np.partition(totals, -count)[-count]
        places = np.flatnonzero(totals >= worst)
    else:
        places = np.arange(totals.shape[0])
    order = np.argsort(-totals[places], kind="stable")
    places = places[order][:count]
    places = places[totals[places] > -np.inf]
    parents, tokens = np.divmod(places, log_probs.shape[1])
    return parents, tokens, totals[places]


class _Search:
    """The search of one prompt: its beams, its whole texts, its tree."""

    def __init__(self, row: int, prompt: list[int], settings: Settings):
        self.row, self.prompt, self.settings = row, prompt, settings
        self.nodes = [Node(0, None, 0, None, 0.0, 0.0, 0.0, "kept")]
        self.beams = [0]  # the nodes that go on, (K,)
        self.scores = np.zeros(1)  # (K,)
        self.parents = self.tokens = np.zeros(1, dtype=np.int64)  # (K,) what the last step kept
        self.whole: list[Node] = []  # the best first
        self.length = 0
        self.done = False

    def grow(self, log_probs: Array) -> Step:
        """One step: weigh every continuation of every beam, (K, V); keep the best."""
        self.length += 1
        divisor = self._divisor(self.length)
        parents, tokens, scores = best_continuations(
            self.scores, log_probs, self.settings.n_candidates
        )
        statuses = self._statuses(tokens, scores / divisor)
        new = [
            Node(
                index=len(self.nodes) + i,
                parent=self.beams[parent],
                step=self.length,
                token=token,
                log_prob=float(log_probs[parent, token]),
                score=score,
                normalised=score / divisor,
                status=statuses[i],
            )
            for i, (parent, token, score) in enumerate(
                zip(parents.tolist(), tokens.tolist(), scores.tolist(), strict=True)
            )
        ]
        self.nodes += new
        going = [i for i, status in enumerate(statuses) if status == "kept"]
        self.beams = [new[i].index for i in going]
        self.scores = scores[going]
        self.parents, self.tokens = parents[going], tokens[going]
        self.whole += [node for node in new if node.status == "finished"]
        self.whole.sort(key=lambda node: -node.normalised)  # of equals the older comes first
        taken = len(going) if self.settings.finished == "in_beam" else 0
        del self.whole[self.settings.num_beams - taken :]
        self.done = self._is_done()
        return Step(self.row, self.length, tuple(new))

    def tree(self) -> SearchTree:
        """The search so far, and the best of what it found."""
        settings = self.settings
        tree = SearchTree(tuple(self.prompt), settings.num_beams, tuple(self.nodes), ())
        hypotheses = tuple(
            Hypothesis(
                node.index,
                tuple(tree.tokens(node.index)),
                node.score,
                node.normalised,
                "eos" if node.token == settings.eos_token_id else "length",
            )
            for node in self.whole[: settings.num_return_sequences]
        )
        return replace(tree, hypotheses=hypotheses)

    def _statuses(self, tokens: Array, normalised: Array) -> list[NodeStatus]:
        """What becomes of each candidate; they come by falling score."""
        k, last = self.settings.num_beams, self.length == self.settings.max_new_tokens
        in_beam = self.settings.finished == "in_beam"
        statuses: list[NodeStatus] = []
        survivors = 0
        for rank, token in enumerate(tokens.tolist()):
            ends = last or token == self.settings.eos_token_id
            if in_beam:  # the texts that ended before compete for the k places
                stays = rank + self._better(float(normalised[rank])) < k
            else:
                stays = rank < k if ends else survivors < k
            survivors += stays and not ends
            statuses.append("pruned" if not stays else "finished" if ends else "kept")
        return statuses

    def _better(self, normalised: float) -> int:
        return sum(node.normalised >= normalised for node in self.whole)

    def _is_done(self) -> bool:
        settings = self.settings
        if not self.beams:
            return True
        if settings.finished == "in_beam" or len(self.whole) < settings.num_beams:
            return False
        return settings.early_stopping is True or not may_improve(
            float(self.scores[0]),
            self.whole[-1].normalised,
            self.length,
            settings.max_new_tokens,
            settings.length_penalty,
            settings.early_stopping,
            settings.length_norm,
            len(self.prompt),
        )

    def _divisor(self, length: int) -> float:
        settings = self.settings
        return length_divisor(
            length, settings.length_penalty, settings.length_norm, len(self.prompt)
        )

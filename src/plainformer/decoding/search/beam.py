"""Beam search: keep the k best texts so far, continue each by every token, keep the k best again.

Two questions are left open by this sentence, and each library answers them in its own way.

What becomes of a text that has ended? It may stand apart, in a list of the k best, while k others
go on (`finished="apart"`, as in transformers); or it may keep its place among the k, which leaves
fewer to go on (`finished="in_beam"`).

How long is a text? See `length_divisor`.

But: here is no cache; a model that has one can keep it inside its `LogitsFn`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from plainformer.arrays import Array, as_numpy, check_size
from plainformer.decoding.logits import (
    LogitsFn,
    by_length,
    check_eos,
    check_prompts,
    log_softmax,
    next_logits,
)
from plainformer.decoding.search.lengths import (
    EarlyStopping,
    LengthNorm,
    check_early_stopping,
    check_length_norm,
    length_divisor,
    may_improve,
)
from plainformer.decoding.search.tree import Fate, Hypothesis, Node, SearchTree, Step

__all__ = ["beam_search", "best_continuations"]


def beam_search(
    logits_fn: LogitsFn,
    prompt: Any,
    *,
    beam_size: int,
    max_new_tokens: int,
    eos_id: int | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["apart", "in_beam"] = "apart",
    n_best: int = 1,
    considered: int | None = None,
    on_step: Callable[[Step], object] | None = None,
) -> Any:
    """Search for a likely text, k beams at a time.

    Args:
        logits_fn: the model, (B, T) ids to (B, V) logits.
        prompt: (T,) ids, or several such, each of its own length.
            Each is searched by itself; those of one length share
            the model's calls.
        beam_size: how many texts to keep, k; 1 is greedy search.
        max_new_tokens: a text that comes to have so many ends.
        eos_id: the id of the end of text, or None.
        length_penalty: α; a whole text's score is divided by
            `length_divisor`. 0 leaves it as it is.
        length_norm: what counts as length: see `length_divisor`.
        early_stopping: when k texts are whole, go on only while
            a beam may still beat the worst of them: by what it
            would score at its length of now (False), or at the
            best length (`"never"`). True: stop at once.
        finished: `"apart"` keeps the k best whole texts beside
            k beams that go on. `"in_beam"` lets a whole text
            keep its place among the k until it is outdone, and
            stops when all k are whole.
        n_best: how many texts to return, `beam_size` at most.
        considered: how many candidates of each step the tree
            keeps; 2 * beam_size, which None means, or more.
        on_step: is called with each `Step` when it is done.

    Returns:
        A `SearchTree`: `.sequences`, `.scores`, `.hypotheses` and
        `.nodes`. For several prompts, a list of such. Ties go to
        the better parent, then to the lower id.

    Raises:
        TypeError, ValueError: an argument is out of range, or
            the model does not answer as a `LogitsFn` must.

    Source: Graves 2012; Wu et al. 2016, section 7.

    >>> table = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
    >>> tree = beam_search(lambda ids: table[ids[:, -1]], [0], beam_size=2, max_new_tokens=2)
    >>> tree.sequences, np.exp(tree.scores).round(2).tolist()
    ([[0, 2, 0]], [0.27])
    """
    prompts, single = check_prompts(prompt)
    settings = _check(
        prompts,
        beam_size,
        max_new_tokens,
        eos_id,
        length_penalty,
        length_norm,
        early_stopping,
        finished,
        n_best,
        considered,
    )
    trees: dict[int, SearchTree] = {}
    for rows in by_length(prompts):
        searches = [_Search(row, prompts[row], settings) for row in rows]
        while going := [each for each in searches if not each.done]:
            ids = np.concatenate([each.ids for each in going])  # (B, T)
            logits = next_logits(logits_fn, ids)
            settings.check_width(logits)
            log_probs = log_softmax(as_numpy(logits).astype(np.float64))  # (B, V)
            start = 0
            for each in going:
                end = start + len(each.ids)
                step = each.grow(log_probs[start:end])
                start = end
                if on_step is not None:
                    on_step(step)
        trees |= {each.row: each.tree() for each in searches}
    return trees[0] if single else [trees[row] for row in range(len(prompts))]


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


@dataclass(frozen=True)
class _Settings:
    """What the caller asked for, checked."""

    beam_size: int
    max_new_tokens: int
    eos_id: int | None
    length_penalty: float
    length_norm: LengthNorm
    early_stopping: EarlyStopping
    finished: Literal["apart", "in_beam"]
    n_best: int
    considered: int

    def check_width(self, logits: Array) -> None:
        """See that the vocabulary is large enough for the other arguments."""
        check_eos(self.eos_id, logits)
        width = logits.shape[-1]
        if self.beam_size > width ** min(self.max_new_tokens, 64):  # no beam has 2^64
            texts = width**self.max_new_tokens
            raise ValueError(
                f"beam_size must be {texts} or less, for {width} tokens make no more texts of "
                f"length {self.max_new_tokens}; got {self.beam_size}"
            )


class _Search:
    """The search of one prompt: its beams, its whole texts, its tree."""

    def __init__(self, row: int, prompt: list[int], settings: _Settings):
        self.row, self.prompt, self.settings = row, prompt, settings
        self.nodes = [Node(0, None, 0, None, 0.0, 0.0, 0.0, "survived")]
        self.beams = [0]  # the nodes that go on, (K,)
        self.scores = np.zeros(1)  # (K,)
        self.ids = np.array([prompt])  # (K, T)
        self.whole: list[Node] = []  # the best first
        self.length = 0
        self.done = False

    def grow(self, log_probs: Array) -> Step:
        """One step: weigh every continuation of every beam, (K, V); keep the best."""
        self.length += 1
        divisor = self._divisor(self.length)
        parents, tokens, scores = best_continuations(
            self.scores, log_probs, self.settings.considered
        )
        fates = self._fates(tokens, scores / divisor)
        new = [
            Node(
                index=len(self.nodes) + i,
                parent=self.beams[parent],
                step=self.length,
                token=token,
                log_prob=float(log_probs[parent, token]),
                score=score,
                normalised=score / divisor,
                fate=fates[i],
            )
            for i, (parent, token, score) in enumerate(
                zip(parents.tolist(), tokens.tolist(), scores.tolist(), strict=True)
            )
        ]
        self.nodes += new
        going = [i for i, fate in enumerate(fates) if fate == "survived"]
        self.beams = [new[i].index for i in going]
        self.scores = scores[going]
        self.ids = np.concatenate([self.ids[parents[going]], tokens[going, None]], axis=1)
        self.whole += [node for node in new if node.fate == "finished"]
        self.whole.sort(key=lambda node: -node.normalised)  # of equals the older comes first
        taken = len(going) if self.settings.finished == "in_beam" else 0
        del self.whole[self.settings.beam_size - taken :]
        self.done = self._is_done()
        return Step(self.row, self.length, tuple(new))

    def tree(self) -> SearchTree:
        """The search so far, and the best of what it found."""
        settings = self.settings
        tree = SearchTree(tuple(self.prompt), settings.beam_size, tuple(self.nodes), ())
        hypotheses = tuple(
            Hypothesis(
                node.index,
                tuple(tree.tokens(node.index)),
                node.score,
                node.normalised,
                "eos" if node.token == settings.eos_id else "length",
            )
            for node in self.whole[: settings.n_best]
        )
        return replace(tree, hypotheses=hypotheses)

    def _fates(self, tokens: Array, normalised: Array) -> list[Fate]:
        """What becomes of each candidate; they come by falling score."""
        k, last = self.settings.beam_size, self.length == self.settings.max_new_tokens
        in_beam = self.settings.finished == "in_beam"
        fates: list[Fate] = []
        survivors = 0
        for rank, token in enumerate(tokens.tolist()):
            ends = last or token == self.settings.eos_id
            if in_beam:  # the texts that ended before compete for the k places
                stays = rank + self._better(float(normalised[rank])) < k
            else:
                stays = rank < k if ends else survivors < k
            survivors += stays and not ends
            fates.append("died" if not stays else "finished" if ends else "survived")
        return fates

    def _better(self, normalised: float) -> int:
        return sum(node.normalised >= normalised for node in self.whole)

    def _is_done(self) -> bool:
        settings = self.settings
        if not self.beams:
            return True
        if settings.finished == "in_beam" or len(self.whole) < settings.beam_size:
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


def _check(
    prompts: list[list[int]],
    beam_size: Any,
    max_new_tokens: Any,
    eos_id: Any,
    length_penalty: Any,
    length_norm: Any,
    early_stopping: Any,
    finished: Any,
    n_best: Any,
    considered: Any,
) -> _Settings:
    beam_size = check_size(beam_size, "beam_size")
    max_new_tokens = check_size(max_new_tokens, "max_new_tokens")
    if eos_id is not None:
        eos_id = check_size(eos_id, "eos_id", least=0)
    longest = max_new_tokens + max(map(len, prompts))
    length_penalty, length_norm = check_length_norm(length_penalty, length_norm, longest)
    early_stopping = check_early_stopping(early_stopping)
    if finished not in ("apart", "in_beam"):
        raise ValueError(f"finished must be 'apart' or 'in_beam'; got {finished!r}")
    if finished == "in_beam" and early_stopping is not False:
        raise ValueError(
            "early_stopping must be False with finished='in_beam', which stops when all beams are "
            f"whole; got {early_stopping!r}"
        )
    n_best = check_size(n_best, "n_best")
    if n_best > beam_size:
        raise ValueError(f"n_best must be beam_size, {beam_size}, or less; got {n_best}")
    if considered is None:
        considered = 2 * beam_size
    considered = check_size(considered, "considered", least=2 * beam_size)
    return _Settings(
        beam_size,
        max_new_tokens,
        eos_id,
        length_penalty,
        length_norm,
        early_stopping,
        finished,
        n_best,
        considered,
    )

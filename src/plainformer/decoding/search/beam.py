"""Beam search: extend the k best texts with every possible token, and keep the k best results.

A finished text can move to a separate list of the k best while k others continue
(`finished="separate"`, as in transformers), or it can keep its place among the k, so that fewer
continue (`finished="in_beam"`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

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
from plainformer.decoding.search.tree import Hypothesis, Node, NodeStatus, SearchTree
from plainformer.decoding.state import DecodingState
from plainformer.shapes import Count, Size, checked

__all__ = ["beam_search", "best_continuations"]


@checked
def beam_search(
    model: CausalModel | LogitsFn,
    prompt: Any,
    *,
    num_beams: Size,
    max_new_tokens: Size,
    eos_token_id: Count | None = None,
    length_penalty: float = 0.0,
    length_norm: LengthNorm = "generated",
    early_stopping: EarlyStopping = False,
    finished: Literal["separate", "in_beam"] = "separate",
    num_return_sequences: Size = 1,
    n_candidates: Size | None = None,
) -> Any:
    """Search for a likely text with k beams; `model`, `prompt` and `max_new_tokens` are as in
    `sample`.

    Several prompts are searched independently but share each call of the model, whose cache is
    reordered along with the beams. Returns a `SearchTree`, or a list of them for several prompts.
    Ties go to the better parent, then to the lower token id.

    Args:
        num_beams: k, how many texts to keep; 1 gives greedy search.
        length_penalty: α. A finished text's score is divided by `length_divisor`; 0 leaves it as it
            is, and `length_norm` says what counts as length.
        early_stopping: when to stop once k texts are finished. True stops at once. False continues
            while the best beam, judged at its current length, could still beat the worst of them;
            "never" judges it at the length that would help it most.
        finished: "separate" keeps the k best finished texts in addition to k active beams.
            "in_beam" lets a finished text keep its place among the k until it is beaten, and stops
            when all k are finished.
        num_return_sequences: how many texts to return, at most `num_beams`.
        n_candidates: how many candidates of each step to keep in the tree: at least 2 · num_beams,
            which is the default.

    Source: Graves 2012; Wu et al. 2016, section 7.

    >>> table = np.log([[0.2, 0.5, 0.3], [0.4, 0.3, 0.3], [0.9, 0.05, 0.05]])
    >>> tree = beam_search(lambda ids: table[ids[:, -1]], [0], num_beams=2, max_new_tokens=2)
    >>> tree.sequences, np.exp(tree.scores).round(2).tolist()
    ([[0, 2, 0]], [0.27])
    """
    prompts, single = check_prompts(prompt)
    settings = Settings(
        num_beams, max_new_tokens, eos_token_id, length_penalty, length_norm, early_stopping,
        finished, num_return_sequences, 2 * num_beams if n_candidates is None else n_candidates,
    )  # fmt: skip
    state = DecodingState(model, prompts, eos_token_id)
    searches = [_Search(each, settings) for each in prompts]
    active = searches
    while active:
        logits = as_numpy(state.logits()[:, -1, :]).astype(np.float64)  # (B, V), all beams
        log_probs = log_softmax.unchecked(logits)
        start, parents = 0, []  # for each search, the rows that its beams continue
        for search in active:
            end = start + len(search.beams)
            search.advance(log_probs[start:end])
            parents.append(start + search.parents)
            start = end
        unfinished = [i for i, search in enumerate(active) if not search.done]
        active, parents = [active[i] for i in unfinished], [parents[i] for i in unfinished]
        if active:
            state.select(np.concatenate(parents))
            state.append(np.concatenate([search.tokens for search in active]))
    trees = [search.tree() for search in searches]
    return trees[0] if single else trees


@dataclass(frozen=True)
class Settings:
    """The arguments of a beam search, checked for consistency."""

    num_beams: int
    max_new_tokens: int
    eos_token_id: int | None
    length_penalty: float
    length_norm: LengthNorm
    early_stopping: EarlyStopping
    finished: Literal["separate", "in_beam"]
    num_return_sequences: int
    n_candidates: int

    def __post_init__(self) -> None:
        k, early_stopping = self.num_beams, self.early_stopping
        if not (isinstance(early_stopping, bool) or early_stopping == "never"):
            raise ValueError(
                f"early_stopping must be False, True or 'never'; got {early_stopping!r}"
            )
        if self.finished == "in_beam" and early_stopping is not False:
            raise ValueError(
                "early_stopping must be False with finished='in_beam', which stops when all beams "
                f"are finished; got {early_stopping!r}"
            )
        if self.num_return_sequences > k:
            got = self.num_return_sequences
            raise ValueError(f"num_return_sequences must be at most num_beams, {k}; got {got}")
        if self.n_candidates < 2 * k:
            got = self.n_candidates
            raise ValueError(f"n_candidates must be at least 2 · num_beams, {2 * k}; got {got}")


def best_continuations(
    scores: Array,
    log_probs: Array,
    count: int,
) -> tuple[Array, Array, Array]:
    """The best ways to extend any of the beams by one token.

    Returns three arrays, sorted from the highest score to the lowest: the beam that is extended,
    the token, and the score. Their length is `count`, or less if fewer continuations are possible.
    Ties go to the earlier beam, then to the lower token id.

    >>> scores = np.array([-1.0, -2.0])
    >>> log_probs = np.log([[0.5, 0.5], [0.9, 0.1]])
    >>> best = best_continuations(scores, log_probs, 3)
    >>> [each.round(2).tolist() for each in best]
    [[0, 0, 1], [0, 1, 0], [-1.69, -1.69, -2.11]]
    """
    totals = (scores[:, None] + log_probs).reshape(-1)  # (K · V,)
    indices = np.arange(len(totals))
    if count < len(totals):  # sorting all would take ten times as long
        least = np.partition(totals, -count)[-count]
        indices = np.flatnonzero(totals >= least)
    indices = indices[np.argsort(-totals[indices], kind="stable")][:count]
    indices = indices[totals[indices] > -np.inf]
    parents, tokens = np.divmod(indices, log_probs.shape[1])
    return parents, tokens, totals[indices]


class _Search:
    """The search for one prompt: its beams, its finished texts and its tree."""

    def __init__(self, prompt: list[int], settings: Settings):
        self.prompt, self.settings = prompt, settings
        self.nodes = [Node(0, None, 0, None, 0.0, 0.0, 0.0, "kept")]
        self.beams = [0]  # the nodes to extend next
        self.scores = np.zeros(1)  # (K,)
        self.parents = self.tokens = np.zeros(1, dtype=np.int64)  # (K,), from the last step
        self.finished: list[Node] = []  # best first
        self.length = 0
        self.done = False

    def advance(self, log_probs: Array) -> None:
        """One step: score every continuation of every beam, (K, V), and keep the best."""
        self.length += 1
        settings = self.settings
        divisor = length_divisor(
            self.length, settings.length_penalty, settings.length_norm, len(self.prompt)
        )
        parents, tokens, scores = best_continuations(self.scores, log_probs, settings.n_candidates)
        statuses = self._statuses(tokens, scores / divisor)
        new = [
            Node(
                len(self.nodes) + i, self.beams[parent], self.length, token,
                float(log_probs[parent, token]), score, score / divisor, statuses[i],
            )
            for i, (parent, token, score) in enumerate(
                zip(parents.tolist(), tokens.tolist(), scores.tolist(), strict=True)
            )
        ]  # fmt: skip
        self.nodes += new
        unfinished = [i for i, status in enumerate(statuses) if status == "kept"]
        self.beams = [new[i].index for i in unfinished]
        self.scores = scores[unfinished]
        self.parents, self.tokens = parents[unfinished], tokens[unfinished]
        self.finished += [node for node in new if node.status == "finished"]
        self.finished.sort(key=lambda node: -node.normalised)  # stable: of equals, the older first
        places_taken = len(unfinished) if settings.finished == "in_beam" else 0
        del self.finished[settings.num_beams - places_taken :]
        self.done = self._is_done()

    def tree(self) -> SearchTree:
        """The tree so far, with the best of the finished texts."""
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
            for node in self.finished[: settings.num_return_sequences]
        )
        return replace(tree, hypotheses=hypotheses)

    def _statuses(self, tokens: Array, normalised: Array) -> list[NodeStatus]:
        """What happens to each candidate, given from the highest score to the lowest."""
        k, last = self.settings.num_beams, self.length == self.settings.max_new_tokens
        in_beam = self.settings.finished == "in_beam"
        statuses: list[NodeStatus] = []
        survivors = 0
        for rank, token in enumerate(tokens.tolist()):
            ends = last or token == self.settings.eos_token_id
            if in_beam:  # finished texts compete for the k places
                better = sum(node.normalised >= normalised[rank] for node in self.finished)
                stays = rank + better < k
            else:
                stays = rank < k if ends else survivors < k
            survivors += stays and not ends
            statuses.append("pruned" if not stays else "finished" if ends else "kept")
        return statuses

    def _is_done(self) -> bool:
        settings = self.settings
        if not self.beams:
            return True
        if settings.finished == "in_beam" or len(self.finished) < settings.num_beams:
            return False
        return settings.early_stopping is True or not may_improve(
            float(self.scores[0]), self.finished[-1].normalised, self.length,
            settings.max_new_tokens, settings.length_penalty, settings.early_stopping,
            settings.length_norm, len(self.prompt),
        )  # fmt: skip

"""The record of a beam search, as a tree: every candidate, its parent, and whether it was kept."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Literal

__all__ = ["Hypothesis", "Node", "NodeStatus", "SearchTree"]

NodeStatus = Literal["kept", "finished", "pruned"]


@dataclass(frozen=True, slots=True)
class Node:
    """One candidate: a beam and one more token.

    Attributes:
        index: its index in `SearchTree.nodes`; the root, which is the prompt, has 0.
        parent: the index of the beam that it continues; None for the root.
        step: the number of tokens after the prompt.
        token: the id of its last token; None for the root.
        log_prob: the logarithm of that token's probability.
        score: the sum of log_prob from the root to this node.
        normalised: the score divided by `length_divisor`.
        status: "kept" is expanded in the next step, "finished" is a complete text, and "pruned"
            was not good enough.
    """

    index: int
    parent: int | None
    step: int
    token: int | None
    log_prob: float
    score: float
    normalised: float
    status: NodeStatus


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished text that the search found.

    `node` is the index of its last token's node, and `tokens` are the ids after the prompt. `ended`
    says whether it ended with an end-of-text token or at max_new_tokens.
    """

    node: int
    tokens: tuple[int, ...]
    score: float
    normalised: float
    ended: Literal["eos", "length"]


@dataclass(frozen=True, slots=True)
class SearchTree:
    """A finished search of one prompt: the root, each step's candidates, and the best texts."""

    prompt: tuple[int, ...]
    num_beams: int
    nodes: tuple[Node, ...]
    hypotheses: tuple[Hypothesis, ...]

    @property
    def sequences(self) -> list[list[int]]:
        """The prompt and the tokens of each hypothesis, the best first."""
        return [[*self.prompt, *each.tokens] for each in self.hypotheses]

    @property
    def scores(self) -> list[float]:
        """The normalised score of each hypothesis, the best first."""
        return [each.normalised for each in self.hypotheses]

    @property
    def candidates_by_step(self) -> list[tuple[Node, ...]]:
        """The candidates of each step, the best first, without the root."""
        steps = groupby(self.nodes[1:], key=lambda node: node.step)
        return [tuple(candidates) for _, candidates in steps]

    def path(self, index: int) -> list[int]:
        """The indices of the nodes from the root, 0, to this one, inclusive."""
        path = [index]
        while (parent := self.nodes[path[-1]].parent) is not None:
            path.append(parent)
        return path[::-1]

    def tokens(self, index: int) -> list[int]:
        """The ids after the prompt, on the path to this node."""
        nodes = (self.nodes[each] for each in self.path(index))
        return [node.token for node in nodes if node.token is not None]

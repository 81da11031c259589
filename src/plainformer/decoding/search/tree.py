"""The record of a beam search, as a tree: every candidate, its parent, and whether it was kept.

The root is the prompt. At every step, the candidates are children of the beams that they continue.
A candidate with status "kept" is expanded in the next step, one that is "finished" is a complete
text and is never expanded, and one that is "pruned" was not good enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Hypothesis", "Node", "NodeStatus", "SearchTree", "Step"]

NodeStatus = Literal["kept", "finished", "pruned"]


@dataclass(frozen=True, slots=True)
class Node:
    """One candidate: a beam and one more token.

    Attributes:
        index: its index in `SearchTree.nodes`; the root's is 0.
        parent: the index of the beam that it continues; None for the root.
        step: the number of tokens after the prompt; the root's is 0.
        token: the id of its last token; None for the root.
        log_prob: the logarithm of that token's probability.
        score: the sum of log_prob from the root to this node.
        normalised: the score divided by `length_divisor`.
        status: "kept", "finished" or "pruned".
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
class Step:
    """All candidates of one step, the best first.

    Attributes:
        row: the index of the prompt.
        number: 1 for the first token after the prompt.
        nodes: the candidates, by falling score.
    """

    row: int
    number: int
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished text that the search found.

    Attributes:
        node: the index of its last token's node.
        tokens: the ids after the prompt, including the end-of-text token.
        score: the sum of their log probabilities.
        normalised: the score divided by `length_divisor`, by which texts are ranked.
        ended: "eos" for an end-of-text token, "length" for max_new_tokens.
    """

    node: int
    tokens: tuple[int, ...]
    score: float
    normalised: float
    ended: Literal["eos", "length"]


@dataclass(frozen=True, slots=True)
class SearchTree:
    """A finished search of one prompt.

    Attributes:
        prompt: the ids that it started from.
        num_beams: k, the number of beams.
        nodes: the root, and then each step's candidates by falling score.
        hypotheses: the best finished texts, the best first.
    """

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
        """The candidates of each step, from the first on, without the root."""
        steps: list[list[Node]] = []
        for node in self.nodes[1:]:
            if node.step > len(steps):
                steps.append([])
            steps[-1].append(node)
        return [tuple(each) for each in steps]

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

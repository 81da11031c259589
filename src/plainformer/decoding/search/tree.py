"""What a beam search did, kept as a tree: who was weighed, whose child it was, what became of it.

The root is the prompt. Each step hangs its candidates below the beams that they continue. A
candidate of status "kept" is expanded in the next step; one that is "finished" is a whole text and
is never expanded; one that is "pruned" was not good enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Hypothesis", "Node", "NodeStatus", "SearchTree", "Step"]

NodeStatus = Literal["kept", "finished", "pruned"]


@dataclass(frozen=True, slots=True)
class Node:
    """One candidate: a beam, and one more token.

    Attributes:
        index: its place in `SearchTree.nodes`; the root's is 0.
        parent: the index of the beam that it continues; None for
            the root.
        step: how many tokens it has beyond the prompt; the root's
            is 0.
        token: the id of its last token; None for the root.
        log_prob: the logarithm of that token's probability.
        score: the sum of the log_prob from the root to here.
        normalised: the score divided by its length, as the search
            was told to count it.
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
    """All that one step weighed, the best first.

    Attributes:
        row: which of the prompts.
        number: 1 for the first token after the prompt.
        nodes: the candidates, by falling score.
    """

    row: int
    number: int
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A whole text that the search came to.

    Attributes:
        node: the index of its last token's node.
        tokens: the ids after the prompt, the end of text included.
        score: the sum of their log probabilities.
        normalised: the score divided by its length; texts are
            ranked by it.
        ended: "eos" if by the end of text, "length" if by
            max_new_tokens.
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
        num_beams: how many beams it kept.
        nodes: the root, and each step's candidates, by falling
            score.
        hypotheses: the best texts, the best first.
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
        """The candidates of each step, from the first; the root is in none."""
        steps: list[list[Node]] = []
        for node in self.nodes[1:]:
            if node.step > len(steps):
                steps.append([])
            steps[-1].append(node)
        return [tuple(each) for each in steps]

    def path(self, index: int) -> list[int]:
        """The indices of the nodes from the root, 0, to this one."""
        path = [index]
        while (parent := self.nodes[path[-1]].parent) is not None:
            path.append(parent)
        return path[::-1]

    def tokens(self, index: int) -> list[int]:
        """The ids after the prompt, on the path to this node."""
        nodes = (self.nodes[each] for each in self.path(index))
        return [node.token for node in nodes if node.token is not None]

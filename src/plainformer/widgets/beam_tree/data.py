"""What a browser needs of a beam search, and nothing more: `pack`.

A step of a search weighs more candidates than an eye can take in. All that went on or ended are
kept, and all that greedy search took; of those that died only the best, and a count of the rest.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from plainformer.decoding.search.lengths import LengthNorm, length_divisor
from plainformer.decoding.search.tree import Node, SearchTree
from plainformer.widgets.kit.checks import check_strings

__all__ = ["MAX_BEAMS", "MAX_LISTED", "MAX_STEPS", "STATUSES", "check_tree", "grown_with", "pack"]

MAX_STEPS = 24
"""The most steps of a search."""

MAX_BEAMS = 8
"""The most beams of a search."""

MAX_LISTED = 12
"""How many candidates of a step are shown; more only if more of them went on or ended."""

MAX_WORDS = 60
"""Of a longer prompt, so many characters are shown, the last ones."""

STATUSES = ("kept", "finished", "limit", "pruned")
"""What becomes of a candidate: it goes on, the end of text or its length ends it, or it dies.

The ``status`` of a `Node`, with "limit" apart from "finished": it may not be longer.
"""

SHAPES: dict[LengthNorm, str] = {
    "generated": "length",
    "whole": "(prompt + length)",
    "gnmt": "((5 + length) / 6)",
}
"""What is raised to the power of α, by rule: see `length_divisor`."""


def check_tree(tree: Any) -> SearchTree:
    """Return the tree of a search that a page can show.

    Raises TypeError when it is none; ValueError when it has no step, more than `MAX_STEPS`, or more
    than `MAX_BEAMS` beams.
    """
    if isinstance(tree, list) and tree and isinstance(tree[0], SearchTree):
        raise TypeError(f"tree must be one SearchTree; got a list of {len(tree)}: choose one")
    if not isinstance(tree, SearchTree):
        raise TypeError(
            f"tree must be a SearchTree, as beam_search returns it; got {type(tree).__name__}"
        )
    if not 1 <= (count := len(tree.candidates_by_step)) <= MAX_STEPS:
        raise ValueError(f"tree must have 1 to {MAX_STEPS} steps; got {count}")
    if not 1 <= tree.num_beams <= MAX_BEAMS:
        raise ValueError(f"tree must have 1 to {MAX_BEAMS} beams; got {tree.num_beams}")
    return tree


def grown_with(tree: SearchTree) -> tuple[float, LengthNorm]:
    """Return the α and the rule of length that a search divided its scores by.

    The tree does not say, but its scores do: score / normalised is length**α.

    >>> root = Node(0, None, 0, None, 0.0, 0.0, 0.0, "kept")
    >>> one = Node(1, 0, 1, 5, -1.0, -1.0, -1.0, "kept")
    >>> two = Node(2, 1, 2, 7, -1.0, -2.0, -1.0, "finished")  # -2 / 2
    >>> grown_with(SearchTree((3,), 1, (root, one, two), ()))
    (1.0, 'generated')

    Raises ValueError when no α does.
    """
    nodes = [node for node in tree.nodes[1:] if node.score < 0]
    if all(node.normalised == node.score for node in nodes):
        return 0.0, "generated"
    for rule in SHAPES:
        alphas = []
        for node in nodes:
            base = length_divisor(node.step, 1, rule, len(tree.prompt))
            ratio = node.score / node.normalised
            if base != 1:
                alphas.append(math.log(ratio) / math.log(base))
            elif abs(ratio - 1) > 1e-9:
                break
        else:
            if alphas and max(alphas) - min(alphas) < 1e-6:
                return round(sum(alphas) / len(alphas), 9), rule
    raise ValueError("tree must have scores divided by a power of the length; got others")


def pack(
    tree: SearchTree,
    name: Callable[[Sequence[int]], str],
    joint: str,
    *,
    rule: LengthNorm,
    alpha: float,
    greedy: Sequence[int] | None,
    greedy_score: float | None,
) -> dict[str, Any]:
    """Return what the front end draws: nodes as lists, words, lengths, and what greedy did.

    Args:
        tree: the search.
        name: gives the text of some tokens.
        joint: what stands between the words of a text.
        rule, alpha: how it counted length, and the α it was grown with.
        greedy: the tokens of greedy search after the prompt, or None: its path is followed as far
            as the tree knows it.
        greedy_score: the sum of their log probabilities, if known.

    A node is [index, parent's place, step, word's place, log probability, sum, status's place], in
    the order in which it is drawn: step by step, children in the order of their parents, the best
    first.
    """
    eos = _end_of_text(tree)
    steps = tree.candidates_by_step
    taken = _follow(tree, greedy)
    places = {0: 0}
    nodes: list[list[Any]] = [[0, -1, 0, -1, 0.0, 0.0, 0]]
    words: dict[int, int] = {}
    more = []
    for step in steps:
        listed = _listed(step, set(taken))
        more.append(len(step) - len(listed))
        listed.sort(key=lambda node: places[_parent(node)])  # stable: the best stays first
        for node in listed:
            places[node.index] = len(nodes)
            token = _token(node)
            word = words.setdefault(token, len(words))
            status = {"kept": 0, "pruned": 3, "finished": 1 if token in eos else 2}[node.status]
            nodes.append([
                node.index, places[_parent(node)], node.step, word, node.log_prob, node.score,
                status,
            ])  # fmt: skip
    if len(taken) - 1 == len(greedy or ()) or greedy is None:
        greedy_score = tree.nodes[taken[-1]].score
    ends = greedy is not None or tree.nodes[taken[-1]].status == "finished"
    ids = tree.tokens(taken[-1]) if greedy is None else list(greedy)
    prompt = name(tree.prompt)
    return {
        "prompt": prompt if len(prompt) <= MAX_WORDS else "…" + prompt[1 - MAX_WORDS :],
        "joint": joint,
        "words": check_strings([name([t]) for t in words], "words", 1, 10**6, "token"),
        "nodes": nodes,
        "more": more,
        "beams": tree.num_beams,
        "grown": alpha,
        "rule": SHAPES[rule],
        "lengths": [length_divisor(t, 1, rule, len(tree.prompt)) for t in range(len(steps) + 1)],
        "greedy": {
            "path": [places[index] for index in taken],
            "text": joint.join(name([t]) for t in ids if t not in eos),
            "score": greedy_score,
            "length": len(ids),
            "base": length_divisor(len(ids), 1, rule, len(tree.prompt)),
            "whole": ends,
        },
    }


def _end_of_text(tree: SearchTree) -> set[int]:
    """The id of the end of text, if the search met it: what ends before the last step has it."""
    last = tree.nodes[-1].step
    by_step = {_token(n) for n in tree.nodes if n.status == "finished" and n.step < last}
    return by_step | {each.tokens[-1] for each in tree.hypotheses if each.ended == "eos"}


def _follow(tree: SearchTree, greedy: Iterable[int] | None) -> list[int]:
    """The nodes that greedy search passed, from the root as far as they are in the tree."""
    path = [0]
    wanted = None if greedy is None else list(greedy)
    for number, step in enumerate(tree.candidates_by_step):
        children = [node for node in step if node.parent == path[-1]]
        if wanted is not None:
            children = [n for n in children if number < len(wanted) and n.token == wanted[number]]
        if not children:
            break
        path.append(max(children, key=lambda node: node.log_prob).index)
    return path


def _listed(step: tuple[Node, ...], needed: set[int]) -> list[Node]:
    """The candidates of a step that are shown, by falling score."""
    must = {node.index for node in step if node.status != "pruned" or node.index in needed}
    room = max(0, MAX_LISTED - len(must))
    must |= {node.index for node in [n for n in step if n.index not in must][:room]}
    return [node for node in step if node.index in must]


def _parent(node: Node) -> int:
    assert node.parent is not None  # the root is in no step
    return node.parent


def _token(node: Node) -> int:
    assert node.token is not None
    return node.token

"""The first search of a `Translator`, as its page carries it: before any weights are fetched."""

from __future__ import annotations

from typing import Any

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding import SearchTree, beam_search
from plainformer.training.vocabulary import Vocabulary

__all__ = ["STATUSES", "leader", "looks_of", "pack", "search"]

STATUSES = ("kept", "finished", "pruned")
"""What becomes of a candidate, as `Node.status` has it."""

SOS, EOS = Vocabulary.sos_id, Vocabulary.eos_id


def search(model: Any, source: list[int], num_beams: int, most: int) -> SearchTree:
    """The beam search of a translation, as `Translator.translate` does it; greedy with one beam.

    Args:
        model: an `EncoderDecoder`.
        source: the ids of the sentence, one or more.
        num_beams, most: how many texts to keep, and how many words a text may have.
    """
    decoder = model.eval().bind(_batch(model, source))
    tree: SearchTree = beam_search(
        decoder, [SOS], num_beams=num_beams, max_new_tokens=most, eos_token_id=EOS
    )
    return tree


def _batch(model: Any, ids: list[int]) -> Any:
    """(1, T) ids as the model takes them, without an import of torch."""
    return next(model.parameters()).new_tensor([ids]).long()


def leader(tree: SearchTree) -> list[int]:
    """The places of the best text, from its first word on."""
    return list(tree.path(tree.hypotheses[0].node))[1:]


def looks_of(model: Any, source: list[int], tree: SearchTree) -> dict[int, Array]:
    """Where the decoder looks to go on from a node: (L, H, S), by the node's place."""
    from plainformer.blocks import trace  # not at the top: it brings torch

    found: dict[int, Array] = {}
    layers = range(len(model.decoder_layers))
    parents = {node.parent for node in tree.nodes if node.parent is not None}
    for place in sorted(parents, reverse=True):  # the deepest first: its path brings the others
        if place in found:
            continue
        written = _batch(model, [SOS, *tree.tokens(place)])
        steps = trace(model, (_batch(model, source), written))
        weights = np.stack([
            steps[f"decoder_layers.{i}.cross_attention.weights"][0].detach().numpy() for i in layers
        ])  # fmt: skip
        for t, each in enumerate(tree.path(place)):
            found[each] = weights[:, :, t]
    return found


def pack(tree: SearchTree, looks: dict[int, Array]) -> dict[str, Any]:
    """What the front end needs of a search, in the form that its own searches have.

    ``nodes`` are [parent, step, token, score, place in `STATUSES`]; ``looks`` has a flat list of
    (L, H, S) weights for each node, or None.
    """
    nodes = [
        [
            -1 if node.parent is None else node.parent, node.step,
            -1 if node.token is None else node.token,
            round(node.score, 6), STATUSES.index(node.status),
        ]
        for node in tree.nodes
    ]  # fmt: skip
    flat = [
        np.round(looks[place], 5).ravel().tolist() if place in looks else None
        for place in range(len(nodes))
    ]
    return {"nodes": nodes, "looks": flat}

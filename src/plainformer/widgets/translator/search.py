"""The first search of a `Translator`, as its page carries it: before any weights are fetched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from plainformer.arrays import Array
from plainformer.decoding import SearchTree, beam_search
from plainformer.training.vocabulary import Vocabulary

__all__ = ["STATUSES", "Patch", "cross_attention_weights", "leader", "pack", "search"]

STATUSES = ("kept", "finished", "pruned")
"""What becomes of a candidate, as `Node.status` has it."""

SOS, EOS = Vocabulary.sos_id, Vocabulary.eos_id


Patch = tuple[list[int], int]
"""The ids of another sentence, and the word whose vector is taken from there."""


def search(
    model: Any, source: list[int], num_beams: int, most: int, patch: Patch | None = None
) -> SearchTree:
    """The beam search of a translation, as `Translator.translate` does it; greedy with one beam.

    Args:
        model: an `EncoderDecoder`.
        source: the ids of the sentence, one or more.
        num_beams, most: how many texts to keep, and how many words a text may have.
        patch: what replaces one vector that the encoder returns, if anything does.
    """
    from plainformer.blocks.modules.models import BoundDecoder  # not at the top: it brings torch

    read = model.eval().encode(_batch(model, source))
    decoder = BoundDecoder(model, _patching(model, patch)(read), None)
    tree: SearchTree = beam_search(
        decoder, [SOS], num_beams=num_beams, max_new_tokens=most, eos_token_id=EOS
    )
    return tree


def _patching(model: Any, patch: Patch | None) -> Callable[[Any], Any]:
    """What gives one word of an encoder's output, (1, S, D), its vector from another sentence."""
    if patch is None:
        return lambda read: read
    ids, place = patch
    vector = model.encode(_batch(model, ids))[:, place]

    def patched(read: Any) -> Any:
        mixed = read.clone()
        mixed[:, place] = vector
        return mixed

    return patched


def _batch(model: Any, ids: list[int]) -> Any:
    """(1, T) ids as the model takes them, without an import of torch."""
    return next(model.parameters()).new_tensor([ids]).long()


def leader(tree: SearchTree) -> list[int]:
    """The places of the best text, from its first word on."""
    return list(tree.path(tree.hypotheses[0].node))[1:]


def cross_attention_weights(
    model: Any, source: list[int], tree: SearchTree, patch: Patch | None = None
) -> dict[int, Array]:
    """Where the decoder looks to go on from a node: (L, H, S), by the node's place."""
    from plainformer.blocks import patch as run  # not at the top: it brings torch

    found: dict[int, Array] = {}
    layers = range(len(model.decoder_layers))
    pre = model.config.norm_place == "pre"
    last = "norm" if pre else f"layers.{len(model.layers) - 1}.residual_2"
    replaced = {last: _patching(model, patch)}
    parents = {node.parent for node in tree.nodes if node.parent is not None}
    for place in sorted(parents, reverse=True):  # the deepest first: its path brings the others
        if place in found:
            continue
        written = _batch(model, [SOS, *tree.tokens(place)])
        steps = run(model, (_batch(model, source), written), replaced)
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

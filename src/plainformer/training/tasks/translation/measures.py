"""What the chapter *Translation* measures: predictions, computation, and attention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.blocks import trace
from plainformer.blocks.modules.models import BoundDecoder
from plainformer.data.english_italian.agreement import definite
from plainformer.data.english_italian.lexicon import ADJECTIVES, MOVES, NOUNS, VERBS, Noun
from plainformer.training.tasks.translation.experiment import train_translator
from plainformer.training.tasks.translation.saving import alignment
from plainformer.training.tasks.translation.settings import grammar_pairs
from plainformer.training.tasks.translation.translator import PAD, SOS, Translator, collate
from plainformer.training.vocabulary import join

__all__ = [
    "Answers", "GenderVotes", "alignment_accuracy", "answers", "count_rows", "gender_votes",
    "half_trained", "lexicon_alignment",
]  # fmt: skip


@cache
def half_trained(steps: int = 250, label_smoothing: float = 0.0) -> Translator:
    """Return a translator that has only done some of the steps of its run."""
    pairs = grammar_pairs(20_000)
    return train_translator(pairs, steps, label_smoothing=label_smoothing).translator


@dataclass(frozen=True)
class Answers:
    """A translator's predictions at each position, with and without teacher forcing."""

    targets: Tensor  # (N, T) the reference, including <eos> and padding
    forced: Tensor  # (N, T) its predictions after the words of the reference
    free_running: Tensor  # (N, T) its predictions after its own words
    probs: Tensor  # (N, T, V) its probabilities after the words of the reference

    @property
    def counts(self) -> Tensor:
        """(N, T) True where the target is not padding."""
        return self.targets != PAD

    def right(self, predictions: Tensor) -> Tensor:
        """(N, T) True where predictions are correct."""
        return (predictions == self.targets) & self.counts


@torch.no_grad()
def answers(translator: Translator, pairs: Sequence[tuple[str, str]]) -> Answers:
    """Predict each word of each translation, after the true words and after its own."""
    encode, model = translator.vocabulary.encode, translator.model
    batch = collate([(encode(source), encode(target)) for source, target in pairs])
    source, inputs, targets = batch
    decoder = model.bind(source, source_mask=source != PAD)
    logits = decoder(inputs)  # (N, T, V)
    cache = decoder.new_cache(len(pairs), inputs.shape[1])
    word, free_running = inputs[:, :1], []
    for _ in range(inputs.shape[1]):
        word = decoder(word, cache=cache)[:, -1:].argmax(-1)
        free_running.append(word)
    return Answers(targets, logits.argmax(-1), torch.cat(free_running, dim=1), logits.softmax(-1))


@contextmanager
def count_rows(model: Any) -> Iterator[dict[str, int]]:
    """Count the tokens that one layer of the encoder and one of the decoder process."""
    rows, layers = {"encoder": 0, "decoder": 0}, (model.layers[0], model.decoder_layers[0])

    def count(name: str, _: nn.Module, inputs: tuple[Tensor, ...], __: Any) -> None:
        rows[name] += inputs[0].shape[0] * inputs[0].shape[1]

    hooks = [
        layer.register_forward_hook(partial(count, name))
        for name, layer in zip(rows, layers, strict=True)
    ]
    try:
        yield rows
    finally:
        for hook in hooks:
            hook.remove()


@cache
def _forms() -> dict[str, set[str]]:
    """Return the Italian forms of each English noun, adjective and one-word verb."""
    found: dict[str, set[str]] = defaultdict(set)
    for noun in NOUNS:
        for english, italian in zip(noun.english, noun.italian, strict=True):
            found[english].add(italian)
    for adjective in ADJECTIVES:
        found[adjective.english].update(adjective.italian)
    for verb in (*VERBS, *MOVES):
        for english in verb.english:
            found[english].update(verb.italian)
    return dict(found)


def lexicon_alignment(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Align words by the grammar's dictionary, and return pairs of (target, source) positions.

    Only nouns, adjectives and verbs are aligned, and ambiguous ones are left out.

    >>> lexicon_alignment("a lovely cat".split(), "un gatto adorabile".split())
    [(1, 2), (2, 1)]
    """
    forms = _forms()
    links = []
    for t, word in enumerate(target):
        fits = [s for s, english in enumerate(source) if word in forms.get(english, ())]
        if len(fits) == 1 and list(target).count(word) == 1:
            links.append((t, fits[0]))
    return links


def alignment_accuracy(
    translator: Translator, pairs: Sequence[tuple[str, str]]
) -> tuple[Tensor, float, int]:
    """Measure how often cross-attention is largest at the word that the dictionary gives.

    Returns the share of words for each head, (L, H), that for the mean of all heads, and the number
    of words.
    """
    hits, mean_hits, count = torch.zeros(()), 0, 0
    for english, italian in pairs:
        tokens = translator.vocabulary.tokens
        weights = alignment(translator, english, italian)  # (L, H, T + 1, S)
        for t, s in lexicon_alignment(tokens(english), tokens(italian)):
            hits = hits + (weights[:, :, t].argmax(-1) == s).float()
            mean_hits += int(weights[:, :, t].mean((0, 1)).argmax() == s)
            count += 1
    return hits / count, mean_hits / count, count


@dataclass(frozen=True)
class GenderVotes:
    """Which part of the model determines the gender of an adjective; see `gender_votes`."""

    asked: int  # the number of pairs of a masculine and a feminine noun
    source: int  # how often the English noun decides, against the Italian words so far
    vector: int  # how often the vector of the English adjective alone decides
    attention: Tensor  # (L, H), of the encoder, from the English adjective to its noun


@torch.no_grad()
def gender_votes(
    translator: Translator, adjectives: Sequence[str] = ("red", "white", "new")
) -> GenderVotes:
    """Let the model translate *red* in *the letter is red* after two interventions.

    In the first, the decoder has read the wrong Italian words *il libro è*, and may continue with
    *rossa* or with *rosso*. In the second, it has read *la lettera è*, but the vector of *red*
    comes from *the book is red*.
    """
    model, words = translator.model.eval(), translator.vocabulary
    asked = source = vector = 0
    weights = torch.zeros(())
    for forms in (each for each in ADJECTIVES if each.english in adjectives):
        for noun, other in _noun_pairs(forms.kinds):
            ours, theirs = (
                torch.tensor([words.encode(f"the {each.english[0]} is {forms.english}")])
                for each in (noun, other)
            )
            steps = trace(model, (ours, torch.tensor([[SOS]])))
            layers = range(len(model.layers))
            weights = weights + torch.stack(
                [steps[f"layers.{i}.attention.weights"][0][:, 3, 1] for i in layers]
            )
            read = model.encode(ours)
            word = _next_word(translator, read, f"{_with_article(other)} è")
            source += word == forms.form(noun.gender("s"), "s")
            read[:, 3] = model.encode(theirs)[:, 3]  # only the vector of the adjective
            word = _next_word(translator, read, f"{_with_article(noun)} è")
            vector += word == forms.form(other.gender("s"), "s")
            asked += 1
    return GenderVotes(asked, source, vector, weights / asked)


def _noun_pairs(kinds: frozenset[str]) -> Iterator[tuple[Noun, Noun]]:
    """Yield nouns of these kinds, each with one of the other gender."""
    nouns = [noun for noun in NOUNS if noun.kinds & kinds]
    masculine, feminine = ([n for n in nouns if n.gender("s") == gender] for gender in ("m", "f"))
    for il, la in zip(masculine, feminine, strict=False):
        yield il, la
        yield la, il


def _with_article(noun: Noun) -> str:
    article = definite(noun.gender("s"), "s", noun.italian[0])
    return join([article, noun.italian[0]])


def _next_word(translator: Translator, source: Tensor, written: str) -> str:
    """Return the most likely next word for an encoded source, (1, S, D)."""
    words = translator.vocabulary
    decoder = BoundDecoder(translator.model, source, None)
    id_ = int(decoder(torch.tensor([[SOS, *words.encode(written)]]))[0, -1].argmax())
    return words.decode([id_])

"""What the chapter *Translation* measures: answers by place, work by token, where heads look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.blocks import trace
from plainformer.blocks.modules.models import BoundDecoder
from plainformer.data.english_italian.agreement import definite
from plainformer.data.english_italian.lexicon import ADJECTIVES, MOVES, NOUNS, VERBS, Noun
from plainformer.training.loop import train
from plainformer.training.tasks.running import threads_for_a_while
from plainformer.training.tasks.translation.settings import grammar_pairs
from plainformer.training.tasks.translation.shipping import alignment
from plainformer.training.tasks.translation.translator import (
    PAD,
    SOS,
    Translator,
    collate,
    translation_run,
)
from plainformer.training.vocabulary import join

__all__ = [
    "Answers", "GenderVotes", "aligned", "answers", "count_rows", "gender_votes", "half_trained",
    "lexicon_links",
]  # fmt: skip

STEPS = 700


@cache
def half_trained(steps: int = 250, label_smoothing: float = 0.0) -> Translator:
    """A translator that has not learned enough: so many steps of a run of `STEPS`, on one core."""
    with threads_for_a_while(1):
        run, translator = translation_run(_pairs(), STEPS, label_smoothing=label_smoothing)
        train(run, steps)
    translator.model.eval()
    return translator


@cache
def _pairs() -> tuple[tuple[str, str], ...]:
    return tuple(grammar_pairs(20_000))


@dataclass(frozen=True)
class Answers:
    """What a translator says at each place, in two ways.

    Attributes:
        targets: (N, T) what it should say, <eos> included; padded.
        forced: (N, T) what it says after the words of the reference.
        own: (N, T) what it says after its own words.
        probs: (N, T, V) its probabilities after the reference.
    """

    targets: Tensor
    forced: Tensor
    own: Tensor
    probs: Tensor

    @property
    def counts(self) -> Tensor:
        """(N, T) True where there is a word to say."""
        return self.targets != PAD

    def right(self, said: Tensor) -> Tensor:
        """(N, T) True where what was said is right."""
        return (said == self.targets) & self.counts


@torch.no_grad()
def answers(translator: Translator, pairs: Sequence[tuple[str, str]]) -> Answers:
    """Ask for each word of each translation, after the true words and after its own."""
    encode, model = translator.vocabulary.encode, translator.model
    batch = collate([(encode(source), encode(target)) for source, target in pairs])
    source, inputs, targets = batch
    decoder = model.bind(source, source_mask=source != PAD)
    logits = decoder(inputs)  # (N, T, V)
    cache = decoder.new_cache(len(pairs), inputs.shape[1])
    word, own = inputs[:, :1], []
    for _ in range(inputs.shape[1]):
        word = decoder(word, cache=cache)[:, -1:].argmax(-1)
        own.append(word)
    return Answers(targets, logits.argmax(-1), torch.cat(own, dim=1), logits.softmax(-1))


@contextmanager
def count_rows(model: Any) -> Iterator[dict[str, int]]:
    """Count the tokens that pass through a layer of the encoder and one of the decoder."""
    rows = {"encoder": 0, "decoder": 0}

    def counter(name: str) -> Callable[..., None]:
        def count(_module: nn.Module, inputs: tuple[Any, ...], _output: Any) -> None:
            rows[name] += inputs[0].shape[0] * inputs[0].shape[1]

        return count

    hooks = [
        model.layers[0].register_forward_hook(counter("encoder")),
        model.decoder_layers[0].register_forward_hook(counter("decoder")),
    ]
    try:
        yield rows
    finally:
        for hook in hooks:
            hook.remove()


@cache
def _forms() -> dict[str, frozenset[str]]:
    """The Italian forms of each English noun, adjective and verb of one word."""
    found: dict[str, set[str]] = {}
    for noun in NOUNS:
        for english, italian in zip(noun.english, noun.italian, strict=True):
            found.setdefault(english, set()).add(italian)
    for adjective in ADJECTIVES:
        found.setdefault(adjective.english, set()).update(adjective.italian)
    for verb in (*VERBS, *MOVES):
        for english in verb.english:
            found.setdefault(english, set()).update(verb.italian)
    return {english: frozenset(forms) for english, forms in found.items()}


def lexicon_links(source: Sequence[str], target: Sequence[str]) -> list[tuple[int, int]]:
    """Which word translates which, by our dictionary: (place in target, place in source).

    Nouns, adjectives and verbs; words that could translate two are left out.

    >>> lexicon_links("a lovely cat".split(), "un gatto adorabile".split())
    [(1, 2), (2, 1)]
    """
    forms = _forms()
    links = []
    for t, word in enumerate(target):
        fits = [s for s, english in enumerate(source) if word in forms.get(english, ())]
        if len(fits) == 1 and list(target).count(word) == 1:
            links.append((t, fits[0]))
    return links


def aligned(translator: Translator, pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, float, int]:
    """How often attention looks most at the English word that the dictionary names.

    Returns:
        (L, H) the share of words, for each head; the share if all heads are averaged; and how many
        words were asked for.
    """
    hits, mean_hits, count = torch.zeros(()), 0, 0
    for english, italian in pairs:
        tokens = translator.vocabulary.tokens
        weights = alignment(translator, english, italian)  # (L, H, T + 1, S)
        for t, s in lexicon_links(tokens(english), tokens(italian)):
            hits = hits + (weights[:, :, t].argmax(-1) == s).float()
            mean_hits += int(weights[:, :, t].mean((0, 1)).argmax() == s)
            count += 1
    return hits / count, mean_hits / count, count


@dataclass(frozen=True)
class GenderVotes:
    """From where an adjective takes its gender.

    Attributes:
        asked: how many pairs of nouns, one masculine, one feminine.
        source: how often it follows the English noun, where the Italian words so far are of
            another gender.
        vector: how often it turns to the other gender, where nothing but the vector of the English
            adjective comes from a sentence about the other noun.
        looks: (L, H) how much the English adjective looks at its noun, in the encoder.
    """

    asked: int
    source: int
    vector: int
    looks: Tensor


@torch.no_grad()
def gender_votes(
    translator: Translator, adjectives: Sequence[str] = ("red", "white", "new")
) -> GenderVotes:
    """Ask for the adjective of *the letter is red*, with something exchanged.

    First the decoder has read *il libro è*, which no honest translator would have written: does it
    go on with *rossa* or with *rosso*? Then it has read *la lettera è*, and the vector of *red*
    comes from *the book is red*.
    """
    model, words = translator.model.eval(), translator.vocabulary
    asked = source = vector = 0
    looks = torch.zeros(())
    for forms in (each for each in ADJECTIVES if each.english in adjectives):
        for noun, other in _noun_pairs(forms.kinds):
            ours, theirs = (
                torch.tensor([words.encode(f"the {each.english[0]} is {forms.english}")])
                for each in (noun, other)
            )
            steps = trace(model, (ours, torch.tensor([[SOS]])))
            layers = range(len(model.layers))
            looks = looks + torch.stack(
                [steps[f"layers.{i}.attention.weights"][0][:, 3, 1] for i in layers]
            )
            read = model.encode(ours)
            said = _goes_on(translator, read, f"{_with_article(other)} è")
            source += said == forms.form(noun.gender("s"), "s")
            read[:, 3] = model.encode(theirs)[:, 3]  # the adjective's vector alone
            said = _goes_on(translator, read, f"{_with_article(noun)} è")
            vector += said == forms.form(other.gender("s"), "s")
            asked += 1
    return GenderVotes(asked, source, vector, looks / asked)


def _noun_pairs(kinds: frozenset[str]) -> Iterator[tuple[Noun, Noun]]:
    """Nouns of these kinds, each with one of the other gender."""
    nouns = [noun for noun in NOUNS if noun.kinds & kinds]
    men, women = ([n for n in nouns if n.gender("s") == gender] for gender in ("m", "f"))
    for il, la in zip(men, women, strict=False):
        yield il, la
        yield la, il


def _with_article(noun: Noun) -> str:
    article = definite(noun.gender("s"), "s", noun.italian[0])
    return join([article, noun.italian[0]])


def _goes_on(translator: Translator, source: Tensor, written: str) -> str:
    """The likeliest word after what is written, for a source that was read: (1, S, D)."""
    words = translator.vocabulary
    decoder = BoundDecoder(translator.model, source, None)
    said = int(decoder(torch.tensor([[SOS, *words.encode(written)]]))[0, -1].argmax())
    return words.decode([said])

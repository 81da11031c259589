"""A translator: trained on whole sentences at once, used one word at a time.

    the pair    your cat                ->  il tuo gatto
    source      your cat
    inputs      <sos> il  tuo   gatto       what the decoder reads
    targets     il    tuo gatto <eos>       what it is to say at each place

Both languages share one vocabulary, because an `EncoderDecoder` has one table of tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_size
from plainformer.blocks import EncoderDecoder, TransformerConfig
from plainformer.decoding import beam_search, greedy_search
from plainformer.training.batches import ExampleBatches, pad_batch
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.vocabulary import Vocabulary

__all__ = [
    "Translator", "collate", "exact_match", "translation_loss", "translation_run", "word_loss",
]  # fmt: skip

Example = tuple[list[int], list[int]]  # the ids of a sentence and of its translation
PAD, SOS, EOS = Vocabulary.pad_id, Vocabulary.sos_id, Vocabulary.eos_id


def collate(examples: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
    """A batch: source (B, S), inputs (B, T) and targets (B, T).

    S and T are the longest of the batch, each for itself. The targets are
    the inputs, shifted by one place.

    >>> [part.tolist() for part in collate([([8, 9], [5, 6]), ([8], [7])])]
    [[[8, 9], [8, 0]], [[2, 5, 6], [2, 7, 0]], [[5, 6, 3], [7, 3, 0]]]
    """
    source, _ = pad_batch([source for source, _ in examples], PAD)
    inputs, _ = pad_batch([[SOS, *target] for _, target in examples], PAD)
    targets, _ = pad_batch([[*target, EOS] for _, target in examples], PAD)
    return source, inputs, targets


def count_words(batch: tuple[Tensor, ...]) -> int:
    """How many targets of a batch are words, and not padding."""
    return int((batch[-1] != PAD).sum())


def translation_loss(
    model: EncoderDecoder,
    batch: tuple[Tensor, Tensor, Tensor],
    *,
    ignore_padding: bool = True,
    label_smoothing: float = 0.0,
) -> Tensor:
    """How surprised the model is by each next word, all places at once.

    Args:
        model: reads a source and the inputs.
        batch: as `collate` makes it.
        ignore_padding: whether targets that are padding are left out. In
            the source, padding is always masked.
        label_smoothing: the share of each target that goes to all words
            of the vocabulary alike.
    """
    source, inputs, targets = batch
    logits = model(source, inputs, source_mask=source != PAD)  # (B, T, V)
    ignored = PAD if ignore_padding else -100
    loss: Tensor = F.cross_entropy(
        logits.flatten(0, 1), targets.flatten(),
        ignore_index=ignored, label_smoothing=label_smoothing,
    )  # fmt: skip
    return loss


@dataclass(frozen=True)
class Translator:
    """A model and the words that it knows."""

    model: EncoderDecoder
    vocabulary: Vocabulary

    @torch.no_grad()
    def translate(
        self, texts: Sequence[str], max_words: int = 20, *, num_beams: int = 1
    ) -> list[str]:
        """Translate sentences, each with its likeliest words.

        The sources are encoded once. Then each step reads the word that the
        step before has written.

        Args:
            texts: sentences, each of one word at least; what the vocabulary
                lacks is read as `<unk>`.
            max_words: where to stop if no `<eos>` comes.
            num_beams: how many translations to keep on the way; 1 takes the
                likeliest word at each step.
        """
        if not texts:
            return []
        sources = [self.vocabulary.encode(text) for text in texts]
        source, mask = pad_batch(sources, PAD)
        prompts = [[SOS]] * len(texts)
        was_training = self.model.training
        self.model.eval()
        try:
            decoder = self.model.bind(source, source_mask=mask)
            if check_size(num_beams, "num_beams") == 1:
                found = greedy_search(decoder, prompts, max_new_tokens=max_words, eos_token_id=EOS)
            else:
                trees = beam_search(
                    decoder, prompts, num_beams=num_beams,
                    max_new_tokens=max_words, eos_token_id=EOS,
                )  # fmt: skip
                found = [tree.sequences[0] for tree in trees]
        finally:
            self.model.train(was_training)
        return [self.vocabulary.decode(ids) for ids in found]


def exact_match(
    translator: Translator,
    pairs: Iterable[tuple[str, str]],
    batch: int = 100,
    **options: Any,
) -> float:
    """The share of sentences that are translated word for word as they should be.

    Args:
        translator: it is asked for so many at a time.
        pairs: source and translation.
        batch: how many.
        options: of `Translator.translate`.

    Raises:
        ValueError: there are no pairs.
    """
    wanted = list(pairs)
    if not wanted:
        raise ValueError("pairs must hold one or more; got none")
    right = 0
    for i in range(0, len(wanted), batch):
        some = wanted[i : i + batch]
        got = translator.translate([source for source, _ in some], **options)
        right += sum(a == b for a, (_, b) in zip(got, some, strict=True))
    return right / len(wanted)


@torch.no_grad()
def word_loss(translator: Translator, pairs: Sequence[tuple[str, str]], batch: int = 100) -> float:
    """Nats per word, `<eos>` included, on pairs that were not trained on."""
    encode, was_training = translator.vocabulary.encode, translator.model.training
    translator.model.eval()
    loss, count = 0.0, 0
    for i in range(0, len(pairs), batch):
        some = collate([(encode(a), encode(b)) for a, b in pairs[i : i + batch]])
        words = int((some[-1] != PAD).sum())
        loss += translation_loss(translator.model, some).item() * words
        count += words
    translator.model.train(was_training)
    return loss / count


def translation_run(
    pairs: Sequence[tuple[str, str]],
    steps: int,
    *,
    minimum_count: int = 1,
    vocab_size: int | None = None,
    d_model: int = 64,
    n_layers: int = 2,
    n_heads: int = 4,
    dropout: float = 0.0,
    label_smoothing: float = 0.0,
    batch_size: int = 48,
    peak: float = 4e-3,
    seed: int = 0,
    sort: bool = True,
    loss: Callable[..., Tensor] = translation_loss,
) -> tuple[Run, Translator]:
    """What `train` needs to make a translator, and the translator that it makes.

    Args:
        pairs: (source, target) to learn from.
        steps: how long it will be trained: the learning rate falls to a
            twentieth until then.
        minimum_count, vocab_size: of the vocabulary: how often a word must
            come, and how many there are at most.
        d_model, n_layers, n_heads: sizes; layers are those of each stack.
        dropout: the share set to 0 in training.
        label_smoothing: as in `translation_loss`.
        batch_size: sentences of a step.
        peak: the highest learning rate.
        seed: of the weights and of the order of sentences.
        sort: whether sentences of like length stand together.
        loss: from the model and a batch to a number.

    >>> run, translator = translation_run([("a dog", "un cane")], steps=1)
    >>> translator.vocabulary.vocab_size
    8
    """
    vocabulary = Vocabulary.build(
        [side for pair in pairs for side in pair],
        minimum_count=minimum_count, maximum_size=vocab_size,
    )  # fmt: skip
    examples = [(vocabulary.encode(a), vocabulary.encode(b)) for a, b in pairs]
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=vocabulary.vocab_size,
        d_model=d_model, n_layers=n_layers, n_heads=n_heads, d_ff=4 * d_model,
        dropout=dropout,
        # Positions are waves of height 1: words must be as loud as they are.
        scale_embedding=True,
    )  # fmt: skip
    model = EncoderDecoder(config, impl="sdpa", rng=torch.Generator().manual_seed(seed))
    batches = ExampleBatches(
        examples, batch_size, collate=collate, seed=seed,
        length_of=(lambda example: len(example[1])) if sort else None,
    )  # fmt: skip
    schedule = Cosine(peak, total=max(steps, 2), warmup=min(200, steps // 10), floor=peak / 20)
    if label_smoothing:
        loss = partial(loss, label_smoothing=label_smoothing)
    optimizer = adamw(model, weight_decay=0.01, betas=(0.9, 0.98))
    run = Run(model, optimizer, schedule, batches, loss, count=count_words)
    return run, Translator(model, vocabulary)

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

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.blocks import EncoderDecoder, TransformerConfig
from plainformer.training.batches import ExampleBatches, pad_batch
from plainformer.training.loop import Run
from plainformer.training.optimizers import adamw
from plainformer.training.schedules import Cosine
from plainformer.training.vocabulary import Vocabulary

__all__ = ["Translator", "collate", "exact_match", "translation_loss", "translation_run"]

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


def translation_loss(
    model: EncoderDecoder,
    batch: tuple[Tensor, Tensor, Tensor],
    *,
    ignore_padding: bool = True,
) -> Tensor:
    """How surprised the model is by each next word, all places at once.

    Args:
        model: reads a source and the inputs.
        batch: as `collate` makes it.
        ignore_padding: whether targets that are padding are left out. In
            the source, padding is always masked.
    """
    source, inputs, targets = batch
    logits = model(source, inputs, source_mask=source != PAD)  # (B, T, V)
    ignored = PAD if ignore_padding else -100
    loss: Tensor = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=ignored)
    return loss


@dataclass(frozen=True)
class Translator:
    """A model and the words that it knows."""

    model: EncoderDecoder
    vocabulary: Vocabulary

    @torch.no_grad()
    def translate(self, texts: Sequence[str], max_words: int = 20) -> list[str]:
        """Translate sentences, the likeliest word at each step.

        The sources are encoded once. Then each step reads the word that the
        step before has written.

        Args:
            texts: sentences, each of one word at least; what the vocabulary
                lacks is read as `<unk>`.
            max_words: where to stop if no `<eos>` comes.
        """
        if not texts:
            return []
        sources = [self.vocabulary.encode(text) for text in texts]
        source, mask = pad_batch(sources, PAD)
        was_training = self.model.training
        self.model.eval()
        word = torch.full((len(texts), 1), SOS)
        written = [word]
        done = torch.zeros(len(texts), 1, dtype=torch.bool)
        try:
            decoder = self.model.bind(source, source_mask=mask)
            cache = decoder.new_cache(len(texts), max_words)
            while len(written) <= max_words and not done.all():
                word = decoder(word, cache=cache)[:, -1:].argmax(-1)  # (B, 1)
                written.append(word)
                done |= word == EOS
        finally:
            self.model.train(was_training)
        rows = torch.cat(written, dim=1).tolist()
        return [self.vocabulary.decode(row) for row in rows]


def exact_match(
    translator: Translator, pairs: Iterable[tuple[str, str]], batch: int = 100
) -> float:
    """The share of sentences that are translated word for word as they should be.

    Raises:
        ValueError: there are no pairs.
    """
    wanted = list(pairs)
    if not wanted:
        raise ValueError("pairs must hold one or more; got none")
    right = 0
    for i in range(0, len(wanted), batch):
        some = wanted[i : i + batch]
        got = translator.translate([source for source, _ in some])
        right += sum(a == b for a, (_, b) in zip(got, some, strict=True))
    return right / len(wanted)


def translation_run(
    pairs: Sequence[tuple[str, str]],
    steps: int,
    *,
    d_model: int = 64,
    n_layers: int = 2,
    n_heads: int = 4,
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
        d_model, n_layers, n_heads: sizes; layers are those of each stack.
        batch_size: sentences of a step.
        peak: the highest learning rate.
        seed: of the weights and of the order of sentences.
        sort: whether sentences of like length stand together.
        loss: from the model and a batch to a number.

    >>> run, translator = translation_run([("a dog", "un cane")], steps=1)
    >>> translator.vocabulary.vocab_size
    8
    """
    vocabulary = Vocabulary.build([side for pair in pairs for side in pair])
    examples = [(vocabulary.encode(a), vocabulary.encode(b)) for a, b in pairs]
    config = TransformerConfig(
        family="encoder_decoder", vocab_size=vocabulary.vocab_size,
        d_model=d_model, n_layers=n_layers, n_heads=n_heads, d_ff=4 * d_model,
        # Positions are waves of height 1: words must be as loud as they are.
        scale_embedding=True,
    )  # fmt: skip
    model = EncoderDecoder(config, impl="sdpa", rng=torch.Generator().manual_seed(seed))
    batches = ExampleBatches(
        examples, batch_size, collate=collate, seed=seed,
        length_of=(lambda example: len(example[1])) if sort else None,
    )  # fmt: skip
    schedule = Cosine(peak, total=max(steps, 2), warmup=min(200, steps // 10), floor=peak / 20)
    optimizer = adamw(model, weight_decay=0.01, betas=(0.9, 0.98))
    return Run(model, optimizer, schedule, batches, loss), Translator(model, vocabulary)

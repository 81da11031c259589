"""A translator, which is trained on whole sentences at once and generates one token at a time.

    the pair    your cat                ->  il tuo gatto
    source      your cat
    inputs      <sos> il  tuo   gatto       what the decoder reads
    targets     il    tuo gatto <eos>       what it has to predict at each position

Both languages share a vocabulary, because an `EncoderDecoder` has one embedding table.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn import functional as F

from plainformer.arrays import check_size
from plainformer.blocks import EncoderDecoder
from plainformer.decoding import beam_search, greedy_search
from plainformer.training.batches import pad_batch
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.vocabulary import SubwordVocabulary, Vocabulary

__all__ = ["Translator", "collate", "exact_match", "token_loss", "translation_loss"]

Example = tuple[list[int], list[int]]  # the ids of a sentence and of its translation
PAD, SOS, EOS = Vocabulary.pad_id, Vocabulary.sos_id, Vocabulary.eos_id


def collate(examples: Sequence[Example]) -> tuple[Tensor, Tensor, Tensor]:
    """Make a batch of source (B, S), inputs (B, T) and targets, the inputs shifted by one position.

    >>> [part.tolist() for part in collate([([8, 9], [5, 6]), ([8], [7])])]
    [[[8, 9], [8, 0]], [[2, 5, 6], [2, 7, 0]], [[5, 6, 3], [7, 3, 0]]]
    """
    source, _ = pad_batch([source for source, _ in examples], PAD)
    inputs, _ = pad_batch([[SOS, *target] for _, target in examples], PAD)
    targets, _ = pad_batch([[*target, EOS] for _, target in examples], PAD)
    return source, inputs, targets


def count_tokens(batch: tuple[Tensor, ...]) -> int:
    """Return the number of targets in a batch that are not padding."""
    return int((batch[-1] != PAD).sum())


def translation_loss(
    model: EncoderDecoder,
    batch: tuple[Tensor, Tensor, Tensor],
    *,
    ignore_padding: bool = True,
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute the mean cross-entropy of the target tokens of a batch from `collate`.

    Targets that are padding count unless `ignore_padding`, but padding in the source is always
    masked. Label smoothing is the share of each target that is distributed over all tokens of the
    vocabulary.
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
    """A model and its vocabulary."""

    model: EncoderDecoder
    vocabulary: Vocabulary | SubwordVocabulary

    def translate(
        self, texts: Sequence[str], max_new_tokens: int | None = None, *, num_beams: int = 1
    ) -> list[str]:
        """Translate sentences by greedy or beam search.

        The sources are encoded once, and then each step of the decoder reads the token that the
        previous step has generated. If no `<eos>` is generated, it stops after `max_new_tokens`, by
        default twice the length of the longest source, plus ten. A blank text has an empty
        translation.
        """
        encoded = [self.vocabulary.encode(text) if text.strip() else [] for text in texts]
        sources = [ids for ids in encoded if ids]
        if not sources:
            return [""] * len(texts)
        if max_new_tokens is None:
            max_new_tokens = 2 * max(map(len, sources)) + 10
        source, mask = pad_batch(sources, PAD)
        prompts = [[SOS]] * len(sources)
        limits: Any = {"max_new_tokens": max_new_tokens, "eos_token_id": EOS}
        with evaluation_mode(self.model):
            decoder = self.model.bind(source, source_mask=mask)
            if check_size(num_beams, "num_beams") == 1:
                found = greedy_search(decoder, prompts, **limits)
            else:
                trees = beam_search(decoder, prompts, num_beams=num_beams, **limits)
                found = [tree.sequences[0] for tree in trees]
        decoded = iter([self.vocabulary.decode(ids) for ids in found])
        return [next(decoded) if ids else "" for ids in encoded]


def exact_match(
    translator: Translator, pairs: Iterable[tuple[str, str]], batch: int = 100, **options: Any
) -> float:
    """Return the share of sources whose translation is exactly the reference.

    `batch` sources are translated at a time, with the options of `Translator.translate`.
    """
    wanted, found = list(pairs), []
    if not wanted:
        raise ValueError("pairs must hold one or more; got none")
    for i in range(0, len(wanted), batch):
        found += translator.translate([source for source, _ in wanted[i : i + batch]], **options)
    return sum(a == b for a, (_, b) in zip(found, wanted, strict=True)) / len(wanted)


def token_loss(translator: Translator, pairs: Sequence[tuple[str, str]], batch: int = 100) -> float:
    """Return the loss in nats per token, including `<eos>`, on some pairs."""
    encode, loss, count = translator.vocabulary.encode, 0.0, 0
    with evaluation_mode(translator.model):
        for i in range(0, len(pairs), batch):
            some = collate([(encode(a), encode(b)) for a, b in pairs[i : i + batch]])
            tokens = count_tokens(some)
            loss += translation_loss(translator.model, some).item() * tokens
            count += tokens
    return loss / count

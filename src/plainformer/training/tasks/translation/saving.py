"""Train a translator with the command line's settings, save it in a folder, and open it again.

Besides what `tasks/saving.py` lists, the folder contains the words in the order of their ids
(vocabulary.json) or a BPE tokenizer (tokenizer.json).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from plainformer.blocks import EncoderDecoder, TransformerConfig, trace
from plainformer.files import shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.history import History
from plainformer.training.tasks.running import Task
from plainformer.training.tasks.saving import CHECKPOINTS, load_weights, open_metadata, save_model
from plainformer.training.tasks.translation.metrics import bleu, chrf
from plainformer.training.tasks.translation.settings import TranslationSettings, new_run, read_text
from plainformer.training.tasks.translation.translator import SOS, Translator, token_loss
from plainformer.training.vocabulary import SPECIAL_TOKENS, SubwordVocabulary, Vocabulary

__all__ = [
    "TrainedTranslator", "TranslationTask", "alignment", "course_translator", "open_translator",
]  # fmt: skip

MAP_TOKENS = 14  # of each sentence in an attention map
EVALUATED = 200  # held-out pairs whose loss is computed during training


@dataclass(frozen=True)
class TrainedTranslator(Translator):
    """A trained translator in evaluation mode, with its history and its card."""

    history: History
    card: dict[str, Any]


class TranslationTask(Task):
    """Train a translator.

    For files of sentences, the default is a BPE vocabulary, so that no word is unknown and every
    sentence can be restored exactly. With "words", those that occur only once become `<unk>`,
    because otherwise the model would never learn how to treat an unknown word.
    """

    settings_type = TranslationSettings
    command, data_setting = "translation", "source"
    own_data: ClassVar = {"target": "", "minimum_count": 2}

    def __init__(self, settings: TranslationSettings) -> None:
        self.settings = settings
        self.text = text = read_text(settings)
        self.run, self.translator = new_run(settings, text)
        kind = "BPE tokens" if settings.resolved_tokenizer() == "bpe" else "words"
        words = self.translator.vocabulary
        ids = [id_ for pair in text.held_out for side in pair for id_ in words.encode(side)]
        self.description = (
            f"{text.description()}\nvocabulary: {words.vocab_size:,} {kind}; "
            f"{ids.count(words.unk_id) / len(ids):.2%} of those in held-out sentences are unknown"
        )
        self.dataset = {"pairs found": text.found, "sha256": text.sha256}

    def evaluate(self, history: History) -> None:
        translator, step = self.translator, self.run.step
        english, italian = self.text.example
        history.add_held_out(step, token_loss(translator, self.text.held_out[:EVALUATED]))
        words = translator.vocabulary
        source = words.encode(english)[:MAP_TOKENS]
        target = [SOS, *words.encode(italian)][:MAP_TOKENS]
        steps = _trace(translator, source, target)
        last = len(translator.model.decoder_layers) - 1
        # The map covers both sentences, one after the other. Rows of source tokens are the mean of
        # the encoder's last layer, and those of target tokens of the decoder's cross-attention.
        S, T = len(source), len(target)
        weights = torch.zeros(S + T, S + T)
        weights[:S, :S] = steps[f"layers.{last}.attention.weights"][0].mean(0)
        weights[S:, :S] = steps[f"decoder_layers.{last}.cross_attention.weights"][0].mean(0)
        [translation] = translator.translate([english])
        sample = f"{english} → {translation}"[:2000]
        history.add_snapshot(step, sample, [words.token(i) for i in [*source, *target]], weights)

    def card(self) -> dict[str, Any]:
        settings, text, translator = self.settings, self.text, self.translator
        with torch.no_grad():
            for p in translator.model.parameters():
                p.copy_(p.half())  # rounded as in the file
        sources, references = map(list, zip(*text.held_out, strict=True))
        parts = (sources[i : i + 100] for i in range(0, len(sources), 100))
        translations = [line for part in parts for line in translator.translate(part)]
        right = sum(map(str.__eq__, translations, references))
        ours = settings.source == "grammar"
        return {
            "what": "A small translator, English to Italian, of the course Transformers, Plainly. "
            "It knows the words and the sentences of the course's grammar, and nothing else."
            if ours
            else "A small translator, trained with the course Transformers, Plainly.",
            "licence": "MIT" if ours else "that of its text",
            "text": {
                "name": settings.source,
                "sha256": text.sha256,
                "pairs_to_train_on": len(text.train),
                "pairs_held_out": len(text.held_out),
                "dropped": text.dropped,
            },
            "pairs_seen": settings.steps * settings.batch_size,
            "parameters": sum(p.numel() for p in translator.model.parameters()),
            "held_out": {
                "nats_per_token": round(token_loss(translator, text.held_out), 4),
                "exact_match": round(right / len(references), 4),
                "bleu": round(bleu(translations, references), 2),
                "chrf": round(chrf(translations, references), 2),
            },
        }

    def save(self, folder: Path) -> None:
        model, vocabulary = self.translator.model, self.translator.vocabulary
        if isinstance(vocabulary, SubwordVocabulary):
            save_model(folder, model, model.config)
            vocabulary.tokenizer.save(folder / "tokenizer.json")
        else:
            words = list(vocabulary.vocab)[len(SPECIAL_TOKENS) :]
            save_model(folder, model, model.config, vocabulary=words)


def alignment(translator: Translator, source: str, target: str) -> torch.Tensor:
    """Return the cross-attention of each head of each layer while a translation is generated.

    The weights are (L, H, T + 1, S). Row t is the attention at the position where token t is
    predicted, which is after the tokens before t have been read; the last row is that of `<eos>`.

    >>> alignment(course_translator(), "your cat", "il tuo gatto").shape
    torch.Size([2, 4, 4, 2])
    """
    encode = translator.vocabulary.encode
    steps = _trace(translator, encode(source), [SOS, *encode(target)])
    layers = range(len(translator.model.decoder_layers))
    return torch.stack([steps[f"decoder_layers.{i}.cross_attention.weights"][0] for i in layers])


def _trace(translator: Translator, source: list[int], target: list[int]) -> Any:
    """Return every step of one forward pass in evaluation mode."""
    with evaluation_mode(translator.model):
        return trace(translator.model, (torch.tensor([source]), torch.tensor([target])))


def open_translator(folder: str | os.PathLike[str]) -> TrainedTranslator:
    """Open a translator that a run has saved; an error names a file that is missing or damaged."""
    place = Path(folder)
    has_subwords = (place / "tokenizer.json").is_file()
    history, data = open_metadata(place, "config", *([] if has_subwords else ["vocabulary"]))
    config = TransformerConfig(**data["config"])
    vocabulary: Vocabulary | SubwordVocabulary
    if has_subwords:
        vocabulary = SubwordVocabulary(BPETokenizer.load(place / "tokenizer.json"))
    else:
        vocabulary = Vocabulary(data["vocabulary"])
    if config.vocab_size != (size := vocabulary.vocab_size):
        raise ValueError(f"{place} must hold a vocabulary of {config.vocab_size} words; got {size}")
    model = EncoderDecoder(config, impl="sdpa")
    load_weights(place / "model.safetensors", model)
    return TrainedTranslator(model.eval(), vocabulary, history, data["card"])


def course_translator() -> TrainedTranslator:
    """Return the translator of the course, from English to Italian, trained on our grammar.

    >>> course_translator().translate(["your cat is a lovely cat"])
    ['il tuo gatto è un gatto adorabile']
    """
    return open_translator(shipped(CHECKPOINTS / "course_translator"))

"""Train a translator with the command line's settings, save it in a folder, and open it again.

Besides what `tasks/saving.py` lists, the folder contains the words in the order of their ids
(vocabulary.json) or a BPE tokenizer (tokenizer.json).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from plainformer.blocks import EncoderDecoder, TransformerConfig, trace
from plainformer.files import shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.evaluate import evaluation_mode
from plainformer.training.history import History
from plainformer.training.tasks.running import Task, run_task
from plainformer.training.tasks.saving import (
    CHECKPOINTS,
    load_weights,
    new_card,
    open_metadata,
    save_model,
)
from plainformer.training.tasks.translation.metrics import bleu, chrf
from plainformer.training.tasks.translation.settings import (
    PairedText,
    TranslationSettings,
    new_run,
    read_text,
)
from plainformer.training.tasks.translation.translator import SOS, Translator, token_loss
from plainformer.training.vocabulary import SPECIAL_TOKENS, SubwordVocabulary, Vocabulary

__all__ = [
    "TrainedTranslator", "add_evaluation", "alignment", "course_translator", "open_translator",
    "run_translation", "save_translator",
]  # fmt: skip

MAP_TOKENS = 14  # of each sentence in an attention map
EVALUATED = 200  # held-out pairs whose loss is computed during training


@dataclass(frozen=True)
class TrainedTranslator(Translator):
    """A trained translator in evaluation mode, with its history and its card."""

    history: History
    card: dict[str, Any]


def run_translation(config: Path, out: Path, **options: Any) -> Path:
    """Train a model from a file of `TranslationSettings`, with the options of `run_task`.

    For files of sentences, the default is a BPE vocabulary, so that no word is unknown and every
    sentence can be restored exactly. With "words", those that occur only once become `<unk>`,
    because otherwise the model would never learn how to treat an unknown word.
    """
    if options.get("source") is not None:  # then it is not the translator that the file describes
        given = {name: value for name, value in options.items() if value is not None}
        options = {"name": "translation", "target": "", "minimum_count": 2} | given
    return run_task(TranslationSettings, _begin, config, out, **options)


def _begin(settings: TranslationSettings) -> Task:
    text = read_text(settings)
    run, translator = new_run(settings, text)

    def save(folder: Path, history: History) -> dict[str, Any]:
        with torch.no_grad():
            for p in translator.model.parameters():
                p.copy_(p.half())  # rounded as in the file, which the card describes
        model, card = translator.model.eval(), _card(settings, text, translator)
        save_translator(folder, TrainedTranslator(model, translator.vocabulary, history, card))
        return card

    kind = "BPE tokens" if settings.resolved_tokenizer() == "bpe" else "words"
    words = translator.vocabulary
    ids = [id_ for pair in text.held_out for side in pair for id_ in words.encode(side)]
    return Task(
        run,
        {"pairs found": text.found, "sha256": text.sha256},
        f"{text.description()}\nvocabulary: {words.vocab_size:,} {kind}; "
        f"{ids.count(words.unk_id) / len(ids):.2%} of those in held-out sentences are unknown",
        lambda history: add_evaluation(translator, text, run.step, history),
        save,
    )


def add_evaluation(translator: Translator, text: PairedText, step: int, history: History) -> None:
    """Add the held-out loss, a translation and an attention map to a history.

    The map covers the tokens of both sentences, one after the other. Rows of source tokens are the
    mean over the heads of the encoder's last layer, and rows of target tokens are the mean over
    those of the decoder's last cross-attention.
    """
    english, italian = text.example
    history.add_held_out(step, token_loss(translator, text.held_out[:EVALUATED]))
    words = translator.vocabulary
    source, target = words.encode(english)[:MAP_TOKENS], [SOS, *words.encode(italian)][:MAP_TOKENS]
    steps = _trace(translator, source, target)
    last = len(translator.model.decoder_layers) - 1
    S, T = len(source), len(target)
    weights = torch.zeros(S + T, S + T)
    weights[:S, :S] = steps[f"layers.{last}.attention.weights"][0].mean(0)
    weights[S:, :S] = steps[f"decoder_layers.{last}.cross_attention.weights"][0].mean(0)
    [translation] = translator.translate([english])
    sample = f"{english} → {translation}"[:2000]
    history.add_snapshot(step, sample, [words.token(i) for i in [*source, *target]], weights)


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


def _card(
    settings: TranslationSettings, text: PairedText, translator: Translator
) -> dict[str, Any]:
    """Describe a trained translator, with its scores on the held-out pairs."""
    ours = settings.source == "grammar"
    sources, references = map(list, zip(*text.held_out, strict=True))
    parts = (sources[i : i + 100] for i in range(0, len(sources), 100))
    translations = [line for part in parts for line in translator.translate(part)]
    right = sum(map(str.__eq__, translations, references))
    data = {
        "name": settings.source,
        "sha256": text.sha256,
        "pairs_to_train_on": len(text.train),
        "pairs_held_out": len(text.held_out),
        "dropped": text.dropped,
    }
    scores = {
        "nats_per_token": round(token_loss(translator, text.held_out), 4),
        "exact_match": round(right / len(references), 4),
        "bleu": round(bleu(translations, references), 2),
        "chrf": round(chrf(translations, references), 2),
    }
    return new_card(
        settings,
        data,
        scores,
        what="A small translator, English to Italian, of the course Transformers, Plainly. It "
        "knows the words and the sentences of the course's grammar, and nothing else."
        if ours
        else "A small translator, trained with the course Transformers, Plainly.",
        licence="MIT" if ours else "that of its text",
        made_by="python -m plainformer.training translation",
        pairs_seen=settings.steps * settings.batch_size,
        parameters=sum(p.numel() for p in translator.model.parameters()),
    )


def save_translator(folder: str | os.PathLike[str], trained: TrainedTranslator) -> None:
    """Save a trained translator in a new folder, with its weights in float16."""
    given = trained.model, trained.model.config, trained.history, trained.card
    if isinstance(trained.vocabulary, SubwordVocabulary):
        save_model(folder, *given)
        trained.vocabulary.tokenizer.save(Path(folder, "tokenizer.json"))
    else:
        words = list(trained.vocabulary.vocab)[len(SPECIAL_TOKENS) :]
        save_model(folder, *given, vocabulary=words)


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

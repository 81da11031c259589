"""A trained translator as a folder, and the run that makes one.

config.json, model.safetensors    the sizes, and the weights in float16
vocabulary.json                   the words, in the order of their ids
history.json                      losses, translations and alignments along the way
card.json                         text, settings, measures, and how to make it again
"""

from __future__ import annotations

import copy
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from plainformer.blocks import EncoderDecoder, TransformerConfig, trace
from plainformer.files import atomic_write, shipped
from plainformer.training.history import History
from plainformer.training.tasks.running import Sharing, Task, run_task
from plainformer.training.tasks.settings import read_settings
from plainformer.training.tasks.shipping import CHECKPOINTS, write_notes
from plainformer.training.tasks.translation.settings import (
    PairedText,
    TranslationSettings,
    new_run,
    read_text,
)
from plainformer.training.tasks.translation.translator import (
    SOS,
    Translator,
    exact_match,
    word_loss,
)
from plainformer.training.vocabulary import SPECIAL_TOKENS, Vocabulary

__all__ = [
    "TrainedTranslator", "alignment", "course_translator", "look", "open_translator",
    "run_translation", "ship",
]  # fmt: skip

SHOWN = 14  # words of a sentence in a history
LOOKED_AT = 200  # held-out pairs on which a loss is taken on the way


@dataclass(frozen=True)
class TrainedTranslator(Translator):
    """A translator as it was trained, and what belongs to it.

    Attributes:
        model: in evaluation mode, in float32.
        vocabulary: of both languages.
        history: of its training.
        card: what it is, as plain data.
    """

    history: History
    card: dict[str, Any]


def run_translation(
    config: Path,
    out: Path,
    *,
    resume: bool = False,
    threads: int = 1,
    sharing: Sharing | None = None,
    **changes: Any,
) -> Path:
    """Train a translator by the settings of a file; return the folder that holds it.

    With files of the reader's, words met once become `<unk>`, unless `changes` say otherwise:
    else the model would never learn what to do with a word that it lacks.

    Args:
        config: TOML, as `TranslationSettings` describes it.
        out, resume, threads, sharing: as in `run_task`, which raises what it raises.
        changes: settings that are not as in the file; None leaves one as it is.
    """
    if changes.get("source") is not None:  # it is no longer the translator that the file names
        changes = {"name": "translation", "target": "", "minimum_count": 2} | changes
    settings = read_settings(TranslationSettings, config, **changes)
    return run_task(settings, _begin, out, resume=resume, threads=threads, sharing=sharing)


def _begin(settings: TranslationSettings) -> Task:
    text = read_text(settings)
    run, translator = new_run(settings, text)

    def ship_it(folder: Path, history: History) -> None:
        rounded = Translator(_rounded(translator.model), translator.vocabulary)
        card = new_card(settings, text, rounded)
        ship(folder, TrainedTranslator(rounded.model, rounded.vocabulary, history, card))

    return Task(run, lambda history: look(translator, text, run.step, history), ship_it)


def look(translator: Translator, text: PairedText, step: int, history: History) -> None:
    """Add to the history what a translator does as it stands: its loss, a translation, a map.

    The map has the words of both languages in a row. An English word's row is the mean of the
    heads of the encoder's last layer; an Italian word's, of the decoder's cross-attention.
    """
    english, italian = text.shown
    history.add_held_out(step, word_loss(translator, text.held_out[:LOOKED_AT]))
    words = translator.vocabulary
    source, target = words.encode(english)[:SHOWN], [SOS, *words.encode(italian)][:SHOWN]
    steps = _trace(translator, source, target)
    last = len(translator.model.decoder_layers) - 1
    S, T = len(source), len(target)
    weights = torch.zeros(S + T, S + T)
    weights[:S, :S] = steps[f"layers.{last}.attention.weights"][0].mean(0)
    weights[S:, :S] = steps[f"decoder_layers.{last}.cross_attention.weights"][0].mean(0)
    [said] = translator.translate([english])
    name = {id_: word for word, id_ in words.vocab.items()}
    history.add_moment(step, f"{english} → {said}", [name[i] for i in [*source, *target]], weights)


def alignment(translator: Translator, source: str, target: str) -> torch.Tensor:
    """Where each word of a translation looks, in each head of each layer.

    Row t belongs to the place at which word t is said, so it has read the words before t alone.

    Returns:
        (L, H, T + 1, S) weights; the last row is that of `<eos>`.

    >>> alignment(course_translator(), "your cat", "il tuo gatto").shape
    torch.Size([2, 4, 4, 2])
    """
    encode = translator.vocabulary.encode
    steps = _trace(translator, encode(source), [SOS, *encode(target)])
    layers = range(len(translator.model.decoder_layers))
    return torch.stack([steps[f"decoder_layers.{i}.cross_attention.weights"][0] for i in layers])


@torch.no_grad()
def _trace(translator: Translator, source: list[int], target: list[int]) -> dict[str, Any]:
    model = translator.model
    was_training = model.training
    model.eval()
    steps = trace(model, (torch.tensor([source]), torch.tensor([target])))
    model.train(was_training)
    return dict(steps)


def new_card(
    settings: TranslationSettings, text: PairedText, translator: Translator
) -> dict[str, Any]:
    """What a trained translator is, as plain data; measured on the weights as they are kept."""
    ours = settings.source == "grammar"
    most = 2 * settings.max_words  # a tokenizer may make two of one
    return {
        "name": settings.name,
        "what": "A small translator, English to Italian, of the course Transformers, Plainly. It "
        "knows the words and the sentences of the course's grammar, and nothing else."
        if ours
        else "A small translator, trained by the course Transformers, Plainly.",
        "licence": "MIT" if ours else "that of its text",
        "text": {
            "name": settings.source,
            "sha256": text.sha256,
            "pairs_to_train_on": len(text.read),
            "pairs_held_out": len(text.held_out),
            "dropped": text.dropped,
        },
        "settings": asdict(settings),
        "pairs_seen": settings.steps * settings.batch_size,
        "parameters": sum(p.numel() for p in translator.model.parameters()),
        "held_out": {
            "nats_per_word": round(word_loss(translator, text.held_out), 4),
            "exact_match": round(exact_match(translator, text.held_out, max_words=most), 4),
        },
        "torch": torch.__version__.partition("+")[0],
        "made_by": "python -m plainformer.training translation",
    }


def ship(folder: str | os.PathLike[str], trained: TrainedTranslator) -> None:
    """Write a trained translator into a folder, its weights in float16.

    Raises:
        FileExistsError: there is something in the folder already.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise FileExistsError(f"folder must be empty or new; {place} is not")
    weights = {name: p.detach().half() for name, p in trained.model.named_parameters()}
    atomic_write(place / "model.safetensors", save(weights, {"format": "pt"}))
    config = asdict(trained.model.config)
    atomic_write(place / "config.json", json.dumps(config, indent=2) + "\n")
    words = list(trained.vocabulary.vocab)[len(SPECIAL_TOKENS) :]
    atomic_write(place / "vocabulary.json", json.dumps(words, ensure_ascii=False) + "\n")
    write_notes(place, trained.history, trained.card)


def open_translator(folder: str | os.PathLike[str]) -> TrainedTranslator:
    """Open what `ship` wrote.

    Raises:
        FileNotFoundError, ValueError: it is no such folder, or a file of it is damaged.
    """
    place = Path(folder)
    config = TransformerConfig(**_read_json(place / "config.json"))
    vocabulary = Vocabulary(_read_json(place / "vocabulary.json"))
    model = EncoderDecoder(config, impl="sdpa")
    try:
        stored = load_file(place / "model.safetensors")
    except SafetensorError as error:
        raise ValueError(f"{place / 'model.safetensors'} must be whole; {error}") from None
    ours = dict(model.named_parameters())
    if odd := sorted(ours.keys() ^ stored.keys()):
        raise ValueError(f"{place} must hold the weights of its config.json; {odd[0]} does not fit")
    with torch.no_grad():
        for name, weight in stored.items():
            if weight.shape != ours[name].shape:
                got = f"{tuple(weight.shape)}, not {tuple(ours[name].shape)}"
                raise ValueError(
                    f"{place} must hold the weights of its config.json; {name} is {got}"
                )
            ours[name].copy_(weight)
    if config.vocab_size != vocabulary.vocab_size:
        has = vocabulary.vocab_size
        raise ValueError(f"{place} must hold a vocabulary of {config.vocab_size} words; got {has}")
    history = History.from_json((place / "history.json").read_text(encoding="utf-8"))
    return TrainedTranslator(model.eval(), vocabulary, history, _read_json(place / "card.json"))


def course_translator() -> TrainedTranslator:
    """The translator that the course ships: English to Italian, by our grammar.

    >>> course_translator().translate(["your cat is a lovely cat"])
    ['il tuo gatto è un gatto adorabile']
    """
    return open_translator(shipped(CHECKPOINTS / "course_translator"))


def _rounded(model: EncoderDecoder) -> EncoderDecoder:
    """The model with its weights as float16 keeps them."""
    rounded = copy.deepcopy(model).eval()
    with torch.no_grad():
        for p in rounded.parameters():
            p.copy_(p.half())
    return rounded


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} must be JSON; {error}") from None

"""Save a trained language model in a folder that others can open, and open it again.

config.json, model.safetensors    in Llama's layout and in float16, as transformers reads it; or
                                  only model.safetensors, in int8 (`int8.py`)
tokenizer.json                    the tokenizer
history.json                      losses, samples and attention maps during training
written.txt                       documents that it wrote, if it was trained on documents
card.json                         the text, the settings, the losses, and how to train it again
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import nn

from plainformer.blocks import DecoderOnly, from_pretrained, save_pretrained
from plainformer.data import CORPORA
from plainformer.files import atomic_write, shipped
from plainformer.inputs import BPETokenizer
from plainformer.training.evaluate import held_out_loss
from plainformer.training.history import History
from plainformer.training.loss import bits_per_byte, perplexity
from plainformer.training.tasks.int8 import load_int8, save_int8
from plainformer.training.tasks.language_model import (
    BLANK_LINE,
    Corpus,
    LanguageModelSettings,
    add_evaluation,
    generate_text,
    new_run,
    read_corpus,
    write_documents,
)
from plainformer.training.tasks.running import Task, run_task
from plainformer.training.tasks.settings import with_current_names

__all__ = [
    "CHECKPOINTS", "LanguageModel", "course_lm", "course_lm_steps",
    "course_lm_stories", "load_weights", "new_folder",
    "open_language_model", "open_metadata", "read_json", "recorded_capstone",
    "run_language_model", "save_language_model", "save_metadata",
]  # fmt: skip

CHECKPOINTS = Path(__file__).parents[2] / "checkpoints"
MADE_BY = {"stories": "make checkpoints"}
LICENCES = {
    "python_manual": "MIT; of its text, the PSF's",
    "stories": "MIT; of its text, CDLA-Sharing-1.0, which puts no obligations on results",
}


@dataclass(frozen=True)
class LanguageModel:
    """A trained language model and what belongs to it.

    Attributes:
        model: in evaluation mode, in float32.
        tokenizer: the tokenizer of its training text.
        history: the history of its training.
        card: a description of the model, as plain data.
    """

    model: DecoderOnly
    tokenizer: BPETokenizer
    history: History
    card: dict[str, Any]

    def generate(self, prompt: str, max_new_tokens: int = 60, **options: Any) -> str:
        """Continue a prompt; the options are those of `generate_text`.

        >>> text = course_lm().generate("The", 20, seed=1)
        >>> text.startswith("The")
        True
        """
        return generate_text(self.model, self.tokenizer, prompt, max_new_tokens, **options)


def save_language_model(folder: str | os.PathLike[str], trained: LanguageModel) -> None:
    """Save a trained model in a folder, with the weights in the dtype that its card names.

    The documents that it writes are those of the weights as they are stored.

    Raises:
        FileExistsError: the folder is not empty.
    """
    place = new_folder(folder)
    if trained.card["settings"].get("weights_dtype") == "int8":
        save_int8(place / "model.safetensors", trained.model)
        load_int8(place / "model.safetensors", trained.model)
    else:
        save_pretrained(trained.model, place, "llama")
        weights = {name: t.half() for name, t in load_file(place / "model.safetensors").items()}
        atomic_write(place / "model.safetensors", save(weights, {"format": "pt"}))
    trained.tokenizer.save(place / "tokenizer.json")
    if trained.card["settings"].get("documents"):
        written = write_documents(trained.model, trained.tokenizer)
        text = BLANK_LINE.join(re.sub(r"\s*\n\s*", "\n", each) for each in written)
        atomic_write(place / "written.txt", text + "\n")
    save_metadata(place, trained.history, trained.card)


def new_folder(folder: str | os.PathLike[str]) -> Path:
    """Create a folder for a model, and refuse one that is not empty."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise FileExistsError(f"folder must be empty or new; {place} is not")
    return place


def save_metadata(folder: Path, history: History, card: dict[str, Any]) -> None:
    """Save a model's history and card."""
    atomic_write(folder / "history.json", history.to_json() + "\n")
    atomic_write(folder / "card.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")


def open_metadata(folder: Path) -> tuple[History, dict[str, Any]]:
    """Open what `save_metadata` saved."""
    if not (folder / "card.json").is_file():
        raise FileNotFoundError(
            f"a trained model must be a folder with a card.json; there is none in {folder}. After "
            "training, it is the folder named model in the folder of the run"
        )
    history = History.from_json((folder / "history.json").read_text(encoding="utf-8"))
    return history, read_json(folder / "card.json")


def read_json(path: Path) -> Any:
    """Read a JSON file, and name it if it is damaged."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} must be JSON; {error}") from None


@torch.no_grad()
def load_weights(folder: Path, model: nn.Module) -> None:
    """Fill a model with the weights in a folder, after checking that they fit it.

    Raises:
        ValueError: the file is truncated, or is of another model.
    """
    try:
        stored = load_file(folder / "model.safetensors")
    except SafetensorError as error:
        raise ValueError(f"{folder / 'model.safetensors'} must be whole; {error}") from None
    weights = dict(model.named_parameters())
    shapes = {name: tuple(weight.shape) for name, weight in weights.items()}
    found = {name: tuple(weight.shape) for name, weight in stored.items()}
    if odd := sorted(name for name, _ in shapes.items() ^ found.items()):
        raise ValueError(
            f"{folder} must hold the weights of its config.json; {odd[0]} must be "
            f"{shapes.get(odd[0], 'absent')}, and is {found.get(odd[0], 'absent')}"
        )
    for name, weight in stored.items():
        weights[name].copy_(weight)


def open_language_model(folder: str | os.PathLike[str]) -> LanguageModel:
    """Open a language model that a run has saved, to generate text or to continue working with it.

    Raises:
        FileNotFoundError, ValueError: it is not such a folder, or a file in it is damaged.
    """
    place = Path(folder)
    history, card = open_metadata(place)
    tokenizer = BPETokenizer.load(place / "tokenizer.json")
    if card["settings"].get("weights_dtype") == "int8":
        settings = LanguageModelSettings(**with_current_names(card["settings"]))
        model: Any = DecoderOnly(settings.model_config(tokenizer.vocab_size), impl="sdpa")
        load_int8(place / "model.safetensors", model)
    else:
        model = from_pretrained(place)
    return LanguageModel(model.float().eval(), tokenizer, history, card)


def course_lm(step: int | None = None) -> LanguageModel:
    """Return the language model of the course, which was trained on little stories.

    Args:
        step: an earlier moment of its training, one of `course_lm_steps`; None means the end.
            Its history and its card are those of the whole training in any case.

    Raises:
        ValueError: the weights of that step were not kept.

    >>> trained = course_lm()
    >>> trained.model.config.n_layers, sum(p.numel() for p in trained.model.parameters())
    (4, 1098880)
    >>> trained.tokenizer.tokens("your cat is a lovely cat")
    ['<sos>', ' your', ' cat', ' is', ' a', ' lovely', ' cat']
    """
    folder = shipped(CHECKPOINTS / "course_lm")
    trained = open_language_model(folder)
    if step is not None:
        if step not in course_lm_steps():
            raise ValueError(f"step must be one of {course_lm_steps()}; got {step}")
        load_int8(folder / "moments" / f"step-{step:06}.safetensors", trained.model)
    return trained


def course_lm_steps() -> list[int]:
    """Return the steps of its training after which the weights of `course_lm` were kept.

    >>> course_lm_steps()[:3]
    [0, 8, 21]
    """
    moments = shipped(CHECKPOINTS / "course_lm" / "moments")
    return sorted(int(path.stem.removeprefix("step-")) for path in moments.glob("*.safetensors"))


def course_lm_stories() -> list[str]:
    """Return 64 stories that `course_lm` wrote at temperature 0.8, none of them selected.

    >>> len(course_lm_stories())
    64
    """
    path = shipped(CHECKPOINTS / "course_lm" / "written.txt")
    return path.read_text(encoding="utf-8").rstrip("\n").split(BLANK_LINE)


def recorded_capstone() -> History:
    """Return the recorded run of the chapter *Capstone* on the manual of Python 3.11.

    >>> recorded_capstone().snapshots[-1].step
    800
    """
    recorded = shipped(CHECKPOINTS / "capstone.json")
    return History.from_json(recorded.read_text(encoding="utf-8"))


def run_language_model(config: Path, out: Path, **options: Any) -> Path:
    """Train a language model with the settings of a file, and return the folder that contains it.

    Args:
        config: a TOML file with the settings that `LanguageModelSettings` describes.
        out, options: as in `run_task`, which also raises the errors.
    """
    if options.get("text") is not None:  # then it is not the model that the file describes
        options["name"] = "language-model"
    return run_task(LanguageModelSettings, _begin, config, out, **options)


def _begin(settings: LanguageModelSettings) -> Task:
    corpus = read_corpus(settings)
    run = new_run(settings, corpus)

    def save_model(folder: Path, history: History) -> dict[str, Any]:
        model: Any = run.model
        card = new_card(settings, corpus, model.eval())
        save_language_model(folder, LanguageModel(model, corpus.tokenizer, history, card))
        return card

    return Task(
        run,
        {"characters": corpus.characters, "sha256": corpus.sha256},
        f"text: {settings.text}, {corpus.characters:,} characters\n"
        f"tokens: {len(corpus.train):,} to train on, {len(corpus.held_out):,} held out, from a "
        f"vocabulary of {corpus.tokenizer.vocab_size:,}",
        lambda history: add_evaluation(run, corpus, history, settings.prompt),
        save_model,
        lambda folder: save_int8(folder / f"step-{run.step:06}.safetensors", run.model),
        frozenset(settings.moment_steps()),
    )


def new_card(settings: LanguageModelSettings, corpus: Corpus, model: DecoderOnly) -> dict[str, Any]:
    """Describe a trained model, with its loss on the whole of the held-out text."""
    loss = held_out_loss(model, corpus.held_out, settings.context_length)
    known = CORPORA.get(settings.text)
    return {
        "name": settings.name,
        "what": "A small language model, trained by the course Transformers, Plainly.",
        "licence": LICENCES.get(settings.text, "that of its text"),
        "text": {
            "name": settings.text,
            "about": known.about if known else None,
            "sha256": corpus.sha256,
            "tokens_to_train_on": len(corpus.train),
            "tokens_held_out": len(corpus.held_out),
            "bytes_held_out": corpus.held_out_bytes,
        },
        "settings": asdict(settings),
        "tokens_seen": settings.steps * settings.batch_size * settings.context_length,
        "held_out": {
            "nats_per_token": round(loss, 4),
            "perplexity": round(perplexity(loss), 2),
            "bits_per_byte": round(
                bits_per_byte(loss, len(corpus.held_out), corpus.held_out_bytes), 4
            ),
        },
        "torch": torch.__version__.partition("+")[0],
        "made_by": MADE_BY.get(settings.text, "python -m plainformer.training language-model"),
    }

"""The translator of our grammar: its settings, and the run that they ask for.

From settings to what it can do:

    settings = read_settings(TranslationSettings, GRAMMAR)
    run, translator = grammar_run(settings)
    train(run, settings.steps)
    exact_match(translator, grammar_pairs(1000, seed=1, split="test"))
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from plainformer.arrays import check_number, check_size
from plainformer.data import sentence_pairs
from plainformer.training.loop import Run
from plainformer.training.tasks.translation.translator import Translator, translation_run

__all__ = ["GRAMMAR", "TranslationSettings", "grammar_pairs", "grammar_run"]

GRAMMAR = Path(__file__).with_name("grammar.toml")


@dataclass(frozen=True, kw_only=True)
class TranslationSettings:
    """Everything that the trained translator depends on.

    Attributes:
        name: of the run.
        pairs: how many sentence pairs the grammar writes to learn from.
        n_layers, n_heads, d_model: the sizes of the model; layers are those of each stack.
        steps: how often the weights are moved.
        batch_size: B, pairs in a step.
        peak: the highest learning rate.
        seed: of the pairs, the first weights and the order.
    """

    name: str = "translation"
    pairs: int = 40_000
    n_layers: int = 2
    n_heads: int = 4
    d_model: int = 64
    steps: int = 2400
    batch_size: int = 64
    peak: float = 4e-3
    seed: int = 0

    def __post_init__(self) -> None:
        for size in ("pairs", "n_layers", "n_heads", "d_model", "steps", "batch_size"):
            check_size(getattr(self, size), size)
        check_size(self.seed, "seed", least=0)
        if not check_number(self.peak, "peak") > 0:
            raise ValueError(f"peak must be above 0; got {self.peak}")


def grammar_pairs(
    count: int, seed: int = 0, split: Literal["train", "test"] = "train"
) -> list[tuple[str, str]]:
    """English and Italian, as plain pairs of strings.

    >>> grammar_pairs(3, seed=1, split="test")[-1]
    ('anna sees that apple because it is beautiful', 'anna vede quella mela perché è bella')
    """
    return [(pair.english, pair.italian) for pair in sentence_pairs(count, seed, split)]


def grammar_run(settings: TranslationSettings) -> tuple[Run, Translator]:
    """A model with its first weights, all that training it takes, and the translator it makes."""
    return translation_run(
        grammar_pairs(settings.pairs, settings.seed),
        settings.steps,
        d_model=settings.d_model,
        n_layers=settings.n_layers,
        n_heads=settings.n_heads,
        batch_size=settings.batch_size,
        peak=settings.peak,
        seed=settings.seed,
    )

"""Measure translation: the shipped translator on new sentences, and training beside nn.Transformer.

    python benchmarks/translation.py [--sentences 1000]
    python benchmarks/translation.py --train [--steps 2400] [--seeds 3] [--threads 2]
    python benchmarks/translation.py --train --source my.en --target my.it

*Exact match* of course-translator on combinations of words that training never held: at least
99 %. BLEU and chrF are printed beside it.

*Train*: ours, and torch's own `nn.Transformer` of the same sizes, in the same loop on the same
batches, with the same positions and the same scaled table for both ends. Given the same weights and
no dropout, the two compute the same function, and over 40 steps of training their losses stayed
within 1e-6 of each other. On files, ours also begins with weights like torch's and has dropout in
the same places, so only the random numbers are different. On the grammar there are two more
differences: torch draws smaller projections to queries, keys and values, and begins with biases in
its feed-forward layers, where it also applies dropout. The mean BLEU of ours over the seeds must
not be lower; the time of each run is printed. Two minutes or more for each.

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import sacrebleu
import torch
from race import threads
from torch import Tensor, nn

from plainformer.inputs import sinusoidal
from plainformer.training import adamw, train
from plainformer.training.batches import pad_batch
from plainformer.training.tasks import course_translator
from plainformer.training.tasks.settings import read_settings
from plainformer.training.tasks.translation import (
    GRAMMAR,
    PairedText,
    TranslationSettings,
    exact_match,
    grammar_pairs,
    new_run,
    read_text,
)
from plainformer.training.tasks.translation.translator import EOS, PAD, SOS

Pair = tuple[str, str]
LONGEST = 256


class Torch(nn.Module):
    """torch's transformer, called as ours is; one table of words serves both texts and the head.

    The embeddings have dropout, as in Vaswani et al. 2017, section 5.4: without it, this model
    would be regularised less than ours and would fit the training text better.
    """

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        D = config.d_model
        self.table = nn.Embedding(config.vocab_size, D)
        nn.init.normal_(self.table.weight, std=D**-0.5)  # as ours
        self.positions: Tensor
        waves = torch.as_tensor(sinusoidal(LONGEST, D), dtype=torch.float32)
        self.register_buffer("positions", waves)
        self.dropout = nn.Dropout(config.dropout)
        self.transformer = nn.Transformer(
            D, config.n_heads, config.n_layers, config.n_layers, config.d_ff, config.dropout,
            activation="gelu", batch_first=True, norm_first=config.norm_place == "pre",
        )  # fmt: skip

    def forward(self, source: Tensor, ids: Tensor, *, source_mask: Tensor) -> Tensor:
        """(B, S) and (B, T) ids to (B, T, V) logits."""
        T = ids.shape[1]
        future = torch.ones(T, T, dtype=torch.bool).triu(1)  # torch: True is hidden
        hidden = self.transformer(
            self._embed(source), self._embed(ids), tgt_mask=future,
            src_key_padding_mask=~source_mask, memory_key_padding_mask=~source_mask,
        )  # fmt: skip
        logits: Tensor = hidden @ self.table.weight.T
        return logits

    def _embed(self, ids: Tensor) -> Tensor:
        scaled = self.table(ids) * math.sqrt(self.config.d_model)
        embedded: Tensor = self.dropout(scaled + self.positions[: ids.shape[1]])
        return embedded

    @torch.no_grad()
    def translate(self, vocabulary: Any, texts: Sequence[str], most: int) -> list[str]:
        """Translate greedily, and read the whole target again for each token, without a cache."""
        self.eval()
        said = []
        for i in range(0, len(texts), 100):
            source, _ = pad_batch([vocabulary.encode(text) for text in texts[i : i + 100]], PAD)
            ids = torch.full((len(source), 1), SOS)
            while ids.shape[1] <= most and not (ids == EOS).any(1).all():
                logits = self(source, ids, source_mask=source != PAD)[:, -1]
                ids = torch.cat([ids, logits.argmax(-1, keepdim=True)], dim=1)
            said += [vocabulary.decode(row) for row in ids.tolist()]
        return said


def scores(said: list[str], pairs: list[Pair]) -> tuple[float, float, float]:
    """BLEU, chrF and the share that is exactly right."""
    references = [target for _, target in pairs]
    exact = sum(a == b for a, b in zip(said, references, strict=True)) / len(pairs)
    return (
        sacrebleu.corpus_bleu(said, [references]).score,
        sacrebleu.corpus_chrf(said, [references]).score,
        exact,
    )


def show(name: str, found: tuple[float, float, float], seconds: float | None = None) -> None:
    bleu, chrf, exact = found
    took = "" if seconds is None else f"  {seconds:6.1f} s of training"
    print(f"{name:24} BLEU {bleu:6.2f}  chrF {chrf:6.2f}  exact {exact:6.1%}{took}")


def shipped(count: int) -> bool:
    """Whether the shipped translator gets 99 % of new sentences exactly right."""
    pairs = grammar_pairs(count, seed=1, split="test")
    translator = course_translator()
    said = translator.translate([english for english, _ in pairs])
    show(f"course-translator, {count}", scores(said, pairs))
    return exact_match(translator, pairs) >= 0.99


def side_by_side(settings: TranslationSettings, seeds: int) -> bool:
    """Train both with several seeds, on the same batches; whether our mean BLEU is no lower."""
    found: dict[str, list[tuple[float, float, float]]] = {"ours": [], "nn.Transformer": []}
    for seed in range(seeds):
        settings = replace(settings, seed=seed)
        text = read_text(settings)
        for name, all_scores in found.items():
            all_scores.append(train_one(name, settings, text))
        if seed == 0:
            sides = [side for pair in (*text.train, *text.held_out) for side in pair]
            count_losses(new_run(settings, text)[1].vocabulary, sides)
    means = {name: tuple(map(mean, zip(*rows, strict=True))) for name, rows in found.items()}
    for name, (bleu, chrf, exact) in means.items():
        show(f"{name}, mean", (bleu, chrf, exact))
    return means["ours"][0] >= means["nn.Transformer"][0]


def train_one(
    name: str, settings: TranslationSettings, text: PairedText
) -> tuple[float, float, float]:
    """Train one of the two models, and print and return its scores on the held-out pairs."""
    run, ours = new_run(settings, text)  # the same batches, from the first on
    most = 2 * settings.max_words
    sources = [source for source, _ in text.held_out]
    translate: Callable[[], list[str]]
    if name == "ours":
        translate = partial(ours.translate, sources, most)
    else:
        torch.manual_seed(settings.seed)
        theirs = Torch(ours.model.config)
        optimizer = adamw(theirs, weight_decay=0.01, betas=(0.9, 0.98))
        run = replace(run, model=theirs, optimizer=optimizer)
        translate = partial(theirs.translate, ours.vocabulary, sources, most)
    start = time.perf_counter()
    train(run, settings.steps)
    seconds = time.perf_counter() - start
    found = scores(translate(), text.held_out)
    show(f"{name}, seed {settings.seed}", found, seconds)
    return found


def count_losses(vocabulary: Any, sentences: list[str]) -> None:
    """Print how many sentences a vocabulary cannot represent exactly."""
    encoded = [vocabulary.encode(sentence) for sentence in sentences]
    unknown = sum(ids.count(vocabulary.unk_id) for ids in encoded)
    changed = sum(
        vocabulary.decode(ids) != sentence for ids, sentence in zip(encoded, sentences, strict=True)
    )
    n = len(sentences)
    print(f"of {n:,} sentences, {changed:,} are changed; {unknown / n:.2f} unknown words in each")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sentences", type=int, default=1000)
    parser.add_argument("--train", action="store_true", help="train both sides, too")
    parser.add_argument("--config", type=Path, default=GRAMMAR)
    parser.add_argument("--source")
    parser.add_argument("--target")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    torch.set_num_threads(asked.threads)
    print(f"torch {torch.__version__}, sacrebleu {sacrebleu.__version__}, {threads(asked.threads)}")
    fine = shipped(asked.sentences)
    if asked.train:
        changes = {"source": asked.source, "target": asked.target, "steps": asked.steps}
        settings = read_settings(TranslationSettings, asked.config, **changes)
        fine &= side_by_side(settings, asked.seeds)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())

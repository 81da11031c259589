"""Record how the loss falls with the number of parameters and of tokens, for the package to ship.

    python tools/record_scaling.py src/plainformer/checkpoints/scaling.json

All runs read the same text in the same order and have the same peak learning rate, whereas a real
study tunes it for each size. Four models grow in width and depth together, others have about as
many parameters as the second but a different shape, and one run is repeated with other seeds, to
show how much the results vary by chance.
"""

from __future__ import annotations

import json
import platform
import sys
from dataclasses import replace
from typing import Any

from plainformer.files import atomic_write
from plainformer.training.experiment import SMALL, train_small
from plainformer.training.tasks.language_model import Corpus, LanguageModelSettings, read_corpus

STEPS = (100, 200, 400, 800)  # per run
SIZES = ((1, 32, 4), (2, 64, 4), (3, 96, 4), (4, 128, 4))  # layers, width, heads
SHAPES = ((1, 80, 4), (4, 48, 4), (6, 40, 4), (2, 64, 1), (2, 64, 16))
SEEDS = (1, 2)  # of the repeated run
FIRST = 5  # how many losses are recorded, so that a test can reproduce them


def scaling_settings(
    n_layers: int, d_model: int, n_heads: int, steps: int, seed: int = 0
) -> LanguageModelSettings:
    """Return the settings of the chapter's small GPT in another size."""
    sizes: Any = {"n_layers": n_layers, "d_model": d_model, "n_heads": n_heads}
    return replace(SMALL, name="scaling", steps=steps, peak=4e-3, seed=seed, **sizes)


def measure(corpus: Corpus, settings: LanguageModelSettings) -> dict[str, Any]:
    """Train a model, and return its first losses and its final held-out loss."""
    curve = train_small(corpus, settings, every=settings.steps)
    return {
        **{name: getattr(settings, name) for name in ("n_layers", "d_model", "n_heads")},
        "parameters": sum(p.numel() for p in curve.model.parameters()),
        "steps": settings.steps,
        "seed": settings.seed,
        "first_losses": [round(loss, 4) for loss in curve.loss[:FIRST]],
        "held_out": round(curve.held_out[-1][1], 4),
    }


def main(out: str) -> None:
    """Repeat all measurements, in about ten minutes on one core, and write them to a file."""
    corpus = read_corpus(SMALL)
    plan = [scaling_settings(*size, steps) for size in SIZES for steps in STEPS]
    plan += [scaling_settings(*shape, SMALL.steps) for shape in SHAPES]
    plan += [scaling_settings(*SIZES[1], SMALL.steps, seed) for seed in SEEDS]
    runs = []
    for settings in plan:
        runs.append(measure(corpus, settings))
        print(runs[-1], flush=True)
    given = {
        "made_by": "make checkpoints",
        "python": platform.python_version(),
        "sha256": corpus.sha256,
        "tokens_per_step": SMALL.batch_size * SMALL.context_length,
        "runs": runs,
    }
    atomic_write(out, json.dumps(given, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

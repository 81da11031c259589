"""How the loss falls with parameters and with tokens: some runs, recorded once.

    python -m plainformer.training.scaling src/plainformer/checkpoints/scaling.json

All runs read the same text in the same order, a step of 12 places of 64 tokens at a time. Four grow
in width and depth together; five more have about as many parameters as one of these, shared out
otherwise. Each run has its own cosine, and ends where its cosine does.

But: one seed each, one text, one learning rate for all. A real study would tune the rate for each
size. Differences of a few hundredths mean nothing here.
"""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from plainformer.files import atomic_write
from plainformer.training.experiment import SMALL, learn, small_corpus

__all__ = ["RECORDED", "main", "recorded_scaling"]

RECORDED = Path(__file__).parents[1] / "checkpoints" / "scaling.json"

SIZES = [(1, 32, 4), (2, 64, 4), (3, 96, 4), (4, 128, 4)]  # layers, width, heads
SHAPES = [(1, 84, 4), (4, 48, 4), (8, 36, 4), (2, 64, 1), (2, 64, 16)]
STEPS = (150, 300, 600, 1200)  # of a run's whole cosine


def recorded_scaling() -> dict[str, Any]:
    """What was measured, and on which text.

    >>> recorded = recorded_scaling()
    >>> sorted(recorded)
    ['python', 'runs', 'sha256', 'tokens_per_step']
    """
    found: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return found


def main(arguments: Sequence[str]) -> int:
    """Measure all runs anew, and write what they gave."""
    corpus = small_corpus()
    plan = [(*size, steps) for size in SIZES for steps in STEPS]
    plan += [(*shape, STEPS[2]) for shape in SHAPES]
    runs = []
    for n_layers, d_model, n_heads, steps in plan:
        settings = replace(
            SMALL, n_layers=n_layers, d_model=d_model, n_heads=n_heads, steps=steps, peak=4e-3
        )
        curve = learn(corpus, settings, every=steps)
        parameters = sum(p.numel() for p in curve.model.parameters())
        runs.append(
            {
                "n_layers": n_layers,
                "d_model": d_model,
                "n_heads": n_heads,
                "parameters": parameters,
                "steps": steps,
                "held_out": round(curve.held_out[-1][1], 4),
            }
        )
        print(runs[-1], flush=True)
    given = {
        "python": platform.python_version(),
        "sha256": corpus.sha256,
        "tokens_per_step": SMALL.batch_size * SMALL.length,
        "runs": runs,
    }
    atomic_write(arguments[0], json.dumps(given, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

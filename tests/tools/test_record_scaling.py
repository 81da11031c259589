"""The recorded runs: what they hold, and that their beginnings come out again."""

import json

import pytest

import record_scaling
from plainformer.training.experiment import recorded_scaling, small_corpus, train_small
from record_scaling import FIRST, SEEDS, SHAPES, SIZES, STEPS

RUNS = recorded_scaling()["runs"]


def named(n_layers, d_model, n_heads, steps, seed=0):
    wanted = (n_layers, d_model, n_heads, steps, seed)
    (found,) = (
        run
        for run in RUNS
        if tuple(run[k] for k in ("n_layers", "d_model", "n_heads", "steps", "seed")) == wanted
    )
    return found


def test_every_run_of_the_plan_is_there_once():
    assert len(RUNS) == len(SIZES) * len(STEPS) + len(SHAPES) + len(SEEDS)
    for size in SIZES:
        for steps in STEPS:
            assert 3 < named(*size, steps)["held_out"] < 7
    sizes = [named(*each, 400)["parameters"] for each in (SIZES[1], *SHAPES)]
    assert max(sizes) < 1.05 * min(sizes)


def test_the_first_steps_of_the_smallest_run_give_the_recorded_losses():
    recorded, corpus = recorded_scaling(), small_corpus()
    if corpus.sha256 != recorded["sha256"]:
        pytest.skip("this Python's manual is another text than the one that was measured on")
    run = named(*SIZES[0], STEPS[0])
    settings = record_scaling.scaling_settings(*SIZES[0], STEPS[0])
    whole = train_small(corpus, settings, every=settings.steps)
    assert whole.loss[:FIRST] == pytest.approx(run["first_losses"], abs=1e-3)
    # Other processors round in another order, and a hundred steps add it up.
    assert whole.held_out[-1][1] == pytest.approx(run["held_out"], abs=0.05)
    assert sum(p.numel() for p in whole.model.parameters()) == run["parameters"]


def test_the_script_writes_what_it_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(record_scaling, "SIZES", ((1, 16, 2), (1, 16, 2)))
    monkeypatch.setattr(record_scaling, "STEPS", (3,))
    monkeypatch.setattr(record_scaling, "SHAPES", ())
    monkeypatch.setattr(record_scaling, "SEEDS", ())
    out = tmp_path / "scaling.json"
    record_scaling.main(str(out))
    found = json.loads(out.read_text())
    first, second = found["runs"]
    assert first == second and first["steps"] == 3 and len(first["first_losses"]) == 3
    assert found.keys() == recorded_scaling().keys()

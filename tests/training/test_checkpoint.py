"""A run that stops and goes on is the run that never stopped; a damaged file changes nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from tests.training.small import small_run

from plainformer.training import ExampleBatches, Run, load_checkpoint, save_checkpoint, train


def weights(run: Run) -> list[torch.Tensor]:
    return [p.detach().clone() for p in run.model.parameters()]


@pytest.mark.parametrize("optimizer", ["adamw", "sgd"])
@pytest.mark.parametrize("stop", [0, 1, 7])
def test_resumed_training_is_uninterrupted_training_bit_for_bit(tmp_path, stop, optimizer):
    """With dropout, so torch's generator counts, and in a fresh run, made by another seed."""

    def new(seed: int) -> Run:
        run = small_run(seed)
        if optimizer == "sgd":
            run.optimizer = torch.optim.SGD(run.model.parameters(), lr=0.0, momentum=0.9)
        return run

    whole = new(0)
    train(whole, 12)
    begun = new(0)
    train(begun, stop)
    save_checkpoint(tmp_path / "run.safetensors", begun)
    resumed = new(1)
    load_checkpoint(tmp_path / "run.safetensors", resumed)
    assert resumed.step == stop
    train(resumed, 12)
    assert all(a.equal(b) for a, b in zip(weights(whole), weights(resumed), strict=True))


def test_tied_weights_stay_one(tmp_path):
    run, other = small_run(0), small_run(1)
    assert run.model.config.tied
    save_checkpoint(tmp_path / "run", run)
    load_checkpoint(tmp_path / "run", other)
    assert other.model.head.table is other.model.embedding.tokens


def damaged(path: Path, how: str) -> None:
    if how == "cut":
        path.write_bytes(path.read_bytes()[:-100])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "other":
        save_file({"model.x": torch.ones(2)}, path)
    elif how == "model":
        run = small_run()
        run.model.embedding.positions = torch.nn.Parameter(torch.ones(9, 8))
        save_checkpoint(path, run)
    elif how == "optimizer":
        run = small_run()
        groups = [{"params": g["params"]} for g in run.optimizer.param_groups]
        run.optimizer = torch.optim.SGD(groups, lr=0.0)
        save_checkpoint(path, run)
    elif how == "batches":
        run = small_run()
        run.batches = ExampleBatches(range(9), 2, collate=tuple)
        save_checkpoint(path, run)
    elif how == "half":
        run = small_run()
        run.model.half()
        save_checkpoint(path, run)
    elif how in ("no rng", "odd rng", "no step"):
        with safe_open(path, framework="pt") as opened:
            header = opened.metadata()
            tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
        tensors |= {"rng": torch.zeros(3, dtype=torch.uint8)} if how == "odd rng" else {}
        gone = {"no rng": "rng", "no step": "step"}.get(how)
        save_file(
            {name: tensor for name, tensor in tensors.items() if name != gone},
            path, {name: text for name, text in header.items() if name != gone},
        )  # fmt: skip
    elif how == "missing":
        path.unlink()


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("cut", "must be a whole safetensors file"),
        ("empty", "must be a whole safetensors file"),
        ("other", "must be a checkpoint of a run"),
        ("model", r"positions must be \(\(8, 8\), .*, and is \(\(9, 8\)"),
        ("optimizer", "must be of the same optimizer; only one of them has amsgrad"),
        ("batches", "must be of the same batches; state must be of TextBatches"),
        ("half", r"torch.float32\), and is .*torch.float16"),
        ("no rng", "must be a whole checkpoint; KeyError.'rng'"),
        ("odd rng", "must be a whole checkpoint; .*RNG state"),
        ("no step", "must be a whole checkpoint; KeyError.'step'"),
        ("missing", "there is no file"),
    ],
)
def test_a_file_that_does_not_fit_is_named_and_the_run_stays(tmp_path, how, words):
    path = tmp_path / "run.safetensors"
    save_checkpoint(path, small_run())
    damaged(path, how)
    run = small_run(5)
    run.batches.next_batch()  # somewhere else than where the file's are
    before, batches = weights(run), run.batches.state_dict()
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        load_checkpoint(path, run)
    assert run.step == 0
    assert run.batches.state_dict() == batches
    assert all(a.equal(b) for a, b in zip(before, weights(run), strict=True))


def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path, monkeypatch):
    path = tmp_path / "run.safetensors"
    save_checkpoint(path, small_run())
    before = path.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("plainformer.files.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save_checkpoint(path, small_run(3))
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


ENDLESS = """
import sys
from tests.training.small import small_run
from plainformer.training import save_checkpoint, train
run = small_run()
while True:
    train(run, run.step + 1)
    save_checkpoint(sys.argv[1], run)
    print(run.step, flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("step", [1, 30])
def test_a_run_that_is_killed_leaves_a_whole_checkpoint(tmp_path, step):
    """Killed wherever it is, soon after it has said that a step is saved."""
    path = tmp_path / "run.safetensors"
    process = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    while (line := process.stdout.readline()) != f"{step}\n":
        assert line, "it ended by itself"
    process.send_signal(signal.SIGKILL)
    process.wait()
    run = small_run(9)
    load_checkpoint(path, run)
    assert run.step >= step

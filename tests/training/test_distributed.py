"""Two processes take the steps of one; what they write, one process can go on with."""

import json
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.training.small import small_run

from plainformer.training import (
    History,
    Progress,
    Run,
    TextBatches,
    commands,
    load_checkpoint,
    save_checkpoint,
    train,
)
from plainformer.training.distributed import STRATEGIES, distribute, gather_full_state
from plainformer.training.many_machines import SENTENCES, one_process, torchrun
from plainformer.training.ranks import Ranks, ShardedBatches, full_tensor, process_group
from plainformer.training.tasks import open_language_model
from plainformer.training.traffic import Traffic

STEPS = 6
IGNORED = -100


class Ragged(TextBatches):
    """Texts of unequal length: the last rows, which the second process gets, have most targets."""

    def next_batch(self):
        inputs, targets = super().next_batch()
        lengths = torch.tensor([1, 1, 2, 3, 8, 8, 8, 8])[: len(targets), None]
        return inputs, targets.masked_fill(torch.arange(8) >= lengths, IGNORED)


def ragged_run(dropout: float = 0.0, seed: int = 0) -> Run:
    """A small run whose padding is ignored."""
    run = small_run(seed, dropout=dropout, batch_size=8)
    run.batches = Ragged(run.batches.ids, 8, 8, seed=0)
    run.count = lambda batch: int((batch[-1] != IGNORED).sum())
    return run


def curve(run: Run, steps: int, **options) -> list[Progress]:
    said: list[Progress] = []
    train(run, steps, report=said.append, **options)
    return said


def close(one: list[Progress], other: list[Progress]) -> None:
    assert len(one) == len(other) > 0
    for a, b in zip(one, other, strict=True):
        assert (a.step, a.tokens) == (b.step, b.tokens)
        assert a.loss == pytest.approx(b.loss, abs=1e-5)
        assert a.gradient_norm == pytest.approx(b.gradient_norm, abs=1e-5)


def gradients(run: Run) -> dict[str, torch.Tensor]:
    return {name: full_tensor(p.grad).clone() for name, p in run.model.named_parameters()}


def weights(run: Run) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in run.model.named_parameters()}


def of_one_process() -> tuple[dict[str, torch.Tensor], list[Progress]]:
    run = ragged_run()
    said = curve(run, 1)
    found = gradients(run)
    return found, said + curve(run, STEPS)


def worker(folder: Path) -> None:
    """One of two processes: every way, with accumulated batches and without; then stop and go on.

    What each of them measures goes into a file, for the tests below.
    """
    torch.set_num_threads(1)
    with process_group() as ranks:
        assert ranks.world_size == 2
        for how in STRATEGIES:
            for turns in (1, 2):
                take_steps(folder, ranks, how, turns)
            first = stop_and_go_on(folder / f"{how}-run", ranks, how)
            if ranks.rank == 0:
                (folder / f"{how}-resumed").write_text(str(first))


def take_steps(folder: Path, ranks: Ranks, how: str, turns: int) -> None:
    distributed = distribute(ragged_run(), ranks, how, turns)
    with Traffic() as traffic:
        said = curve(distributed, 1, accumulate=turns)
    found = gradients(distributed)
    said += curve(distributed, STEPS, accumulate=turns)
    if ranks.rank == 1:  # rank 0 is no better
        save_file(found, folder / f"{how}{turns}.safetensors")
        told = json.dumps([vars(each) for each in said])
        (folder / f"{how}{turns}.json").write_text(told)
        calls = json.dumps([call for call in traffic.calls if call[1] > 64])
        (folder / f"{how}{turns}-calls.json").write_text(calls)


def stop_and_go_on(path: Path, ranks: Ranks, how: str) -> bool:
    """Whether resumed training is uninterrupted training, bit for bit, with dropout."""
    plain = ragged_run(dropout=0.2)
    distributed = distribute(plain, ranks, how)
    draws = torch.rand(3)
    train(distributed, 3)
    gather_full_state(distributed, plain)
    if ranks.rank == 0:
        save_checkpoint(path, plain)
    train(distributed, STEPS)
    gather_full_state(distributed, plain)
    ranks.barrier()
    again = ragged_run(dropout=0.2, seed=1)
    load_checkpoint(path, again)
    resumed = distribute(again, ranks, how)
    assert again.step == resumed.step == 3
    train(resumed, STEPS)
    gather_full_state(resumed, again)
    if ranks.rank == 0:
        save_checkpoint(path.with_suffix(".end"), plain)
    there = weights(again)
    alike = all(tensor.equal(there[name]) for name, tensor in weights(plain).items())
    (their,) = ranks.all_reduce(draws.sum().item())
    return alike and their != 2 * draws.sum().item()  # each draws a dropout of its own


@pytest.fixture(scope="module")
def together(tmp_path_factory):
    """What two processes measured."""
    folder = tmp_path_factory.mktemp("together")
    torchrun(str(Path(__file__)), str(folder))
    return folder


@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize("how", STRATEGIES)
def test_two_processes_take_the_steps_of_one(together, how, turns):
    """With targets that are ignored, and far more of them in the first process than the other."""
    want, said = of_one_process()
    found = load_file(together / f"{how}{turns}.safetensors")
    assert found.keys() == want.keys()
    for name, gradient in want.items():
        assert (found[name] - gradient).abs().max() < 1e-6, name
    told = json.loads((together / f"{how}{turns}.json").read_text())
    close([Progress(**each) for each in told], said)


def test_gradients_are_sent_once_in_a_step_however_many_turns_it_has(together):
    def calls(how: str, turns: int) -> list[list]:
        return json.loads((together / f"{how}{turns}-calls.json").read_text())

    assert calls("ddp", 2) == calls("ddp", 1) != []
    one, two = (calls("fsdp", turns) for turns in (1, 2))
    scattered = [call for call in one if call[0] == "reduce-scatter"]
    assert scattered == [call for call in two if call[0] == "reduce-scatter"] != []
    assert len(two) > len(one)  # the weights are collected in each turn


@pytest.mark.parametrize("how", STRATEGIES)
def test_two_processes_go_on_as_if_they_had_not_stopped(together, how):
    assert (together / f"{how}-resumed").read_text() == "True"


@pytest.mark.parametrize("how", STRATEGIES)
def test_one_process_goes_on_with_what_two_have_written(together, how):
    """Its file is the same: every tensor is whole, the optimiser's too."""
    run, other = ragged_run(dropout=0.2, seed=1), ragged_run()
    load_checkpoint(together / f"{how}-run", run)
    assert run.step == 3
    train(run, STEPS)
    load_checkpoint(together / f"{how}-run.end", other)
    assert other.step == STEPS
    train(other, 3)
    kept = load_file(together / f"{how}-run")
    save_checkpoint(together / "alone", other)
    assert {n: t.shape for n, t in kept.items()} == {
        n: t.shape for n, t in load_file(together / "alone").items()
    }


@pytest.mark.parametrize("turns", [2, 4])
def test_accumulated_batches_are_the_whole_batch_with_unequal_targets(turns):
    want, said = of_one_process()
    run = distribute(ragged_run(), Ranks(), accumulate=turns)
    told = curve(run, 1, accumulate=turns)
    for name, gradient in gradients(run).items():
        assert (want[name] - gradient).abs().max() < 1e-6, name
    close(told + curve(run, STEPS, accumulate=turns), said)


def test_a_mean_of_means_would_be_another_gradient():
    """What `count` is for: without it, the parts weigh alike."""
    want, _ = of_one_process()
    run = distribute(ragged_run(), Ranks(), accumulate=2)
    run.count = lambda batch: 1
    train(run, 1, accumulate=2)
    gaps = [(want[name] - g).abs().max() for name, g in gradients(run).items()]
    assert max(gaps) > 1e-3


def test_what_was_spread_stays_as_it_is_until_it_is_gathered():
    run = ragged_run()
    before = weights(run)
    distributed = distribute(run, Ranks())
    train(distributed, 2)
    assert run.step == 0 and all(a.equal(before[n]) for n, a in weights(run).items())
    gather_full_state(distributed, run)
    assert run.step == 2 and all(a.equal(weights(distributed)[n]) for n, a in weights(run).items())


def test_the_shares_of_all_processes_are_the_whole_batch():
    whole_batch = TextBatches(range(99), 4, 6).next_batch()
    parts = [
        ShardedBatches(TextBatches(range(99), 4, 6), Ranks(rank, 3), accumulate=2)
        for rank in range(3)
    ]
    rows = [each.next_batch() for each in parts for _ in range(2)]
    for i in (0, 1):
        assert torch.cat([batch[i] for batch in rows]).equal(whole_batch[i])
    assert parts[0].state_dict() == parts[2].state_dict()


class LastOfEpoch(TextBatches):
    def next_batch(self):
        return tuple(rows[:1] for rows in super().next_batch())


def test_what_cannot_be_shared_is_refused():
    batches = TextBatches(range(99), 4, 6)
    with pytest.raises(ValueError, match=r"multiple of 4, for 4 processes.* got 6"):
        ShardedBatches(batches, Ranks(0, 4))
    with pytest.raises(ValueError, match=r"multiple of 8, for 8 processes.* got 6"):
        ShardedBatches(batches, Ranks(0, 8))
    with pytest.raises(ValueError, match="the last of this epoch has 1"):
        ShardedBatches(LastOfEpoch(range(99), 4, 6), Ranks(0, 2)).next_batch()
    with pytest.raises(ValueError, match="strategy must be 'ddp' or 'fsdp'; got 'zero'"):
        distribute(small_run(), Ranks(), "zero")
    run = ragged_run()
    run.count = lambda batch: 0
    with pytest.raises(ValueError, match="step 1: no target counts"):
        train(run, 1)
    assert run.step == 0


def test_a_torch_without_gloo_is_named(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setattr("torch.distributed.is_backend_available", lambda name: False)
    with (
        pytest.raises(ValueError, match="communicate through gloo, which this torch"),
        process_group(),
    ):
        pass


def test_a_device_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    with pytest.raises(ValueError, match="finds 0"), process_group("cuda"):
        pass
    with pytest.raises(ValueError, match="device must be 'cpu' or 'cuda'"), process_group("tpu"):
        pass


def test_bfloat16_rounds_the_products_and_keeps_the_weights():
    plain, mixed = small_run(dropout=0.0), small_run(dropout=0.0)
    one, other = curve(plain, 20), curve(mixed, 20, bfloat16=True)
    assert all(p.dtype == torch.float32 for p in mixed.model.parameters())
    gaps = [abs(a.loss - b.loss) for a, b in zip(one, other, strict=True)]
    assert 0 < max(gaps) < 0.1
    with pytest.raises(TypeError, match="bfloat16 must be True or False"):
        train(plain, 30, bfloat16="yes")


def test_the_sentences_of_the_chapter_fall_unevenly():
    assert [len(each.split()) for each in SENTENCES] == [6, 6, 3, 2]
    whole_batch, parts = one_process(2), one_process(2, accumulate=4)
    assert parts.losses == pytest.approx(whole_batch.losses, abs=1e-6)


SETTINGS = """
vocab_size = 300
n_layers = 2
n_heads = 2
d_model = 16
context_length = 16
batch_size = 4
steps = 6
"""


@pytest.fixture
def config(tmp_path):
    text = tmp_path / "mine.txt"
    text.write_text("your cat is a lovely cat. a cat is not your dog. " * 60)
    path = tmp_path / "tiny.toml"
    path.write_text(f'text = "{text}"\n{SETTINGS}')
    return path


def command(config: Path, out: Path, *more: str) -> list[str]:
    return ["language-model", "--config", str(config), "--out", str(out), *more]


def under_torchrun(*arguments: str) -> str:
    return torchrun("-m", "plainformer.training", *arguments)


def same_history(one: Path, other: Path) -> None:
    a, b = (open_language_model(each / "model").history for each in (one, other))
    assert a.steps == b.steps
    for ours, theirs in ((a.loss, b.loss), (sum(a.held_out, ()), sum(b.held_out, ()))):
        assert ours == pytest.approx(theirs, abs=1e-4)


def test_the_command_is_the_same_under_torchrun(tmp_path, config, capsys):
    assert commands.main(command(config, tmp_path / "one")) == 0
    more = ("--parallel", "fsdp", "--accumulate", "2")
    said = under_torchrun(*command(config, tmp_path / "two", *more))
    assert said.count("the model is in") == 1
    same_history(tmp_path / "one", tmp_path / "two")


def test_two_processes_finish_what_one_began(tmp_path, config, monkeypatch, capsys):
    assert commands.main(command(config, tmp_path / "one")) == 0
    real = History.report

    def stop(self, progress):
        if progress.step == 4:
            raise KeyboardInterrupt
        real(self, progress)

    with monkeypatch.context() as patched:
        patched.setattr("plainformer.training.tasks.running.SAVED_EVERY", 2)
        patched.setattr(History, "report", stop)
        assert commands.main(command(config, tmp_path / "two")) == 1
    under_torchrun(*command(config, tmp_path / "two", "--resume"))
    same_history(tmp_path / "one", tmp_path / "two")


def test_what_the_command_cannot_share_is_named(tmp_path, config, capsys):
    assert commands.main(command(config, tmp_path / "run", "--accumulate", "3")) == 2
    said = capsys.readouterr().err
    assert "error: batch_size must be a multiple of 3" in said and "got 4" in said
    assert not (tmp_path / "run").exists()
    with pytest.raises(SystemExit):
        commands.main(command(config, tmp_path / "run", "--parallel", "zero"))
    assert "invalid choice: 'zero'" in capsys.readouterr().err


if __name__ == "__main__":
    worker(Path(sys.argv[1]))

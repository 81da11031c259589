"""The loop: it learns, it is the same again, and it stops with words when a number breaks."""

import copy

import pytest
import torch
from tests.training.small import TEXT, small_run

from plainformer.training import Progress, Run, TextBatches, held_out_loss, train
from plainformer.training.evaluate import next_token_loss


def curve(run: Run, steps: int, **options) -> list[Progress]:
    said: list[Progress] = []
    train(run, steps, report=said.append, **options)
    return said


def test_it_learns():
    run = small_run(dropout=0.0)
    before = held_out_loss(run.model, torch.tensor(TEXT), 8)
    said = curve(run, 60)
    assert held_out_loss(run.model, torch.tensor(TEXT), 8) < before - 0.5
    assert [each.step for each in said] == list(range(1, 61))
    assert said[0].tokens == 4 * 8
    assert said[0].learning_rate == pytest.approx(2e-3)  # the schedule's, at step 0


def test_the_same_seed_gives_the_same_curve_bit_for_bit():
    first, again, other = (curve(small_run(seed), 12) for seed in (0, 0, 1))
    assert first == again
    assert first != other


def test_it_stops_where_it_is_told_and_goes_on_from_there():
    run, whole = (small_run(dropout=0.0) for _ in range(2))
    parts = curve(run, 5) + curve(run, 5) + curve(run, 8)  # once it is already there
    assert parts == curve(whole, 8)


def test_batches_that_are_accumulated_are_one_batch():
    """Four batches of 2 give the gradient, and so the weights, of one of 8."""

    class Cut:
        """The batches of another, each in four parts."""

        def __init__(self, whole: TextBatches) -> None:
            self.whole, self.batch_size, self.parts = whole, whole.batch_size // 4, []

        def next_batch(self):
            if not self.parts:
                self.parts = list(zip(*(t.chunk(4) for t in self.whole.next_batch()), strict=True))
            return self.parts.pop(0)

    whole, cut = (small_run(dropout=0.0, batch_size=8) for _ in range(2))
    cut.batches = Cut(cut.batches)
    one, four = curve(whole, 4), curve(cut, 4, accumulate=4)
    for a, b in zip(one, four, strict=True):
        assert (a.step, a.tokens) == (b.step, b.tokens)
        assert a.loss == pytest.approx(b.loss, abs=1e-6)
        assert a.gradient_norm == pytest.approx(b.gradient_norm, abs=1e-6)


def test_a_long_gradient_is_clipped():
    run, free = small_run(dropout=0.0, rate=1.0), small_run(dropout=0.0, rate=1.0)
    for each in (run, free):
        each.optimizer = torch.optim.SGD(each.model.parameters(), lr=0.0)
    before = copy.deepcopy(list(run.model.parameters()))
    (said,) = curve(run, 1, clip=1e-3)
    moved = [(a - b).norm() for a, b in zip(before, run.model.parameters(), strict=True)]
    assert torch.stack(moved).norm().item() == pytest.approx(1e-3 * said.learning_rate, rel=1e-3)
    assert said.gradient_norm > 0.1  # what it was


def test_a_loss_that_is_no_number_any_more_stops_the_run_and_says_where():
    run = small_run()
    train(run, 3)
    table = run.model.embedding.tokens
    with torch.no_grad():
        table[:] = torch.inf
    with pytest.raises(FloatingPointError, match=r"loss became nan at step 4.*largest gradient"):
        train(run, 9)
    assert run.step == 3


def test_a_gradient_that_is_no_number_leaves_the_weights_as_they_were():
    run = small_run()
    train(run, 2)

    def treacherous(model, batch):
        loss = next_token_loss(model, batch)
        loss.register_hook(lambda grad: grad * torch.nan)
        return loss

    run.loss = treacherous
    before = [p.detach().clone() for p in run.model.parameters()]
    with pytest.raises(FloatingPointError, match="gradient became nan at step 3"):
        train(run, 9)
    assert all(a.equal(b) for a, b in zip(before, run.model.parameters(), strict=True))


def test_a_batch_that_does_not_fit_names_one_to_try():
    run = small_run()

    def hungry(model, batch):
        raise torch.OutOfMemoryError("CUDA out of memory")

    def hungry_for_gradients(model, batch):
        loss = next_token_loss(model, batch)
        loss.register_hook(lambda grad: hungry(model, batch))
        return loss

    for run.loss in (hungry, hungry_for_gradients):
        with pytest.raises(MemoryError, match=r"step 1: a batch of 4 .* try batch_size=2"):
            train(run, 1)


def test_held_out_loss_is_the_mean_over_the_pieces_and_leaves_the_mode_alone():
    run = small_run()
    ids = torch.tensor(TEXT)
    run.model.train()
    loss = held_out_loss(run.model, ids, 8, batch_size=3)
    assert run.model.training
    run.model.eval()
    pieces = [next_token_loss(run.model, (ids[None, i : i + 8], ids[None, i + 1 : i + 9]))
              for i in range(0, 192, 8)]  # fmt: skip
    assert loss == pytest.approx(torch.stack(pieces).mean().item(), abs=1e-6)
    with pytest.raises(ValueError, match="more than context_length=8"):
        held_out_loss(run.model, ids[:8], 8)


@pytest.mark.parametrize(
    "options", [{"clip": 0.0}, {"clip": float("nan")}, {"accumulate": 0}, {"steps": -1}]
)
def test_a_number_out_of_range_is_named_and_nothing_moves(options):
    run = small_run()
    with pytest.raises(ValueError, match=next(iter(options))):
        train(run, **({"steps": 2} | options))
    assert run.step == 0
    with pytest.raises(ValueError, match="batch_size must be 1 or more"):
        held_out_loss(run.model, torch.tensor(TEXT), 8, batch_size=0)

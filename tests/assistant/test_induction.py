"""The birth of an induction head, in the second of two layers."""

import pytest
import torch

from plainformer.assistant import (
    repeated_letters,
    show_letters,
    train_induction,
)  # fmt: skip
from plainformer.blocks import DecoderOnly
from plainformer.training.heads import induction_scores


def test_a_text_repeats_its_block() -> None:
    ids = repeated_letters(5, 17, 6, torch.Generator().manual_seed(0))
    assert ids.shape == (5, 17)
    assert torch.equal(ids[:, 6:], ids[:, :-6])
    assert show_letters(ids[0]).replace(" ", "").isalpha()


@pytest.fixture(scope="module")
def run():  # type: ignore[no-untyped-def]
    return train_induction(every=100)


def test_a_head_is_born_with_the_jump(run) -> None:  # type: ignore[no-untyped-def]
    before, after = run.jump()
    _, new, again, score = zip(*run.measured, strict=True)
    assert (before, after) == (400, 500)
    assert again[3] > 2.08 and again[-1] < 0.5  # ln 8 is 2.08: which letters, but not their order
    assert max(score[:4]) < 0.1 and score[-1] > 0.6
    assert min(new) > 3.25  # ln 26 is 3.26: what is drawn at random cannot be learned
    layer = int(induction_scores(run.model, 10).max(1).argmax())
    assert layer == 1  # the second


def test_a_history_has_a_map_for_each_measurement(run) -> None:  # type: ignore[no-untyped-def]
    assert isinstance(run.model, DecoderOnly) and not run.model.training
    shots = run.history.snapshots
    assert [shot.step for shot in shots] == [step for step, *_ in run.measured]
    assert shots[-1].tokens == list("kartmekartme")
    assert shots[-1].sample == " ".join(3 * "kartme")  # it writes the last block itself
    # The second k looks at the a that followed the first one, and so on.
    right = [shots[-1].attention[6 + i][1 + i] for i in range(5)]
    assert sum(right) / 5 > 0.5


def test_errors_name_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="block must be shorter than the text"):
        repeated_letters(1, 6, 6, torch.Generator())
    with pytest.raises(ValueError, match="length"):
        train_induction(1, length=8)
    with pytest.raises(ValueError, match="layers"):
        train_induction(1, layers=0)

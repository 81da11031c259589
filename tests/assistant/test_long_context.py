"""Longer texts for a trained model: masks, losses, needles, and a few steps of training."""

import pytest
import torch

from plainformer.assistant import (
    losses_in,
    masked_losses,
    needle_prompts,
    needle_test,
    reconfigure,
    sink_mask,
    train_longer,
)
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.blocks.modules.longer_texts import losses
from plainformer.training.tasks import course_lm


@pytest.fixture
def model() -> DecoderOnly:
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=16, n_layers=2, n_heads=2, d_ff=32,
        positions="rope", max_length=16,
    )  # fmt: skip
    return DecoderOnly(config, rng=torch.Generator().manual_seed(0)).eval()


def test_other_options_change_no_weight_and_leave_the_model_alone(model: DecoderOnly) -> None:
    scaling = {"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 16}
    other = reconfigure(model, max_length=32, rope_scaling=scaling)
    for one, two in zip(model.parameters(), other.parameters(), strict=True):
        assert torch.equal(one, two) and one.data_ptr() != two.data_ptr()
    assert model.config.max_length == 16 and model.config.rope_scaling is None
    ids = torch.arange(8)[None]
    assert not torch.allclose(model(ids), other(ids), atol=1e-4)


@torch.no_grad()
def test_a_mask_with_a_window_is_the_sliding_window_of_the_configuration(
    model: DecoderOnly,
) -> None:
    ids = torch.randint(9, (3, 14), generator=torch.Generator().manual_seed(0))
    ours = masked_losses(model, ids, sink_mask(13, window=4))
    windowed = losses(reconfigure(model, sliding_window=4), ids)
    torch.testing.assert_close(ours, windowed)
    everything = masked_losses(model, ids, sink_mask(13, window=1, sinks=13))
    torch.testing.assert_close(everything, losses(model, ids))


def test_sinks_are_seen_in_addition_to_the_window() -> None:
    mask = sink_mask(9, window=3, sinks=2)
    assert mask.sum(1).tolist() == [1, 2, 3, 4, 5, 5, 5, 5, 5]
    assert not mask.triu(1).any()


def test_every_needle_is_told_and_asked_at_the_same_places() -> None:
    lm = course_lm()
    filler = lm.tokenizer.encode("one day the sun was warm and the birds sang in the trees.")[1:]
    ids, right = needle_prompts(
        lm.tokenizer, filler, 5, ["big", "red"], ["cat", "fish", "tree"], repeats=2
    )
    assert ids.shape[0] == 12 and right.tolist() == [0, 1, 2] * 4
    text = lm.tokenizer.decode(ids[4].tolist()[1:])
    assert text.startswith(" once there was a red fish.") and text.endswith("once there was a red")
    nouns = torch.tensor([lm.tokenizer.encode(f"a {n}")[-1] for n in ("cat", "fish", "tree")])
    assert needle_test(lm.model, ids, right, nouns).mean() > 0.5
    again, _ = needle_prompts(
        lm.tokenizer, filler, 5, ["big", "red"], ["cat", "fish", "tree"], repeats=2
    )
    assert torch.equal(ids, again)


def test_training_on_longer_texts_lowers_the_loss_of_what_it_reads(model: DecoderOnly) -> None:
    texts = torch.arange(13).remainder(9).repeat(4, 1)
    before = losses(model, texts).mean()
    trained = train_longer(reconfigure(model), texts, steps=15, rate=0.01)
    assert losses(trained, texts).mean() < before - 0.5
    same = train_longer(reconfigure(model), texts, steps=15, rate=0.01)
    for one, two in zip(trained.parameters(), same.parameters(), strict=True):
        assert torch.equal(one, two)


def test_errors_name_what_does_not_fit(model: DecoderOnly) -> None:
    with pytest.raises(ValueError, match="window must be 1 or more; got 0"):
        sink_mask(4, window=0)
    with pytest.raises(ValueError, match="sinks must be 0 or more; got -1"):
        sink_mask(4, window=2, sinks=-1)
    with pytest.raises(ValueError, match=r"mask must be \(3, 3\)"):
        masked_losses(model, torch.zeros(1, 4, dtype=torch.long), sink_mask(4, window=2))
    with pytest.raises(ValueError, match="sliding_window must be 1 or more; got 0"):
        reconfigure(model, sliding_window=0)
    with pytest.raises(ValueError, match=r"'factor'.* must be at least 1; got 0\.5"):
        reconfigure(model, rope_scaling={"rope_type": "linear", "factor": 0.5})
    with pytest.raises(ValueError, match=r"ranges must lie within 0 to 3; got \(2, 4\)"):
        losses_in(torch.zeros(2, 3), [(2, 4)])
    with pytest.raises(ValueError, match="filler must have more than 5 tokens; got 2"):
        needle_prompts(course_lm().tokenizer, [1, 2], 5, ["big"], ["cat"])
    before = [p.clone() for p in model.parameters()]
    with pytest.raises(ValueError, match="texts must have at most 17 tokens"):
        train_longer(model, torch.zeros(2, 30, dtype=torch.long))
    with pytest.raises(ValueError, match="rate must be above 0; got 0"):
        train_longer(model, torch.zeros(2, 5, dtype=torch.long), rate=0)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))

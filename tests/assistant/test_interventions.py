"""What a head is made to write: the same logits as with torch's own hooks, and kind refusals."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from torch import Tensor

from plainformer.assistant import (
    head_effects,
    logit_difference,
    stream_effects,
    train_induction,
    write_instead,
)  # fmt: skip
from plainformer.blocks import DecoderOnly, TransformerConfig, ablate, patch, trace

IDS = torch.tensor([[1, 2, 3, 4], [5, 6, 7, 1], [2, 2, 8, 3]])
OTHER = IDS.roll(1, dims=0)
RIGHT, WRONG = torch.tensor([1, 2, 3]), torch.tensor([4, 5, 6])


@pytest.fixture(scope="module")
def model() -> DecoderOnly:
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=12, n_layers=2, n_heads=3, d_ff=16, norm="rms",
        positions="rope", attention_bias=False, ff_bias=False,
    )  # fmt: skip
    return DecoderOnly(config, impl="sdpa", rng=torch.Generator().manual_seed(0)).eval()


@contextmanager
def hooked(model: DecoderOnly, layer: int, change: object) -> Iterator[None]:
    """Change the input of W_O, in which the heads lie side by side, by a hook of torch's."""
    module = model.layers[layer].attention.w_o
    hook = module.register_forward_pre_hook(lambda _, given: (change(given[0].clone()),))  # type: ignore[operator]
    try:
        yield
    finally:
        hook.remove()


def inputs_of_w_o(model: DecoderOnly, layer: int, ids: Tensor) -> Tensor:
    seen: list[Tensor] = []
    with hooked(model, layer, lambda x: seen.append(x) or x):
        model(ids)
    return seen[0]


@pytest.mark.parametrize("how", ["zero", "mean", "resample", "patch"])
def test_every_effect_is_what_plain_hooks_give(model: DecoderOnly, how: str) -> None:
    other = None if how == "zero" else OTHER
    effects = head_effects(model, IDS, RIGHT, WRONG, how, other=other)
    with torch.no_grad():
        before = logit_difference(model(IDS)[:, -1], RIGHT, WRONG)
        for layer in range(2):
            there = inputs_of_w_o(model, layer, OTHER)  # (B, T, H K)
            for head in range(3):
                part = slice(4 * head, 4 * head + 4)
                new = {
                    "zero": torch.zeros(4),
                    "mean": there[..., part].mean((0, 1)),
                }.get(how, there[..., part])

                def change(x: Tensor, part: slice = part, new: Tensor = new) -> Tensor:
                    x[..., part] = new
                    return x

                with hooked(model, layer, change):
                    after = logit_difference(model(IDS)[:, -1], RIGHT, WRONG)
                torch.testing.assert_close(effects[layer, head], before - after)


def test_the_effect_of_a_stream_is_what_plain_hooks_give(model: DecoderOnly) -> None:
    effects = stream_effects(model, IDS, OTHER, RIGHT, WRONG)
    assert effects.shape == (3, 4, 3)
    seen: list[Tensor] = []
    hook = model.layers[0].register_forward_hook(lambda _, __, x: seen.append(x))
    with torch.no_grad():
        before = logit_difference(model(IDS)[:, -1], RIGHT, WRONG)
        model(OTHER)
        hook.remove()

        def change(_: object, __: object, x: Tensor) -> Tensor:
            x = x.clone()
            x[:, 2] = seen[-1][:, 2]
            return x

        hook = model.layers[0].register_forward_hook(change)
        after = logit_difference(model(IDS)[:, -1], RIGHT, WRONG)
        hook.remove()
    torch.testing.assert_close(effects[1, 2], before - after)


def test_nothing_is_lost_by_a_text_that_is_its_own_counterpart(model: DecoderOnly) -> None:
    assert head_effects(model, IDS, RIGHT, WRONG, "patch", other=IDS).abs().max() < 1e-5
    assert stream_effects(model, IDS, IDS, RIGHT, WRONG).abs().max() < 1e-5


def test_a_replaced_last_stream_gives_the_other_texts_answer(model: DecoderOnly) -> None:
    effects = stream_effects(model, IDS, OTHER, RIGHT, WRONG)[-1, -1]
    with torch.no_grad():
        here, there = (logit_difference(model(x)[:, -1], RIGHT, WRONG) for x in (IDS, OTHER))
    torch.testing.assert_close(effects, here - there)


def test_writing_zeros_is_ablation(model: DecoderOnly) -> None:
    name = "layers.1.attention.heads"
    ours = patch(model, IDS, {name: write_instead(torch.zeros(1), 0, 2)})["logits"]
    torch.testing.assert_close(ours, patch(model, IDS, {name: ablate(0, 2)})["logits"])


def test_a_model_is_left_as_it_was(model: DecoderOnly) -> None:
    before = trace(model, IDS)["logits"]
    head_effects(model, IDS, RIGHT, WRONG)
    assert torch.equal(trace(model, IDS)["logits"], before)
    assert not model.layers[0].attention.w_o._forward_pre_hooks


def test_errors_name_what_does_not_fit(model: DecoderOnly) -> None:
    def effects(how: str, other: Tensor | None, ids: Tensor = IDS) -> None:
        head_effects(model, ids, RIGHT, WRONG, how, other=other)

    with pytest.raises(ValueError, match=r"how must be .zero.*got .noise."):
        effects("noise", None)
    with pytest.raises(ValueError, match="other must be None"):
        effects("zero", OTHER)
    with pytest.raises(ValueError, match="other must be given"):
        effects("mean", None)
    with pytest.raises(ValueError, match=r"token by token, \(3, 4\); got \(3, 3\)"):
        effects("patch", OTHER[:, :3])
    with pytest.raises(ValueError, match=r"at least one token; got \(0, 4\)"):
        effects("mean", OTHER[:0])
    with pytest.raises(ValueError, match=r"ids must be \(B, T\)"):
        effects("zero", None, IDS[:, :0])
    with pytest.raises(ValueError, match="heads must be from 0 to 2; got 3"):
        patch(model, IDS, {"layers.0.attention.heads": write_instead(torch.zeros(1), 3)})
    with pytest.raises(ValueError, match=r"this model has no step 'layers.2.attention.heads'"):
        patch(model, IDS, {"layers.2.attention.heads": write_instead(torch.zeros(1), 0)})


def test_what_an_induction_run_refuses_before_it_trains() -> None:
    with pytest.raises(ValueError, match="steps"):
        train_induction(0)
    with pytest.raises(ValueError, match="below length=24"):
        train_induction(1, blocks=(6, 24))
    with pytest.raises(ValueError, match="blocks"):
        train_induction(1, blocks=(0, 6))

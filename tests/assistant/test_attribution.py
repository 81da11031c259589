"""Direct attribution: its parts add up, and they are what a plain computation finds."""

import numpy as np
import pytest
import torch
from torch import Tensor

from plainformer.assistant import direct_attribution, logit_difference, mean_and_error
from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.tasks import course_lm


@pytest.fixture(scope="module")
def asked() -> tuple[DecoderOnly, Tensor, Tensor, Tensor]:
    """Course-lm, two texts, the noun that is right, and that of the other text."""
    lm = course_lm()
    texts = [f"your {n} is a lovely {n}. your {n} is a lovely" for n in ("cat", "dog")]
    right = torch.tensor([lm.tokenizer.encode(n)[-1] for n in ("cat", "dog")])
    return lm.model, torch.tensor([lm.tokenizer.encode(t) for t in texts]), right, right.flip(0)


def test_the_parts_add_up_to_the_lead(asked: tuple[DecoderOnly, Tensor, Tensor, Tensor]) -> None:
    model, ids, right, wrong = asked
    parts = direct_attribution(model, ids, right, wrong)
    assert len(parts) == 1 + 4 * (4 + 1)
    with torch.no_grad():
        lead = logit_difference(model(ids)[:, -1], right, wrong)
    torch.testing.assert_close(sum(parts.values()), lead, atol=1e-4, rtol=0)


def test_a_part_is_the_gradient_of_the_lead_times_what_it_wrote() -> None:
    """With the scale of the last norm held, the lead is linear, so autograd must agree."""
    config = TransformerConfig(
        family="decoder", vocab_size=11, d_model=8, n_layers=2, n_heads=2, d_ff=16, norm="rms",
        attention_bias=False, ff_bias=False,
    )  # fmt: skip
    model = DecoderOnly(config, rng=torch.Generator().manual_seed(3))
    ids, right, wrong = torch.tensor([[1, 2, 3]]), torch.tensor([4]), torch.tensor([5])
    written: dict[str, Tensor] = {}
    hooks = [
        layer.feed_forward.register_forward_hook(
            lambda _, __, y, i=i: written.update({f"layers.{i}.feed_forward": y[0, -1].detach()})
        )
        for i, layer in enumerate(model.layers)
    ]
    streams: list[Tensor] = []
    hooks.append(model.norm.register_forward_pre_hook(lambda _, x: streams.append(x[0])))
    model(ids)
    for hook in hooks:
        hook.remove()
    stream = streams[0].detach()[0, -1].requires_grad_()
    scale = 1 / (stream.detach().square().mean() + config.norm_eps).sqrt()
    logits = model.head(stream * scale * model.norm.gamma)
    (gradient,) = torch.autograd.grad(logits[4] - logits[5], stream)
    parts = direct_attribution(model, ids, right, wrong)
    for name, y in written.items():
        torch.testing.assert_close(parts[name][0], y @ gradient, atol=1e-5, rtol=0)


def test_a_lead_ignores_what_is_added_to_all_logits() -> None:
    logits = np.random.default_rng(0).normal(size=(3, 5))
    right, wrong = np.array([0, 1, 2]), np.array([4, 4, 0])
    lead = logit_difference(logits, right, wrong)
    np.testing.assert_allclose(logit_difference(logits + 7, right, wrong), lead)
    p = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    ratio = [p[i, a] / p[i, b] for i, (a, b) in enumerate(zip(right, wrong, strict=True))]
    np.testing.assert_allclose(lead, np.log(ratio))


def test_errors_name_what_does_not_fit(asked: tuple[DecoderOnly, Tensor, Tensor, Tensor]) -> None:
    model, ids, right, _ = asked
    with pytest.raises(ValueError, match="wrong must be tokens from 0 to 2399; got 2400"):
        direct_attribution(model, ids, right, torch.tensor([2400, 1]))
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=8, n_layers=1, n_heads=2, d_ff=16, norm="layer"
    )
    with pytest.raises(ValueError, match="model must have norm='rms'"):
        direct_attribution(DecoderOnly(config), ids, right, right)
    with pytest.raises(TypeError, match="model must be a DecoderOnly; got str"):
        direct_attribution("course-lm", ids, right, right)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least 2 numbers"):
        mean_and_error(torch.tensor([1.0]))


def test_the_standard_error_is_that_of_the_mean() -> None:
    mean, error = mean_and_error(torch.tensor([1.0, 2.0, 6.0]))
    values = np.array([1.0, 2.0, 6.0])
    np.testing.assert_allclose([mean, error], [values.mean(), values.std(ddof=1) / 3**0.5])

"""The sparse autoencoder: what it keeps, what it finds, and what it refuses before it trains."""

import numpy as np
import pytest
import torch
from torch import Tensor

from plainformer.assistant import (
    TopKAutoencoder,
    keep_top_k,
    read_stream,
    stream_loss,
    train_autoencoder,
    unexplained_variance,
    write_stories,
)  # fmt: skip
from plainformer.blocks import DecoderOnly, TransformerConfig, trace


@pytest.fixture(scope="module")
def model() -> DecoderOnly:
    config = TransformerConfig(
        family="decoder", vocab_size=9, d_model=8, n_layers=2, n_heads=2, d_ff=16, max_length=12
    )
    return DecoderOnly(config, rng=torch.Generator().manual_seed(0)).eval()


def sparse_vectors(count: int) -> tuple[Tensor, Tensor]:
    """Sums of 2 of 12 directions in 10 dimensions, and the directions, (12, 10)."""
    rng = torch.Generator().manual_seed(0)
    directions = torch.nn.functional.normalize(torch.randn(12, 10, generator=rng), dim=1)
    chosen = torch.rand(count, 12, generator=rng).argsort(1)[:, :2]
    sizes = 1 + torch.rand(count, 2, generator=rng)
    return torch.zeros(count, 12).scatter(1, chosen, sizes) @ directions, directions


def test_the_k_highest_are_kept() -> None:
    scores = np.random.default_rng(0).normal(size=(5, 9))
    kept = keep_top_k(scores, 3)
    for row, out in zip(scores, kept, strict=True):
        best = sorted(row, reverse=True)[:3]
        np.testing.assert_array_equal(out, [x if x in best and x > 0 else 0 for x in row])


def test_equal_scores_do_not_make_more_than_k() -> None:
    assert (keep_top_k([[1.0, 1.0, 1.0]], 2) > 0).sum() == 2


def test_the_module_keeps_what_the_formula_keeps() -> None:
    sae = TopKAutoencoder(6, 12, 3, torch.Generator().manual_seed(1))
    x = torch.randn(7, 6, generator=torch.Generator().manual_seed(2))
    scores = (x - sae.centre) @ sae.encoder.T + sae.bias
    torch.testing.assert_close(sae.encode(x), keep_top_k(scores.detach(), 3))
    torch.testing.assert_close(sae(x), sae.encode(x) @ sae.decoder + sae.centre)


def test_unexplained_variance_is_the_error_over_the_variance() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3))
    y = x + rng.normal(size=x.shape) / 3
    theirs = np.square(x - y).mean(0).sum() / np.var(x, axis=0).sum()
    np.testing.assert_allclose(unexplained_variance(x, y), theirs)
    assert float(unexplained_variance(x, np.broadcast_to(x.mean(0), x.shape))) == pytest.approx(1)


def test_it_finds_directions_that_were_hidden_in_a_sum() -> None:
    x, directions = sparse_vectors(2000)
    sae = train_autoencoder(x, n_features=12, k=2, steps=400, batch_size=128, rate=2e-2)
    with torch.no_grad():
        assert float(unexplained_variance(x, sae(x))) < 0.2
        found = (directions @ sae.decoder.T).max(1).values  # the best match of each
    assert found.mean() > 0.85
    torch.testing.assert_close(sae.decoder.norm(dim=1), torch.ones(12))


def test_the_same_seed_gives_the_same_features() -> None:
    x, _ = sparse_vectors(100)
    one, two = (train_autoencoder(x, 12, 2, steps=5, seed=4).decoder for _ in range(2))
    assert torch.equal(one, two)


def test_the_stream_is_the_one_that_a_trace_has(model: DecoderOnly) -> None:
    ids = torch.tensor([[1, 2, 3], [4, 5, 6]])
    with torch.no_grad():
        theirs = trace(model, ids)["layers.1.residual_2"]
    torch.testing.assert_close(read_stream(model, ids, 1), theirs)
    assert not model.layers[1]._forward_hooks


def test_a_perfect_reconstruction_costs_nothing_and_the_mean_costs_much(
    model: DecoderOnly,
) -> None:
    ids = write_stories(model, 1, 8, 10)
    assert ids.shape == (8, 10) and (ids[:, 0] == 1).all()
    assert torch.equal(ids, write_stories(model, 1, 8, 10))
    assert stream_loss(model, ids, 0) == pytest.approx(stream_loss(model, ids, 0, lambda x: x))
    with torch.no_grad():
        logits = model(ids)[:, :-1].log_softmax(-1)
    theirs = -logits.gather(-1, ids[:, 1:, None]).mean()
    assert stream_loss(model, ids, 0) == pytest.approx(float(theirs), abs=1e-5)


def test_errors_name_what_does_not_fit(model: DecoderOnly) -> None:
    x = torch.randn(10, 4)
    with pytest.raises(
        ValueError, match="k must be at most the number of features, n_features=8; got 9"
    ):
        train_autoencoder(x, n_features=8, k=9)
    with pytest.raises(ValueError, match="k must be"):
        train_autoencoder(x, n_features=8, k=0)
    with pytest.raises(ValueError, match="x must hold finite numbers"):
        train_autoencoder(x * torch.nan, 8, 2)
    with pytest.raises(ValueError, match=r"at least one of them; got \(0, 4\)"):
        train_autoencoder(x[:0], 8, 2)
    with pytest.raises(ValueError, match="k must be at most the number of features, 3; got 4"):
        keep_top_k([1.0, 2.0, 3.0], 4)
    with pytest.raises(ValueError, match="all of them are equal"):
        unexplained_variance([[1.0], [1.0]], [[1.0], [1.0]])
    with pytest.raises(ValueError, match="at least 2 vectors"):
        unexplained_variance([[1.0]], [[1.0]])
    for call in (read_stream, stream_loss):
        with pytest.raises(ValueError, match="layer must be from 0 to 1; got 2"):
            call(model, torch.tensor([[1, 2]]), 2)
    with pytest.raises(ValueError, match="length must be at most 12"):
        write_stories(model, 1, 2, 13)
    with pytest.raises(ValueError, match="start must be a token from 0 to 8; got 9"):
        write_stories(model, 9, 2, 3)

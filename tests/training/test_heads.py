"""What heads look at: shares against plain loops, and the cases that can be said in advance."""

import numpy as np
import pytest
import torch

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.training.heads import (
    attention_maps,
    attention_share,
    head_scores,
    induction_scores,
    uniform_scores,
)

IDS = torch.tensor([[3, 1, 3, 2, 1, 3], [0, 0, 4, 4, 4, 1]])

KINDS = {
    "itself": lambda text, i, j: i == j,
    "previous": lambda text, i, j: j == i - 1,
    "first": lambda text, i, j: j == 0 and i >= 2,
    "same": lambda text, i, j: j < i and text[i] == text[j],
}


def model(size: int = 5) -> DecoderOnly:
    config = TransformerConfig(
        family="decoder", vocab_size=size, d_model=8, n_layers=2, n_heads=2, d_ff=16,
    )  # fmt: skip
    return DecoderOnly(config, rng=torch.Generator().manual_seed(0)).eval()


def by_loops(maps, texts, kind) -> float:
    """One head's (B, T, T) maps: the mean over queries that have such a key."""
    found = []
    for text, weights in zip(texts.tolist(), maps, strict=True):
        for i, row in enumerate(weights):
            keys = [j for j in range(len(row)) if kind(text, i, j)]
            if keys:
                found.append(sum(row[j] for j in keys))
    return float(np.mean(found))


@pytest.mark.parametrize("kind", KINDS)
def test_shares_are_those_of_plain_loops(kind):
    ours, maps = head_scores(model(), IDS)[kind], attention_maps(model(), IDS)
    assert ours.shape == (2, 2) and maps.shape == (2, 2, 2, 6, 6)
    for layer, head in np.ndindex(2, 2):
        assert ours[layer, head] == pytest.approx(by_loops(maps[layer, head], IDS, KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_blind_head_looks_at_all_that_it_may_see_alike(kind):
    alike = np.tri(6) / np.arange(1, 7)[:, None]
    wanted = by_loops([alike, alike], IDS, KINDS[kind])
    assert uniform_scores(IDS)[kind] == pytest.approx(wanted)


def test_an_induction_head_looks_at_what_came_after_the_same_token(monkeypatch):
    """Its map by hand: the second copy's third token looks at the first's fourth, and so on."""
    T, maps = 4, np.zeros((1, 1, 3, 8, 8))
    for i in range(8):
        maps[..., i, max(i - (T - 1), 0)] = 1
    monkeypatch.setattr("plainformer.training.heads.attention_maps", lambda model, ids: maps)
    assert induction_scores(model(), length=T, n_texts=3).tolist() == [[1.0]]
    maps[..., :T, :] = np.eye(T, 8)  # the first copy has nothing to find
    assert induction_scores(model(), length=T, n_texts=3).tolist() == [[1.0]]
    monkeypatch.setattr(
        "plainformer.training.heads.attention_maps", lambda model, ids: maps[..., ::-1]
    )
    assert induction_scores(model(), length=T, n_texts=3).item() < 1


def test_an_untrained_model_does_no_induction_and_a_seed_names_the_texts():
    first, again = (induction_scores(model(60), length=9, n_texts=4, seed=2) for _ in range(2))
    assert np.array_equal(first, again) and first.max() < 0.3
    assert not np.array_equal(first, induction_scores(model(60), length=9, n_texts=4, seed=3))


def test_a_row_of_zeros_counts_and_a_missing_kind_does_not():
    weights = np.array([[[1.0, 0.0], [0.0, 0.0]]])
    assert attention_share(weights, np.array([[[True, False], [True, False]]])) == 0.5
    assert attention_share(weights, np.array([[[True, False], [False, False]]])) == 1.0


def test_texts_that_are_too_short_are_named():
    with pytest.raises(ValueError, match="ids must have at least 3 tokens each; got 2"):
        head_scores(model(), IDS[:, :2])
    with pytest.raises(ValueError, match="length must be 2 or more"):
        induction_scores(model(), length=1)

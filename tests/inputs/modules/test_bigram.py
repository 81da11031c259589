"""The bigram model: pairs are counted as they stand, training comes near the best there is."""

from __future__ import annotations

import pytest
import torch

from plainformer.inputs.modules.bigram import count_pairs, least_loss, train_tables

IDS = torch.randint(5, (300,), generator=torch.Generator().manual_seed(0)) ** 2 % 5
COUNTS = count_pairs(IDS, 5)
SHARE = COUNTS / COUNTS.sum()


def test_each_pair_is_counted_where_it_stands() -> None:
    expected = torch.zeros(5, 5, dtype=torch.int64)
    for i, j in zip(IDS[:-1].tolist(), IDS[1:].tolist(), strict=True):
        expected[i, j] += 1
    assert torch.equal(COUNTS, expected)


def test_two_wide_tables_come_near_the_best_and_never_below() -> None:
    _, tables, loss = train_tables(SHARE, D=8, seed=0, steps=200)
    assert [table.shape for table in tables] == [(5, 8), (5, 8)]
    assert least_loss(SHARE) <= loss < least_loss(SHARE) + 0.02


def test_the_best_loss_is_that_of_the_counts() -> None:
    given = SHARE / SHARE.sum(dim=1, keepdim=True)  # how often j where i was
    expected = -(SHARE * torch.where(SHARE > 0, given, 1).log()).sum()
    assert least_loss(SHARE) == pytest.approx(float(expected), abs=1e-6)


def test_a_seed_gives_the_same_tables_again() -> None:
    once, again, other = (train_tables(SHARE, 4, seed, steps=2) for seed in (3, 3, 4))
    assert torch.equal(once[0], again[0]) and once[2] == again[2]
    assert not torch.equal(once[0], other[0])

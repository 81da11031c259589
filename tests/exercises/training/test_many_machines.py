"""The references of the exercises on many machines, against torch and by their laws."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.exercises import exercise

whole_batch, held_and_sent, ring_reduce_scatter, go_on = (
    exercise(f"training.many_machines.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(1, 4), st.integers(2, 6))
def test_parts_make_the_gradient_that_torch_finds_of_the_whole(seed, N, T):
    rng = torch.Generator().manual_seed(seed)
    x = torch.randn(N, T, 3, generator=rng, dtype=torch.float64)
    real = torch.arange(T) < torch.randint(1, T + 1, (N, 1), generator=rng)
    w = torch.ones(3, dtype=torch.float64, requires_grad=True)

    def gradient(rows):
        (found,) = torch.autograd.grad((((x @ w) ** 2)[rows][real[rows]]).mean(), w)
        return found.numpy()

    parts = np.array([gradient([n]) for n in range(N)])
    found = whole_batch(parts, real.sum(1).numpy())
    np.testing.assert_allclose(found, gradient(slice(None)), atol=1e-9)


@given(seeds, st.integers(1, 6), st.integers(1, 3))
def test_round_the_ring_each_ends_with_one_piece_of_the_sum(seed, N, C):
    x = np.random.default_rng(seed).integers(-9, 9, size=(N, N, C))
    before = x.copy()
    end = ring_reduce_scatter(x)
    for r in range(N):
        np.testing.assert_array_equal(end[r, (r + 1) % N], x.sum(axis=0)[(r + 1) % N])
    np.testing.assert_array_equal(x, before)


@given(seeds, st.integers(0, 20), st.integers(0, 20), st.integers(1, 6))
def test_a_stop_anywhere_changes_nothing(seed, first, more, n):
    rows = np.random.default_rng(seed).normal(size=n)
    start = (0.5, 0.0, 0)
    half = go_on(start, first, rows, seed)
    assert go_on(half, first + more, rows, seed) == go_on(start, first + more, rows, seed)


@given(st.integers(1, 64), st.integers(1, 10**6))
def test_fsdp_sends_half_as_much_again_and_holds_a_part(N, share):
    P = N * share
    (all_of_it, sent), (piece, more) = (held_and_sent(P, N, way) for way in ("ddp", "fsdp"))
    assert piece * N == all_of_it and 2 * more == 3 * sent

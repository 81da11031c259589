"""The chapters' experiments on attention: what they measure is what they say."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from plainformer.attention import causal_mask
from plainformer.attention.modules.copying import (
    N_READ,
    guess,
    letters_of,
    train,
    windows,
)
from plainformer.attention.modules.measuring import megabytes, torch_megabytes
from plainformer.attention.modules.vanishing_gradients import attention_layer, gradient_sizes, rnn

TEXT = letters_of("your cat is a lovely cat " * 40)


def test_an_rnn_of_no_memory_reaches_one_token_and_attention_all() -> None:
    forgetful, all_at_once = (
        gradient_sizes(net, T=6, D=4, texts=3) for net in (rnn(0), attention_layer)
    )
    assert forgetful.shape == all_at_once.shape == (6,)
    assert forgetful[0] > 0 and (forgetful[1:] == 0).all()
    assert (all_at_once > 0).all()


def test_reach_is_a_slope() -> None:
    """A network that multiplies by c what came d tokens before has the slope c there."""
    size = gradient_sizes(lambda x, _: x[-1] - 5 * x[-3], T=4, D=3, texts=2)
    assert size[2] == pytest.approx(5 * size[0])
    assert size[1] == size[3] == 0


def test_training_repeats_and_leaves_torch_as_it_was() -> None:
    before = torch.random.get_rng_state()
    once, again = (train(TEXT, None, steps=2) for _ in range(2))
    assert all(map(torch.equal, once, again))
    assert torch.equal(before, torch.random.get_rng_state())


def test_only_without_a_mask_does_a_guess_depend_on_later_letters() -> None:
    mask = torch.tensor(causal_mask(N_READ))
    model = train(TEXT, None, steps=2)
    read = windows(TEXT, seed=1, count=5)[:, :-1]
    changed = read.clone()
    changed[:, -1] = (changed[:, -1] + 1) % 27
    for each, same in ((mask, True), (None, False)):
        before, after = (guess(model, ids, each)[0][:, :-1] for ids in (read, changed))
        assert torch.equal(before, after) is same


def test_memory_counts_what_is_asked_for_and_not_what_was_there() -> None:
    there, threads = np.ones(10**6), torch.get_num_threads()
    assert megabytes(lambda: there.sum()) < 0.1
    assert megabytes(lambda: there + 1) == pytest.approx(8, abs=0.1)
    assert torch_megabytes(lambda: torch.ones(10**6)) == pytest.approx(4, abs=0.1)
    assert torch.get_num_threads() == threads

"""The masked mean: against torch's own averages, on NumPy and torch, and what it refuses."""

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.utils.rnn import pad_sequence

from plainformer.training import masked_mean
from plainformer.verify import close


def draw(seed, lengths=(3, 1, 5), width=4):
    """Texts of these lengths, and the same as a batch with a mask."""
    g = torch.Generator().manual_seed(seed)
    texts = [torch.randn(n, width, generator=g, dtype=torch.float64) for n in lengths]
    return texts, pad_sequence(texts, batch_first=True, padding_value=99.0), torch.tensor(
        [[t < n for t in range(max(lengths))] for n in lengths]
    )  # fmt: skip


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 99))
def test_it_is_the_mean_of_each_text_alone(lengths, seed):
    texts, x, mask = draw(seed, lengths)
    alone = torch.stack([each.mean(0) for each in texts])
    torch.testing.assert_close(masked_mean(x, mask), alone)


def test_it_is_torchs_embedding_bag():
    texts, x, mask = draw(0)
    bag = torch.nn.functional.embedding_bag(
        torch.arange(9), torch.cat(texts), offsets=torch.tensor([0, 3, 4]), mode="mean"
    )
    torch.testing.assert_close(masked_mean(x, mask), bag)


@pytest.mark.parametrize("library", [np, array_api_strict], ids=["numpy", "strict"])
def test_all_libraries_agree_and_keep_their_dtype(library):
    _, x, mask = draw(1)
    found = masked_mean(library.asarray(x.numpy()), library.asarray(mask.numpy()))
    assert type(found) is type(library.asarray(0.5))
    close(np.asarray(found), masked_mean(x, mask), tolerance=1e-15)
    assert masked_mean(x.float(), mask).dtype == torch.float32


@pytest.mark.parametrize("filling", [0.0, 1e30, float("inf"), float("nan")])
def test_whatever_fills_is_not_read_and_gets_no_gradient(filling):
    texts, x, mask = draw(2)
    x = torch.where(mask[..., None], x, filling).requires_grad_()
    found = masked_mean(x, mask)
    torch.testing.assert_close(found, torch.stack([each.mean(0) for each in texts]))
    (gradient,) = torch.autograd.grad(found.sum(), x)
    assert (gradient[~mask] == 0).all()
    torch.testing.assert_close(gradient[2], torch.full((5, 4), 1 / 5, dtype=torch.float64))


def test_its_gradient_by_differences():
    _, x, mask = draw(3)
    assert torch.autograd.gradcheck(lambda x: masked_mean(x, mask), x.requires_grad_())


def test_what_it_refuses():
    x, mask = np.zeros((2, 3, 4)), np.ones((2, 3), dtype=bool)
    with pytest.raises(TypeError, match="mask must be boolean"):
        masked_mean(x, mask.astype(float))
    with pytest.raises(
        ValueError, match=r"mask must be \(B, T\) with T = 3, as in x; got shape \(2, 4\)"
    ):
        masked_mean(x, np.ones((2, 4), dtype=bool))
    with pytest.raises(ValueError, match=r"x must be \(B, T, D\); got shape \(3, 4\)"):
        masked_mean(x[0], mask[0])
    mask[1] = False
    with pytest.raises(ValueError, match="text 1 has none"):
        masked_mean(x, mask)

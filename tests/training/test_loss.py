"""Cross-entropy beside torch's, its laws, and what it is measured in."""

import math

import array_api_strict
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from plainformer.training import bits_per_byte, cross_entropy, perplexity


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 9),
    st.sampled_from([0.0, 0.1, 1.0]),
    st.sampled_from([None, 0, -100]),
)
def test_it_is_torchs_number_and_gradient(seed, n, V, smoothing, ignore):
    g = torch.Generator().manual_seed(seed)
    logits = (3 * torch.randn(n, V, generator=g, dtype=torch.float64)).requires_grad_()
    targets = torch.randint(V, (n,), generator=g)
    if ignore == -100:
        targets[1:] = -100
    if ignore is not None and bool((targets == ignore).all()):
        with pytest.raises(ValueError, match="targets must contain at least one that counts"):
            cross_entropy(logits, targets, ignore_index=ignore)
        return
    ours = cross_entropy(logits, targets, ignore_index=ignore, label_smoothing=smoothing)
    theirs = F.cross_entropy(
        logits,
        targets,
        ignore_index=-1 if ignore is None else ignore,
        label_smoothing=smoothing,
    )
    assert torch.allclose(ours, theirs, atol=1e-12)
    mine, peer = (torch.autograd.grad(x, logits, retain_graph=True)[0] for x in (ours, theirs))
    assert torch.allclose(mine, peer, atol=1e-12)
    for library in (np, array_api_strict):
        arrays = (library.asarray(each.detach().numpy()) for each in (logits, targets))
        loss = cross_entropy(*arrays, ignore_index=ignore, label_smoothing=smoothing)
        assert float(loss) == pytest.approx(ours.item(), abs=1e-12)


def test_what_is_ignored_has_no_gradient_even_where_the_logits_are_wild():
    logits = torch.tensor([[0.0, 1.0], [math.nan, 1.0]], requires_grad=True)
    loss = cross_entropy(logits[:1], torch.tensor([1]))
    assert torch.isfinite(loss)
    logits = torch.tensor([[0.0, 1.0], [-1e30, 1e30]], requires_grad=True)
    loss = cross_entropy(logits, torch.tensor([1, 9]), ignore_index=9)
    loss.backward()
    assert logits.grad[1].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("kind", [np.float16, torch.float16, torch.bfloat16])
def test_a_long_batch_of_half_precision_does_not_overflow(kind):
    """20,000 times ln 64 is more than float16 can hold."""
    zeros = torch.zeros if isinstance(kind, torch.dtype) else np.zeros
    loss = cross_entropy(zeros((20_000, 64), dtype=kind), np.zeros(20_000, dtype=int))
    assert float(loss) == pytest.approx(math.log(64), rel=1e-5)


def test_a_uniform_model_has_the_perplexity_of_its_vocabulary():
    loss = cross_entropy(np.zeros((4, 50)), np.arange(4))
    assert perplexity(loss) == pytest.approx(50)
    assert perplexity(1e4) == math.inf


def test_bits_per_byte_do_not_depend_on_how_the_text_is_cut():
    """A model that finds all bytes alike needs 8 bits for each, whatever it calls a token."""
    for width in (1, 2, 4):
        loss = width * math.log(256)  # of a token of so many bytes
        assert bits_per_byte(loss, 12 // width, 12) == pytest.approx(8)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"targets": [0, 1]}, r"logits of shape \(3, 5\) and targets of shape \(2,\)"),
        ({"targets": [0]}, "with one row for each of the targets"),
        ({"targets": [0, 1, 5]}, r"from 0 to 4; got 5 at index \[2\]"),
        ({"targets": [0, -1, 2]}, r"got -1 at index \[1\]"),
        ({"targets": [0.5, 1, 2]}, "targets must be whole numbers"),
        ({"label_smoothing": 1.5}, "label_smoothing"),
        ({"logits": np.zeros(())}, "logits must be"),
    ],
)
def test_bad_input_is_named(change, words):
    given_to_it = {"logits": np.zeros((3, 5)), "targets": [0, 1, 2]} | change
    with pytest.raises((ValueError, TypeError), match=words):
        cross_entropy(**given_to_it)
    with pytest.raises(ValueError, match="loss must be 0 or more"):
        perplexity(-1)

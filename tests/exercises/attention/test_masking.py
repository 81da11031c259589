"""The references of the exercises on masking, against the package, transformers and torch."""

import textwrap

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.masking_utils import sdpa_mask

from plainformer.attention import attention, causal_mask, combine_masks, padding_mask
from plainformer.exercises import exercise, grade

which_mask, may_see, decoder_mask, mean_loss = (
    exercise(f"attention.masking.{n}").reference for n in range(1, 5)
)

seeds = st.integers(0, 2**32 - 1)


@given(seeds, st.integers(2, 7), st.booleans(), st.booleans())
def test_the_mask_of_an_attention_map_is_recognised(seed, T, causal, padding):
    rng = np.random.default_rng(seed)
    ids = np.ones(T, dtype=int)
    if padding and T > 2:
        ids[1 + rng.permutation(T - 1)[: rng.integers(1, T - 1)]] = 0
    q, k = rng.normal(size=(2, T, 3))
    mask = combine_masks(causal_mask(T) if causal else None, padding_mask(ids, 0))
    _, weights = attention(q, k, k, mask=mask)
    hidden = bool((ids == 0).any())
    want = {(False, False): "none", (True, False): "causal"}
    want |= {(False, True): "padding", (True, True): "both"}
    assert which_mask(weights) == want[causal, hidden]


@given(st.integers(1, 9), st.integers(0, 9))
def test_the_causal_mask_is_that_of_transformers(T, offset):
    theirs = sdpa_mask(1, T, offset + T, q_offset=offset, allow_is_causal_skip=False)
    np.testing.assert_array_equal(may_see(T, offset), theirs[0, 0].numpy())


@given(seeds, st.integers(1, 3), st.integers(1, 7))
def test_both_masks_are_those_of_the_package_and_no_row_is_empty(seed, B, T):
    rng = np.random.default_rng(seed)
    ids = rng.integers(0, 3, size=(B, T))
    got = decoder_mask(ids, 0)
    both = combine_masks(causal_mask(T), padding_mask(ids, 0))[:, None]
    np.testing.assert_array_equal(got, both | np.eye(T, dtype=bool))
    real = np.broadcast_to((ids != 0)[:, None, :, None], got.shape)
    np.testing.assert_array_equal(got[real], both[real])  # real queries: nothing added
    assert got.any(axis=-1).all()
    q = rng.normal(size=(B, 2, T, 4))
    assert np.isfinite(attention(q, q, q, mask=got)[0]).all()


@given(seeds, st.integers(1, 4), st.integers(1, 6), st.sampled_from([0, 4, -100]))
def test_the_mean_loss_is_torchs_cross_entropy(seed, B, T, pad_id):
    rng = np.random.default_rng(seed)
    logits = torch.tensor(rng.normal(size=(B, 5, T)))
    targets = rng.integers(0, 5, size=(B, T))
    targets[rng.random((B, T)) < 0.4] = pad_id
    targets[0, 0] = 2
    asked = torch.tensor(targets)
    each = torch.nn.functional.cross_entropy(logits, asked.clamp(min=0), reduction="none")
    theirs = torch.nn.functional.cross_entropy(logits, asked, ignore_index=pad_id)
    losses = np.where(targets == pad_id, np.nan, each.numpy())
    assert mean_loss(losses, targets, pad_id) == pytest.approx(theirs.item(), rel=1e-12)


# Answers as readers write them, wrong in a known way: a mistake, and what is said of it.
TAKEN_FOR = [
    (
        1,
        "You take a small weight for none",
        """
        def answer(weights):
            w = weights.round(2)
            causal = (np.triu(w, 1) == 0).all()
            padding = (w.sum(axis=0) == 0).any()
            if causal and padding:
                return "both"
            return "causal" if causal else "padding" if padding else "none"
        """,
    ),
    (
        1,
        "The two may come together",
        """
        def answer(weights):
            if (np.triu(weights, 1) == 0).all():
                return "causal"
            if (weights == 0).all(axis=0).any():
                return "padding"
            return "none"
        """,
    ),
    (
        2,
        "Yours is upside down",
        """
        def answer(T, offset):
            return np.triu(np.ones((T, offset + T), dtype=bool), k=offset + 1)
        """,
    ),
    (
        2,
        "your queries stand at positions 0, 1",
        """
        def answer(T, offset):
            return np.tril(np.ones((T, offset + T), dtype=bool))
        """,
    ),
    (
        1,
        "You take a small weight for none",
        """
        def answer(weights):
            causal = (np.triu(weights, 1) < 1e-6).all()
            padding = (weights < 1e-6).all(axis=0).any()
            if causal and padding:
                return "both"
            return "causal" if causal else "padding" if padding else "none"
        """,
    ),
    (
        2,
        "and kept T columns",
        """
        def answer(T, offset):
            return np.tril(np.ones((T, T), dtype=bool), k=offset)
        """,
    ),
    (
        2,
        "Rows and columns are swapped",
        """
        def answer(T, offset):
            return np.arange(offset + T)[:, None] <= np.arange(offset, offset + T)
        """,
    ),
    (
        3,
        "as if its texts were queries",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            causal = np.tril(np.ones((T, T), dtype=bool))
            return causal & (ids != pad_id) | np.eye(T, dtype=bool)
        """,
    ),
    (
        3,
        "it holds numbers",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            both = np.tri(T) * (ids != pad_id)[:, None, None, :]
            return np.maximum(both, np.eye(T))
        """,
    ),
    (
        3,
        "as some libraries do",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            mask = np.tri(T, dtype=bool) & (ids != pad_id)[:, None, None, :]
            mask[~mask.any(axis=-1)] = True
            return mask
        """,
    ),
    (
        3,
        "so its row is not empty",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            mask = np.tri(T, dtype=bool) & (ids != pad_id)[:, None, None, :]
            b, h, i = np.nonzero(~mask.any(axis=-1))
            mask[b, h, i, i] = True
            return mask
        """,
    ),
    (
        3,
        "Right but for the queries that are padding",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            causal = np.tril(np.ones((T, T), dtype=bool))
            return np.logical_and(causal, (ids != pad_id)[:, None, None])
        """,
    ),
    (
        3,
        "The axis for heads is missing",
        """
        def answer(ids, pad_id):
            T = ids.shape[1]
            causal = np.tril(np.ones((T, T), dtype=bool))
            return causal & (ids != pad_id)[:, None] | np.eye(T, dtype=bool)
        """,
    ),
    (
        4,
        "NaN times 0 is NaN",
        """
        def answer(losses, targets, pad_id):
            mask = (targets != pad_id).astype(float)
            return float(np.sum(losses * mask) / np.sum(mask))
        """,
    ),
    (
        4,
        "divide by the number of real tokens",
        """
        def answer(losses, targets, pad_id):
            losses = losses.copy()
            losses[targets == pad_id] = 0
            return losses.mean()
        """,
    ),
]


@pytest.mark.parametrize(("n", "said", "source"), TAKEN_FOR)
def test_a_readers_own_way_of_being_wrong_is_recognised(n, said, source):
    names: dict[str, object] = {"np": np}
    exec(textwrap.dedent(source), names)
    result = grade(exercise(f"attention.masking.{n}"), names["answer"])
    assert not result and said in (result.hint or ""), result.message


def test_a_mean_may_be_a_number_of_numpys():
    answer = exercise("attention.masking.4")
    assert grade(answer, lambda x, t, p: x[t != p].mean()).passed

"""NormLab in Python: its numbers, its words, its picture, and what it refuses."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plainformer.blocks import layer_norm, rms_norm
from plainformer.widgets import NormLab
from plainformer.widgets.norm_lab.widget import FACTORS


def test_what_follows_from_the_token() -> None:
    lab = NormLab([2, -1, 0.5], factor=2, shift=1, gamma=[1, 2, -1], beta=[0, 1, 0.5])
    np.testing.assert_allclose(lab.token, [5, -1, 2])
    np.testing.assert_allclose(lab.layer, layer_norm([5.0, -1, 2], [1, 2, -1], [0, 1, 0.5]))
    np.testing.assert_allclose(lab.rms, rms_norm([5.0, -1, 2], [1, 2, -1], eps=1e-5))


@given(
    x=st.lists(st.floats(-4, 4), min_size=4, max_size=4).filter(lambda x: np.std(x) > 0.5),
    factor=st.sampled_from(FACTORS),
    shift=st.floats(-4, 4),
)
def test_the_prompt_is_true(x: list[float], factor: float, shift: float) -> None:
    """LayerNorm forgets product and sum; RMSNorm forgets the product."""
    plain, other = NormLab(x), NormLab(x, factor=factor, shift=shift)
    np.testing.assert_allclose(other.layer, plain.layer, atol=2e-3)
    np.testing.assert_allclose(NormLab(x, factor=factor).rms, plain.rms, atol=2e-3)


def test_it_follows_what_is_set() -> None:
    lab = NormLab([1, 3])
    lab.shift = 4
    assert lab.token.tolist() == [5, 7] and lab.layer.round(3).tolist() == [-1, 1]


def test_the_words_and_the_picture_say_the_numbers() -> None:
    lab = NormLab([1, 3], ["<b>", "c"], eps=1e-12)
    assert lab.description() == (
        "Three groups of bars. The token: <b> 1.00, c 3.00. LayerNorm: <b> −1.00, c 1.00. "
        "RMSNorm: <b> 0.45, c 1.34."
    )
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", lab.picture())
    assert texts[:5] == ["The token", "1.00", "&lt;b&gt;", "3.00", "c"]
    assert {"LayerNorm", "−1.00", "RMSNorm", "0.45", "1.34"} <= set(texts)

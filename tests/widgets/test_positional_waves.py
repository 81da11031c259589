"""PositionalWaves in Python: its traits, its mistakes, its picture."""

import gzip

import numpy as np
import pytest

from plainformer.inputs.positions import sinusoidal
from plainformer.widgets import PositionalWaves
from plainformer.widgets.positional_waves.widget import VIEWS


def test_the_state_is_the_traits_and_tiny() -> None:
    state = PositionalWaves(length=128, d_model=64).state()
    assert set(state) == {"length", "d_model", "base", "position", "dimension", "other", "view"}
    assert len(gzip.compress(str(state).encode())) < 300


def test_the_traits_are_live() -> None:
    widget = PositionalWaves(48, 32, position=40, dimension=30, other=45)
    widget.length = 10
    assert (widget.position, widget.other) == (9, 9)
    widget.d_model = 7
    assert widget.dimension == 6
    widget.base = 500  # a whole number will do
    assert widget.value == sinusoidal(10, 7, base=500.0)[9, 6]
    widget.view = "similarity"
    assert widget.value == pytest.approx(widget.similarities[9, 9])


def test_a_message_of_the_front_end_may_shorten_and_choose_at_once() -> None:
    widget = PositionalWaves(48, position=40)
    widget.set_state({"length": 10, "position": 9, "other": 3})
    assert (widget.length, widget.position, widget.other) == (10, 9, 3)
    widget.set_state({"d_model": 64, "length": 128, "position": 100, "dimension": 60})
    assert (widget.position, widget.dimension) == (100, 60)


def test_similarity_is_one_on_the_diagonal_and_knows_the_distance_only() -> None:
    similar = PositionalWaves(length=20, d_model=12).similarities
    np.testing.assert_allclose(np.diag(similar), 1, atol=1e-12)
    for distance in range(20):
        along = np.diag(similar, distance)
        np.testing.assert_allclose(along, along[0], atol=1e-12)


def test_with_an_odd_width_it_knows_more_than_the_distance() -> None:
    assert np.ptp(np.diag(PositionalWaves(d_model=3, base=10.0).similarities)) > 0.1


def test_the_description_says_what_is_chosen() -> None:
    widget = PositionalWaves(d_model=32, position=3, dimension=4)
    assert "Position 3, dimension 4 (sine, wavelength 19.9): 0.813" in widget.description()
    widget.dimension = 1
    assert "dimension 1 (cosine, wavelength 6.28): −0.990" in widget.description()
    widget.view = "similarity"
    assert "Positions 3 and 0" in widget.description()


@pytest.mark.parametrize("view", VIEWS)
def test_the_picture_is_small_and_follows_the_theme(view: str) -> None:
    widget = PositionalWaves(128, 64, position=100, dimension=63, view=view)
    html = widget.fallback()
    assert html.startswith('<div role="img" aria-label="Heat map')
    assert 'href="data:image/png;base64,' in html
    assert "var(--pf-ink" in html
    assert len(html.encode()) < 60_000


@pytest.mark.parametrize("width", [2, 3, 4, 64])
def test_the_picture_has_the_first_wave_and_the_last(width: int) -> None:
    last = 2 * ((width - 1) // 2)
    waves = "0" if last == 0 else f"0, {last}" if last == 2 else f"0, {last // 4 * 2 + 2}, {last}"
    assert f"position: the waves of dimensions {waves}<" in PositionalWaves(d_model=width).picture()

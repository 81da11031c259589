"""The colours of numbers: the widgets' scales are the figures', and text on them can be read."""

import json
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest

from plainformer.plots import SIGNED, WEIGHT
from plainformer.widgets.kit.front_end import source

if TYPE_CHECKING:
    from playwright.sync_api import Page


def run(page: "Page", expression: str) -> Any:
    """The value of an expression that may use the module's functions, as `scales.NAME`."""
    module = json.dumps(source("kit/scales.js"))
    return page.evaluate(
        f"""async () => {{
            const url = URL.createObjectURL(new Blob([{module}], {{ type: "text/javascript" }}));
            const scales = await import(url);
            return {expression};
        }}"""
    )


@pytest.fixture
def card(page: "Page") -> "Page":
    """A page with a card on the ground that the theme gives it."""
    style = source("kit/kit.css")
    page.set_content(f"<style>{style}</style><div class='pf-card'>card</div>")
    return page


def luminance(rgb: Any) -> float:
    """Relative luminance, as WCAG defines it."""
    share = np.array(rgb) / 255
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one: Any, other: Any) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_signed_values_have_the_colours_of_figures(page: "Page") -> None:
    values = np.linspace(-1, 1, 101)
    ours = run(page, f"{json.dumps(values.tolist())}.map((x) => scales.signed(x))")
    theirs = mpl.colormaps[SIGNED]((values + 1) / 2)[:, :3] * 255
    assert np.abs(np.array(ours) - theirs).max() < 7


def test_weights_have_the_colours_of_figures(page: "Page") -> None:
    weights = np.linspace(0, 1, 101)
    ours = run(page, f"{json.dumps(weights.tolist())}.map((x) => scales.weight(x))")
    assert np.abs(np.array(ours) - WEIGHT(weights)[:, :3] * 255).max() < 7


def test_values_beyond_the_limit_keep_the_last_colour(page: "Page") -> None:
    assert run(page, "scales.signed(9, 2)") == run(page, "scales.signed(2, 2)")
    assert run(page, "scales.weight(-1)") == run(page, "scales.weight(0)")
    assert run(page, "scales.weight(1.5)") == run(page, "scales.weight(1)")


@pytest.mark.parametrize("dark", [False, True])
def test_zero_is_nearest_to_the_ground(dark: bool, page: "Page") -> None:
    """What counts for little does not glare: zero is the card's own colour, or nearly so."""
    ground = (0x16, 0x1A, 0x20) if dark else (0xFF, 0xFF, 0xFF)
    weights = run(
        page,
        f"Array.from({{ length: 101 }}, (_, i) => scales.weight(i / 100, {str(dark).lower()}))",
    )
    away = [contrast(rgb, ground) for rgb in weights]
    assert away[0] == 1
    assert away == sorted(away)  # the more weight, the farther from the ground: in greyscale, too
    assert away[5] < 1.7 and away[-1] > 9
    signed = run(
        page, f"[-1, -0.5, 0, 0.5, 1].map((x) => scales.signed(x, 1, {str(dark).lower()}))"
    )
    far = [contrast(rgb, ground) for rgb in signed]
    assert far[2] < 1.15
    assert far[0] > far[1] > far[2] < far[3] < far[4]


def test_ink_has_enough_contrast_on_every_colour(page: "Page") -> None:
    both = run(
        page,
        """Array.from({ length: 201 }, (_, i) => i / 100 - 1).flatMap((x) =>
            [false, true].flatMap((dark) => [scales.signed(x, 1, dark), scales.weight(x, dark)])
                .map((rgb) => [rgb, scales.inkOn(rgb)])
        )""",
    )
    for rgb, ink in both:
        assert contrast(rgb, (0, 0, 0) if ink == "#000000" else (255, 255, 255)) >= 4.5, (rgb, ink)


def test_the_ground_is_watched(card: "Page") -> None:
    seen = run(
        card,
        """await (async () => {
            const later = () => new Promise((go) => setTimeout(go));
            const theme = document.documentElement.dataset;
            const told = [];
            const ground = scales.ground(document.querySelector(".pf-card"), () => told.push(1));
            const first = ground.dark();
            theme.theme = "dark";
            await later();
            const second = ground.dark();
            theme.theme = "dark";  // as it was
            document.body.className = "other";
            await later();
            const calm = told.length;
            ground.stop();
            theme.theme = "light";
            await later();
            return [first, second, calm, told.length];
        })()""",
    )
    assert seen == [False, True, 1, 1]

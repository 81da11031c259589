"""The colours of numbers: the widgets' scales are the figures', and text on them can be read."""

import json
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest

from plainformer.plots import MAGNITUDE, SIGNED
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


@pytest.mark.parametrize(("name", "figures"), [("signed", SIGNED), ("magnitude", MAGNITUDE)])
def test_a_scale_is_the_one_that_figures_use(page: "Page", name: str, figures: str) -> None:
    start = -1 if name == "signed" else 0
    values = np.linspace(start, 1, 101)
    ours = run(page, f"{json.dumps(values.tolist())}.map((x) => scales.{name}(x))")
    theirs = mpl.colormaps[figures]((values - start) / (1 - start))[:, :3] * 255
    # viridis has 256 stops and ours 21: between them the two part by a few steps of 255.
    assert np.abs(np.array(ours) - theirs).max() < 7


def test_values_beyond_the_limit_keep_the_last_colour(page: "Page") -> None:
    assert run(page, "scales.signed(9, 2)") == run(page, "scales.signed(2, 2)")
    assert run(page, "scales.magnitude(-1)") == run(page, "scales.magnitude(0)")


def test_zero_is_the_lightest_of_the_signed(page: "Page") -> None:
    light = run(page, "[-1, -0.5, 0, 0.5, 1].map((x) => scales.signed(x).reduce((a, b) => a + b))")
    assert light[2] == max(light) and light[0] < light[1] and light[4] < light[3]


def test_ink_has_enough_contrast_on_every_colour(page: "Page") -> None:
    both = run(
        page,
        """Array.from({ length: 201 }, (_, i) => i / 100 - 1).flatMap((x) =>
            [scales.signed(x), scales.magnitude(Math.abs(x))].map((rgb) => [rgb, scales.inkOn(rgb)])
        )""",
    )
    for rgb, ink in both:
        share = np.array(rgb) / 255
        linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
        luminance = float(linear @ [0.2126, 0.7152, 0.0722])
        contrast = (luminance + 0.05) / 0.05 if ink == "#000000" else 1.05 / (luminance + 0.05)
        assert contrast >= 4.5, (rgb, ink)

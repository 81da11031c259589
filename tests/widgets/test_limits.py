"""What JavaScript repeats of Python, as its files say it: limits, and names in their order."""

import json
import re

import pytest

from plainformer.widgets.attention_stepper.widget import LARGEST, STEPS
from plainformer.widgets.beam_tree.data import STATUSES
from plainformer.widgets.beam_tree.widget import MAX_ALPHA
from plainformer.widgets.block_sweep.widget import MAX_LIFT
from plainformer.widgets.bpe_merges.widget import MAX_TEXT, PICTURED
from plainformer.widgets.cache_growth.widget import MAX_HISTORY, MAX_WIDTH
from plainformer.widgets.kit.front_end import source
from plainformer.widgets.lookup_dial.widget import SHARPEST
from plainformer.widgets.positional_waves.widget import MAX_D_MODEL, MAX_LENGTH, VIEWS
from plainformer.widgets.rotary_vectors import widget as rotary
from plainformer.widgets.sampler_lab.widget import MOST_DRAWN, STAGES
from plainformer.widgets.temperature_lab import widget as temperature

NAMES = ", ".join(f'"{name}"' for name in STEPS)


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("attention_stepper/edit.js", f"LARGEST = {LARGEST:.0f}"),
        ("attention_stepper/sums.js", f"STEPS = [{NAMES}]"),
        ("beam_tree/tree.js", f"STATUSES = {json.dumps(list(STATUSES))}"),
        ("beam_tree/view.js", f"MAX_ALPHA = {MAX_ALPHA:.0f}"),
        ("block_sweep/view.js", f"MOST_LIFT = {MAX_LIFT:.0f}"),
        ("bpe_merges/view.js", f"LIMIT = {MAX_TEXT}"),
        ("bpe_merges/view.js", f"SHOWN = {PICTURED}"),
        ("cache_growth/view.js", f"LIMIT = {MAX_HISTORY}"),
        ("cache_growth/view.js", f"WIDEST = {MAX_WIDTH}"),
        ("lookup_dial/view.js", f"SHARPEST = {SHARPEST:.0f}"),
        ("positional_waves/view.js", f"LENGTHS = [2, {MAX_LENGTH}]"),
        ("positional_waves/view.js", f"WIDTHS = [2, {MAX_D_MODEL}]"),
        ("rotary_vectors/edit.js", f"LARGEST = {rotary.LARGEST:.0f}"),
        ("rotary_vectors/view.js", f"LAST = {rotary.LAST}"),
        ("sampler_lab/view.js", f"MOST = {MOST_DRAWN}"),
        ("temperature_lab/view.js", f"LAST_SEED = {temperature.MAX_SEED}"),
        ("temperature_lab/view.js", f"MOST = {temperature.MOST_DRAWN}"),
    ],
)
def test_the_front_end_has_pythons_limits(file: str, line: str) -> None:
    assert f"const {line};" in source(file)


def test_the_front_end_has_pythons_names_in_their_order() -> None:
    (views,) = re.findall(r"const NAMED = .*", source("positional_waves/view.js"))
    assert re.findall(r"(\w+): \"", views) == [*VIEWS]
    math_js = source("sampler_lab/math.js")
    settings = math_js[math_js.index("SETTINGS") : math_js.index("};")]
    assert re.findall(r"^  (\w+):", settings, re.MULTILINE) == list(STAGES)

"""What the widgets of the site weigh. How each works on its page is in `test_pages.py`."""

import gzip
from pathlib import Path

from tests.site import weight
from tests.site.walk import ROOT, WidgetPlace, find_widgets

CORE_LIMIT = 10_000  # of kit.js, which every widget needs
KIT_LIMIT = 15_000  # of all that widgets share, which the site serves in one file of that name


def test_its_state_is_light(site: Path, widget_place: WidgetPlace) -> None:
    _, size = weight.state_weights(site, widget_place.page)[widget_place.number]
    assert size > 30, "the page holds no state for the widget"
    assert size <= weight.STATE


def test_there_is_a_widget_and_the_shared_code_is_light(site: Path) -> None:
    assert find_widgets(site), "no page of the site has a widget"
    core = ROOT / "src/plainformer/widgets/kit/kit.js"
    assert len(gzip.compress(core.read_bytes())) <= CORE_LIMIT
    [kit] = site.rglob("kit.js")
    assert len(gzip.compress(kit.read_bytes())) <= KIT_LIMIT, kit

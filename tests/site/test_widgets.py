"""What the widgets of the site weigh. How each works on its page is in `test_pages.py`."""

import gzip
from pathlib import Path

from tests.site import weight
from tests.site.walk import ROOT, WidgetPlace, find_widgets

KIT_LIMIT = 10_000


def test_its_state_is_light(site: Path, widget_place: WidgetPlace) -> None:
    _, size = weight.state_weights(site, widget_place.page)[widget_place.number]
    assert size > 30, "the page holds no state for the widget"
    assert size <= weight.STATE


def test_there_is_a_widget_and_the_shared_code_is_light(site: Path) -> None:
    assert find_widgets(site), "no page of the site has a widget"
    kits = [*site.rglob("kit.js"), ROOT / "src/plainformer/widgets/kit/kit.js"]
    assert len(kits) >= 2, "the site serves no kit.js"
    for kit in kits:
        assert len(gzip.compress(kit.read_bytes())) <= KIT_LIMIT, kit

"""Every widget on every page: drawn, worked by keyboard and pointer, with table and stand-in.

How it works by touch and from the disk is part of the visits in `test_pages.py`. That Space does
what Enter does is tried on one widget of each kind, in `tests/widgets/test_every_widget_hands.py`.
"""

import gzip
from pathlib import Path

from tests.site import reactions, weight, widget_checks
from tests.site.axe import axe_problems
from tests.site.conftest import Open
from tests.site.report import expect_none
from tests.site.walk import ROOT, WidgetPlace, find_widgets

KIT_LIMIT = 10_000


def test_it_draws_works_and_prints(open_http: Open, widget_place: WidgetPlace) -> None:
    """By keyboard and pointer; its table is as accessible; a picture stands in for it in print."""
    with open_http(widget_place.page) as visit:
        visit.unfold()
        reactions.hurry(visit.page)
        with widget_checks.alone(visit.page, widget_place.number) as widget:
            problems = widget_checks.drawing_problems(widget)
            problems += widget_checks.tab_through(visit.page, widget)
            problems += widget_checks.slider_keys(visit.page, widget)
            problems += widget_checks.buttons(visit.page, widget, "Enter")
            problems += widget_checks.choices(visit.page, widget)
            problems += widget_checks.slider_drag(visit.page, widget)
            problems += widget_checks.buttons(visit.page, widget, "click")
            problems += widget_checks.table_problems(visit.page, widget)
            visit.page.emulate_media(reduced_motion="reduce")  # axe looks at what stands still
            problems += axe_problems(visit.page, within=widget)
        visit.page.emulate_media(media="print")
        widget = widget_checks.widget_at(visit.page, widget_place.number)
        problems += widget_checks.stand_in_problems(widget)
        expect_none(problems + visit.problems)


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

"""Sections far from the screen rest (`rest.js`), and nobody notices but the processor."""

import pytest
from tests.site.conftest import Open

RESTED = "() => document.querySelector('.pf-rests')"

# How many sections rest, and how much each is higher or lower when it is awake again, in pixels.
WAKE = """() => {
  const all = [...document.querySelectorAll(".bd-article > section > section")];
  const heights = () => all.map((each) => each.getBoundingClientRect().height);
  const resting = heights();
  for (const each of all) each.classList.remove("pf-rests");
  const awake = heights();
  return [all.length, Math.max(...awake.map((height, i) => Math.abs(height - resting[i])))];
}"""


@pytest.mark.parametrize("name", ["attention/self_attention", "decoding/temperature"])
def test_a_section_is_as_high_while_it_rests(open_http: Open, name: str) -> None:
    """Also those with widgets, which grow when they are drawn, and after the view has changed."""
    with open_http(f"book/{name}.html") as visit:
        for view in ("read", "everything"):
            if view != "read":
                visit.page.locator(f".pf-views input[value={view}]").check(force=True)
                visit.settle()
            visit.page.wait_for_function(RESTED)
            sections, moved = visit.page.evaluate(WAKE)
            assert sections > 5 and moved < 1, view


def test_what_is_far_is_not_drawn_until_it_is_near(open_http: Open) -> None:
    with open_http("book/attention/self_attention.html") as visit:
        visit.page.wait_for_function(RESTED)
        last = visit.page.locator(".bd-article > section > section").last
        drawn = "each => each.firstElementChild.checkVisibility({ contentVisibilityAuto: true })"
        assert not last.evaluate(drawn)
        last.scroll_into_view_if_needed()
        visit.page.wait_for_function(
            f"() => ({drawn})(document.getElementById('{last.get_attribute('id')}'))"
        )
        assert visit.problems == []

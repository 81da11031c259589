"""A first visit and the next page stay light, compressed and with the browser's cache at work."""

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.site import toy, visits, weight
from tests.site.server import SiteServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


PAGES = [weight.INDEX, "book/attention/self_attention.html"]


@pytest.mark.parametrize("name", PAGES)
def test_what_is_reckoned_is_what_a_browser_with_a_cache_is_sent(
    browser: "Browser", server: SiteServer, name: str
) -> None:
    known = weight.kept_after(browser, server, weight.page_before(server.folder, name))
    following = weight.next_page(browser, server, name)
    server.responses.clear()
    with visits.open_page(browser, server.url, name) as visit:
        assert weight.cost_so_far(visit.page, server, known) == following
        first = weight.cost_so_far(visit.page, server)
    assert first.size == weight.first_visit(browser, server, name).size > following.size


def test_a_page_that_is_too_heavy_is_reported(browser: "Browser", tmp_path: Path) -> None:
    """At once for who comes first; where the browser has kept it, for nobody."""
    folder = toy.build(tmp_path)
    (folder / "noise.js").write_text(f"// {random.Random(0).randbytes(500_000).hex()}")
    toy.spoil(folder, "first.html", "</main>", '</main><script src="noise.js"></script>')
    with SiteServer(folder) as small, visits.open_page(browser, small.url, "first.html") as visit:
        first, following = weight.problems(visit.page, small, "first.html", set())
        assert first.startswith("a first visit takes ") and "noise.js" in first
        assert following.startswith("the next page takes ") and "noise.js" in following
        assert weight.problems(visit.page, small, "first.html", {"/noise.js"}) == [first]


def test_only_a_widget_that_may_weigh_more_lets_its_page_do_so(tmp_path: Path) -> None:
    page = "".join(
        f'<div data-pf-widget="{name}"><script type="application/json">{size * "7"}</script></div>'
        for name, size in (("training_run", 9), ("bpe_merges", 9_999))
    )
    (tmp_path / "page.html").write_text(page)
    (first, own), (second, other) = weight.state_weights(tmp_path, "page.html")
    assert (first, second) == ("training_run", "bpe_merges")
    assert 9 < own < other
    assert weight.granted(tmp_path, "page.html") == own


def test_what_a_page_loads_is_counted_once(browser: "Browser", tmp_path: Path) -> None:
    """On a small site: a script comes with the first page, and not again with the second."""
    folder = toy.build(tmp_path)
    (folder / "noise.js").write_text(f"// {''.join(map(chr, range(256, 1000)))}" * 400)
    for name, path in (("first.html", "noise.js"), ("part/second.html", "../noise.js")):
        toy.spoil(folder, name, "</main>", f'</main><script src="{path}"></script>')
    with SiteServer(folder) as small:
        context = browser.new_context()
        page = context.new_page()
        first = weight.cost(page, small, "first.html")
        second = weight.cost(page, small, "part/second.html")
        context.close()
    sent = [part for part in first.heaviest.split(", ") if "noise.js" in part]
    assert len(sent) == 1
    assert "noise.js" not in second.heaviest
    assert 0 < second.size < first.size

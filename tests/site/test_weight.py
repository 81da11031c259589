"""A first visit and the next page stay light, compressed and with the browser's cache at work."""

from pathlib import Path
from typing import TYPE_CHECKING

from tests.site import toy, weight
from tests.site.server import SiteServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def test_a_first_visit_is_light(browser: "Browser", server: SiteServer, page_name: str) -> None:
    found = weight.first_visit(browser, server, page_name)
    assert found.size > 5_000, "nothing was measured"
    more = weight.granted(server.folder, page_name)
    assert found.size <= weight.FIRST_VISIT + more, found.heaviest


def test_the_next_page_is_lighter(browser: "Browser", server: SiteServer, page_name: str) -> None:
    found = weight.next_page(browser, server, page_name)
    more = weight.granted(server.folder, page_name)
    assert found.size <= weight.NEXT_PAGE + more, found.heaviest


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

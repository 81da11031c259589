"""A page with widgets on it, as a site would serve it, in a folder of its own."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.site import visits

from plainformer.widgets.engine.travel import FOLDER, files_for
from plainformer.widgets.kit import site
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

FRAME = (
    "() => (window.pfFrame?.() ?? new Promise(requestAnimationFrame))"
    ".then(() => new Promise((go) => setTimeout(go)))"
)
"""A script that waits until what is due in this frame has been drawn.

On a page that is `watched` it waits for a minute: a page that is not shown draws no frame, ever.
"""

PAGE = """<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Widgets</title>
{links}
<style>
  body {{ margin: 8px; font-family: sans-serif; background: #fff; color: #1a1a1a; }}
  html[data-theme="dark"] body {{ background: #121212; color: #ced6dd; }}
</style>
</head>
<body><main><h1>Widgets</h1>
{body}
</main></body>
</html>
"""

READY = """() => new Promise((go, fail) => {
  const places = [...document.querySelectorAll(".pf-widget")];
  const look = () => {
    const wrong = places.find((each) => each.hasAttribute("data-pf-error"));
    if (wrong) fail(new Error(wrong.getAttribute("data-pf-error")));
    if (places.every((each) => !each.checkVisibility() || each.hasAttribute("data-pf-ready"))) {
      go(places.length);
    } else return;
    watcher.disconnect();
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document, { subtree: true, attributes: true });
  look();
})"""
"""A script that waits until every visible widget is drawn, and returns how many widgets there are.

It answers in the moment in which the last one is ready, where playwright would look every now and
then, and it needs no clock, which some tests stop.
"""


@contextmanager
def watched(browser: "Browser", **options: Any) -> "Iterator[tuple[Page, list[str]]]":
    """A fresh page, and the errors that its console and its scripts report."""
    context = browser.new_context(**{"viewport": {"width": 900, "height": 800}} | options)
    visits.bound_frames(context)
    page = context.new_page()
    page.set_default_timeout(60_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    yield page, problems
    context.close()


bundled = cache(bundle)
"""A widget's code for Jupyter, or one module's; the sources do not change while tests run."""


@cache
def served() -> dict[str, str]:
    """Every file that a site with widgets serves, read once."""
    return site.assets()


def write_page(folder: Path, *widgets: Any) -> str:
    """Write a page with these widgets (or pieces of HTML); return its file:// address."""
    body = "\n".join(each if isinstance(each, str) else each.html() for each in widgets)
    files = served()
    links = []
    for name in site.assets_for(body):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(files[name], encoding="utf-8")
        links.append(
            f'<link rel="stylesheet" href="{name}">'
            if name.endswith(".css")
            else f'<script defer src="{name}"></script>'
        )
    for name, data in files_for(body).items():
        (folder / FOLDER).mkdir(exist_ok=True)
        (folder / FOLDER / name).write_bytes(data)
    page = folder / "index.html"
    page.write_text(PAGE.format(links="\n".join(links), body=body), encoding="utf-8")
    return page.as_uri()


def open_page(page: "Page", folder: Path, *widgets: Any) -> "list[Locator]":
    """Open a page with these widgets; return the live part of each."""
    page.goto(write_page(folder, *widgets))
    places = page.locator(".pf-widget")
    return [places.nth(number).locator(".pf-live") for number in range(page.evaluate(READY))]


def run(page: "Page", name: str, expression: str, argument: Any) -> Any:
    """The value of an expression that may use a module's functions, as `m.NAME`, and `x`."""
    return page.evaluate(
        f"""async ([code, x]) => {{
            const blob = new Blob([code], {{ type: "text/javascript" }});
            const m = await import(URL.createObjectURL(blob));
            return {expression};
        }}""",
        [bundled(name), argument],
    )


def trait(page: "Page", name: str, number: int = 0) -> Any:
    """What a widget of the page has now."""
    return page.evaluate(f"plainformer.widgets[{number}].model.get('{name}')")


def put(page: "Page", **traits: Any) -> None:
    """Set traits of the first widget, as Python would from Jupyter; wait until they are drawn."""
    page.evaluate(
        """traits => Object.entries(traits).forEach(([name, value]) =>
            plainformer.widgets[0].model.set(name, value))""",
        traits,
    )
    page.evaluate(FRAME)


def open_still(page: "Page", folder: Path, *widgets: Any) -> "list[Locator]":
    """Open a page with these widgets where time stands still but for `page.clock.run_for`.

    So what plays is never over before the next press comes. Nor does a frame come: no FRAME here.
    """
    page.clock.install(time=0)
    found = open_page(page, folder, *widgets)
    page.clock.pause_at(3_600_000)
    return found


COUNT_TIMERS = """() => {
  if (window.pfTimers) return;
  const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  window.pfTimers = new Set();
  window.setTimeout = (act, ms, ...rest) => {
    const timer = set((...given) => (pfTimers.delete(timer), act(...given)), ms, ...rest);
    if (ms > 0) pfTimers.add(timer);
    return timer;
  };
  window.clearTimeout = (timer) => (pfTimers.delete(timer), clear(timer));
}"""


@contextmanager
def table_follows(live: "Locator") -> Iterator[None]:
    """Wait, after what is done within, until the tables are drawn anew, a little later.

    On a slow machine they are drawn in the midst of it, too: so until no drawing is put off.
    """
    live.page.evaluate(COUNT_TIMERS)
    live.locator("table").evaluate_all("all => all.forEach((each) => { each.dataset.old = ''; })")
    yield
    live.locator("table[data-old]").first.wait_for(state="detached")
    live.page.evaluate(FRAME)
    live.page.wait_for_function("pfTimers.size === 0")


def slider(live: "Locator", name: str) -> "Locator":
    """The slider of a widget in whose name this stands."""
    return live.get_by_role("slider", name=re.compile(name))


def centre(heat_map: "Locator", row: int, col: int, rows: int, cols: int) -> tuple[float, float]:
    """The middle of a cell of a heat map, in the window."""
    heat_map.scroll_into_view_if_needed()
    box = heat_map.bounding_box()
    assert box is not None
    x = box["x"] + box["width"] * (col + 0.5) / cols
    return x, box["y"] + box["height"] * (row + 0.5) / rows


def small_targets(targets: "Locator", narrow: str) -> list[str]:
    """Those that are smaller than a thumb needs, 44 × 44 px, each by how its markup begins.

    What matches the selector `narrow` needs only the height: it stands in a row with its like.
    """
    assert targets.count(), "there is none"
    found: list[str] = targets.evaluate_all(
        """(all, narrow) => all.filter(t => {
            const { width, height } = t.getBoundingClientRect();
            return height < 44 || (width < 44 && !(narrow && t.matches(narrow)));
          }).map(t => t.outerHTML.slice(0, 90))""",
        narrow,
    )
    return found

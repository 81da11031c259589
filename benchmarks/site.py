"""Measure the built site in Chromium: how fast its widgets answer, what its pages weigh.

    python benchmarks/site.py [--folder _build/html] [--keys 120] [--slowdown 1]

*Input to paint.* Chromium gets real key presses, 30 a second as a held key repeats, and real
pointer moves, one a frame (through its debugging protocol, as from a keyboard and a mouse). A
measurement begins at the event's own timestamp, and ends with an urgent task that was posted from
the next animation frame: it runs once the frame with the change is styled, laid out and painted.
From this the wait for the screen is taken off, up to one refresh: the time between the widget's
event handlers and the frame, and that for which Chromium keeps a pointer move back until the next
frame. At 60 Hz every page waits up to 16.7 ms, however light; the last column is the same with it.
Not included: work that a widget does in a timer during the wait, what the graphics process does to
put the pixels on the screen, the keyboard's own delay. (The Event Timing API would include more,
but rounds to 8 ms, half of what is asked.)

*Work.* The processor time of the page's main thread for one input, from Chromium's own metrics:
scripts, styles, layout and paint. Other programs, which make the times above too long, hardly
change it.

*Weight.* Bodies of responses, gzipped, from a server with a cache lifetime of ten minutes.

*First widget.* From the start of navigation to the first widget that can be used, from a local
server, and with the network slowed to what Lighthouse calls slow 4G (1.6 Mbit/s, 150 ms).

Exit status 1 if a limit of the course is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from playwright.sync_api import Browser, Locator, Page, sync_playwright  # noqa: E402
from tests.site import visits, weight  # noqa: E402
from tests.site.server import SiteServer  # noqa: E402
from tests.site.walk import find_pages, find_widgets, has_content, site_folder  # noqa: E402
from tests.site.widget_checks import FIELDS, SLIDERS, name_of, visible, widget_at  # noqa: E402

from browsers import CHROMIUM, find_browser, launch  # noqa: E402

FRAME = 16.0  # milliseconds
REFRESH = 1000 / 60  # milliseconds between two frames of a screen
REPEAT = 1000 / 30  # milliseconds between two events of a key that is held

# Note the time of the last key or pointer event; when an input event follows, wait for its frame.
METER = """
() => {
  window.pfTimes = [];
  let began = 0, kept = 0;
  const note = event => {
    began = event.timeStamp;
    kept = event.type === "pointermove" ? performance.now() - began : 0;
  };
  for (const kind of ["keydown", "pointerdown", "pointermove"]) addEventListener(kind, note, true);
  addEventListener("input", () => { // bubbled up to the window: the widget has done its part
    const since = began, handled = performance.now() - kept;
    requestAnimationFrame(() => {
      const frame = performance.now();
      const painted = () => window.pfTimes.push([performance.now() - since, frame - handled]);
      scheduler.postTask(painted, { priority: "user-blocking" });
    });
  });
}
"""

FIRST_WIDGET = """
window.pfFirst = null;
new MutationObserver((_, observer) => {
  if (!document.querySelector("[data-pf-ready]")) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.pfFirst = performance.now(); }));
}).observe(document, {subtree: true, childList: true, attributes: true});
"""


Time = tuple[float, float]  # milliseconds from input to paint, and idle ones among them


@dataclass(frozen=True)
class Reaction:
    """The milliseconds in which one control of one widget answered one kind of input."""

    page: str
    control: str
    how: str
    times: list[Time]
    work: list[float]  # milliseconds of processor time

    def percentile(self, share: float, *, whole: bool = False) -> float:
        """Return the time that ``share`` of the inputs stayed within.

        ``whole`` counts the idle wait for the screen's next refresh, too.
        """
        return percentile(
            [time - (0 if whole else min(wait, REFRESH)) for time, wait in self.times], share
        )


class Meter:
    """What one page says of its inputs: how long each took, and the work that it was."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session = page.context.new_cdp_session(page)
        self.session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self.work: list[float] = []
        page.evaluate(METER)

    def busy(self) -> float:
        """Return the milliseconds that the page's main thread has worked."""
        metrics = self.session.send("Performance.getMetrics")["metrics"]
        return next(1000 * each["value"] for each in metrics if each["name"] == "TaskDuration")

    @contextmanager
    def input(self) -> Iterator[None]:
        """Measure the work of the input that is given within, and wait as long as a key repeats."""
        before = self.busy()
        yield
        self.page.wait_for_timeout(REPEAT)
        self.work.append(self.busy() - before)

    def read(self, expected: int = 0) -> tuple[list[Time], list[float]]:
        """Return what was measured since it was last read, once there is all of it."""
        self.page.wait_for_timeout(60)
        times: list[Time] = self.page.evaluate("() => window.pfTimes.splice(0)")
        if len(times) < expected // 2:
            print(f"  only {len(times)} of {expected} inputs were answered", file=sys.stderr)
        work, self.work = self.work, []
        return times, work


def percentile(numbers: list[float], share: float) -> float:
    """Return the number that ``share`` of them stay within."""
    ordered = sorted(numbers)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


Measured = tuple[list[Time], list[float]]


def keys_on(meter: Meter, slider: Locator, presses: int) -> Measured:
    """Press arrow keys on ``slider``: to its end, back again, and so on."""
    thumb = slider.element_handle()  # to look for it at every key would cost the page 13 ms each
    slider.focus()
    meter.page.keyboard.press("Home")
    meter.read()
    key, back = "ArrowRight", "ArrowLeft"
    for _ in range(presses):
        value = thumb.input_value()
        with meter.input():
            meter.page.keyboard.press(key)
        if thumb.input_value() == value:  # it was at its end
            meter.work.pop()
            key, back = back, key
    return meter.read(presses)


def drag_on(meter: Meter, slider: Locator, moves: int) -> Measured:
    """Drag the thumb of ``slider`` across its whole width and back."""
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    if box is None:
        return [], []
    y, half = box["y"] + box["height"] / 2, moves // 2
    places = [box["x"] + box["width"] * (step + 0.5) / half for step in range(half)]
    meter.page.mouse.move(places[0], y)
    meter.page.mouse.down()
    meter.read()
    for x in places + places[::-1]:
        before = meter.busy()
        meter.page.mouse.move(x, y)
        meter.page.evaluate("() => new Promise(requestAnimationFrame)")
        meter.work.append(meter.busy() - before)
    meter.page.mouse.up()
    return meter.read()


def type_in(meter: Meter, field: Locator, presses: int) -> Measured:
    """Type words at the end of ``field``, one key at a time."""
    field.focus()
    meter.page.keyboard.press("End")
    meter.read()
    for letter in ("the cat sat on the mat " * presses)[:presses]:
        with meter.input():
            meter.page.keyboard.press("Space" if letter == " " else letter)
    return meter.read(presses)


def reactions(
    browser: Browser, server: SiteServer, name: str, keys: int, slowdown: float
) -> list[Reaction]:
    """Measure every slider and text field of every widget on one page."""
    found = []
    with visits.open_page(browser, server.url, name) as visit:
        page = visit.page
        visit.unfold()
        meter = Meter(page)
        meter.session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        for number in range(page.locator("[data-pf-widget]").count()):
            widget = widget_at(page, number)
            for slider in visible(widget, SLIDERS):
                label = f"{number}: {name_of(slider)}"
                found.append(Reaction(name, label, "keys", *keys_on(meter, slider, keys)))
                found.append(Reaction(name, label, "pointer", *drag_on(meter, slider, keys)))
            for field in visible(widget, FIELDS):
                label = f"{number}: {name_of(field)}"
                found.append(Reaction(name, label, "typing", *type_in(meter, field, keys // 3)))
    return [reaction for reaction in found if reaction.times]


def first_widget(browser: Browser, server: SiteServer, name: str, *, slow: bool) -> float | None:
    """Return the seconds until the page's first widget can be used; None if it has none."""
    if not any(place.page == name for place in find_widgets(server.folder)):
        return None
    context = browser.new_context()
    context.add_init_script(FIRST_WIDGET)
    page = context.new_page()
    if slow:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        rate = 1.6e6 / 8
        conditions = {"offline": False, "latency": 150, "downloadThroughput": rate}
        session.send("Network.emulateNetworkConditions", {**conditions, "uploadThroughput": rate})
    try:
        page.goto(server.url + name, wait_until="commit")
        page.wait_for_function("() => window.pfFirst", timeout=120_000)
        seconds: float = page.evaluate("() => window.pfFirst / 1000")
        return seconds
    finally:
        context.close()


def verdict(good: bool) -> str:
    """Return the word that ends a row."""
    return "pass" if good else "FAIL"


def report_reactions(found: list[Reaction]) -> bool:
    """Print one row for every control; return whether all of them answer within a frame."""
    print(f"\nInput to paint, milliseconds (limit at the 95th percentile: {FRAME:g})")
    print(
        f"{'page':34}{'control':38}{'input':9}{'n':>5}{'50th':>7}{'95th':>7}{'max':>7}"
        f"{'95th with wait':>16}{'work 95th':>11}"
    )
    for each in found:
        middle, high, most = (each.percentile(share) for share in (0.5, 0.95, 1.0))
        waited = each.percentile(0.95, whole=True)
        work = percentile(each.work, 0.95)
        print(
            f"{each.page:34}{each.control[:36]:38}{each.how:9}{len(each.times):5}"
            f"{middle:7.1f}{high:7.1f}{most:7.1f}{waited:16.1f}{work:11.1f}  "
            f"{verdict(high <= FRAME)}"
        )
    late = sum(each.percentile(0.95) > FRAME for each in found)
    heavy = sum(percentile(each.work, 0.95) > FRAME for each in found)
    print(
        f"Of {len(found)} rows {late} are later than a frame; the work of {heavy} is more than one."
    )
    return late == 0


def report_pages(browser: Browser, server: SiteServer, names: list[str]) -> bool:
    """Print one row for every page: weights and the first widget; return whether all are light."""
    print(
        f"\nWeight, kilobytes gzipped (limits: first visit {weight.FIRST_VISIT // 1000}, next page "
        f"{weight.NEXT_PAGE // 1000}; more where a widget may bring its model), and seconds until "
        "the first widget can be used"
    )
    print(f"{'page':34}{'first':>9}{'next':>9}{'widget':>9}{'slow 4G':>9}")
    good = True
    for name in names:
        first = weight.first_visit(browser, server, name).size
        following = weight.next_page(browser, server, name).size
        near = first_widget(browser, server, name, slow=False)
        far = first_widget(browser, server, name, slow=True) if near else None
        more = weight.granted(server.folder, name)
        light = first <= weight.FIRST_VISIT + more and following <= weight.NEXT_PAGE + more
        good &= light
        waits = "".join(f"{wait:9.2f}" if wait else f"{'-':>9}" for wait in (near, far))
        print(f"{name:34}{first / 1000:9.1f}{following / 1000:9.1f}{waits}  {verdict(light)}")
    return good


def warn_of_load() -> None:
    """Say so where other programs are at work: times then measure them, too."""
    load, cores = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0, os.cpu_count() or 1
    if load > cores / 2:
        print(f"Other programs are at work (load {load:.1f} on {cores} cores): times are too long.")


def main() -> int:
    """Measure every page; return 1 beyond a limit, 2 with nothing to measure."""
    parser = argparse.ArgumentParser(description="Measure the built site in Chromium.")
    parser.add_argument("--folder", type=Path, default=site_folder(), help="the built site")
    parser.add_argument("--keys", type=int, default=120, help="inputs for each control")
    parser.add_argument(
        "--slowdown", type=float, default=1, help="slow the processor by this factor (a phone: 4)"
    )
    options = parser.parse_args()
    path = find_browser(CHROMIUM)
    if path is None or not (options.folder / "index.html").is_file():
        missing = (
            "Chromium: run python tools/browsers.py" if path is None else "site: run make book"
        )
        print(f"there is no {missing}", file=sys.stderr)
        return 2
    names = [name for name in find_pages(options.folder) if has_content(name)]
    with sync_playwright() as playwright, SiteServer(options.folder) as server:
        browser = launch(playwright, path)
        print(f"Chromium {browser.version}, processor slowed {options.slowdown:g} times")
        warn_of_load()
        found = [
            reaction
            for name in names
            for reaction in reactions(browser, server, name, options.keys, options.slowdown)
        ]
        good = report_reactions(found)
        good &= report_pages(browser, server, names)
        browser.close()
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

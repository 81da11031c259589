"""Checks of a page that is open in a browser. Each returns a list of problems; [] is good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from tests.site.visits import AT_REST, Scripted, Visit

SCRIPT = Path(__file__).with_name("checks.js").read_text(encoding="utf-8")
PHONE = {
    "viewport": {"width": 360, "height": 740},
    "is_mobile": True,
    "has_touch": True,
    "device_scale_factor": 2,
}
TO_THE_TOP = """(start) => {
  document.documentElement.style.scrollBehavior = "auto"; // to be at each stop at once
  const mark = document.createElement("span");
  mark.tabIndex = -1;
  document.querySelector(start ?? "body").prepend(mark);
  mark.focus();
  mark.remove(); // the next Tab goes on from where it was
  window.scrollTo(0, 0);
}"""
CUT = """() => [...document.querySelectorAll("article pre")].filter(pre => pre.checkVisibility())
  .filter(pre => pre.scrollWidth > pre.clientWidth + 1).map(pre => {
    const style = getComputedStyle(pre);
    return { output: Boolean(pre.closest(".cell_output")), scrolls: style.overflowX === "auto",
      shaded: style.backgroundImage.split("linear-gradient").length - 1,
      text: `${pre.scrollWidth} px in ${pre.clientWidth}: ${pre.textContent.slice(0, 60)}` };
  })"""
# Follow every link of the page to itself: how many there are, and which lead to what stays folded.
FOLLOW_ALL = """async () => {
  const links = document.querySelectorAll("article a[href^='#'], .bd-toc-nav a[href^='#']");
  const hashes = [...new Set([...links].map((a) => a.hash))].filter((hash) => hash.slice(1));
  const hidden = [];
  for (const hash of hashes) {
    if (hash !== location.hash) {
      const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
      location.hash = hash;
      await followed;
    }
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    const place = target.matches("section > span") ? target.parentElement : target;
    const own = place.matches("details") ? place : place.querySelector(":scope > .pf-further");
    if (!place.checkVisibility() && !target.parentElement.checkVisibility()) hidden.push(hash);
    else if (own && !own.open) hidden.push(hash);
  }
  return [hashes.length, hidden];
}"""
TABS = 1000  # more stops than any page has; a page that has more has a trap


def ask(page: Scripted, check: str) -> Any:
    """Run one function of checks.js on the page and return its answer."""
    return page.evaluate(f"() => {{ {SCRIPT}\nreturn checks.{check}(); }}")


def picture_problems(page: Page) -> list[str]:
    """Report pictures without alternative text, or with text that says nothing."""
    return list(ask(page, "pictures"))


def overflow_problems(page: Scripted) -> list[str]:
    """Report what is wider than the window."""
    return list(ask(page, "overflow"))


def formula_problems(page: Scripted) -> list[str]:
    """Report formulas that a reader sees as they were typed."""
    return list(ask(page, "rawFormulas"))


def overflow_at(page: Page, widths: Sequence[int]) -> list[str]:
    """Report what is wider than a window of each of some widths, in which the page is left."""
    problems = []
    for width in widths:
        size = {**(page.viewport_size or {"height": 740}), "width": width}
        page.set_viewport_size(size)
        page.evaluate(AT_REST)
        problems += [f"at {width} px: {each}" for each in overflow_problems(page)]
    return problems


def late_toy_problems(page: Page, width: int = 390, height: int = 844) -> list[str]:
    """Report a first widget that a phone of that size does not show before it scrolls."""
    size = page.viewport_size
    page.set_viewport_size({"width": width, "height": height})
    top = page.evaluate(
        """() => {
          const toy = document.querySelector("[data-pf-widget]");
          return toy && toy.getBoundingClientRect().top + scrollY;
        }"""
    )
    page.set_viewport_size(size or {"width": 360, "height": 740})
    late = top is not None and top >= height
    return [f"the first widget is {top:.0f} pixels down, of {height}"] if late else []


def cut_code_problems(page: Page, *, narrow: bool) -> list[str]:
    """Report code that its block cuts off.

    Where the window is ``narrow``, what is typed goes on in the next line, too; but what is printed
    may scroll, if a shade at its edge shows that it does.
    """
    return [
        f"code is cut off: {each['text']}"
        for each in page.evaluate(CUT)
        if not (narrow and each["output"] and each["scrolls"] and each["shaded"] == 4)
    ]


def fold_problems(page: Page, least: int = 6) -> list[str]:
    """Report what stays folded when a link of the page to itself leads there; or too few links.

    It leaves folds open, and the page at its top.
    """
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    tried, hidden = page.evaluate(FOLLOW_ALL)
    page.evaluate("window.scrollTo(0, 0)")
    few = [f"it has {tried} links to itself, at least {least} tell"] if tried < least else []
    return few + [f"{each} leads to what stays folded" for each in hidden]


def drawn_text_problems(page: Page) -> list[str]:
    """Report text in drawings that stands out too little from what is behind it."""
    return list(ask(page, "drawnText"))


def repeated_id_problems(page: Page) -> list[str]:
    """Report identifiers that stand twice once the scripts have run."""
    return list(ask(page, "repeatedIds"))


def mode_problems(page: Page, mode: str) -> list[str]:
    """Report a page that does not follow the reader's ``mode``, "light" or "dark"."""
    problems = []
    theme = page.evaluate("document.documentElement.dataset.theme")
    if theme != mode:
        problems.append(f"html[data-theme] must be {mode}; it is {theme}")
    ground = page.evaluate(f"() => {{ {SCRIPT}\nreturn luminance(paint(document.body)); }}")
    if (ground < 0.2) is not (mode == "dark"):
        problems.append(f"the page's ground has luminance {ground:.2f} in {mode} mode")
    return problems


def skip_link_problems(page: Page) -> list[str]:
    """Report a page whose first stop of the Tab key does not lead past the menus, visibly."""
    page.evaluate(TO_THE_TOP)
    page.keyboard.press("Tab")
    page.evaluate(AT_REST)  # the link may slide in
    first = page.evaluate(
        """() => {
          const el = document.activeElement, box = el.getBoundingClientRect();
          const inside = box.width > 1 && box.height > 1 && box.top >= -1 && box.left >= -1
            && box.bottom <= innerHeight + 1 && box.right <= innerWidth + 1;
          return {href: el.getAttribute("href"), inside, is: el.outerHTML.slice(0, 120)};
        }"""
    )
    href = first["href"] or ""
    if not href.startswith("#") or len(href) < 2:
        return [f"the first stop of Tab must be a link past the menus; it is {first['is']}"]
    problems = [] if first["inside"] else [f"the skip link cannot be seen: {first['is']}"]
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    after = page.evaluate(
        """id => {
          const target = document.getElementById(id), el = document.activeElement;
          if (!target) return "names an anchor that is not there";
          const follows = target.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING;
          return target.contains(el) || follows ? "" : "does not lead there: Tab goes to "
            + el.outerHTML.slice(0, 120);
        }""",
        href[1:],
    )
    return [*problems, f"the skip link {href} {after}"] if after else problems


def leave(page: Page) -> None:
    """Take the focus from where it is, and wait until the tooltip that it brought has gone."""
    page.evaluate("document.activeElement.blur()")
    page.locator(".tooltip").first.wait_for(state="detached")
    page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")


def focus_shows(page: Page) -> bool:
    """True if the element that has the focus looks any different for it.

    An outline or a shadow is enough; for anything else, two pictures are compared.
    """
    if ask(page, "focusShows"):
        return True
    page.evaluate("document.documentElement.style.scrollBehavior = 'auto'")
    page.evaluate("document.activeElement.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.evaluate(AT_REST)  # a change of colour, or of what lies above, may take its time
    spot = page.evaluate(
        """() => {
          const el = document.activeElement;
          if (!el.checkVisibility({visibilityProperty: true})) return null;
          const box = el.getBoundingClientRect();
          const x = Math.max(0, box.x - 8), y = Math.max(0, box.y - 8);
          return {x, y, width: Math.min(innerWidth - x, box.width + 16),
            height: Math.min(innerHeight - y, box.height + 16)};
        }"""
    )
    if spot is None or min(spot["width"], spot["height"]) <= 0:
        return False
    with_focus = page.screenshot(clip=spot)
    page.evaluate("() => { window.pfFocused = document.activeElement; window.pfFocused.blur(); }")
    page.evaluate(AT_REST)
    without = page.screenshot(clip=spot)
    page.evaluate("() => window.pfFocused.focus()")
    return with_focus != without


STOPS = """() => {
  const stops = window.pfStops = [];
  document.addEventListener("focusin", ({ target: el }) => {
    if (window.pfAgain || stops.at(-1)?.again) return;
    const box = el.getBoundingClientRect(), again = Boolean(el.dataset.tabSeen);
    el.dataset.tabSeen = "yes";
    stops.push({ el, again, is: describe(el), seen: box.width * box.height >= 4,
      shows: focusShows() });
  });
}"""


def tab_problems(page: Page, start: str = "body") -> list[str]:
    """Report a trap of the Tab key, and stops that cannot be seen or show no focus.

    It goes from the beginning of the ``start`` to the end of the page. The page itself writes down
    where the focus goes, for it may go to hundreds of places; those where no outline or shadow
    shows it are looked at once more, in pictures.
    """
    page.evaluate(TO_THE_TOP, start)
    page.evaluate(f"() => {{ {SCRIPT}\n({STOPS})(); }}")
    stops: list[dict[str, Any]] = []
    ended = False
    for presses in range(1, TABS + 1):
        page.keyboard.down("Tab")  # held, so it is pressed again and again
        if presses % 10 and presses != TABS:
            continue
        known = len(stops)
        stops = page.evaluate("pfStops.map(({ el, ...stop }) => stop)")
        ended = len(stops) < presses or stops[-1]["again"]
        if ended or len(stops) == known:
            break
    page.keyboard.up("Tab")
    problems = []
    for number, stop in enumerate(stops):
        if stop["again"]:
            continue
        if not stop["seen"]:
            problems.append(f"{stop['is']}: takes the focus but cannot be seen")
        elif not stop["shows"]:
            go_again(page, number)
            if not focus_shows(page):
                problems.append(f"{stop['is']}: shows no focus")
    if not ended:
        return [*problems, f"Tab does not reach the end of the page in {TABS} steps"]
    return problems + tab_omissions(page)


def go_again(page: Page, number: int) -> None:
    """Give the focus to the stop of that number once more, by the Tab key from the one before."""
    page.evaluate(f"window.pfAgain = true; ({TO_THE_TOP})()")
    page.evaluate("number => pfStops[number - 1]?.el.focus()", number)
    page.keyboard.press("Tab")
    page.evaluate(
        """number => {
          const { el } = pfStops[number];
          if (document.activeElement !== el) el.focus(); // a group that was left elsewhere
        }""",
        number,
    )


def tab_omissions(page: Page) -> list[str]:
    """Report what can be used with a pointer in the page's main part but was no stop of Tab."""
    return list(
        page.evaluate(
            f"""() => {{ {SCRIPT}
              const usable = "a[href], button:enabled, input:enabled, select:enabled, "
                + "textarea:enabled, summary";
              const group = el => el.type === "radio" && document.querySelector(
                `input[type=radio][name="${{el.name}}"][data-tab-seen]`);
              return [...document.querySelectorAll(`main :is(${{usable}})`)].filter(el =>
                seen(el) && !el.dataset.tabSeen && el.tabIndex >= 0 && !el.closest("[inert]")
                && el.type !== "hidden" && !group(el)
              ).map(el => describe(el) + ": is no stop of the Tab key");
            }}"""
        )
    )


def scroll_through(visit: Visit) -> None:
    """Scroll from the top to the bottom, so that whatever waits to be seen begins.

    In a window as high as four, for each of its stops is drawn.
    """
    size = visit.page.viewport_size or {"width": 1280, "height": 720}
    visit.page.set_viewport_size({**size, "height": 4 * size["height"]})
    visit.page.evaluate(
        """async () => {
          for (let y = 0; y < document.documentElement.scrollHeight; y += innerHeight) {
            window.scrollTo({top: y, behavior: "instant"});
            await pfFrame();
          }
          window.scrollTo({top: 0, behavior: "instant"});
        }"""
    )
    visit.page.set_viewport_size(size)
    visit.settle()

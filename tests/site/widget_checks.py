"""Checks of one widget on an open page, whatever it shows. Each returns a list of problems.

They know only what every widget of the course promises: it says when it is ready, every control
works by keyboard and pointer, a live region says in a sentence what changed, "Show as table" shows
the same as a table, and a picture stands in for it in print and without scripts.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Locator, Page
from tests.site import visits
from tests.site.page_checks import focus_shows
from tests.site.reactions import changes, changes_look, remember, remember_with, rest
from tests.site.visits import NEXT_FRAME, Scripted

CONTROLS = (
    "input:enabled:not([type=hidden]), button:enabled, select:enabled, textarea:enabled, "
    "a[href], summary, [tabindex='0']"
)
SLIDERS = "input[type=range]:enabled"
FIELDS = "textarea, input[type=text], input[type=search], input:not([type])"
BOXES = "input[type=checkbox]"
GROUPS = "select, input[type=radio]:checked"
BUTTONS = "button, summary, [role=button], [role=switch]"
NAME = """c => `<${c.localName}${c.type ? " " + c.type : ""}> ` + (c.getAttribute("aria-label")
  || [...(c.labels ?? [])].map(l => l.textContent.trim()).join(" ")
  || c.textContent.trim() || c.outerHTML.slice(0, 60)).replace(/\\s+/g, " ")"""
# From the beginning of each slider two steps on; then what the button of that number is like.
STIRRED = f"""async (el, buttons, number) => {{
  const button = () => el.querySelectorAll(buttons)[number];
  if (!button()) return {{ gone: true }};
  if (!button().checkVisibility()) return {{}};
  for (const slider of el.querySelectorAll("{SLIDERS}")) {{
    if (!slider.checkVisibility() || slider.closest(".pf-fallback")) continue;
    slider.value = slider.min;
    slider.stepUp(2);
    for (const kind of ["input", "change"])
      slider.dispatchEvent(new Event(kind, {{ bubbles: true }}));
  }}
  for (let i = 0; i < 2; i++) await pfFrame();
  const now = button(); // it may have been drawn anew
  if (!now) return {{ gone: true }};
  const disabled = now.matches(":disabled, [aria-disabled=true]");
  return {{ shown: true, disabled, name: ({NAME})(now) }};
}}"""


# All that stands around a widget, but for what floats over the page.
TAKE_OUT = """el => {
  window.pfOut = [];
  for (let at = el; at !== document.body; at = at.parentElement) {
    for (const each of [...at.parentElement.children]) {
      // The theme's own script asks for the contents whenever a margin note comes into sight.
      if (each === at || each.matches("script, style, header, .bd-sidebar-secondary")) continue;
      const place = document.createComment("");
      each.replaceWith(place);
      window.pfOut.push([place, each]);
    }
  }
}"""
DRAWN = """async (el, patience) => {
  const live = el.querySelector(":scope > .pf-live") ?? el;
  const see = () => el.scrollIntoView({ block: "center", behavior: "instant" });
  see();
  // A section that rested has no text before the browser has seen that it is near. WebKit does not
  // hold on to a place: what is above wakes too, grows, and pushes the widget away again.
  // The text is kept as it was seen: by the next look, Firefox may have let the section rest again.
  const end = performance.now() + patience;
  let text;
  while (!(text = live.innerText.trim()) && performance.now() < end) {
    await NEXT_FRAME;
    see();
  }
  const box = live.getBoundingClientRect(), fallback = el.querySelector(".pf-fallback");
  return {
    ready: el.hasAttribute("data-pf-ready"), error: el.getAttribute("data-pf-error"),
    size: [box.width, box.height], text: text.length,
    doubled: fallback ? fallback.checkVisibility() : false,
    live: Boolean(el.querySelector("[aria-live], [role=status], output")),
  };
}""".replace("NEXT_FRAME", NEXT_FRAME)
PUT_BACK = "() => { for (const [place, each] of window.pfOut) place.replaceWith(each); }"


@contextmanager
def alone(page: Page, number: int) -> Iterator[Locator]:
    """The page's widget of that number, and for a while nothing else of what the page says.

    What hands do to a widget moves it alone, but a browser lays out, paints and searches the whole
    page each time, and axe-core looks at all of it: with its thousands of elements twice as long.
    """
    widget_at(page, number).evaluate(TAKE_OUT)
    yield widget_at(page, 0)
    page.evaluate(PUT_BACK)


def widget_at(page: Page, number: int) -> Locator:
    """Return the page's widget of that number, counted from 0 in reading order."""
    return page.locator("[data-pf-widget]").nth(number)


def drawing_problems(widget: Scripted) -> list[str]:
    """Report a widget that did not start, drew nothing, or left its stand-in beside it."""
    state = widget.evaluate(DRAWN, visits.PATIENCE)
    problems = []
    if state["error"] is not None:
        problems.append(f"did not start: {state['error']}")
    if not state["ready"]:
        problems.append("never said that it is ready (data-pf-ready)")
    if min(state["size"]) < 30 or not state["text"]:
        problems.append(f"drew nothing to speak of: {state['size']} px, {state['text']} characters")
    if state["ready"] and state["doubled"]:
        problems.append("shows its stand-in beside the live widget")
    if not state["live"]:
        problems.append("has no live region that says what changed")
    return problems


def tab_through(page: Page, widget: Locator) -> list[str]:
    """Go through the widget by the Tab key; report controls it passes over or that show no focus.

    It starts from a mark set before the widget, so the rest of the page plays no part.
    """
    widget.evaluate(
        """el => {
          const mark = document.createElement("span");
          mark.tabIndex = -1; mark.id = "pf-test-mark";
          el.before(mark); mark.focus();
        }"""
    )
    problems, reached = [], 0
    for _ in range(200):
        page.keyboard.press("Tab")
        inside = widget.evaluate(
            """el => {
              const at = document.activeElement;
              if (!el.contains(at)) return false;
              const again = at.dataset.pfTest; at.dataset.pfTest = "reached";
              return again ? "again" : true;
            }"""
        )
        if inside is not True:
            if inside == "again":
                problems.append("the Tab key does not get out of the widget")
            break
        reached += 1
        if not focus_shows(page):
            problems.append(f"{name_of(page.locator(':focus'))}: shows no focus")
    passed_over = widget.evaluate(
        f"""el => [...el.querySelectorAll("{CONTROLS}")].filter(c =>
          c.checkVisibility({{visibilityProperty: true}}) && !c.closest(".pf-fallback")
          && !c.dataset.pfTest && c.tabIndex >= 0
          && !(c.type === "radio" && el.querySelector(`[name="${{c.name}}"][data-pf-test]`)))
        .map(c => c.outerHTML.slice(0, 100))"""
    )
    problems += [f"Tab passes over {each}" for each in passed_over]
    if not reached:
        problems.append("the Tab key reaches nothing in it")
    page.evaluate(
        """() => {
          document.getElementById("pf-test-mark")?.remove();
          document.querySelectorAll("[data-pf-test]").forEach(c => delete c.dataset.pfTest);
        }"""
    )
    return problems


def name_of(control: Locator) -> str:
    """Return a control's name for a report: its label, text or markup."""
    return str(control.evaluate(NAME))


def visible_at(widget: Locator, selector: str) -> list[int]:
    """Return which of the widget's elements that match are visible and not the stand-in's.

    What the last act asked for comes first, because it may replace them all.
    """
    rest(widget)
    # Found and looked at in one step, because a widget that plays may replace its table in between.
    shown = widget.evaluate(
        """(widget, selector) => [...widget.querySelectorAll(selector)]
          .map(c => c.checkVisibility() && !c.closest('.pf-fallback'))""",
        selector,
    )
    return [index for index, seen in enumerate(shown) if seen]


def visible(widget: Locator, selector: str) -> list[Locator]:
    """Return the widget's visible elements that match, leaving out the stand-in's."""
    return [widget.locator(selector).nth(index) for index in visible_at(widget, selector)]


def missing_reaction(widget: Locator, control: Locator, what: str) -> list[str]:
    """Report what did not follow after ``what`` was done: a different look, a new sentence."""
    look, said = changes(widget)
    if look and said:
        return []
    done = f"{name_of(control)}, {what}"
    problems = [] if look else [f"{done}: nothing changes"]
    return problems if said else [*problems, f"{done}: the live region says nothing new"]


def slider_keys(page: Page, widget: Locator, most: int | None = None) -> list[str]:
    """Move every slider by arrow keys, and to both ends by Home and End.

    Or the first so many, ``most``; that each has somewhere to go is asked of all.
    """
    fixed = widget.locator(SLIDERS).evaluate_all(
        "all => all.filter(s => s.min !== '' && s.min === s.max && s.checkVisibility())"
        f".map({NAME})"
    )
    problems = [f"{name}: has nowhere to go" for name in fixed]
    for slider in visible(widget, SLIDERS)[:most]:
        slider.focus()
        for key in ("ArrowRight", "Home", "End", "ArrowLeft"):
            value = remember_with(widget, "() => document.activeElement.value")
            page.keyboard.press(key)
            if slider.input_value() == value:
                continue  # at that end already
            problems += missing_reaction(widget, slider, key)
        if problems:  # enough: what does not follow is waited for, and there may be many more
            break
    return problems


def hand_problems(page: Page, widget: Locator) -> list[str]:
    """Report what is wrong with a widget where it is: whether hands reach it there.

    One control of each sort is worked by keys; the pointer drags one slider and presses one button.
    All controls are worked, in every way, on one widget of each kind in
    `tests/widgets/test_every_widget_hands.py`; to which of them the Tab key goes on a page, the
    page is asked as a whole (`page_checks.tab_problems`). The table stays shown.
    """
    problems = drawing_problems(widget)
    problems += slider_keys(page, widget, most=1)
    problems += buttons(page, widget, "Enter", most=1)
    problems += choices(page, widget, most=1)
    problems += slider_drag(page, widget, most=1)
    problems += buttons(page, widget, "click", most=1)
    return problems + table_problems(page, widget)


def slider_drag(page: Page, widget: Locator, most: int | None = None) -> list[str]:
    """Drag every slider with the pointer from one third of its width to two thirds.

    Or the first so many, ``most``.
    """
    problems = []
    for slider in visible(widget, SLIDERS)[:most]:
        slider.focus()
        value = slider.input_value()
        remember(widget)
        page.keyboard.press("Home")
        if slider.input_value() != value:  # wait, for the drag may end where the slider began
            changes(widget)
        slider.hover()  # which waits until it stands still: focus and the key may move the page
        box: Any = slider.bounding_box()
        y, third = box["y"] + box["height"] / 2, box["width"] / 3
        remember(widget)
        page.mouse.move(box["x"] + third, y)
        page.mouse.down()
        page.mouse.move(box["x"] + 1.5 * third, y)
        page.mouse.move(box["x"] + 2 * third, y)
        page.mouse.up()
        problems += missing_reaction(widget, slider, "dragged")
    return problems


def touch(page: Page, widget: Locator, most: int | None = None) -> list[str]:
    """Tap every slider at both of its ends; the context must have a touch screen.

    Or the first so many, ``most``.
    """
    problems = []
    for slider in visible(widget, SLIDERS)[:most]:
        # to the middle of the screen, away from what floats over its edges
        slider.evaluate("s => s.scrollIntoView({ block: 'center', behavior: 'instant' })")
        low = slider.evaluate("s => s.valueAsNumber < (Number(s.min) + Number(s.max)) / 2")
        for share in (0.8, 0.2) if low else (0.2, 0.8):  # each time to where it is not
            remember(widget)  # once nothing comes any more that may move the slider
            box: Any = slider.bounding_box()
            page.touchscreen.tap(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
            if not changes_look(widget):
                problems.append(f"{name_of(slider)}, tapped: nothing changes")
                break
    return problems


def buttons(page: Page, widget: Locator, how: str, most: int | None = None) -> list[str]:
    """Press every button by ``how`` ("Enter", "Space" or "click"); each must change something.

    Or the first so many, ``most``.
    """
    problems = []
    for index in visible_at(widget, BUTTONS)[:most]:
        # Stirred, so that one such as "Back" or "Reset" has something to do.
        state = remember_with(widget, STIRRED, BUTTONS, index)
        if state.get("gone"):
            problems.append(f"its button number {index} has gone")
        if not state.get("shown"):
            continue  # an earlier button took it away
        if state["disabled"]:
            problems.append(f"{state['name']}: is disabled in the middle of every slider")
            continue
        button = widget.locator(BUTTONS).nth(index)
        press = button.click if how == "click" else functools.partial(button.press, how)
        press()
        if not changes_look(widget):
            problems.append(f"{state['name']}, {how}: nothing changes")
        if name_of(button).endswith("Pause"):
            press()  # or the next button would wait until a whole text has been written
    return problems


def choices(page: Page, widget: Locator, most: int | None = None) -> list[str]:
    """Type in every field, tick every box, take another choice of every list and group.

    Or in so many of each kind at ``most``. Of the cells of a matrix, which are many fields made by
    the same lines, every fourth or so is typed into.
    """
    problems = []
    fields = visible(widget, FIELDS)[:most]
    for kind in fields[:: 1 + len(fields) // 10]:
        kind.focus()
        remember(widget)
        page.keyboard.press("End")
        page.keyboard.type(" zoo")
        problems += missing_reaction(widget, kind, "typed in")
    for box in visible(widget, BOXES)[:most]:
        box.focus()
        remember(widget)
        page.keyboard.press("Space")
        problems += missing_reaction(widget, box, "Space")
        remember(widget)
        page.keyboard.press("Space")  # back: it may leave other controls with nothing to do
        problems += missing_reaction(widget, box, "Space again")
    for group in visible(widget, GROUPS)[:most]:
        group.focus()
        last = remember_with(
            widget,
            """() => {
              const c = document.activeElement;
              return c.localName === "select" && c.selectedIndex === c.options.length - 1;
            }""",
        )
        page.keyboard.press("ArrowUp" if last else "ArrowDown")
        problems += missing_reaction(widget, group, "arrow key")
    return problems


def table_problems(page: Page, widget: Locator) -> list[str]:
    """Report a widget without a table that "Show as table" shows, with headings and content."""
    switch = visible(widget, "button, summary, [role=switch]")
    named = [each for each in switch if "table" in name_of(each).lower()]
    if not named:
        return ['has no control named "Show as table"']
    problems = []
    for each in named:
        if not visible(widget, "table"):
            remember(widget)
            each.focus()
            page.keyboard.press("Enter")
            changes_look(widget)
    tables = visible(widget, "table")
    if not tables:
        return [f"{name_of(named[0])}: shows no table"]
    for table in tables:
        shape = table.evaluate(
            """t => ({heads: t.querySelectorAll("th").length, rows: t.querySelectorAll("tr").length,
              text: [...t.querySelectorAll("td")].some(c => c.textContent.trim()),
              name: t.caption?.textContent.trim() || t.getAttribute("aria-label")
                || t.getAttribute("aria-labelledby")})"""
        )
        if not shape["heads"] or shape["rows"] < 2 or not shape["text"]:
            problems.append(f"its table has no headings or no content: {shape}")
        if not shape["name"]:
            problems.append("its table has no caption or label")
    return problems


def stand_in_problems(widget: Locator) -> list[str]:
    """Report a widget whose picture does not stand in for it (print, or no scripts)."""
    state = widget.evaluate(
        """el => {
          const fallback = el.querySelector(".pf-fallback");
          const live = el.querySelector(":scope > .pf-live");
          const box = fallback?.getBoundingClientRect();
          return {there: Boolean(fallback), seen: Boolean(fallback?.checkVisibility()),
            size: box ? [box.width, box.height] : [0, 0],
            shows: Boolean(fallback && (fallback.innerText.trim()
              || fallback.querySelector("svg, img, table"))),
            live: Boolean(live?.checkVisibility())};
        }"""
    )
    if not state["there"]:
        return ["has no stand-in (.pf-fallback)"]
    problems = []
    if not state["seen"] or min(state["size"]) < 10 or not state["shows"]:
        problems.append(f"its stand-in shows nothing: {state['size']} px")
    if state["live"]:
        problems.append("the live widget stands beside its stand-in")
    return problems

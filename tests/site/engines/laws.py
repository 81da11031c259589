"""The laws that engines may judge differently, held on one page in one engine.

Each check returns a list of problems; [] is good. What they ask of a page in JavaScript is
most often what the tests in Chromium ask, too, from `checks.js`, `visits.py`, `reactions.py` and
`widget_checks.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.site import page_checks, reactions, visits, widget_checks
from tests.site.engines.tab import Tab

PROJECTOR = (1280, 720)
SIZES = ((320, 640), PROJECTOR)  # the first is also a laptop's window at 400 %
WIDGETS = "[data-pf-widget]"
TAKE = "() => pfProblems.splice(0)"
FORGET = "() => { localStorage.clear(); sessionStorage.clear(); }"
# All that stands around the widgets goes, but for what floats over the page and what full screen
# shows of it: an engine lays out what is left in a tenth of the time.
STRIP = f"""() => {{
  const toys = [...document.querySelectorAll("{WIDGETS}")];
  const holds = el => el && toys.some(toy => el.contains(toy));
  const strip = el => [...el.children].forEach(each => {{
    if (each.matches("script, style, header, {WIDGETS}")) return;
    if (holds(each)) strip(each);
    else if (!each.matches("p") || !holds(each.nextElementSibling)) each.remove();
  }});
  strip(document.body);
  return toys.map(toy => toy.dataset.pfWidget);
}}"""
# Where to press an element: in its middle, once that is in sight and stays where it is. (Firefox
# asks what it has drawn, and not the page, on what a press falls; and a window takes its time to
# leave full screen.)
POINT = """async (target) => {
  let place, before;
  for (let frame = 0; frame < 60 && (!before || place !== before); frame++) {
    target.scrollIntoView({ block: "center", behavior: "instant" });
    await new Promise(requestAnimationFrame);
    before = place;
    const { x, y, width, height } = target.getBoundingClientRect();
    place = [x + width / 2, y + height / 2].join();
  }
  const [x, y] = place.split(",").map(Number), top = document.elementFromPoint(x, y);
  const free = top && (target.contains(top) || top.contains(target));
  const name = NAME, by = free ? null : top ? name(top) : "the edge of the window";
  return { x, y, name: name(target), by };
}""".replace("NAME", widget_checks.NAME)
SHOWN = """el => (selector) => [...el.querySelectorAll(selector)].filter(each =>
  each.checkVisibility({ visibilityProperty: true }) && !each.closest(".pf-fallback")
  && !each.matches(":disabled, [aria-disabled=true]"))"""
# What a hand presses first: a button that does something of the widget's own, if there is one, and
# that has something to do. What "Reset" undoes, one key need not have done.
TO_PRESS = f"""el => {{
  const shown = ({SHOWN})(el), buttons = shown("button, [role=button]");
  const own = each => !each.closest(".pf-tools") && !/^Reset/.test(each.textContent);
  const target = [...buttons.filter(own),
    ...shown("label:has(input:not(:checked))"), ...shown("summary"), ...buttons][0];
  return target ? ({POINT})(target) : null;
}}"""
# What takes a key, and which: the first slider, by a step; without one type, tick, choose or press.
TO_KEY = f"""el => {{
  const shown = ({SHOWN})(el);
  const [slider] = shown("{widget_checks.SLIDERS}"), [field] = shown("{widget_checks.FIELDS}");
  const [box] = shown("{widget_checks.BOXES}"), [group] = shown("{widget_checks.GROUPS}");
  const target = slider ?? field ?? box ?? group ?? shown("{widget_checks.BUTTONS}")[0];
  if (!target) return null;
  target.focus();
  const step = slider && slider.value === slider.max ? "ArrowLeft" : "ArrowRight";
  const key = slider ? step : field ? "z" : box ? " " : group ? "ArrowDown" : "Enter";
  return {{ key, name: ({widget_checks.NAME})(target) }};
}}"""
TOOL = f"""(el, name) => {{
  const [target] = ({SHOWN})(el)(`.pf-tools [aria-label^="${{name}}"]`);
  if (!target) return null;
  window.pfSaid = new Promise(done => new MutationObserver(() =>
    done(target.ariaLabel ?? target.textContent)
  ).observe(target, {{ attributes: true, attributeFilter: ["aria-label"] }}));
  return ({POINT})(target);
}}"""
# What the button that was pressed is called from then on; nothing if it keeps its name.
SAID = """patience => Promise.race([window.pfSaid,
  new Promise(done => setTimeout(() => done(null), patience))])"""
PASTE = """() => {
  const field = document.createElement("textarea");
  field.id = "pf-test-paste";
  document.body.append(field);
  field.focus();
}"""
PASTED = """() => {
  const field = document.getElementById("pf-test-paste");
  field.remove();
  return field.value;
}"""
# What a card that is alone on the screen does not show of itself. A reader may scroll down in it.
CUT = """() => {
  const card = document.fullscreenElement;
  if (!card) return ["it is not alone on the screen"];
  const problems = [];
  const [right, bottom] = [innerWidth - 2, innerHeight - 2];
  const corners = [[1, 1], [right, 1], [1, bottom], [right, bottom]];
  if (!corners.every(at => card.contains(document.elementFromPoint(...at))))
    problems.push("the card does not reach into every corner of the screen");
  const [wide, high] = [card.scrollWidth - card.clientWidth, card.scrollHeight - card.clientHeight];
  if (wide > 1) problems.push(`${wide} px of it are cut off at the right`);
  if (high > 1 && !["auto", "scroll"].includes(getComputedStyle(card).overflowY))
    problems.push(`${high} px of it are below the screen`);
  return problems;
}"""


class Toy:
    """A widget of the page in a tab, by its number in reading order, as the checks take it."""

    def __init__(self, tab: Tab, number: int) -> None:
        self.tab = tab
        self._number = number

    def evaluate(self, script: str, given: Any = None, /) -> Any:
        """Return what a function of the widget's element, and of ``given``, answers."""
        script = script.strip().rstrip(";")
        return self.tab.evaluate(
            "given => (SCRIPT)(document.querySelectorAll('WIDGETS')[NUMBER], given)".replace(
                "WIDGETS", WIDGETS
            )
            .replace("NUMBER", str(self._number))
            .replace("SCRIPT", script),
            given,
        )


def problems_of(
    tab: Tab, site: str, disk: str, page: str, tried: Collection[int] | None = None
) -> list[str]:
    """Hold every law on a page from a server, at ``site``, and that of hands from the ``disk``.

    ``tried`` are the numbers of the widgets that hands try here, or None for all of them. What
    hands do differs by the kind of widget and by the engine, and so one of each kind is enough.
    Where hands try none, the page is made of what others are made of, and is held to the narrowest
    window alone: what fits there on one page, and on others into a wide one, does so here.
    """
    sizes = SIZES if tried is None or tried else SIZES[:1]
    with opened(tab, site + page, SIZES[0]) as problems:
        tab.evaluate(visits.SETTLED, visits.PATIENCE)
        problems += size_problems(tab, sizes)
        problems += page_checks.formula_problems(tab)
        for number, name, toy in toys(tab):
            found = widget_checks.drawing_problems(toy)
            if tried is None or number in tried:
                found += full_screen_problems(toy) + link_problems(toy, site + page)
            problems += [f"{name}: {each}" for each in found]
    if tried is not None and not tried:
        return problems
    with opened(tab, disk + page, PROJECTOR) as from_disk:
        reactions.hurry(tab)
        for number, name, toy in toys(tab):
            found = widget_checks.drawing_problems(toy)
            found += hand_problems(toy) if tried is None or number in tried else []
            from_disk += [f"{name}: {each}" for each in found]
    return problems + [f"from the disk: {each}" for each in from_disk]


@contextmanager
def opened(tab: Tab, address: str, size: tuple[int, int]) -> Iterator[list[str]]:
    """Open a page, unfold it, and add what it has complained of to the list that is given."""
    problems: list[str] = []
    tab.resize(*size)
    tab.goto(address)
    tab.evaluate(visits.SETTLED, visits.PATIENCE)
    tab.evaluate(visits.UNFOLD)
    yield problems
    problems += tab.evaluate(TAKE)
    tab.evaluate(FORGET)


def resize(tab: Tab, width: int, height: int) -> None:
    """Give the page another size, and wait until it has it."""
    tab.resize(width, height)
    if not until(tab, f"innerWidth === {width}"):
        raise RuntimeError(f"the window must become {width} px wide")
    tab.evaluate(visits.AT_REST)


def until(tab: Tab, condition: str) -> bool:
    """Wait until an expression holds; return whether it does."""
    script = f"""async patience => {{
      const end = performance.now() + patience;
      while (!({condition}) && performance.now() < end)
        await new Promise(done => setTimeout(done, 10));
      return Boolean({condition});
    }}"""
    return bool(tab.evaluate(script, visits.PATIENCE))


def size_problems(tab: Tab, sizes: Sequence[tuple[int, int]] = SIZES) -> list[str]:
    """Report what is too wide at 400 %, on a phone and on a laptop; the page keeps the last size."""
    problems = []
    for width, height in sizes:
        resize(tab, width, height)
        problems += [f"at {width} px: {each}" for each in page_checks.overflow_problems(tab)]
    return problems


def toys(tab: Tab) -> Iterator[tuple[int, str, Toy]]:
    """Take the text out of the page, and yield every widget that is left with number and name."""
    for number, name in enumerate(tab.evaluate(STRIP)):
        yield number, f"{name} ({number})", Toy(tab, number)


def press(toy: Toy, point: dict[str, Any]) -> list[str]:
    """Press the mouse at a point of the widget; report what lies over it."""
    if point["by"]:
        return [f"{point['name']}: is covered by {point['by']}"]
    toy.tab.click(point["x"], point["y"])
    return []


def hand_problems(toy: Toy) -> list[str]:
    """Press one key, and then one button; report what changes nothing, and a key without a word.

    The key comes first, so that a button such as "Reset" has something to do.
    """
    # What the mouse points at in the widget before would fold away at the press, and move this one.
    toy.tab.click(1, 1)
    target = toy.evaluate(TO_KEY)
    if target is None:
        return ["has nothing that takes a key"]
    reactions.remember(toy)
    toy.tab.press(target["key"])
    look, said = reactions.changes(toy)
    done = f"{target['name']}, {target['key']}"
    problems = [] if look else [f"{done}: nothing changes"]
    problems += [] if said else [f"{done}: the live region says nothing new"]
    reactions.remember(toy)  # waits for what the key began, which may still move the buttons
    target = toy.evaluate(TO_PRESS)
    if found := press(toy, target):
        return problems + found
    if not reactions.changes_look(toy):
        problems.append(f"{target['name']}, pressed: nothing changes")
    reactions.rest(toy)  # a text that still grows would move the next widget under the mouse
    return problems


def link_problems(toy: Toy, address: str) -> list[str]:
    """Copy the widget's link by the button for it; report a clipboard that does not have it."""
    target = toy.evaluate(TOOL, "Copy link")
    if target is None:
        return ['has no button "Copy link"']
    if problems := press(toy, target):
        return problems
    said = toy.tab.evaluate(SAID, reactions.PATIENCE)
    if not (said or "").startswith("Link copied"):
        return [f'"Copy link" says {said!r} where "Link copied" is expected']
    toy.tab.evaluate(PASTE)
    toy.tab.press("Control", "v")
    pasted = toy.tab.evaluate(PASTED)
    good = pasted.startswith(f"{address}?") and "toy=" in pasted
    return [] if good else [f"the link copied must begin with {address}?toy=; it is {pasted!r}"]


def full_screen_problems(toy: Toy) -> list[str]:
    """Show the widget alone on the screen; report what is cut there, and an Escape that fails."""
    target = toy.evaluate(TOOL, "Full screen")
    if target is None:
        return ['has no button "Full screen"']
    if problems := press(toy, target):
        return problems
    if not until(toy.tab, "document.fullscreenElement?.matches('.pf-card')"):
        return ["full screen: the card does not come to be alone on the screen"]
    toy.tab.evaluate(SAID, reactions.PATIENCE)  # which comes with the card's new size
    toy.tab.evaluate(visits.AT_REST)
    problems = [f"full screen: {each}" for each in toy.tab.evaluate(CUT)]
    toy.tab.press("Escape")
    if not until(toy.tab, f"!document.fullscreenElement && innerHeight === {PROJECTOR[1]}"):
        problems.append("full screen: Escape does not lead out of it")
        toy.tab.evaluate("document.exitFullscreen()")
    return problems

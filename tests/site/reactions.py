"""Waiting until a widget has answered: until it looks, and says, something new."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator
from tests.site.visits import Scripted

LIVE_REGION = "[aria-live=polite], [aria-live=assertive], [role=status], [role=alert], output"
PATIENCE = 60_000  # milliseconds, so many that only a widget that never reacts comes to their end

# What a person could notice: text, structure, the state of controls, the pixels of a canvas; and
# what a screen reader says of it.
NOTICED = f"""const lookOf = el => {{
  const live = el.querySelector(":scope > .pf-live") ?? el;
  return JSON.stringify([live.innerHTML.replace(/ data-pf-test="\\w*"/g, ""),
    [...live.querySelectorAll("canvas")].map(c => c.toDataURL()),
    [...live.querySelectorAll("details")].map(d => d.open)]);
}};
const saying = el => [...el.querySelectorAll("{LIVE_REGION}")]
  .map(region => region.textContent.replace(/\\s+/g, " ").trim()).join(" | ");"""
# What is said comes some time after what is seen, and what a worker computes later still; an old
# sentence must not be taken for a new one.
QUIET = """async (el, patience) => {
  const end = performance.now() + patience;
  const silent = () => [...el.querySelectorAll(".pf-sentence")]
    .every(shown => shown.nextElementSibling?.textContent === shown.textContent);
  const busy = () => el.querySelector("[aria-busy=true]") !== null;
  while ((busy() || !silent()) && performance.now() < end) {
    await new Promise(done => setTimeout(done, 10));
  }
}"""
REMEMBER = f"""async (el, patience) => {{
  {NOTICED}
  await ({QUIET})(el, patience);
  window.pfBefore = {{ look: lookOf(el), said: saying(el) }};
}}"""
CHANGED = f"""async (el, [patience, both]) => {{
  {NOTICED}
  const end = performance.now() + patience;
  const before = window.pfBefore;
  let wake;
  const observer = new MutationObserver(() => wake?.());
  observer.observe(el, {{ subtree: true, childList: true, characterData: true, attributes: true }});
  for (;;) {{
    const over = performance.now() > end, said = saying(el) !== before.said;
    // The sentence comes last, and a look takes longer to take.
    const look = (said || !both || over) && lookOf(el) !== before.look;
    if (look && (said || !both) || over) {{
      observer.disconnect();
      return [look, said];
    }}
    // A canvas is drawn without a word to the observer.
    await new Promise(done => {{ wake = done; setTimeout(done, 10); }});
  }}
}}"""
# What a widget puts off, such as the sentence for screen readers, comes after 4 ms at most.
HURRY = """(() => {
  const set = window.setTimeout;
  window.setTimeout = (act, ms, ...rest) => set(act, Math.min(ms ?? 0, 4), ...rest);
})();"""


def hurry(page: Scripted) -> None:
    """Let time pass quickly on an open page: each press is waited for until it is spoken."""
    page.evaluate(HURRY)


def rest(widget: Scripted) -> None:
    """Wait until everything that was asked of the widget has been drawn and spoken."""
    widget.evaluate(QUIET, PATIENCE)


def remember_with(widget: Locator, act: str, *given: object) -> Any:
    """Run a script on the widget, note how it looks and what it says then, and return its answer.

    ``act`` is a function of the widget's element and what is ``given``; to ask and to note in one
    call takes half the time of two.
    """
    script = f"""async (el, [patience, given]) => {{
      await ({QUIET})(el, patience); // what the last act asked for has come
      const answer = await ({act})(el, ...given);
      await ({REMEMBER})(el, patience);
      return answer;
    }}"""
    return widget.evaluate(script, [PATIENCE, list(given)])


def remember(widget: Scripted) -> None:
    """Note, in the page, how the widget looks and what its live region says."""
    widget.evaluate(REMEMBER, PATIENCE)


def changes(widget: Scripted) -> tuple[bool, bool]:
    """Wait until look and sentence both differ from what was noted; return which of them do."""
    look, said = widget.evaluate(CHANGED, [PATIENCE, True])
    return look, said


def changes_look(widget: Scripted) -> bool:
    """Wait until the look differs from what was noted; return whether it does."""
    return bool(widget.evaluate(CHANGED, [PATIENCE, False])[0])

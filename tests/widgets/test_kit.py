"""What `kit.js` promises every view: `mount` keeps the state in range, a button asks the state."""

from typing import TYPE_CHECKING

from tests.widgets.pages import run

if TYPE_CHECKING:
    from playwright.sync_api import Page

MODEL = """
  const state = { size: 5, place: 4, other: null };
  const listeners = new Map();
  let saved = 0;
  const model = {
    get: (name) => state[name],
    set(name, value) { state[name] = value; listeners.get(`change:${name}`)?.(); },
    on: (event, f) => listeners.set(event, f),
    off: (event) => listeners.delete(event),
    save_changes: () => (saved += 1),
  };
  const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
  const seen = [];
  const heard = [];
  const traits = m.mount({
    model,
    traits: ["size", "place", "other"],
    draw: () => seen.push(traits.all()),
    checks: { size: m.within(1, 9), place: m.within(0, () => traits.get("size") - 1),
              other: m.within(0, 3) },
    heed: (name) => heard.push(name),
  });
"""


def play(page: "Page", script: str) -> object:
    """What a script returns that may use a mounted model of three traits."""
    return run(page, "kit/kit", f"await (async () => {{ {MODEL} {script} }})()", None)


def test_what_is_set_stays_in_its_range(page: "Page") -> None:
    script = """
      traits.set({ place: -3 });
      const low = { ...state };
      traits.set({ size: 99, place: 7 });  // the range of a place follows from the size
      const high = { ...state };
      traits.set({ size: 2 });  // and shrinks with it
      return [low, high, state, saved];
    """
    low, high, last, saved = play(page, script)  # type: ignore[misc]
    assert low == {"size": 5, "place": 0, "other": None}
    assert high == {"size": 9, "place": 7, "other": None}
    assert last == {"size": 2, "place": 1, "other": None}
    assert saved == 3


def test_what_python_sets_is_read_within_its_range(page: "Page") -> None:
    script = """
      model.set("place", 50);
      model.set("other", 50);
      return [traits.get("place"), traits.all(), state.place];
    """
    assert play(page, script) == [4, {"size": 5, "place": 4, "other": 3}, 50]


def test_many_changes_are_one_drawing_in_the_next_frame(page: "Page") -> None:
    script = """
      traits.start();
      for (let i = 0; i < 50; i += 1) traits.set({ place: i % 5 });
      model.set("other", 2);
      traits.redraw();
      const before = seen.length;
      await frame();
      return [before, seen.length, seen.at(-1), heard.length];
    """
    now = {"size": 5, "place": 4, "other": 2}
    assert play(page, script) == [1, 2, now, 51]


def test_after_a_stop_nothing_is_drawn_and_the_parts_have_stopped(page: "Page") -> None:
    script = """
      let stopped = 0;
      const stop = traits.start({ stop: () => (stopped += 1) }, { stop: () => (stopped += 1) });
      traits.set({ place: 1 });
      stop();
      await frame();
      return [seen.length, listeners.size, stopped];
    """
    assert play(page, script) == [1, 0, 2]


def test_a_button_asks_at_each_press_whether_it_can_be_pressed(page: "Page") -> None:
    script = """(() => {
      let left = 3;
      const button = m.button({ label: "Less", when: () => left > 0, onPress: () => (left -= 1) });
      for (let i = 0; i < 10; i += 1) button.el.click();
      const before = button.el.ariaDisabled;
      button.set();
      return [left, before, button.el.ariaDisabled];
    })()"""
    assert run(page, "kit/kit", script, None) == [0, "false", "true"]

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
  const frame = () => pfFrame().then(() => new Promise((go) => setTimeout(go)));
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


LINKED = """
  const state = { on: true, size: 5, share: 0.5, gap: null, kind: "a", list: [1], free: 7 };
  const model = { get: (name) => state[name], set() {}, on() {}, off() {}, save_changes() {} };
  let asked = null;
  model.share = (traits, fits) => (asked = (name, value) => fits(name, value, state[name]));
  m.mount({
    model,
    traits: Object.keys(state),
    draw() {},
    checks: { size: m.within(0, 9), share: m.within(0, 1, { real: true }), free: (x) => x },
    links: { gap: m.within(0, 3, { open: true }), kind: m.oneOf(["a", "b"]),
             list: (all) => all.filter(Number.isInteger), free: m.within(0, 3) },
  }).start();
"""

FIT: list[tuple[str, object]] = [
    ("on", False), ("size", 0), ("size", 9), ("share", 0.25), ("share", 1), ("gap", None),
    ("gap", 2), ("kind", "b"), ("list", [3, 4]), ("list", []), ("free", 3),
]  # fmt: skip
DO_NOT: list[tuple[str, object]] = [
    ("on", 1), ("on", "true"), ("on", None), ("size", 10), ("size", -1), ("size", 1.5),
    ("size", "7"), ("size", [7]), ("size", None), ("size", True), ("size", {"a": 1}),
    ("share", "0.5"), ("share", 2), ("gap", 4), ("gap", 0.5), ("kind", "c"), ("kind", ["a"]),
    ("kind", None), ("kind", "<img src=x>"), ("list", [1.5]), ("list", "ab"), ("list", 7),
    ("list", None), ("list", {"length": 1}), ("free", 7), ("other", 1), ("constructor", 1),
    ("__proto__", {}),
]  # fmt: skip


def test_a_link_brings_only_what_its_checks_leave_alone(page: "Page") -> None:
    script = f"(() => {{ {LINKED} return x.map(([name, value]) => asked(name, value)); }})()"
    assert run(page, "kit/kit", script, FIT + DO_NOT) == [True] * len(FIT) + [False] * len(DO_NOT)

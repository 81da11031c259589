// The drawing as one surface: arrow keys go to the nearest thing in their direction, Enter goes in,
// Escape goes out.
//
// For a screen reader it is a slider, as a heat map is: its value is a sentence about what the keys
// stand on. All numbers are in the tables.

import * as kit from "../kit/kit.js";
const { h } = kit;

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 2; // how much worse it is to be aside than to be far
const FAR = 100; // pixels beside its way that a key up or down goes at most: it stays in its column
const OVERLAP = 4; // pixels by which two things that stand one after the other may overlap

/** { el, put(items, at), point(at) }; an item is { el, say, act(event) }. */
export function surface({ label, onMove }) {
  const el = h("div", {
    class: "gm-surface",
    tabindex: "0",
    role: "slider",
    "aria-label": label,
    "aria-roledescription": "drawing",
    "aria-valuemin": "0",
    ...kit.OWN_KEYS,
  });
  let items = [];
  let at = 0;

  function point(next) {
    items[at]?.el.classList.remove("gm-at");
    at = Math.max(0, Math.min(items.length - 1, next));
    items[at]?.el.classList.add("gm-at");
    el.setAttribute("aria-valuemax", Math.max(0, items.length - 1));
    el.setAttribute("aria-valuenow", at);
    el.setAttribute("aria-valuetext", items[at]?.say() ?? "");
  }

  function move(next) {
    point(next);
    onMove(at);
  }

  /** The thing whose near edge lies ahead, as close as may be, and beside the way only if it must. */
  function nearest([dx, dy]) {
    const boxes = items.map((each) => each.el.getBoundingClientRect());
    const here = boxes[at];
    let best = at;
    let least = Infinity;
    boxes.forEach((box, i) => {
      const gaps = dx ? [box.left - here.right, here.left - box.right] : [box.top - here.bottom, here.top - box.bottom];
      const ahead = gaps[dx + dy > 0 ? 0 : 1];
      if (i === at || box.width === 0 || ahead < -OVERLAP) return;
      const beside = dx ? [box.top - here.bottom, here.top - box.bottom] : [box.left - here.right, here.left - box.right];
      if (dy && Math.max(...beside) > FAR) return;
      const middle = dx ? Math.abs(box.top + box.bottom - here.top - here.bottom) : Math.abs(box.left + box.right - here.left - here.right);
      const cost = ahead + ASIDE * Math.max(0, ...beside) + middle / 100;
      if (cost < least) [best, least] = [i, cost];
    });
    return best;
  }

  el.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !items.length) return;
    const { key } = event;
    if (DIRECTIONS[key]) move(nearest(DIRECTIONS[key]));
    else if (key === "Home") move(0);
    else if (key === "End") move(items.length - 1);
    else if (key === "Enter" || key === " ") items[at].act(null);
    else return;
    event.preventDefault();
  });
  el.addEventListener("click", (event) => {
    const i = items.findIndex((each) => each.el.contains(event.target));
    if (i < 0) return;
    move(i);
    items[i].act(event);
  });

  /** The things on it, and which of them the keys stand on. */
  function put(list, first = 0) {
    items[at]?.el.classList.remove("gm-at"); // it may stand elsewhere in the new list
    items = list;
    point(first);
  }
  return { el, put, point: () => point(at) };
}

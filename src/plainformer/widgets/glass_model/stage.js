// The drawing as one surface: arrow keys go to the nearest thing in their direction, Enter goes in,
// Escape goes out.
//
// For a screen reader it is a slider, as a heat map is: its value is a sentence about what the keys
// stand on. All numbers are in the tables.

import * as kit from "../kit/kit.js";
const { h } = kit;

const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 3; // how much worse it is to be aside than to be far

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

  function nearest([dx, dy]) {
    const middle = ({ el: each }) => {
      const { left, top, width, height } = each.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    };
    const [x, y] = middle(items[at]);
    let best = at;
    let least = Infinity;
    items.forEach((each, i) => {
      const [across, down] = middle(each).map((place, axis) => place - [x, y][axis]);
      const ahead = across * dx + down * dy;
      if (i === at || ahead < 2) return;
      const cost = ahead + ASIDE * Math.abs(across * dy + down * dx);
      if (cost < least) [best, least] = [i, cost];
    });
    return best;
  }

  el.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !items.length) return;
    const { key } = event;
    if (WAYS[key]) point(nearest(WAYS[key]));
    else if (key === "Home") point(0);
    else if (key === "End") point(items.length - 1);
    else if (key === "Enter" || key === " ") items[at].act(null);
    else return;
    event.preventDefault();
    onMove(at);
  });
  el.addEventListener("click", (event) => {
    const i = items.findIndex((each) => each.el.contains(event.target));
    if (i < 0) return;
    point(i);
    onMove(i);
    items[i].act(event);
  });

  /** The things on it, and which of them the keys stand on. */
  function put(list, first = 0) {
    items = list;
    point(first);
  }
  return { el, put, point: () => point(at) };
}

// A frame with axes round anything that is drawn in a box: ticks, titles, and a mark on each axis
// where the reader is.
//
// Every place is a share of the box, so nothing is measured, and nothing is drawn again when the
// box changes its size or is shown at last.

import * as kit from "./kit.js";
const { h } = kit;

/** Ticks at whole numbers below count, as far apart as the first of the steps that leaves few. */
export function ticks(count, steps, most = 9) {
  const step = steps.find((each) => count / each <= most) ?? steps.at(-1);
  const found = [];
  for (let i = 0; i < count; i += step) found.push({ at: (i + 0.5) / count, text: String(i) });
  return found;
}

/**
 * A box with axes: { el, setX, setY }. Each set takes { title, ticks, mark }: ticks and mark have
 * `at`, a share of the box from the left or from the top, and `text`. A tick closer to the mark
 * than `near` gives way to it.
 */
export function frame({ content, className = "", near = 0.06 }) {
  const x = axis("left", 0.08);
  const y = axis("top", near);
  x.el.classList.add("ax-x");
  y.el.classList.add("ax-y");
  const el = h(
    "div",
    { class: `ax-frame ${className}` },
    h("div", { class: "ax-y-title", "aria-hidden": "true" }, y.title),
    y.el,
    h("div", { class: "ax-box" }, content),
    x.el,
    h("div", { class: "ax-x-title", "aria-hidden": "true" }, x.title),
  );
  return { el, setX: x.set, setY: y.set };
}

/** One axis, with places from the `side` of the box on. */
function axis(side, near) {
  const mark = h("span", { class: "ax-mark", hidden: true });
  const el = h("div", { "aria-hidden": "true" });
  const title = document.createTextNode("");
  let drawn = "";
  let labels = [];
  function set({ title: name, ticks: places, mark: here }) {
    if (name !== undefined && title.data !== name) title.data = name;
    const key = places.map(({ at, text }) => `${at} ${text}`).join();
    if (key !== drawn) {
      drawn = key;
      labels = places.map(({ at, text }) => {
        const label = h("span", { class: "ax-tick" }, text);
        label.style[side] = `${at * 100}%`;
        return { at, label };
      });
      el.replaceChildren(...labels.map(({ label }) => label), mark);
    }
    mark.hidden = !here;
    if (here) {
      mark.style[side] = `${here.at * 100}%`;
      if (mark.textContent !== here.text) mark.textContent = here.text;
    }
    for (const { at, label } of labels) {
      label.classList.toggle("ax-hidden", Boolean(here) && Math.abs(at - here.at) < near);
    }
  }
  return { el, title, set };
}

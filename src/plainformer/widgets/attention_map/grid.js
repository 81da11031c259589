// The map of AttentionMap: a heat map with tokens on its sides, and each row's entropy as a bar.
//
// Masked cells are left open: the hatching behind the map shows through.
// Tokens and bars are made once. What follows a pointer only moves: two frames, two marks.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as heatmap from "../kit/heatmap.js";
import * as words from "./words.js";
import * as written from "../kit/token_words.js";
import * as sums from "./weights.js";
const { h } = kit;

const MOST_NUMBERS = 12; // rows, and columns, in which a number fits a cell of a wide card
const LINE = 14; // pixels that a label needs
const CHARACTER = 7.5; // pixels, about

const rowHeight = (rows) => (rows <= 12 ? 34 : rows <= 16 ? 28 : rows <= 40 ? 14 : 9); // pixels
const longest = (list) => Math.min(14, Math.max(...list.map((each) => written.label(each).length)));

/** Whether the cells of a map have room for numbers. */
export const roomy = ([, , T, S]) => T <= MOST_NUMBERS && S <= MOST_NUMBERS;

/** Labels along a side: { el, fit(pixels a label), mark(place), cross(places) }. */
function side(className, tokens, along) {
  const labels = tokens.map((token, i) => {
    const label = h(
      "span",
      { class: "am-label", title: token.length > 10 && written.label(token) },
      h("small", {}, String(i)),
      h("bdi", {}, written.label(token)),
    );
    label.style[along] = `${((i + 0.5) / tokens.length) * 100}%`;
    return label;
  });
  const el = h("div", { class: className, "aria-hidden": "true" }, labels);
  let step = 1;
  let marked = 0;
  const show = (i) => {
    const near = i !== marked && Math.abs(i - marked) < step;
    labels[i]?.classList.toggle("am-hidden", i !== marked && (i % step !== 0 || near));
  };
  function fit(pixels) {
    const next = Math.min(labels.length, Math.ceil(LINE / pixels)); // of 0 pixels: all but one
    if (next === step) return;
    step = next;
    labels.forEach((_, i) => show(i));
  }
  function mark(place) {
    const before = marked;
    marked = place;
    labels[before].classList.remove("am-marked");
    labels[place].classList.add("am-marked");
    for (let d = 1 - step; d < step; d += 1) [before + d, place + d].forEach(show);
  }
  const cross = (flags) =>
    labels.forEach((label, i) => label.classList.toggle("am-padding", Boolean(flags[i])));
  return { el, fit, mark, cross };
}

/** The sizes that tokens ask for, for the style of what holds map and flow. */
export function sizes(tokens, keys) {
  const row = rowHeight(tokens.length);
  const side = (list) => `${Math.round(longest(list) * CHARACTER + 20)}px`;
  return (
    `--am-height:${tokens.length * row}px;--am-line:${row < 28 ? 30 : row}px;` +
    `--am-side:${side(tokens)};--am-top:${side(keys)};` +
    `--am-widest:${Math.max(keys.length, 3) * 62}px`
  );
}

/** The map: { el, draw(now, fresh), stop }; fresh says that weights, masks or ground are others. */
export function grid({ tokens, keys, shape, onPoint, onKeep, onFit }) {
  const [, , T, S] = shape;
  const map = heatmap.heatmap({
    label: "Attention weights",
    onPoint,
    onKeep,
    room: [MOST_NUMBERS, MOST_NUMBERS],
  });
  const queries = side("am-queries", tokens, "top");
  const columns = side("am-keys", keys, "left");
  const most = h("path", { class: "am-nats-most" });
  const nats = h("path", { class: "am-nats-are" });
  const places = rowHeight(T) < LINE ? [] : tokens.map((_, i) => `top:${((i + 0.5) / T) * 100}%`);
  const numbers = places.map((style) => h("span", { style }));
  const scale = h("div", { class: "am-scale" });
  const el = h(
    "div",
    { class: "am-grid" },
    h(
      "div",
      { class: "am-corner", "aria-hidden": "true" },
      h("span", {}, "keys →"),
      h("span", {}, "queries ↓"),
    ),
    columns.el,
    h("div", { class: "am-nats-title", "aria-hidden": "true" }, "entropy in nats"),
    queries.el,
    h("div", { class: "am-map" }, map.el),
    h(
      "div",
      { class: "am-nats", "aria-hidden": "true" },
      h("svg", { viewBox: `0 0 1 ${T}`, preserveAspectRatio: "none" }, most, nats),
      h("div", { class: "am-nats-numbers" }, numbers),
    ),
    scale,
  );
  queries.el.addEventListener("pointermove", (event) => !event.buttons && onPoint(rowOf(event)));
  queries.el.addEventListener("pointerleave", () => onPoint(null));
  queries.el.addEventListener("click", (event) => onKeep(rowOf(event)));

  let dark; // the ground that the scale of the colours is made for
  let column = 0; // the chosen one, which the labels of the rows keep

  function rowOf(event) {
    const box = queries.el.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * T);
    return [Math.max(0, Math.min(T - 1, row)), column];
  }

  const resized = new ResizeObserver(() => {
    const wide = columns.el.clientWidth / S;
    if (wide === 0) return; // hidden, in a tab behind another: what fitted before will fit again
    columns.fit(wide);
    queries.fit(rowHeight(T));
    onFit(wide > longest(keys) * CHARACTER + 18);
    el.classList.toggle("am-close", wide < 34);
    el.classList.toggle("am-tight", wide < 25);
  });
  resized.observe(columns.el);

  function drawNats(now) {
    const limit = Math.log(Math.max(S, 2));
    const bar = (share, i) => (share > 0 ? `M0 ${i + 0.22}H${share}V${i + 0.78}H0Z` : "");
    const path = (values) => Array.from(values, (each, i) => bar(each / limit, i)).join("");
    most.setAttribute("d", path(now.most));
    nats.setAttribute("d", path(now.nats));
    numbers.forEach((each, i) => {
      const text = now.nats[i].toFixed(2);
      if (each.textContent !== text) each.textContent = text;
    });
  }

  function draw(now, fresh) {
    const { query, key, shown } = now;
    if (fresh) {
      const rgb = (i, j) =>
        sums.sees(i, j, now) ? scales.weight(shown[i * S + j], now.dark) : null;
      const text = (i, j) => (sums.sees(i, j, now) ? shown[i * S + j].toFixed(2) : "");
      map.paint(T, S, rgb, now.numbers ? text : null);
      columns.cross(now.padding);
      drawNats(now);
      if (now.dark !== dark) {
        dark = now.dark;
        const colour = (share) => scales.weight(share, dark);
        scale.replaceChildren(heatmap.legend({ low: 0, high: 1, rgb: colour }));
      }
    }
    column = key;
    map.mark({ row: query, col: key, text: words.cell(now) });
    queries.mark(query);
    columns.mark(key);
    numbers.forEach((each, i) => each.classList.toggle("am-marked", i === query));
  }

  return { el, draw, stop: () => resized.disconnect() };
}

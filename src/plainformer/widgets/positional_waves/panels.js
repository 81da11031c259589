// What PositionalWaves unfolds: the fingerprint of a position, all of them as a heat map, and how
// similar one is to every other.
//
// Each panel is { el, draw(now, fresh) }. `now` is the widget's state with its readers; pass `fresh`
// when the numbers or the ground are others.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as axes from "../kit/axes.js";
import * as grid from "../kit/heatmap.js";
import * as curves from "../kit/curves.js";
import * as hands from "./clocks.js";
import * as words from "./words.js";
import * as strips from "./strip.js";
const { h } = kit;

const MOST_DOTS = 64;
const MOST_NUMBERS = 8; // bars that have room for a number, on a phone too
const spot = (index, count) => ({ at: (index + 0.5) / count, text: String(index) });
const places = (count) => axes.ticks(count, [1, 2, 5, 10, 20]);
const dimensions = (count) => axes.ticks(count, [1, 2, 4, 8]);

/** The numbers of one position as bars, below their clocks. */
export function fingerprint({ most, onPick }) {
  const clocks = hands.row({ most, onPick });
  const bars = curves.bars();
  const numbers = h("div", { class: "pw-numbers", "aria-hidden": "true" });
  const frame = axes.frame({ content: bars.el, className: "pw-bars" });
  const ticks = [1, -1].map((each) => ({ at: bars.share(each), text: words.signed(each, 0) }));
  let width = 1;
  strips.draggable(bars.el, () => width, onPick);
  const el = h("div", {}, clocks.el, numbers, frame.el);
  function draw(now) {
    const { position: p, dimension: d, d_model: D } = now;
    width = D;
    clocks.draw(now);
    bars.draw(now.row(p), d);
    const few = D <= MOST_NUMBERS ? Array.from(now.row(p)) : [];
    numbers.replaceChildren(...few.map((each) => h("span", {}, words.signed(each, 2))));
    frame.setX({ title: "dimension", ticks: dimensions(D), mark: spot(d, D) });
    frame.setY({ ticks });
  }
  return { el, draw };
}

/** The fingerprints of all positions: a row for each, a column for each dimension. */
export function matrix({ most, onPoint, onKeep, onPick }) {
  const clocks = hands.row({ most, onPick });
  const map = grid.heatmap({ label: "Heat map", onPoint, onKeep });
  const scale = h("div", { class: "pw-scale" });
  const frame = axes.frame({ content: map.el, className: "pw-map" });
  function draw(now, fresh) {
    const { length: T, d_model: D, position: p, dimension: d } = now;
    clocks.draw(now);
    if (fresh) {
      const colour = (value) => scales.signed(value, 1, now.dark);
      map.paint(T, D, (r, c) => colour(now.at(r, c)), (r, c) => words.signed(now.at(r, c), 2));
      scale.replaceChildren(grid.legend({ low: -1, high: 1, rgb: (share) => colour(2 * share - 1) }));
    }
    map.mark({ row: p, col: d, text: words.cell(now) });
    frame.setY({ title: "position", ticks: places(T), mark: spot(p, T) });
    frame.setX({ title: "dimension", ticks: dimensions(D), mark: spot(d, D) });
  }
  return { el: h("div", {}, clocks.el, frame.el, scale), draw };
}

/** How similar the chosen position is to every other, as a curve below the sentence. */
export function similarity({ onPick }) {
  const chart = curves.chart({ lines: 2 });
  const frame = axes.frame({ content: chart.el, className: "pw-chart", near: 0.1 });
  let count = 1;
  strips.draggable(chart.el, () => count, onPick);
  function draw(now) {
    const { length: T, d_model: D, base, position: p, other: q } = now;
    count = T;
    const most = D % 2 ? (D + 1) / D : 1; // an odd D: the last sine alone may add 1
    const least = now.negative() ? -1 : 0;
    chart.range(T, least * 1.1, most * 1.1);
    const key = `${p} ${D} ${base} ${T}`;
    chart.line(0, key, (at) => now.like(p, at), 1);
    chart.dots(T > MOST_DOTS ? "" : key, T > MOST_DOTS ? null : (at) => now.like(p, at));
    chart.mark(q, now.like(p, q));
    const level = (each, text) => ({ at: chart.share(each), text });
    const ticks = [level(1, "1"), level(0, "0"), level(-1, "−1")].slice(0, 2 - least);
    frame.setY({ title: "similarity", ticks, mark: level(now.like(p, q), words.signed(now.like(p, q), 2)) });
    frame.setX({ title: "compared with position", ticks: places(T), mark: spot(q, T) });
  }
  return { el: h("div", {}, frame.el), draw };
}

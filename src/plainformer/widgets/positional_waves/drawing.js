// What PositionalWaves draws: the table as a heat map with the chosen row's bars below it, and
// beside it the chosen column's wave, or the similarities of the chosen row.
//
// The grid comes from kit/heatmap.js, bars and curves from kit/curves.js, the ticks from kit/axes.js. `draw`
// takes the widget's state with its readers: at(position, dimension), like(p, q), row(position),
// and negative(), whether any two positions are less than not alike.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as sinusoids from "../formulas/sinusoidal.js";
import * as axes from "../kit/axes.js";
import * as grid from "../kit/heatmap.js";
import * as curves from "../kit/curves.js";
import * as words from "./words.js";
const { h } = kit;
const { signed } = words;

const MOST_DOTS = 64;

const spot = (index, count) => ({ at: (index + 0.5) / count, text: String(index) });

/**
 * The pictures: { table, curves, parts, draw(now, fresh) }, the first two being lists of elements, and
 * parts a list of pairs: an element, and the views in which it is seen. Pass `fresh` when the numbers or the ground are others. There are curves for so many pins; the callbacks are those
 * of the heat map.
 */
export function pictures({ pins, onPoint, onKeep, onEnter }) {
  const over = pins + 1; // the curve that lies over all others
  const map = grid.heatmap({ label: "Heat map", onPoint, onKeep, onEnter });
  const scale = h("div", { class: "pw-scale" });
  const mapFrame = axes.frame({ content: map.el, className: "pw-map" });
  const bars = curves.bars();
  const barsFrame = axes.frame({ content: bars.el, className: "pw-bars" });
  const chart = curves.chart({ lines: over + 1 });
  const chartFrame = axes.frame({ content: chart.el, className: "pw-chart", near: 0.1 });
  const [mapTitle, barsTitle, chartTitle] = ["", "", ""].map(() => h("p", { class: "pw-title" }));
  const head = h("div", { class: "pw-head" }, mapTitle, scale);
  const parts = [
    ...[head, mapFrame.el, chartTitle, chartFrame.el].map((each) => [each, "waves similarity"]),
    ...[barsTitle, barsFrame.el].map((each) => [each, "fingerprint waves"]),
  ];

  /** The heat map, painted anew when its numbers are others. */
  function drawMap(now, fresh) {
    const { view, length: T, d_model: D, position: p } = now;
    const waves = view === "waves";
    const [cols, col] = waves ? [D, now.dimension] : [T, now.other];
    const read = waves ? now.at : now.like;
    const colour = (value) => scales.signed(value, 1, now.dark);
    if (fresh) {
      map.paint(T, cols, (r, c) => colour(read(r, c)), (r, c) => signed(read(r, c), 2));
      scale.replaceChildren(grid.legend({ low: -1, high: 1, rgb: (share) => colour(2 * share - 1) }));
    }
    map.mark({
      row: p,
      col,
      columns: waves ? now.pinned.filter((each) => each < D) : [],
      text: words.cell(now),
    });
    const positions = axes.ticks(T, [1, 2, 5, 10, 20]);
    const columns = waves ? axes.ticks(D, [1, 2, 4, 8]) : axes.ticks(T, [1, 2, 5, 10, 20], 7);
    mapFrame.setY({ title: "position", ticks: positions, mark: spot(p, T) });
    mapFrame.setX({
      title: waves ? "dimension" : "compared with position",
      ticks: columns,
      mark: spot(col, cols),
    });
    mapTitle.textContent = waves
      ? "Every value: one row a position"
      : "How similar any two positions are";
  }

  function drawBars(now) {
    const { position: p, dimension: d, d_model: D } = now;
    bars.draw(now.row(p), d);
    barsTitle.textContent = `Row: the fingerprint of position ${p}`;
    barsFrame.setX({ ticks: axes.ticks(D, [1, 2, 4, 8]), mark: spot(d, D) });
    barsFrame.setY({
      ticks: [
        { at: bars.share(1), text: "1" },
        { at: bars.share(-1), text: "−1" },
      ],
    });
  }

  /** The curves on the right; those that stand are left alone. */
  function drawChart(now) {
    const { view, length: T, d_model: D, base: b, position: p } = now;
    const waves = view === "waves";
    const most = !waves && D % 2 ? (D + 1) / D : 1; // an odd D: the last sine alone may add 1
    const least = waves || now.negative() ? -1 : 0;
    chart.range(T, least * 1.1, most * 1.1);
    if (waves) {
      const line = (d) => (d < D ? (x) => sinusoids.value(x, d, D, b) : null);
      const fine = (d) => Math.min(8, Math.ceil(50 / sinusoids.wavelength(d, D, b)));
      const key = (d) => `${d} ${D} ${b} ${T}`;
      for (let i = 0; i <= pins; i += 1) {
        const d = [now.dimension, ...now.pinned][i] ?? D;
        chart.line(i, key(d), line(d), fine(d));
      }
      if (T <= MOST_DOTS) chart.dots(key(now.dimension), line(now.dimension));
      else chart.dots("", null);
      chart.line(over, "", null);
    } else {
      const key = `similarity ${p} ${D} ${b} ${T}`;
      chart.line(0, key, (q) => now.like(p, q), 1);
      chart.dots("", null);
      for (let i = 1; i <= pins; i += 1) chart.line(i, "", null);
      chart.line(over, key, (q) => now.like(0, Math.abs(q - p)), 1);
    }
    const here = waves ? [p, now.at(p, now.dimension)] : [now.other, now.like(p, now.other)];
    chart.mark(...here);
    const level = (each, text) => ({ at: chart.share(each), text });
    const ticks = [level(1, "1"), level(0, "0"), level(-1, "−1")].slice(0, 2 - least);
    chartFrame.setY({ ticks, mark: level(here[1], signed(here[1], 2)) });
    chartFrame.setX({
      title: waves ? "position" : "compared with position",
      ticks: axes.ticks(T, [1, 2, 5, 10, 20], 7),
      mark: spot(here[0], T),
    });
    chartTitle.textContent = waves
      ? `Column: dimension ${now.dimension} as a wave`
      : `Row: position ${p} with every position`;
  }

  return {
    table: [head, mapFrame.el, barsTitle, barsFrame.el],
    curves: [chartTitle, chartFrame.el],
    parts,
    draw(now, fresh) {
      if (now.view === "fingerprint" || now.view === "waves") drawBars(now);
      if (now.view !== "waves" && now.view !== "similarity") return;
      drawMap(now, fresh);
      drawChart(now);
    },
  };
}

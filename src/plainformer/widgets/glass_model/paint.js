// Small pictures of numbers: a canvas with a pixel for each, which the style sheet stretches.

import * as heatmap from "../kit/heatmap.js";
import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
const { h } = kit;

/** A canvas for a grid of numbers: { el, draw(rows, cols, rgb) }; rgb may be null for an open cell. */
export function picture(className) {
  const el = h("canvas", { class: className, "aria-hidden": "true" }); // the button says it
  return { el, draw: (rows, cols, rgb) => heatmap.fill(el, rows, cols, rgb) };
}

/** A row of signed numbers: the strongest are the most colourful. */
export function strip(canvas, values, dark) {
  let most = 1e-12;
  for (const each of values) most = Math.max(most, Math.abs(each));
  canvas.draw(1, values.length, (_, i) => scales.signed(values[i], most, dark));
}

// Small pictures of numbers: a canvas with a pixel for each, which the style sheet stretches.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
const { h } = kit;

/** A canvas for a grid of numbers: { el, draw(rows, cols, rgb) }; rgb may be null for an open cell. */
export function picture(className) {
  const el = h("canvas", { class: className, "aria-hidden": "true" }); // the button says it
  function draw(rows, cols, rgb) {
    if (el.height !== rows) el.height = rows;
    if (el.width !== cols) el.width = cols;
    const context = el.getContext("2d");
    const image = context.createImageData(cols, rows);
    const { data } = image;
    for (let row = 0, at = 0; row < rows; row += 1) {
      for (let col = 0; col < cols; col += 1, at += 4) {
        const colour = rgb(row, col);
        if (!colour) continue;
        [data[at], data[at + 1], data[at + 2]] = colour;
        data[at + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
  }
  return { el, draw };
}

/** A row of signed numbers, as many as get() gives: the strongest are the most colourful. */
export function strip(canvas, values, dark) {
  let most = 1e-12;
  for (const each of values) most = Math.max(most, Math.abs(each));
  canvas.draw(1, values.length, (_, i) => scales.signed(values[i], most, dark));
}

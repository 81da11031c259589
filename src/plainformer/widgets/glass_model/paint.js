// Small pictures of numbers: a canvas with a pixel for each, which the style sheet stretches.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
const { h } = kit;

/** A canvas for a grid of numbers: { el, draw(rows, cols, rgb) }; rgb may be null for an open cell. */
export function picture(className) {
  const el = h("canvas", { class: className });
  function draw(rows, cols, rgb) {
    if (el.height !== rows) el.height = rows;
    if (el.width !== cols) el.width = cols;
    const context = el.getContext("2d");
    const image = context.createImageData(cols, rows);
    for (let i = 0; i < rows * cols; i += 1) {
      const colour = rgb(Math.floor(i / cols), i % cols);
      if (colour) image.data.set([...colour, 255], 4 * i);
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

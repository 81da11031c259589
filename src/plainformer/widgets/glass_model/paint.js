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

const STEPS = 2000; // shades of a weight: a root of it is taken once for each, not for each cell
const shades = new Map(); // dark -> bytes of red, green, blue

function shadesOf(dark) {
  if (!shades.has(dark)) {
    const all = Array.from({ length: STEPS + 1 }, (_, i) => scales.weight(i / STEPS, dark));
    shades.set(dark, Uint8Array.from(all.flat()));
  }
  return shades.get(dark);
}

let image = null; // of the last size: all heads of a text have the same

/** A head's weights, (T, T): row(t) are those of token t. What is later or hidden stays open. */
export function weights(canvas, T, row, hidden, dark) {
  if (canvas.width !== T) [canvas.width, canvas.height] = [T, T];
  if (image?.width !== T) image = new ImageData(T, T);
  const [{ data }, rgb, away] = [image, shadesOf(dark), new Set(hidden)];
  for (let t = 0; t < T; t += 1) {
    const shares = row(t);
    for (let s = 0, at = 4 * t * T; s <= t; s += 1, at += 4) {
      data[at + 3] = s !== t && away.has(s) ? 0 : 255;
      const from = 3 * Math.round(STEPS * shares[s]);
      data[at] = rgb[from];
      data[at + 1] = rgb[from + 1];
      data[at + 2] = rgb[from + 2];
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

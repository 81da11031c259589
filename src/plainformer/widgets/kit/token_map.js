// A small map of attention between the tokens of a text, for a widget that shows other things as well.

import * as kit from "./kit.js";
import * as scales from "./scales.js";
import * as written from "./token_words.js";
const { h } = kit;

const MOST_LABELS = 16; // beside so many tokens each has its name; beside more, every other one

/** Paint a canvas with a pixel for each weight, at(query, key); null leaves its pixel open. */
export function paint(canvas, queries, keys, at, dark) {
  [canvas.width, canvas.height] = [keys, queries];
  const context = canvas.getContext("2d");
  const image = context.createImageData(keys, queries);
  for (let i = 0; i < queries * keys; i += 1) {
    const weight = at(Math.floor(i / keys), i % keys);
    if (weight !== null) image.data.set([...scales.weight(weight, dark), 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
}

/**
 * A small map of attention: { el, draw({ tokens, keys, attention }, dark) }; keys are the names of
 * the columns, where they are not the tokens.
 */
export function map() {
  const canvas = h("canvas", { class: "tm-cells" });
  const rows = h("div", { class: "tm-rows" });
  const columns = h("div", { class: "tm-cols" });
  const el = h("div", { class: "tm-map", "aria-hidden": "true" }, rows, canvas, columns);
  let named = "";

  function name(tokens, keys) {
    const both = [...tokens, "", ...keys].join("\0");
    if (named === both) return;
    named = both;
    el.classList.toggle("tm-letters", keys.every((token) => token.length < 2)); // they stand upright
    const labels = (list, side) =>
      list.map((token, i) => {
        const label = h("span", {}, i % Math.ceil(list.length / MOST_LABELS) ? "" : written.label(token));
        label.style[side] = `${((i + 0.5) / list.length) * 100}%`;
        return label;
      });
    rows.replaceChildren(...labels(tokens, "top"));
    columns.replaceChildren(...labels(keys, "left"));
  }

  function draw({ tokens, keys = tokens, attention }, dark) {
    name(tokens, keys);
    paint(canvas, tokens.length, keys.length, (i, j) => attention[i][j], dark);
  }
  return { el, draw };
}

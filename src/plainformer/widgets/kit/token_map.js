// A small map of attention between the tokens of a text, for a widget that shows other things as well.

import * as kit from "./kit.js";
import * as scales from "./scales.js";
import * as written from "./token_words.js";
const { h } = kit;

const MOST_LABELS = 16; // beside so many tokens each has its name; beside more, every other one

/** A small map of attention: { el, draw({ tokens, attention }, dark) }. */
export function map() {
  const canvas = h("canvas", { class: "tm-cells" });
  const rows = h("div", { class: "tm-rows" });
  const columns = h("div", { class: "tm-cols" });
  const el = h("div", { class: "tm-map", "aria-hidden": "true" }, rows, canvas, columns);
  let named = "";

  function name(tokens) {
    if (named === tokens.join("\0")) return;
    named = tokens.join("\0");
    el.classList.toggle("tm-letters", tokens.every((token) => token.length < 2)); // they stand upright
    const every = Math.ceil(tokens.length / MOST_LABELS);
    const labels = (side) =>
      tokens.map((token, i) => {
        const label = h("span", {}, i % every ? "" : written.label(token));
        label.style[side] = `${((i + 0.5) / tokens.length) * 100}%`;
        return label;
      });
    rows.replaceChildren(...labels("top"));
    columns.replaceChildren(...labels("left"));
  }

  function draw({ tokens, attention }, dark) {
    name(tokens);
    const T = tokens.length;
    [canvas.width, canvas.height] = [T, T];
    const context = canvas.getContext("2d");
    const image = context.createImageData(T, T);
    attention.flat().forEach((weight, i) => image.data.set([...scales.weight(weight, dark), 255], 4 * i));
    context.putImageData(image, 0, 0);
  }
  return { el, draw };
}

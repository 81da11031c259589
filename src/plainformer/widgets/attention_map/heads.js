// The heads of AttentionMap as thumbnails: each is its map, a pixel for each weight.

import * as kit from "../kit/kit.js";
import * as maps from "../kit/token_map.js";
import * as numbering from "../kit/numbering.js";
import * as sums from "./weights.js";
import * as words from "./words.js";
const { h } = kit;

/** The thumbnails: { el, build(text), draw(now, dark) }; onPick(layer, head) is told what is chosen. */
export function heads({ onPick }) {
  const el = h("fieldset", { class: "am-heads" });
  let inputs = [];
  let painted = []; // what the thumbnails are painted for: weights, masks and ground

  function build({ shape: [layers, count], names }) {
    const radio = kit.uid();
    painted = [];
    inputs = [];
    const groups = Array.from({ length: layers }, (_, layer) => {
      const line = Array.from({ length: count }, (_, head) => {
        const name = words.headName({ names }, head);
        const input = h("input", {
          ...{ type: "radio", name: radio, value: inputs.length, ...kit.OWN_KEYS },
          "aria-label": layers > 1 ? `${numbering.layerName(layer)}, ${name}` : name,
        });
        inputs.push(input);
        const canvas = h("canvas", { "aria-hidden": "true" });
        const said = names || layers === 1 ? name : String(numbering.ordinal(head));
        return h("label", { class: "am-thumb", title: names ? name : `${name}, ${numbering.inCode(layer, head)}` }, input, canvas, h("span", {}, said));
      });
      const name = layers > 1 ? h("span", { class: "am-layer", title: numbering.inCode(layer) }, numbering.layerName(layer)) : null;
      return h("div", { class: "am-group" }, name, h("div", { class: "am-thumbs" }, line));
    });
    el.hidden = layers * count === 1;
    el.classList.toggle("am-named", Boolean(names) || layers === 1);
    el.replaceChildren(h("legend", { class: "pf-label" }, layers > 1 ? "Layers and their heads" : "Heads"), ...groups);
  }
  el.addEventListener("change", (event) => onPick(Number(event.target.value)));

  function draw({ shape: [, count, T, S], layer, head, ...now }, weights, dark) {
    inputs.forEach((input, i) => (input.checked = i === layer * count + head));
    const wanted = [weights, now.causal, String(now.padding), dark];
    if (wanted.every((each, i) => each === painted[i])) return;
    painted = wanted;
    inputs.forEach((input, map) => {
      const at = (i, j) => (sums.sees(i, j, now) ? weights[(map * T + i) * S + j] : null);
      maps.paint(input.nextSibling, T, S, at, dark);
    });
  }
  return { el, build, draw };
}

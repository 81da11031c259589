// One head: its weights as a large map, tokens on both sides, and what one cell of it is.

import * as kit from "../kit/kit.js";
import * as scales from "../kit/scales.js";
import * as heatmap from "../kit/heatmap.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
import * as places from "./selection.js";
const { h } = kit;

const ROOMY = 12; // tokens: a number fits a cell
const LABEL = 14; // pixels that a name needs
const HIGH = 300; // pixels of the map
const MOST_ROWS = 24; // of the table

/** The head: { el, own, draw(now), tables }; own is what the keys are pressed on. */
export function head({ T, tokens, go, choose, layer: l, head: k, column: first, onColumn }) {
  let now = null;
  let column = first;
  const weights = `layers.${l}.attention.weights`;
  const map = heatmap.heatmap({
    label: `${numbering.headTitle(k)} of ${numbering.layerName(l)}: a row for each token that looks, a column for each it looks at`,
    onPoint() {},
    onKeep([row, col]) {
      onColumn((column = col));
      choose(row);
    },
    onEnter: () => go(places.numberAt(weights, k, now.place, column)),
    room: [ROOMY, ROOMY],
  });
  const each = Math.max(1, Math.ceil((LABEL * T) / HIGH));
  const side = (className, along) =>
    h(
      "div",
      { class: className, "aria-hidden": "true" },
      tokens.map((token, i) =>
        h("span", { class: i % each ? "gm-hide" : "", title: `${token}, in code token ${i}`, style: `${along}:${((i + 0.5) / T) * 100}%` }, h("bdi", {}, token)),
      ),
    );
  const [rows, cols] = [side("gm-rows", "top"), side("gm-cols", "left")];
  const says = h("p", { class: "gm-cell" });
  const ask = (text, name) =>
    kit.button({ label: text, onPress: () => go(places.numberAt(name, k, now.place, column)) }).el;
  const el = h(
    "div",
    { class: "gm-headroom" },
    h("div", { class: "gm-square" }, h("div", { class: "gm-corner", "aria-hidden": "true" }, "looks at →"), cols, rows, h("div", { class: "gm-field" }, map.el)),
    h("div", { class: "gm-aside" }, says, h("div", { class: "pf-row" }, ask("Ask the weight", weights), ask("Ask the score", `layers.${l}.attention.scores`))),
  );

  function draw(next) {
    now = next;
    const { summary, place, dark, hidden } = now;
    const row = tokens.map((_, s) => summary.weight(l, k, place, s));
    column = Math.min(column ?? row.indexOf(Math.max(...row)), T - 1);
    const out = (t, s) => s > t || (hidden.includes(s) && s !== t);
    map.paint(
      T,
      T,
      (t, s) => (out(t, s) ? null : scales.weight(summary.weight(l, k, t, s), dark)),
      (t, s) => (out(t, s) ? "" : kit.format(summary.weight(l, k, t, s), 2)),
    );
    const share = summary.weight(l, k, place, column);
    const reason = column > place ? "a later token, which nobody may see" : `weight ${written.share(share)}`;
    const text = `${numbering.tokenName(tokens, place)} looks at ${numbering.tokenName(tokens, column)}: ${reason}.`;
    map.mark({ row: place, col: column, text });
    says.textContent = text;
    for (const [list, here] of [[rows, place], [cols, column]]) {
      [...list.children].forEach((span, i) => span.classList.toggle("gm-here", i === here));
    }
  }
  /** The weights: all of them, or of a long text those of the chosen row. */
  function tables() {
    const few = T <= MOST_ROWS;
    const shown = few ? tokens.map((_, t) => t) : [now.place];
    return [
      {
        caption: `${numbering.layerTitle(l)}, ${numbering.headName(k)}: the weights, a row for each token that looks`,
        columns: ["Token", ...tokens.map((token, i) => `#${numbering.ordinal(i)}: ${token}`)],
        rows: shown.map((t) => [
          `${numbering.ordinal(t)}: ${tokens[t]}`,
          ...tokens.map((_, s) => (s > t ? "" : kit.format(now.summary.weight(l, k, t, s), 3))),
        ]),
        current: few ? now.place : 0,
      },
    ];
  }
  return { el, own: map.el, draw, tables };
}

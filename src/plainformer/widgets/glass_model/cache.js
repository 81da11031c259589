// The cache as it grows: in each layer a row of keys and a row of values, a cell for each token.

import * as kit from "../kit/kit.js";
import * as numbering from "../kit/numbering.js";
const { h } = kit;

const LEAST = 32; // cells, so that there is room to grow

/** Keys and values of a layer: { el, draw(T, cache) }; of the T tokens the last `fresh` are new. */
export function cache() {
  const rows = ["key", "value"].map((role) => h("div", { class: `gm-row gm-${role}s` }, h("i"), h("b")));
  const el = h("div", { class: "gm-cache", "aria-hidden": "true" }, rows);
  function draw(T, now) {
    el.hidden = !now;
    if (!now) return;
    const cells = Math.max(LEAST, 2 ** Math.ceil(Math.log2(T)));
    const part = (count) => `${(100 * count) / cells}%`;
    for (const [name, count] of [["full", T], ["new", now.fresh]]) el.style.setProperty(`--gm-${name}`, part(count));
  }
  return { el, draw };
}

const size = ({ n_layers, n_kv_heads, d_head }, T) => 2 * n_layers * T * n_kv_heads * d_head;

/** What the cache holds, and what of it was computed for the last token. */
export function sentence({ config, T, tokens, fresh, left }) {
  const wide = config.n_kv_heads * config.d_head;
  const holds = `The cache holds ${kit.many(T, "token")}: ${config.n_layers} layers × 2 (keys, values) × ${kit.many(T, "token")} × ${wide} = ${kit.format(size(config, T))} numbers.`;
  if (left) return `${holds} The text is longer than the ${T} tokens that have room: each token moved to another place, so all of them were computed anew.`;
  if (fresh < T) return `${holds} Only “${tokens[T - 1]}” was computed; the rest was read from the cache.`;
  return `${holds} All of it was computed at once.`;
}

/** The same as a table. */
export const table = (config, T) => ({
  caption: "What the cache holds of each layer",
  columns: ["Layer", "Part", "#Tokens", "#Numbers of each", "#Together"],
  rows: Array.from({ length: config.n_layers }, (_, l) =>
    ["keys", "values"].map((each) => [numbering.ordinal(l), each, T, config.n_kv_heads * config.d_head, kit.format(size(config, T) / 2 / config.n_layers)]),
  ).flat(),
});

// The cells of a lens from logits: what LogitLens._data makes of them in Python.

import * as numbering from "../kit/numbering.js";
import * as heat from "../formulas/temperature.js";

const LIKELIEST = 5; // the same as in Python

/** The places of the largest numbers, the largest first; of two alike the first. */
function largest(shares) {
  const found = [];
  shares.forEach((share, i) => {
    let at = found.length;
    while (at > 0 && shares[found[at - 1]] < share) at -= 1;
    found.splice(at, 0, i);
    if (found.length > LIKELIEST) found.pop();
  });
  return found;
}

/**
 * The lens of the last tokens of a text, at most so many. depths: { shape: [T, V], data } of logits
 * for each, the lowest first. words: how each token of the vocabulary reads.
 */
export function ofLogits({ ids, depths, words, most }) {
  const T = ids.length;
  const V = words.length;
  const first = Math.max(0, T - most);
  const places = Array.from({ length: T - first }, (_, i) => first + i);
  const all = depths.map(({ data }) =>
    places.map((t) => heat.softmax(Float64Array.from(data.subarray(t * V, (t + 1) * V)))),
  );
  const top = all.map((row) => row.map(largest));
  const next = places.map((t) => ids[t + 1] ?? null);
  return {
    tokens: places.map((t) => words[ids[t]]),
    names: ["embedding", ...depths.slice(1).map((_, l) => numbering.layerName(l))],
    words,
    size: V,
    top,
    shares: top.map((row, r) => row.map((cell, c) => cell.map((i) => all[r][c][i]))),
    next,
    right: all.map((row) => row.map((shares, c) => (next[c] === null ? null : shares[next[c]]))),
  };
}

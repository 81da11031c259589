// Encoder layers, sublayer by sublayer, on small matrices (lists of rows): what
// plainformer.blocks.EncoderLayer computes, for a page to show.

import * as lookup from "./self_attention.js";
import * as network from "./feed_forward.js";
import * as normalization from "./normalization.js";

const times = (rows, matrix) =>
  rows.map((row) => matrix[0].map((_, c) => row.reduce((sum, each, r) => sum + each * matrix[r][c], 0)));
const plus = (a, b) => a.map((row, t) => row.map((each, d) => each + b[t][d]));

/** Several heads: each has its part of the queries, keys and values, and w_o mixes what they find. */
export function multiHead(x, { w_q, w_k, w_v, w_o, n_heads }) {
  const whole = { q: times(x, w_q), k: times(x, w_k), v: times(x, w_v) };
  const width = w_q[0].length / n_heads;
  const found = Array.from({ length: n_heads }, (_, head) => {
    const part = (rows) => rows.map((row) => row.slice(head * width, (head + 1) * width));
    return lookup.attention({ q: part(whole.q), k: part(whole.k), v: part(whole.v) }).output;
  });
  return times(x.map((_, t) => found.flatMap((rows) => rows[t])), w_o);
}

/**
 * Sublayers, attention and feed-forward by turns, each of which is on or off, and norms "pre",
 * "post" or "none": for each sublayer { read, written, stream }, (T, D) each.
 *
 *   pre     x = x + sublayer(norm(x))
 *   post    x = norm(x + sublayer(x))
 */
export function flow(x, { on, norms, weights, eps }) {
  const ones = x[0].map(() => 1);
  const options = { gamma: ones, beta: ones.map(() => 0), eps };
  const norm = (rows) => rows.map((row) => normalization.layerNorm(row, options));
  const forward = (row) => network.feedForward({ x: row, ...weights, activation: "relu" }).output;
  let stream = x;
  return on.map((isOn, s) => {
    const read = norms === "pre" ? norm(stream) : stream;
    const found = s % 2 ? read.map(forward) : multiHead(read, weights);
    const written = isOn ? found : read.map((row) => row.map(() => 0));
    const sum = plus(stream, written);
    stream = norms === "post" ? norm(sum) : sum;
    return { read, written, stream };
  });
}

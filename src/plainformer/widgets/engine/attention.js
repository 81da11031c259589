// Multi-head attention between projections, step by step, as plainformer.attention has it:
// scores, weights, and what each head finds. H heads of queries share G of keys and values.

import * as product from "./product.js";

/** (T, H · K) to (H, T, K). */
export function splitHeads(x, nHeads) {
  const [T, width] = x.shape;
  const K = width / nHeads;
  const data = new Float32Array(x.data.length);
  for (let h = 0; h < nHeads; h += 1) {
    for (let t = 0; t < T; t += 1) {
      const from = t * width + h * K;
      data.set(x.data.subarray(from, from + K), (h * T + t) * K);
    }
  }
  return { shape: [nHeads, T, K], data };
}

/** (H, T, K) to (T, H · K): the heads side by side, head 0 first. */
export function mergeHeads(x) {
  const [H, T, K] = x.shape;
  const data = new Float32Array(x.data.length);
  for (let h = 0; h < H; h += 1) {
    for (let t = 0; t < T; t += 1) {
      const from = (h * T + t) * K;
      data.set(x.data.subarray(from, from + K), (t * H + h) * K);
    }
  }
  return { shape: [T, H * K], data };
}

/** (q · k) / √K of every query and key: (H, T, S). `slopes`, one a head, are ALiBi's, or null. */
export function attentionScores(q, k, slopes = null) {
  const [H, T, K] = q.shape;
  const [G, S] = k.shape;
  const data = new Float32Array(H * T * S);
  const scale = 1 / Math.sqrt(K);
  for (let h = 0; h < H; h += 1) {
    const g = Math.floor((h * G) / H);
    const queries = q.data.subarray(h * T * K, (h + 1) * T * K);
    const keys = k.data.subarray(g * S * K, (g + 1) * S * K);
    product.rowProducts(queries, keys, T, S, K).forEach((each, i) => {
      const apart = Math.abs(S - T + Math.floor(i / S) - (i % S)); // the queries are the last keys
      data[h * T * S + i] = each * scale - (slopes ? slopes[h] * apart : 0);
    });
  }
  return { shape: [H, T, S], data };
}

/**
 * Softmax of what each token may see: (H, T, S). It sees itself, and what is before, not hidden; if
 * attention is not causal, also what comes later.
 */
export function attentionWeights(scores, hidden, causal = true) {
  const [H, T, S] = scores.shape;
  const data = new Float32Array(H * T * S);
  for (let row = 0; row < H * T; row += 1) {
    const [from, at] = [row * S, S - T + (row % T)];
    const end = causal ? at : S - 1;
    const sees = (s) => s === at || !hidden.has(s);
    let top = -Infinity;
    for (let s = 0; s <= end; s += 1) if (sees(s)) top = Math.max(top, scores.data[from + s]);
    let sum = 0;
    for (let s = 0; s <= end; s += 1) {
      if (sees(s)) sum += data[from + s] = Math.exp(scores.data[from + s] - top);
    }
    for (let s = 0; s <= end; s += 1) data[from + s] /= sum;
  }
  return { shape: [H, T, S], data };
}

/** The values by their weights: (H, T, K). */
export function mixValues(weights, v) {
  const [H, T, S] = weights.shape;
  const [G, , K] = v.shape;
  const data = new Float32Array(H * T * K);
  const sums = new Float64Array(K);
  for (let row = 0; row < H * T; row += 1) {
    const g = Math.floor((Math.floor(row / T) * G) / H);
    sums.fill(0);
    for (let s = 0; s < S; s += 1) {
      const weight = weights.data[row * S + s];
      if (weight === 0) continue; // the mask's; a replaced one may stand anywhere
      const from = (g * S + s) * K;
      for (let i = 0; i < K; i += 1) sums[i] += weight * v.data[from + i];
    }
    data.set(sums, row * K);
  }
  return { shape: [H, T, K], data };
}

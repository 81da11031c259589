// LayerNorm and RMSNorm of every row, as plainformer.blocks.normalization has them.

import * as single from "../formulas/normalization.js";

/** γ (x - mean) / √(variance + ε) + β, for each row of (T, D). */
export function layerNorm(x, gamma, beta, eps) {
  const options = { gamma: gamma.data, beta: beta.data, eps };
  return byRow(x, (row) => single.layerNorm(row, options));
}

/** γ x / √(mean square + ε), for each row of (T, D). */
export function rmsNorm(x, gamma, eps) {
  const options = { gamma: gamma.data, eps };
  return byRow(x, (row) => single.rmsNorm(row, options));
}

/** A formula of one row on each, in double precision. */
function byRow({ shape, data: x }, norm) {
  const [T, D] = shape;
  const data = new Float32Array(T * D);
  for (let at = 0; at < T * D; at += D) data.set(norm(Float64Array.from(x.subarray(at, at + D))), at);
  return { shape, data };
}

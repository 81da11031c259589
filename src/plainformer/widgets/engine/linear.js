// A linear layer, and the sum of two streams.
//
// In all of the engine an array is { shape, data }, data a Float32Array, row by row. Sums are taken
// in double precision and rounded once.

import * as products from "./dot.js";

/** x Wᵀ + b: (T, D) to (T, F). Row f of the weight, (F, D), makes number f, as in torch. */
export function linear(x, weight, bias = null) {
  const [T, D] = x.shape;
  const F = weight.shape[0];
  const data = new Float32Array(T * F);
  for (let f = 0; f < F; f += 1) {
    const b = bias ? bias.data[f] : 0;
    for (let t = 0; t < T; t += 1) {
      data[t * F + f] = products.dot(x.data, t * D, weight.data, f * D, D) + b;
    }
  }
  return { shape: [T, F], data };
}

/** x + y, number by number. */
export function add(x, y) {
  return { shape: x.shape, data: x.data.map((each, i) => each + y.data[i]) };
}

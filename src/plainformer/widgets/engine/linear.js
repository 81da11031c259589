// A linear layer, and the sum of two streams.
//
// In all of the engine an array is { shape, data }, data a Float32Array, row by row. Sums are taken
// in double precision and rounded once.

import * as product from "./product.js";

/** x Wᵀ + b: (T, D) to (T, F). Row f of the weight, (F, D), makes number f, as in torch. */
export function linear(x, weight, bias = null) {
  const [T, D] = x.shape;
  const F = weight.shape[0];
  const data = product.rowProducts(x.data, weight.data, T, F, D);
  if (bias) for (let i = 0; i < data.length; i += 1) data[i] += bias.data[i % F];
  return { shape: [T, F], data };
}

/** x + y, number by number. */
export function add(x, y) {
  return { shape: x.shape, data: x.data.map((each, i) => each + y.data[i]) };
}

// The backward passes of attention and of a linear layer, as plainformer.attention has them in
// attention_gradients: each goes from the gradient of a result to those of what it was made of.

import * as product from "./product.js";

/** Each weight times how far its gradient lies above the row's mean: (H, T, S). */
export function softmaxBackward(gradWeights, weights) {
  const { shape, data: a } = weights;
  const S = shape[2];
  const data = new Float32Array(a.length);
  for (let row = 0; row < a.length; row += S) {
    let mean = 0;
    for (let s = row; s < row + S; s += 1) mean += a[s] * gradWeights.data[s];
    for (let s = row; s < row + S; s += 1) data[s] = a[s] * (gradWeights.data[s] - mean);
  }
  return { shape, data };
}

/**
 * From the gradient of what the heads find, (H, T, K), to { q, k, v, weights, scores }.
 *
 * q is (H, T, K), k and v are (G, S, K). A head of keys and values that several heads of queries
 * share receives the sum of their gradients.
 */
export function attentionBackward(gradHeads, { q, k, v, weights }) {
  const [H, T, K] = q.shape;
  const [G, S] = k.shape;
  const scale = 1 / Math.sqrt(K);
  const ofHead = ({ shape: [, rows, columns], data }, h) =>
    data.subarray(h * rows * columns, (h + 1) * rows * columns);
  const keyHead = (h) => Math.floor((h * G) / H);

  const gradWeights = zeros([H, T, S]);
  for (let h = 0; h < H; h += 1) {
    const found = product.rowProducts(ofHead(gradHeads, h), ofHead(v, keyHead(h)), T, S, K);
    gradWeights.data.set(found, h * T * S);
  }
  const gradScores = softmaxBackward(gradWeights, weights);

  const [gradQ, gradK, gradV] = [q, k, v].map(({ shape }) => zeros(shape));
  for (let h = 0; h < H; h += 1) {
    const g = keyHead(h);
    const scores = ofHead(gradScores, h);
    addTo(ofHead(gradQ, h), product.products(scores, ofHead(k, g), T, S, K), scale);
    addTo(ofHead(gradK, g), product.columnProducts(scores, ofHead(q, h), T, S, K), scale);
    addTo(ofHead(gradV, g), product.columnProducts(ofHead(weights, h), ofHead(gradHeads, h), T, S, K));
  }
  return { q: gradQ, k: gradK, v: gradV, weights: gradWeights, scores: gradScores };
}

/** From the gradient of y = x Wᵀ + b, (T, F), to those of x, W and b: { x, weight, bias }. */
export function linearBackward(gradY, x, weight) {
  const [T, F] = gradY.shape;
  const D = x.shape[1];
  return {
    x: { shape: [T, D], data: product.products(gradY.data, weight.data, T, F, D) },
    weight: { shape: [F, D], data: product.columnProducts(gradY.data, x.data, T, F, D) },
    bias: { shape: [F], data: sumOverTokens(gradY) },
  };
}

/** (T, F) to (F): what serves every token receives the sum of all its gradients. */
function sumOverTokens({ shape: [T, F], data }) {
  const sums = new Float64Array(F);
  for (let t = 0; t < T; t += 1) for (let f = 0; f < F; f += 1) sums[f] += data[t * F + f];
  return Float32Array.from(sums);
}

const zeros = (shape) => ({ shape, data: new Float32Array(shape.reduce((size, n) => size * n, 1)) });

function addTo(sums, values, factor = 1) {
  for (let i = 0; i < sums.length; i += 1) sums[i] += factor * values[i];
}

// From the gradient of attention's output back to its inputs, on small matrices (lists of rows):
// what plainformer.attention's softmax_backward, attention_backward and linear_backward compute.

const transposed = (rows) => rows[0].map((_, j) => rows.map((row) => row[j]));
const dot = (a, b) => a.reduce((total, each, i) => total + each * b[i], 0);

/** The product of two matrices. */
export function product(a, b) {
  const columns = transposed(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

/** Each weight times how far its gradient lies above the row's mean. */
export function softmaxBackward(gradWeights, weights) {
  return weights.map((row, t) => {
    const mean = dot(row, gradWeights[t]);
    return row.map((weight, j) => weight * (gradWeights[t][j] - mean));
  });
}

/** The gradients of q, k, v, the weights and the (scaled) scores: { q, k, v, weights, scores }. */
export function attentionBackward(gradOutput, { q, k, v, weights }) {
  const scale = 1 / Math.sqrt(q[0].length);
  const scaled = (rows) => rows.map((row) => row.map((each) => scale * each));
  const gradWeights = product(gradOutput, transposed(v));
  const gradScores = softmaxBackward(gradWeights, weights);
  return {
    q: scaled(product(gradScores, k)),
    k: scaled(product(transposed(gradScores), q)),
    v: product(transposed(weights), gradOutput),
    weights: gradWeights,
    scores: gradScores,
  };
}

/** The gradients of x and w, where y = x w: [of x, of w]. */
export function linearBackward(gradY, x, w) {
  return [product(gradY, transposed(w)), product(transposed(x), gradY)];
}

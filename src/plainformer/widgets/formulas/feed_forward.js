// A feed-forward layer for one vector, as plainformer.blocks.feed_forward has it, and its activation functions.

/** The error function: a series of positive terms, to the last digits or so. */
export function erf(x) {
  const size = Math.abs(x);
  if (size > 6) return Math.sign(x); // 1 - erf(6) is 2e-17
  let [term, sum] = [size, size];
  for (let n = 1; term > sum * 1e-17; n += 1) sum += term *= (2 * size * size) / (2 * n + 1);
  return (Math.sign(x) * 2 * Math.exp(-size * size) * sum) / Math.sqrt(Math.PI);
}

export const activations = {
  relu: (z) => Math.max(0, z),
  gelu: (z) => 0.5 * z * (1 + erf(z / Math.SQRT2)),
  silu: (z) => z / (1 + Math.exp(-z)),
  none: (z) => z,
};

/** What a vector becomes: { wide, hidden, output }. Column i of w_up and row i of w_down are unit i's. */
export function feedForward({ x, w_up, b_up, w_down, activation }) {
  const wide = b_up.map((bias, i) => x.reduce((sum, each, d) => sum + each * w_up[d][i], 0) + bias);
  const hidden = wide.map(activations[activation]);
  const output = x.map((_, d) => hidden.reduce((sum, each, i) => sum + each * w_down[i][d], 0));
  return { wide, hidden, output };
}

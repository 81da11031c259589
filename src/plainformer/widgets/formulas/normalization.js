// LayerNorm and RMSNorm of one token, as plainformer.blocks.normalization has them.

const mean = (values) => values.reduce((sum, each) => sum + each, 0) / values.length;

/** γ (x - mean) / √(variance + ε) + β. */
export function layerNorm(x, { gamma, beta, eps }) {
  const middle = mean(x);
  const centred = x.map((each) => each - middle);
  const size = Math.sqrt(mean(centred.map((each) => each * each)) + eps);
  return centred.map((each, i) => (each / size) * gamma[i] + beta[i]);
}

/** γ x / √(mean square + ε). */
export function rmsNorm(x, { gamma, eps }) {
  const size = Math.sqrt(mean(x.map((each) => each * each)) + eps);
  return x.map((each, i) => (each / size) * gamma[i]);
}

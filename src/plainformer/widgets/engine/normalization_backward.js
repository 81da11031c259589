// The backward passes of the two norms, as plainformer.blocks.normalization has them. With n
// for the normalised row, s for what it was divided by, and g = ∂y ∘ γ:
//
//   ∂x = (g - mean(g) - n · mean(g ∘ n)) / s        LayerNorm
//   ∂x = (g - n · mean(g ∘ n)) / s                  RMSNorm, which does not subtract the mean
//   ∂γ = the sum over all tokens of ∂y ∘ n          ∂β = the sum over all tokens of ∂y

/** From the gradient of `layerNorm`'s result, (T, D), to { x, gamma, beta }. */
export const layerNormBackward = (gradY, x, gamma, eps) => backward(gradY, x, gamma, eps, true);

/** From the gradient of `rmsNorm`'s result, (T, D), to { x, gamma }. */
export function rmsNormBackward(gradY, x, gamma, eps) {
  const { x: gradX, gamma: gradGamma } = backward(gradY, x, gamma, eps, false);
  return { x: gradX, gamma: gradGamma };
}

function backward(gradY, x, gamma, eps, centres) {
  const [T, D] = x.shape;
  const data = new Float32Array(T * D);
  const [gradGamma, gradBeta] = [new Float64Array(D), new Float64Array(D)];
  const [n, g] = [new Float64Array(D), new Float64Array(D)]; // of one token
  for (let at = 0; at < T * D; at += D) {
    const middle = centres ? mean(D, (d) => x.data[at + d]) : 0;
    const s = Math.sqrt(mean(D, (d) => (x.data[at + d] - middle) ** 2) + eps);
    for (let d = 0; d < D; d += 1) {
      n[d] = (x.data[at + d] - middle) / s;
      g[d] = gradY.data[at + d] * gamma.data[d];
      gradGamma[d] += gradY.data[at + d] * n[d];
      gradBeta[d] += gradY.data[at + d];
    }
    const meanG = centres ? mean(D, (d) => g[d]) : 0;
    const alongN = mean(D, (d) => g[d] * n[d]);
    for (let d = 0; d < D; d += 1) data[at + d] = (g[d] - meanG - n[d] * alongN) / s;
  }
  const row = (sums) => ({ shape: [D], data: Float32Array.from(sums) });
  return { x: { shape: [T, D], data }, gamma: row(gradGamma), beta: row(gradBeta) };
}

function mean(D, value) {
  let sum = 0;
  for (let d = 0; d < D; d += 1) sum += value(d);
  return sum / D;
}

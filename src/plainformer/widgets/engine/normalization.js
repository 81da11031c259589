// LayerNorm and RMSNorm of every row, as plainformer.blocks.normalization has them.

/** γ (x - mean) / √(variance + ε) + β, for each row of (T, D). */
export function layerNorm(x, gamma, beta, eps) {
  const [T, D] = x.shape;
  const data = new Float32Array(T * D);
  const centred = new Float64Array(D);
  for (let t = 0; t < T; t += 1) {
    let mean = 0;
    for (let d = 0; d < D; d += 1) mean += x.data[t * D + d] / D;
    let variance = 0;
    for (let d = 0; d < D; d += 1) {
      centred[d] = x.data[t * D + d] - mean;
      variance += centred[d] ** 2 / D;
    }
    const size = Math.sqrt(variance + eps);
    for (let d = 0; d < D; d += 1) {
      data[t * D + d] = (centred[d] / size) * gamma.data[d] + beta.data[d];
    }
  }
  return { shape: x.shape, data };
}

/** γ x / √(mean square + ε), for each row of (T, D). */
export function rmsNorm(x, gamma, eps) {
  const [T, D] = x.shape;
  const data = new Float32Array(T * D);
  for (let t = 0; t < T; t += 1) {
    let meanSquare = 0;
    for (let d = 0; d < D; d += 1) meanSquare += x.data[t * D + d] ** 2 / D;
    const size = Math.sqrt(meanSquare + eps);
    for (let d = 0; d < D; d += 1) data[t * D + d] = (x.data[t * D + d] / size) * gamma.data[d];
  }
  return { shape: x.shape, data };
}

// Products of two matrices, which are nearly all that a model computes: x wᵀ, and by way of it the two
// others that a backward pass needs, x w and xᵀ w.

/** x wᵀ: the dot product of each of T rows of x with each of F rows of w, D numbers each. */
export function rowProducts(x, w, T, F, D) {
  const y = new Float32Array(T * F);
  // Eight sums at once, of two rows and four: each number that is read serves several of them, and
  // the work takes a fifth of the time. Where rows are left over, the last one stands in for more.
  for (let f = 0; f < F; f += 4) {
    const [f1, f2, f3] = [Math.min(f + 1, F - 1), Math.min(f + 2, F - 1), Math.min(f + 3, F - 1)];
    const [w0, w1, w2, w3] = [f * D, f1 * D, f2 * D, f3 * D];
    for (let t = 0; t < T; t += 2) {
      const u = Math.min(t + 1, T - 1);
      let [a0, a1, a2, a3, b0, b1, b2, b3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let d = 0; d < D; d += 1) {
        const [a, b] = [x[t * D + d], x[u * D + d]];
        a0 += a * w[w0 + d];
        a1 += a * w[w1 + d];
        a2 += a * w[w2 + d];
        a3 += a * w[w3 + d];
        b0 += b * w[w0 + d];
        b1 += b * w[w1 + d];
        b2 += b * w[w2 + d];
        b3 += b * w[w3 + d];
      }
      y[t * F + f] = a0;
      y[t * F + f1] = a1;
      y[t * F + f2] = a2;
      y[t * F + f3] = a3;
      y[u * F + f] = b0;
      y[u * F + f1] = b1;
      y[u * F + f2] = b2;
      y[u * F + f3] = b3;
    }
  }
  return y;
}

/** x w: (T, S) and (S, K) to (T, K). */
export const products = (x, w, T, S, K) => rowProducts(x, transposed(w, S, K), T, K, S);

/** xᵀ w: (T, M) and (T, N) to (M, N). */
export const columnProducts = (x, w, T, M, N) =>
  rowProducts(transposed(x, T, M), transposed(w, T, N), M, N, T);

/** (R, C) to (C, R). */
function transposed(x, R, C) {
  const y = new Float32Array(R * C);
  for (let r = 0; r < R; r += 1) for (let c = 0; c < C; c += 1) y[c * R + r] = x[r * C + c];
  return y;
}

// Products of two matrices, which are nearly all that a model computes: x wᵀ, and the two others that a
// backward pass needs, x w and xᵀ w.

const room = { x: new Float64Array(0), w: new Float64Array(0) }; // for what is being multiplied

/** x wᵀ: the dot product of each of T rows of x with each of F rows of w, D numbers each. */
export const rowProducts = (x, w, T, F, D) => multiply(x, [D, 1], w, [D, 1], T, F, D);

/** x w: (T, S) and (S, K) to (T, K). */
export const products = (x, w, T, S, K) => multiply(x, [S, 1], w, [1, K], T, K, S);

/** xᵀ w: (T, M) and (T, N) to (M, N). */
export const columnProducts = (x, w, T, M, N) => multiply(x, [1, M], w, [1, N], M, N, T);

/**
 * Dot products of D numbers: (T, F). Number d of row t of x is at t · row + d · step, [row, step] being
 * its strides, and w has strides of its own.
 */
function multiply(x, [xRow, xStep], w, [wRow, wStep], T, F, D) {
  const y = new Float32Array(T * F);
  if (room.x.length < T * D) room.x = new Float64Array(2 * T * D);
  if (room.w.length < 4 * D) room.w = new Float64Array(8 * D);
  const { x: left, w: right } = room;
  for (let t = 0, i = 0; t < T; t += 1) {
    for (let d = 0; d < D; d += 1, i += 1) left[i] = x[t * xRow + d * xStep];
  }
  // Eight sums at once, of two rows and four: each number that is read serves several of them. The
  // four rows are first laid side by side, in double precision, which saves a third of the time.
  // Where rows are left over, the last one stands in for more. (To take several numbers at once out of
  // an array, as in [a, b] = [x, y], would cost half of the speed in this one loop.)
  for (let f = 0; f < F; f += 4) {
    const [f1, f2, f3] = [Math.min(f + 1, F - 1), Math.min(f + 2, F - 1), Math.min(f + 3, F - 1)];
    for (let d = 0, i = 0; d < D; d += 1, i += 4) {
      const at = d * wStep;
      right[i] = w[f * wRow + at];
      right[i + 1] = w[f1 * wRow + at];
      right[i + 2] = w[f2 * wRow + at];
      right[i + 3] = w[f3 * wRow + at];
    }
    for (let t = 0; t < T; t += 2) {
      const u = Math.min(t + 1, T - 1);
      let a0 = 0;
      let a1 = 0;
      let a2 = 0;
      let a3 = 0;
      let b0 = 0;
      let b1 = 0;
      let b2 = 0;
      let b3 = 0;
      for (let d = 0, i = 0; d < D; d += 1, i += 4) {
        const a = left[t * D + d];
        const b = left[u * D + d];
        const w0 = right[i];
        const w1 = right[i + 1];
        const w2 = right[i + 2];
        const w3 = right[i + 3];
        a0 += a * w0;
        a1 += a * w1;
        a2 += a * w2;
        a3 += a * w3;
        b0 += b * w0;
        b1 += b * w1;
        b2 += b * w2;
        b3 += b * w3;
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

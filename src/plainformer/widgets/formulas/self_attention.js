// Scaled dot-product attention on small matrices (lists of rows), every step of it: what
// plainformer.attention.self_attention computes, for a page to show.

const dot = (a, b) => a.reduce((total, each, i) => total + each * b[i], 0);

/** Each row's weights; a row of -∞ alone has none, and its weights are 0. */
export function softmax(row) {
  const most = Math.max(...row);
  if (most === -Infinity) return row.map(() => 0);
  const grown = row.map((each) => Math.exp(each - most));
  const sum = grown.reduce((total, each) => total + each, 0);
  return grown.map((each) => each / sum);
}

/** softmax(q kᵀ / √K) v, with the matrix of every step: { scores, scaled, masked, weights, output }. */
export function attention({ q, k, v, causal }) {
  const scores = q.map((query) => k.map((key) => dot(query, key)));
  const root = Math.sqrt(q[0].length);
  const scaled = scores.map((row) => row.map((each) => each / root));
  const late = (i, j) => j > i + k.length - q.length; // the queries are the last of the keys
  const masked = scaled.map((row, i) =>
    row.map((each, j) => (causal && late(i, j) ? -Infinity : each)),
  );
  const weights = masked.map(softmax);
  const output = weights.map((row) => v[0].map((_, d) => dot(row, v.map((value) => value[d]))));
  return { scores, scaled, masked, weights, output };
}

// The arithmetic of AttentionMap: reads the weights that Python wrote, and shares a row out anew.
//
// AttentionMap.shown and .entropy in `widget.py` compute the same as `share` and `entropy` here.

/** All weights, (L, H, T, S), row after row. */
export function decode({ kind, text }) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const size = kind === "f8" ? 8 : 4;
  const read = size === 8 ? (at) => view.getFloat64(at, true) : (at) => view.getFloat32(at, true);
  return Float64Array.from({ length: bytes.length / size }, (_, i) => read(i * size));
}

/** Whether a query may see a key: neither later than itself nor padding. */
export const sees = (query, key, { causal, padding }) => !(causal && key > query) && !padding[key];

/** The power to which weights are raised: scores of log w, times √K if unscaled, by temperature. */
export function power({ scaled, temperature, d_head: K }) {
  return (scaled ? 1 : Math.sqrt(K)) / temperature;
}

/**
 * One map, (T, S), under masks and temperature, into `into`. Softmax of power · log w over the keys
 * that are allowed; a row with nothing left is all zeros.
 */
export function share(weights, from, rows, columns, now, into) {
  const p = power(now);
  for (let row = 0; row < rows; row += 1) {
    const at = row * columns;
    let largest = 0;
    for (let j = 0; j < columns; j += 1) {
      const weight = sees(row, j, now) ? weights[from + at + j] : 0;
      into[at + j] = weight;
      if (weight > largest) largest = weight;
    }
    if (largest === 0) continue;
    let total = 0;
    for (let j = 0; j < columns; j += 1) total += into[at + j] = (into[at + j] / largest) ** p;
    for (let j = 0; j < columns; j += 1) into[at + j] /= total;
  }
}

/** The entropy of a row in nats. */
export function entropy(shown, at, columns) {
  let nats = 0;
  for (let j = at; j < at + columns; j += 1) {
    if (shown[j] > 0) nats -= shown[j] * Math.log(shown[j]);
  }
  return Math.max(nats, 0);
}

/** The largest entropy that a query's row could have: ln of how many keys it may see. */
export function largestEntropy(query, columns, now) {
  let count = 0;
  for (let j = 0; j < columns; j += 1) count += sees(query, j, now);
  return Math.log(Math.max(count, 1));
}

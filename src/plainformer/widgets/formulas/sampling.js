// Filters and a draw, as plainformer.decoding.sampling has them. A filter takes logits (an array of V
// numbers, -Infinity for what is impossible) and returns new ones; it changes nothing that it is given.

import * as temperature from "./temperature.js";
const { largest, softmax } = temperature;

/** How near to p counts as p: the same as TOLERANCE in decoding/sampling/filters.py. */
export const TOLERANCE = 1e-6;

const keep = (logits, isKept) => logits.map((z, i) => (isKept(z, i) ? z : -Infinity));

/** Keep the k largest, and whatever ties with the k-th. */
export function topK(logits, k) {
  if (k >= logits.length) return logits.slice();
  const kth = Float64Array.from(logits).sort()[logits.length - k];
  return keep(logits, (z) => z >= kth);
}

/** Keep the nucleus: the fewest tokens that reach p together; of those that tie, the first. */
export function topP(logits, p) {
  if (p === 1) return logits.slice();
  const shares = softmax(logits);
  const order = Array.from(logits.keys()).filter((i) => logits[i] > -Infinity);
  order.sort((i, j) => logits[j] - logits[i] || i - j);
  const kept = new Set();
  let sum = 0;
  for (const i of order) {
    kept.add(i);
    sum += shares[i];
    if (sum >= p - TOLERANCE) break;
  }
  return keep(logits, (_, i) => kept.has(i));
}

/** Keep what is at least p times as probable as the most probable token. */
export function minP(logits, p) {
  const least = largest(logits) + Math.log(p) - TOLERANCE;
  return keep(logits, (z) => z >= least);
}

/** The token that a number u, at least 0 and below 1, draws: the first whose running sum exceeds u. */
export function draw(shares, u) {
  const goal = u * shares.reduce((total, each) => total + each, 0);
  let sum = 0;
  let last = 0; // where rounding leaves the sum short of the goal
  for (let i = 0; i < shares.length; i += 1) {
    if (shares[i] === 0) continue;
    sum += shares[i];
    if (sum > goal) return i;
    last = i;
  }
  return last;
}

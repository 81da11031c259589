// From logits to a token, as plainformer.decoding does it: penalties, temperature, filters, softmax,
// a draw. Each takes logits (an array of V numbers, -Infinity for what is impossible) and returns
// new ones of the same kind; none changes what it is given.

/** How near to p counts as p: the same as TOLERANCE in sampling/filters.py. */
export const TOLERANCE = 1e-6;

const largest = (logits) => logits.reduce((top, z) => (z > top ? z : top), -Infinity);
const keep = (logits, isKept) => logits.map((z, i) => (isKept(z, i) ? z : -Infinity));

/** How often each of V tokens occurs in ids. */
export function countTokens(ids, size) {
  const counts = new Float64Array(size);
  for (const id of ids) counts[id] += 1;
  return counts;
}

/** Subtract the penalty for each time that a token occurred. */
export function frequencyPenalty(logits, counts, penalty) {
  return logits.map((z, i) => z - penalty * counts[i]);
}

/** Subtract the penalty once if a token occurred. */
export function presencePenalty(logits, counts, penalty) {
  return logits.map((z, i) => (counts[i] > 0 ? z - penalty : z));
}

/** Divide the positive logits of tokens that occurred by the penalty, multiply the others. */
export function repetitionPenalty(logits, counts, penalty) {
  return logits.map((z, i) => (counts[i] > 0 ? (z > 0 ? z / penalty : z * penalty) : z));
}

/** Divide by the temperature; at 0 the largest stays alone, and of several the first. */
export function applyTemperature(logits, temperature) {
  const top = largest(logits);
  if (temperature === 0) {
    const first = logits.indexOf(top);
    return logits.map((_, i) => (i === first ? 0 : -Infinity));
  }
  const shift = Number.isFinite(top / temperature) ? 0 : top;
  return logits.map((z) => (z - shift) / temperature);
}

/** Keep the k largest, and whatever ties with the k-th. */
export function topK(logits, k) {
  if (k >= logits.length) return logits.slice();
  const kth = Float64Array.from(logits).sort()[logits.length - k];
  return keep(logits, (z) => z >= kth);
}

/** Keep the nucleus: the fewest tokens that reach p together; of those that tie, the first. */
export function topP(logits, p) {
  if (p === 1) return logits.slice();
  const chances = softmax(logits);
  const order = Array.from(logits.keys()).filter((i) => logits[i] > -Infinity);
  order.sort((i, j) => logits[j] - logits[i] || i - j);
  const kept = new Set();
  let sum = 0;
  for (const i of order) {
    kept.add(i);
    sum += chances[i];
    if (sum >= p - TOLERANCE) break;
  }
  return keep(logits, (_, i) => kept.has(i));
}

/** Keep what is at least p times as probable as the most probable token. */
export function minP(logits, p) {
  const least = largest(logits) + Math.log(p) - TOLERANCE;
  return keep(logits, (z) => z >= least);
}

/** The probabilities that belong to logits. */
export function softmax(logits) {
  const top = largest(logits);
  const grown = Float64Array.from(logits, (z) => Math.exp(z - top));
  const sum = grown.reduce((total, each) => total + each, 0);
  return grown.map((each) => each / sum);
}

/** The token that a number u, at least 0 and below 1, draws: the first whose running sum exceeds u. */
export function draw(chances, u) {
  const goal = u * chances.reduce((total, each) => total + each, 0);
  let sum = 0;
  let last = 0; // where rounding leaves the sum short of the goal
  for (let i = 0; i < chances.length; i += 1) {
    if (chances[i] === 0) continue;
    sum += chances[i];
    if (sum > goal) return i;
    last = i;
  }
  return last;
}

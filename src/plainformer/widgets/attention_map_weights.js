// The arithmetic of AttentionMap: reads the weights that Python wrote, and shares a row out anew.
//
// `attention_map_codes.py` writes them and tells how; AttentionMap.shown and .entropy in
// `attention_map.py` compute the same as `share` and `entropy` here.

const CODES = [...Array(127).keys()].filter((c) => c >= 35 && c !== 60 && c !== 92);
const BASE = CODES.length;
const JUMP = BASE - 1;
const DIGIT = new Uint8Array(128);
CODES.forEach((code, digit) => (DIGIT[code] = digit));

/** All weights, (L, H, T, S), row after row. */
export function decode(code, shape) {
  return code.kind === "steps" ? fromSteps(code, shape) : fromFloats(code);
}

function fromFloats({ kind, text }) {
  const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  const size = kind === "f8" ? 8 : 4;
  const read = size === 8 ? (at) => view.getFloat64(at, true) : (at) => view.getFloat32(at, true);
  return Float64Array.from({ length: bytes.length / size }, (_, i) => read(i * size));
}

function fromSteps({ steps, support, empty, gaps, levels }, [layers, heads, rows, columns]) {
  const step = 1 / steps;
  const places = []; // in a map: where any map has a weight
  const allowed = new Uint8Array(rows * columns);
  for (let i = 0, at = 0; i < support.length; i += 1) {
    const end = at + DIGIT[support.charCodeAt(i)];
    for (; at < end; at += 1) {
      if (i % 2 === 0) continue;
      allowed[at] = 1;
      places.push(at);
    }
  }
  const size = rows * columns;
  const weights = new Float64Array(layers * heads * size);
  for (let i = 0, at = 0, found = 0; i < gaps.length; i += 1) {
    const gap = DIGIT[gaps.charCodeAt(i)];
    at += gap;
    if (gap === JUMP) continue;
    let level = 0;
    for (let d = levels.length - 1; d >= 0; d -= 1) {
      level = level * BASE + DIGIT[levels[d].charCodeAt(found)];
    }
    const map = Math.floor(at / places.length);
    weights[map * size + places[at % places.length]] = (level + 1) * step;
    at += 1;
    found += 1;
  }
  const skip = new Set(empty);
  for (let row = 0; row < layers * heads * rows; row += 1) {
    if (skip.has(row)) continue;
    fill(weights, row * columns, allowed, (row % rows) * columns, columns, step);
  }
  return weights;
}

/** What a row lacks to 1 goes to its zeros, half a step at most each; the others share the rest. */
function fill(weights, at, allowed, from, columns, step) {
  let total = 0;
  let zeros = 0;
  let others = 0;
  for (let j = 0; j < columns; j += 1) {
    total += weights[at + j];
    if (weights[at + j] > 0) others += 1;
    else zeros += allowed[from + j];
  }
  const lack = 1 - total;
  const each = Math.min(Math.max(lack / Math.max(zeros, 1), 0), step / 2);
  const rest = (lack - zeros * each) / Math.max(others, 1);
  for (let j = 0; j < columns; j += 1) {
    if (weights[at + j] > 0) weights[at + j] += rest;
    else if (allowed[from + j]) weights[at + j] = each;
  }
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

/** A round number that the largest weight of half of the rows stays below: the end of a scale. */
export function limit(shown, rows, columns) {
  const largest = new Float64Array(rows);
  for (let i = 0; i < rows * columns; i += 1) {
    const row = Math.floor(i / columns);
    if (shown[i] > largest[row]) largest[row] = shown[i];
  }
  const middle = largest.sort()[Math.floor(rows / 2)];
  return [0.02, 0.05, 0.1, 0.2, 0.5].find((each) => each >= middle) ?? 1;
}

/** The entropy of a row in bits. */
export function entropy(shown, at, columns) {
  let bits = 0;
  for (let j = at; j < at + columns; j += 1) {
    if (shown[j] > 0) bits -= shown[j] * Math.log2(shown[j]);
  }
  return Math.max(bits, 0);
}

/** The largest entropy that a query's row could have: log2 of how many keys it may see. */
export function largestEntropy(query, columns, now) {
  let count = 0;
  for (let j = 0; j < columns; j += 1) count += sees(query, j, now);
  return Math.log2(Math.max(count, 1));
}

// Temperature and softmax, as plainformer.decoding.temperature has them: from logits to
// probabilities. Logits are an array of V numbers, -Infinity for what is impossible.

/** The largest of some logits. */
export const largest = (logits) => logits.reduce((top, z) => (z > top ? z : top), -Infinity);

/** The probabilities that belong to logits. */
export function softmax(logits) {
  const top = largest(logits);
  const grown = Float64Array.from(logits, (z) => Math.exp(z - top));
  const sum = grown.reduce((total, each) => total + each, 0);
  return grown.map((each) => each / sum);
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

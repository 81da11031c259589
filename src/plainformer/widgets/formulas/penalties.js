// Penalties for tokens that occurred, as plainformer.decoding.penalties has them. Each takes logits
// (an array of V numbers) and returns new ones of the same kind; none changes what it is given.

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

// Random numbers that the page and Python draw alike: `plainformer.decoding.CounterRNG`.
// Philox-4x32-10 (Salmon et al. 2011) scrambles a counter; it has no other state.

const MULTIPLIERS = [0xd2511f53, 0xcd9e8d57];
const KEY_STEPS = [0x9e3779b9, 0xbb67ae85];
const WORD = 2 ** 32;

/** The upper 32 bits of a product of two 32-bit words, by halves that a number holds exactly. */
function high(a, b) {
  const [a1, a0, b1, b0] = [a >>> 16, a & 0xffff, b >>> 16, b & 0xffff];
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  return (a1 * b1 + Math.floor(middle / 65536) + Math.floor(((middle % 65536) + a0 * b1) / 65536)) >>> 0;
}

/** Scramble four words under a key of two. */
export function philox4x32([a, b, c, d], [k0, k1]) {
  for (let i = 0; i < 10; i++) {
    const [lowA, highA] = [Math.imul(MULTIPLIERS[0], a) >>> 0, high(MULTIPLIERS[0], a)];
    const [lowC, highC] = [Math.imul(MULTIPLIERS[1], c) >>> 0, high(MULTIPLIERS[1], c)];
    [a, b, c, d] = [(highC ^ b ^ k0) >>> 0, lowC, (highA ^ d ^ k1) >>> 0, lowA];
    [k0, k1] = [(k0 + KEY_STEPS[0]) >>> 0, (k1 + KEY_STEPS[1]) >>> 0];
  }
  return [a, b, c, d];
}

/** Number `n`, 0 or more, that a seed below 2 ** 53 gives: at least 0, below 1. */
export function randomAt(seed, n) {
  const counter = [n % WORD, Math.floor(n / WORD), 0, 0];
  const [a, b] = philox4x32(counter, [seed % WORD, Math.floor(seed / WORD)]);
  return ((a >>> 5) * 2 ** 26 + (b >>> 6)) / 2 ** 53;
}

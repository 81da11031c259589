// SHA-256, as FIPS 180-4 describes it.
//
// Browsers have it, but not for a page that came over plain http, as from a school's own server.
// One way everywhere is less to test; 1.5 MB take some hundredths of a second.

const primes = [];
for (let n = 2; primes.length < 64; n += 1) if (primes.every((p) => n % p)) primes.push(n);

/** The first 32 bits behind the point. */
const bitsBehind = (number) => ((number % 1) * 2 ** 32) | 0;
const START = primes.slice(0, 8).map((p) => bitsBehind(Math.sqrt(p)));
const ROUNDS = Int32Array.from(primes, (p) => bitsBehind(Math.cbrt(p)));

const rotated = (x, by) => (x >>> by) | (x << (32 - by));

/** The digest of some bytes, in 64 hexadecimal digits. */
export function sha256(bytes) {
  const state = Int32Array.from(START);
  const schedule = new Int32Array(64);
  const ends = Math.floor(bytes.length / 64) * 64;
  const whole = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < ends; at += 64) compress(state, whole, at, schedule);
  // What is left, a bit of 1, zeros, and the length in bits: one block more, or two.
  const left = bytes.length - ends;
  const last = new Uint8Array(left < 56 ? 64 : 128);
  last.set(bytes.subarray(ends));
  last[left] = 0x80;
  const view = new DataView(last.buffer);
  view.setUint32(last.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(last.length - 4, bytes.length * 8);
  for (let at = 0; at < last.length; at += 64) compress(state, view, at, schedule);
  return Array.from(state, (each) => (each >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Process a block of 64 bytes. */
function compress(state, view, at, w) {
  for (let i = 0; i < 16; i += 1) w[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const [x, y] = [w[i - 15], w[i - 2]];
    const near = rotated(x, 7) ^ rotated(x, 18) ^ (x >>> 3);
    const far = rotated(y, 17) ^ rotated(y, 19) ^ (y >>> 10);
    w[i] = w[i - 16] + near + w[i - 7] + far;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i += 1) {
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const high = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const low = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const one = (h + high + choice + ROUNDS[i] + w[i]) | 0;
    [h, g, f, e, d, c, b] = [g, f, e, (d + one) | 0, c, b, a];
    a = (one + low + majority) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((each, i) => (state[i] += each));
}

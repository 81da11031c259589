// A packed model becomes { config, tensors }: what pack.py wrote, checked and widened.
//
// The file is 32 bytes of SHA-256 over all that follows, and then a safetensors file: the length of
// a header, the header in JSON, and bare numbers.

import * as checksum from "./sha256.js";

const DIGEST = 32; // bytes
const SCALE = ".scale"; // of whole numbers, which are rounded weights divided by it

/** A number of 16 bits, as IEEE 754 reads it. */
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** The model in some bytes: an ArrayBuffer, or a view of one. Throws an Error if they are damaged. */
export function load(bytes) {
  const whole = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  const digest = Array.from(whole.subarray(0, DIGEST), (b) => b.toString(16).padStart(2, "0"));
  if (whole.length < DIGEST + 8 || checksum.sha256(whole.subarray(DIGEST)) !== digest.join("")) {
    throw new Error("the weights are damaged: they are not what was packed");
  }
  const file = whole.slice(DIGEST).buffer; // numbers must begin at whole multiples of their size
  const start = 8 + Number(new DataView(file).getBigUint64(0, true));
  const text = new TextDecoder().decode(new Uint8Array(file, 8, start - 8));
  const { __metadata__: notes, ...places } = JSON.parse(text);
  const halves = Float32Array.from({ length: 2 ** 16 }, (_, bits) => half(bits));
  const read = ({ dtype, data_offsets: [from, to] }) => {
    if (dtype === "F32") return new Float32Array(file, start + from, (to - from) / 4);
    if (dtype === "I8") return Float32Array.from(new Int8Array(file, start + from, to - from));
    return Float32Array.from(new Uint16Array(file, start + from, (to - from) / 2), (b) => halves[b]);
  };
  const tensors = new Map();
  for (const [name, place] of Object.entries(places)) {
    if (name.endsWith(SCALE) && name.slice(0, -SCALE.length) in places) continue;
    const data = read(place);
    const scales = places[name + SCALE];
    if (place.dtype === "I8" && !scales) throw new Error(`the weights are damaged: ${name} has no scale`);
    if (scales) {
      const of = read(scales); // one for each row
      const C = data.length / of.length;
      for (let i = 0; i < data.length; i += 1) data[i] *= of[Math.floor(i / C)];
    }
    tensors.set(name, { shape: place.shape, data });
  }
  return { config: JSON.parse(notes.config), tensors };
}

// A model becomes the bytes that load.js opens, as pack.py writes them in float32.
//
// The numbers are stored as they are, so what the engine computes with them is what the model in the
// page computes itself.

import * as checksum from "./sha256.js";

/** { config, tensors } to a Uint8Array. Throws a RangeError when a weight is NaN or infinite. */
export function packModel({ config, tensors }) {
  const places = { __metadata__: { config: JSON.stringify(config) } };
  let size = 0;
  for (const [name, { shape, data }] of tensors) {
    if (!data.every(Number.isFinite)) throw new RangeError(`the model's weights must be finite; ${name} has NaN or ∞`);
    places[name] = { dtype: "F32", shape, data_offsets: [size, (size += data.byteLength)] };
  }
  const text = JSON.stringify(places);
  const header = new TextEncoder().encode(text.padEnd(8 * Math.ceil(text.length / 8))); // numbers begin at whole eights
  const file = new Uint8Array(8 + header.length + size);
  new DataView(file.buffer).setBigUint64(0, BigInt(header.length), true);
  file.set(header, 8);
  let at = 8 + header.length;
  for (const { data } of tensors.values()) {
    file.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  const digest = checksum.sha256(file).match(/../g).map((pair) => parseInt(pair, 16));
  const packed = new Uint8Array(digest.length + file.length);
  packed.set(digest);
  packed.set(file, digest.length);
  return packed;
}

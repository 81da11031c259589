// From ids to what the first layer reads, as plainformer.blocks has it: what a token is, plus where
// it stands.

import * as waves from "../formulas/sinusoidal.js";
import * as norms from "./normalization.js";

const BASE = 10000; // of the sinusoidal waves

/** T ids, standing at T positions, to (T, D). */
export function embed(ids, positions, model) {
  const x = embeddingSum(ids, positions, model);
  return model.config.norm_embedding ? normalize(x, "embedding.norm", model) : x;
}

/** The same before its norm, if it has one: the sum of all that is known of a token. */
export function embeddingSum(ids, positions, { config, tensors }) {
  const D = config.d_model;
  const tokens = tensors.get("embedding.tokens").data;
  const learned = tensors.get("embedding.positions")?.data;
  const part = tensors.get("embedding.segments")?.data; // every token is of the first part
  const scale = config.scale_embedding ? Math.sqrt(D) : 1;
  const data = new Float32Array(ids.length * D);
  ids.forEach((id, t) => {
    const place = config.positions === "sinusoidal" ? wave(positions[t], config) : null;
    for (let d = 0; d < D; d += 1) {
      let sum = tokens[id * D + d] * scale;
      if (learned) sum += learned[positions[t] * D + d];
      if (place) sum += place[d];
      if (part) sum += part[d];
      data[t * D + d] = sum;
    }
  });
  return { shape: [ids.length, D], data };
}

/** The norm of this name, of every row. */
export function normalize(x, name, { config, tensors }) {
  const gamma = tensors.get(`${name}.gamma`);
  if (config.norm === "rms") return norms.rmsNorm(x, gamma, config.norm_eps);
  return norms.layerNorm(x, gamma, tensors.get(`${name}.beta`), config.norm_eps);
}

/** The sinusoidal table's row of a position; "half" has all sines first. */
export function wave(position, { d_model: D, position_layout }) {
  const sines = Math.ceil(D / 2);
  const column = (d) => (d < sines ? 2 * d : 2 * (d - sines) + 1);
  return Array.from({ length: D }, (_, d) =>
    waves.value(position, position_layout === "half" ? column(d) : d, D, BASE),
  );
}

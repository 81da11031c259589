// Rotary positions on whole arrays, as plainformer.inputs.relative_positions has them.

import * as rope from "../formulas/rope.js";

/** How far each pair of K numbers rotates from one position to the next, in radians: (K / 2). */
export function ropeFrequencies(K, { rope_theta, rope_scaling }) {
  const omega = Array.from({ length: K / 2 }, (_, i) => rope.frequency(i, K, rope_theta));
  return rope_scaling ? omega.map((each) => slower(each, rope_scaling)) : omega;
}

/** Llama 3's rule for longer texts: a pair with too few rotations is slowed down by the factor. */
function slower(omega, scaling) {
  const { factor, low_freq_factor: low, high_freq_factor: high } = scaling;
  const rotations = (scaling.original_max_position_embeddings * omega) / (2 * Math.PI);
  const keep = Math.min(1, Math.max(0, (rotations - low) / (high - low)));
  return keep * omega + ((1 - keep) * omega) / factor;
}

/** (H, T, K), pair i of the token at position p turned by p · ω_i. */
export function applyRope(x, positions, omega, layout) {
  const [H, T, K] = x.shape;
  const data = new Float32Array(x.data.length);
  const [step, apart] = layout === "half" ? [1, K / 2] : [2, 1];
  for (let t = 0; t < T; t += 1) {
    for (let i = 0; i < K / 2; i += 1) {
      const [cos, sin] = [Math.cos(positions[t] * omega[i]), Math.sin(positions[t] * omega[i])];
      for (let h = 0; h < H; h += 1) {
        const first = (h * T + t) * K + i * step;
        const [a, b] = [x.data[first], x.data[first + apart]];
        data[first] = a * cos - b * sin;
        data[first + apart] = a * sin + b * cos;
      }
    }
  }
  return { shape: x.shape, data };
}

// What the overview shows of a forward pass, as summary.py makes it: of steps, or as a page brings it.

import * as heat from "../formulas/temperature.js";

const LIKELIEST = 6; // next tokens; the same as in Python

/** The places of the largest numbers of a stretch. */
function leading(data, from, size, count) {
  const best = [];
  for (let i = 0; i < size; i += 1) {
    const z = data[from + i];
    if (best.length === count && z <= data[from + best[count - 1]]) continue;
    let at = best.length;
    while (at > 0 && z > data[from + best[at - 1]]) at -= 1;
    best.splice(at, 0, i);
    if (best.length > count) best.pop();
  }
  return best;
}

/** Of what a page brings: { weight, activation, lens, next }. */
export function ofBaked(baked) {
  return {
    weight: (l, h, t, s) => baked.weights[l][h][t][s] / 1000,
    activation: (l, t, f) => baked.activations[l][t][f] / 100,
    lens: (l, t) => baked.lens[l][t],
    next(t, temperature) {
      const rows = baked.next[t];
      if (temperature === 1) return rows.map(([id, z]) => ({ id, share: Math.exp(z - baked.sums[t]) }));
      return null; // of the other logits a page knows the sum alone
    },
  };
}

/** Of steps; lens[l][t] is the likeliest token, and its probability, if layer l were the last. */
export function ofSteps(steps, config, lens) {
  const T = steps.get("logits").shape[0];
  const { n_layers, vocab_size: V, d_ff: F } = config;
  const layers = Array.from({ length: n_layers }, (_, l) => {
    const activations = steps.get(`layers.${l}.feed_forward.activations`).data;
    return {
      weights: steps.get(`layers.${l}.attention.weights`).data,
      activations,
      largest: activations.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-12),
    };
  });
  const logits = steps.get("logits").data;
  return {
    weight: (l, h, t, s) => layers[l].weights[(h * T + t) * T + s],
    activation: (l, t, f) => layers[l].activations[t * F + f] / layers[l].largest,
    lens: (l, t) => lens[l][t],
    next(t, temperature) {
      const row = Array.from(logits.subarray(t * V, (t + 1) * V));
      const shares = heat.softmax(heat.applyTemperature(row, temperature));
      return leading(shares, 0, V, LIKELIEST).map((id) => ({ id, share: shares[id] }));
    },
    shares(t, temperature) {
      const row = Array.from(logits.subarray(t * V, (t + 1) * V));
      return heat.softmax(heat.applyTemperature(row, temperature));
    },
  };
}

// What the overview shows of a forward pass, as summary.py makes it: of its steps, or as a page brings
// it.

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

/**
 * Of what a page brings: { row, weight, activation, lens, next }; row(l, h, t) are all weights with
 * which a head looks from token t.
 */
export function ofBaked(baked) {
  const row = (l, h, t) => baked.weights[l][h][t].map((each) => each / 1000);
  return {
    row,
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

/**
 * What each token of a run has of its own: the steps of that run, and its row in them. A run with a
 * cache has a row for its new token alone; the others are those of the runs before.
 */
export function rowsOf(steps, { n_layers }) {
  const layers = Array.from({ length: n_layers }, (_, l) => {
    const activations = steps.get(`layers.${l}.feed_forward.activations`).data;
    return {
      weights: steps.get(`layers.${l}.attention.weights`),
      stream: steps.get(`layers.${l}.residual_2`),
      activations,
      largest: activations.reduce((most, each) => Math.max(most, Math.abs(each)), 1e-12),
    };
  });
  const logits = steps.get("logits");
  return Array.from({ length: logits.shape[0] }, (_, i) => ({ layers, logits: logits.data, i }));
}

/** Of rows; lens(t) has the likeliest token for each layer, and its probability, or null. */
export function ofRows(rows, config, lens) {
  const { n_layers, vocab_size: V, d_ff: F } = config;
  const largest = Array.from({ length: n_layers }, (_, l) =>
    rows.reduce((most, { layers }) => Math.max(most, layers[l].largest), 0),
  );
  const last = { key: null, all: null }; // what was asked for last: it is asked more than once
  function shares(t, temperature) {
    const key = `${t} ${temperature}`;
    if (last.key !== key) {
      const { logits, i } = rows[t];
      const row = Array.from(logits.subarray(i * V, (i + 1) * V));
      Object.assign(last, { key, all: heat.softmax(heat.applyTemperature(row, temperature)) });
    }
    return last.all;
  }
  function row(l, h, t) {
    const { layers, i } = rows[t];
    const { shape: [, R, S], data } = layers[l].weights;
    return data.subarray((h * R + i) * S, (h * R + i + 1) * S);
  }
  return {
    row,
    weight: (l, h, t, s) => row(l, h, t)[s] ?? 0, // what came later, it has not seen
    activation: (l, t, f) => rows[t].layers[l].activations[rows[t].i * F + f] / largest[l],
    lens: (l, t) => lens(t)?.[l] ?? null,
    next(t, temperature) {
      const all = shares(t, temperature);
      return leading(all, 0, V, LIKELIEST).map((id) => ({ id, share: all[id] }));
    },
    shares,
  };
}

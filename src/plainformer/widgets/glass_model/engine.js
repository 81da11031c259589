// The engine, opened, with what the drawing asks of it besides steps: the logit lens and parameters.

import * as client from "../engine/client.js";

/** The largest number of each row of logits, (T, V): [its place, its probability]. */
function likeliest({ shape: [T, V], data }) {
  return Array.from({ length: T }, (_, t) => {
    const row = data.subarray(t * V, (t + 1) * V);
    let best = 0;
    for (let i = 1; i < V; i += 1) if (row[i] > row[best]) best = i;
    let sum = 0;
    for (const z of row) sum += Math.exp(z - row[best]);
    return [best, 1 / sum];
  });
}

/**
 * Promise { run, next, lens, tensor, stop }. run(ids, options) and next(state, id) are the client's.
 * lens(row) promises, for a row of summary.js, the likeliest token of each layer if it were the last,
 * [id, probability]. tensor(name) is a parameter, null where there is none, undefined until onNews()
 * says it is here.
 */
export async function open({ weights, onProgress, onNews }) {
  if (!weights) throw new Error("A page can compute with the course’s own model only; Jupyter with any.");
  const engine = await client.connect({ weights, onProgress: (got, size) => onProgress(got / size) });
  const parameters = new Map(); // name -> { shape, data }, or null while it comes

  /** Of one token only: for all of them it would cost as much as the pass itself. */
  async function lens({ layers, i }) {
    const D = layers[0].stream.shape[1];
    const data = new Float32Array(layers.length * D);
    layers.forEach(({ stream }, l) => data.set(stream.data.subarray(i * D, (i + 1) * D), l * D));
    const logits = await engine.readOut({ shape: [layers.length, D], data });
    return logits && likeliest(logits);
  }

  function tensor(name) {
    if (!engine.shapes.has(name)) return null;
    if (!parameters.has(name)) {
      parameters.set(name, undefined);
      engine.tensor(name).then((found) => {
        parameters.set(name, found);
        onNews();
      });
    }
    return parameters.get(name);
  }
  return { run: engine.run, next: engine.next, lens, tensor, stop: engine.stop };
}

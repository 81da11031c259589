// The engine, opened, with what the drawing asks of it besides steps: the logit lens and parameters.

import * as client from "../engine/client.js";

/** The largest number of each row of logits, (T, V): [its place, its probability] for each token. */
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
 * Promise { run, tensor, stop }. run(ids, options) promises { steps, lens }, or null where a newer
 * question came first; lens[l][t] is the likeliest token if layer l were the last, and how likely.
 * tensor(name) is a parameter, null where there is none, undefined until onNews() says it is here.
 */
export async function open({ weights, layers, onProgress, onNews }) {
  if (!weights) throw new Error("A page can compute with the course’s own model only; Jupyter with any.");
  const engine = await client.connect({ weights, onProgress: (got, size) => onProgress(got / size) });
  const parameters = new Map(); // name -> { shape, data }, or null while it comes

  async function run(ids, options) {
    const steps = await engine.run(ids, options);
    if (!steps) return null;
    const depths = Array.from({ length: layers }, (_, layer) => engine.lens(steps, layer));
    const logits = await Promise.all(depths);
    return logits.includes(null) ? null : { steps, lens: logits.map(likeliest) };
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
  return { run, tensor, stop: engine.stop };
}

// Logits of a transformer that the page fetches when a reader first presses a button.
//
// What it says after the first text may come with the page. One text is read at a time; one that is
// a token longer than the last goes on from it.

import * as client from "./client.js";

const KEPT = 8; // answers

/** A source of logits; `ids` and `logits` are the first text and what the page knows of it, if any. */
export function fetched({ weights, ids: first, logits }, onNews) {
  const kept = new Map(logits ? [[first.join(" "), Float64Array.from(logits)]] : []);
  const asked = new Map(); // ids as text -> the promise of its logits
  let opening = null; // the promise of the engine, once it was asked for
  let share = 0; // of the weights, that has come
  let last = null; // { key, state }: from where one more token goes on
  let turn = Promise.resolve();

  const known = (ids) => kept.get(ids.join(" ")) ?? null;

  function open() {
    opening ??= client.connect({
      weights,
      onProgress(got, size) {
        share = got / size;
        onNews();
      },
    });
    opening.catch(() => (opening = null)); // the next press tries again
    return opening;
  }

  async function read(ids) {
    const engine = await open();
    const follows = last?.key === ids.slice(0, -1).join(" ");
    const steps = await (follows ? engine.next(last.state, ids.at(-1)) : engine.run(ids));
    if (!steps) throw new Error("The box was closed.");
    const { shape: [T, V], data } = steps.get("logits"); // prettier-ignore
    const found = Float64Array.from(data.subarray((T - 1) * V));
    const key = ids.join(" ");
    last = { key, state: steps.state };
    kept.set(key, found);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value);
    return found;
  }

  function ask(ids) {
    const key = ids.join(" ");
    if (kept.has(key)) return Promise.resolve(kept.get(key));
    if (!asked.has(key)) {
      const answer = turn.then(() => read(ids)).finally(() => asked.delete(key));
      turn = answer.catch(() => {});
      asked.set(key, answer);
    }
    return asked.get(key);
  }

  function waiting() {
    const size = `${(weights.size / 1e6).toFixed(1)} MB`;
    if (!opening) return `Press Continue to fetch the model, ${size}`;
    if (share < 1) return `Fetching the model: ${Math.round(100 * share)}% of ${size}`;
    return "The model reads";
  }

  const stop = () => opening?.then((engine) => engine.stop(), () => {}); // prettier-ignore
  return { known, ask, idle: () => opening === null, waiting, stop };
}

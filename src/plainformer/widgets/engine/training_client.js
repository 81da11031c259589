// The page's side of a training run: it starts the worker, asks for slice after slice, and keeps the
// last checkpoint, from which another worker goes on if the first breaks down.
//
//   const trainer = await client.connect({ code: model.get("engine") });
//   await trainer.begin({ text, seed });
//   const { step, losses } = await trainer.train({ milliseconds: 200, options: { learningRate } });

import * as arrival from "./arrival.js";
import * as asking from "./ask.js";

const ATTEMPTS = 3; // workers that may break down at one slice

/** A trainer. `code` is a trait that Python made (plainformer.widgets.engine.travel). */
export async function connect({ code }) {
  const script = await arrival.code(code);
  const start = () => asking.start(script, "plainformerTraining");
  let ask = await start();
  let checkpoint = null;

  /** Ask; where a worker breaks down, another goes on from the checkpoint, with the same numbers. */
  async function patiently(method, given, left = ATTEMPTS) {
    try {
      return await ask(method, [given]);
    } catch (error) {
      if (left === 1 || !ask.isBroken()) throw error;
      ask = await start();
      if (checkpoint) await ask("resume", [checkpoint]);
      return patiently(method, given, left - 1);
    }
  }

  /** What was asked, once its checkpoint is kept. */
  async function keeping(method, given) {
    const found = await patiently(method, given);
    checkpoint = found.checkpoint;
    return found;
  }

  return {
    isWorker: ask.isWorker,
    /** Begin with random weights: { text, seed } to { parameters, vocabulary }, two counts. */
    begin: (run) => keeping("begin", run),
    /** Take steps, as the session does: { step, losses }. */
    train: (amount) => keeping("train", amount),
    write: (options) => patiently("write", options),
    attention: (options) => patiently("attention", options),
    pack: () => patiently("pack"),
    stop: () => ask.stop(),
  };
}

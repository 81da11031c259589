// The page's side of the engine: it loads a model into a worker, and asks it.
//
//   const engine = await client.connect({ weights: model.get("weights"), onProgress });
//   const steps = await engine.run(ids, options); // a Map, as decoder.js has it, and steps.state
//   const more = await engine.next(steps.state, id); // the steps of one more token
//   engine.stop();
//
// Where no worker can be made, the page computes by itself, a layer at a time.

import * as arrival from "./arrival.js";

const aMoment = () => new Promise((go) => setTimeout(go));

/**
 * An engine with these weights in it: a trait that Python made (plainformer.widgets.engine).
 *
 * onProgress(got, size) hears how many bytes have arrived. Rejects with an Error in a sentence for
 * the reader; calling it once more is trying again.
 */
export async function connect({ weights, onProgress = () => {} }) {
  const [code, bytes] = await Promise.all([
    arrival.code(weights),
    arrival.bytes(weights, onProgress),
  ]);
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    const ask = (await inWorker(address)) ?? (await inPage(address));
    return await makeEngine(ask, bytes, weights);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Ask a worker: ask(method, given, transfer) promises the answer. Null where there can be none. */
function inWorker(address) {
  return new Promise((resolve) => {
    let worker;
    try {
      worker = new Worker(address);
    } catch {
      return resolve(null);
    }
    const waiting = new Map(); // number -> { resolve, reject }
    let asked = 0;
    const ask = (method, given, transfer = []) =>
      new Promise((...ends) => {
        asked += 1;
        waiting.set(asked, ends);
        worker.postMessage({ number: asked, method, given }, transfer);
      });
    ask.stop = () => worker.terminate();
    ask.isWorker = true;
    worker.onerror = () => resolve(null); // before it runs: it may not; later it answers by itself
    worker.onmessage = ({ data: { number, answer, error } }) => {
      if (number === 0) return resolve(ask);
      const [fulfil, refuse] = waiting.get(number);
      waiting.delete(number);
      if (error === undefined) fulfil(answer);
      else refuse(new Error(error));
    };
    return undefined;
  });
}

async function inPage(address) {
  await import(address);
  const session = self.plainformerEngine.makeSession(aMoment);
  const ask = async (method, given) => session[method](...given);
  ask.stop = () => {};
  ask.isWorker = false;
  return ask;
}

async function makeEngine(ask, bytes, weights) {
  let loaded;
  try {
    loaded = await ask("load", [bytes], [bytes.buffer]);
  } catch (error) {
    ask.stop();
    arrival.wasDamaged(weights);
    throw new Error(`The model did not arrive whole: ${error.message}. Try again.`);
  }
  let stopped = false;
  let busy = Promise.resolve(); // ends when nothing is being computed
  let newest = 0; // run: an older one that still waits is overtaken

  /** One after the other; null if it is no longer wanted when its turn comes. */
  function inTurn(method, given, wanted = () => true) {
    const answer = busy.then(() => (stopped || !wanted() ? null : ask(method, given)));
    busy = answer.then(
      () => {},
      () => {},
    );
    return answer.then((found) => (stopped ? null : found));
  }

  /** The Map of steps, with the state from which `next` goes on. */
  const withState = (found) => found && Object.assign(found.steps, { state: found.state });

  return {
    config: loaded.config,
    shapes: loaded.shapes, // of the parameters, by name
    isWorker: ask.isWorker,

    /** Read a text: a Map of steps, see decoder.js; null if a newer run came before its turn. */
    run(ids, options = {}) {
      const number = (newest += 1);
      const wanted = () => number === newest;
      return inTurn("run", [Array.from(ids), options], wanted).then(withState);
    },
    /** One more token after a state: its steps, with keys and values of all. */
    next: (state, id) => inTurn("next", [state, id]).then(withState),
    /** What the model would say if this layer were the last, (T, V); of -1, the embedding. */
    async lens(steps, layer) {
      const name = layer === -1 ? "embedding" : `layers.${layer}.residual_2`;
      if (!steps.has(name)) throw new RangeError(`layer must be one of the model's; got ${layer}`);
      return inTurn("readOut", [steps.get(name)]);
    },
    /** Logits of any stream, (T, D), as if the layers ended there: (T, V). */
    readOut: (stream) => inTurn("readOut", [stream]),
    /** A parameter by its name: { shape, data }. */
    tensor: (name) => inTurn("tensor", [name]),
    /** End it: what is still asked resolves to null. */
    stop() {
      stopped = true;
      ask.stop();
    },
  };
}

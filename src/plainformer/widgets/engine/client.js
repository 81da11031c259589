// The page's side of the engine: it loads a model into a worker, and asks it.
//
//   const engine = await client.connect({ weights: model.get("weights"), onProgress });
//   const steps = await engine.run(ids, options); // a Map, as decoder.js has it, and steps.state
//   const more = await engine.next(steps.state, id); // the steps of one more token
//   engine.stop();
//
// Where no worker can be made, the page computes by itself, a layer at a time.

import * as arrival from "./arrival.js";
import * as asking from "./ask.js";

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
  return makeEngine(await asking.start(code, "plainformerEngine"), bytes, weights);
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

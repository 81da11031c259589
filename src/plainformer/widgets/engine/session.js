// One model and the texts that it reads: what a worker offers a page, or the page itself if it has
// no worker.
//
// Every run leaves a state behind, from which `next` goes on with one more token. A state is never
// changed: going on from it makes another, so that one can go on from the same place twice.

import * as decoder from "./decoder.js";
import * as translator from "./encoder_decoder.js";
import * as files from "./load.js";

const KEPT = 16; // states, those used last; at 128 tokens each of course-lm's takes half a megabyte

/** `pause` is awaited between two layers: a page draws meanwhile. */
export function makeSession(pause = () => {}) {
  let model = null;
  let made = 0;
  const states = new Map(); // number -> { cache, options }
  const kind = () => (model.config.family === "encoder_decoder" ? translator : decoder);

  async function read(ids, cache, options) {
    const running = kind().slices(model, ids, { ...options, cache });
    for (;;) {
      const { done, value: steps } = running.next();
      if (done) return { steps, state: remember(cache, { ...options, replace: {}, source: null }) };
      await pause();
    }
  }

  function remember(cache, options) {
    const number = (made += 1);
    states.set(number, { cache, options });
    if (states.size > KEPT) states.delete(states.keys().next().value);
    return { number, length: cache.length };
  }

  return {
    load(bytes) {
      model = files.load(bytes);
      const names = Array.from(model.tensors, ([name, { shape }]) => [name, shape]);
      return { config: model.config, shapes: new Map(names) };
    },
    /** Read a text; a translator reads options.source before. Resolves to { steps, state }. */
    run: (ids, options = {}) => read(ids, kind().newCache(model), options),
    /** Read one more token after what a state has read, with the same switches. */
    next({ number }, id) {
      const before = states.get(number);
      if (!before) throw new Error("this text is no longer kept: read it again");
      states.delete(number);
      states.set(number, before); // the one that was used last is forgotten last
      return read([id], { ...before.cache }, before.options);
    },
    /** Logits of a stream, (T, D), as if the layers ended there. */
    readOut: (stream) => decoder.readOut(model, stream),
    /** A parameter, as a copy. */
    tensor(name) {
      const found = model.tensors.get(name);
      if (!found) throw new RangeError(`"${name}" is no parameter of this model`);
      return { shape: found.shape, data: found.data.slice() };
    },
  };
}

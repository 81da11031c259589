// A training run in slices: what a worker offers a page that shows training while it goes on.
//
// A page asks for the next slice when it has drawn the last, so a run can be halted, and its learning
// rate changed, between any two slices. Batches and samples follow from the seed and the number of
// steps alone: a run that goes on from a checkpoint is, bit for bit, the run that was never halted.

import * as characters from "./characters.js";
import * as decoder from "./decoder.js";
import * as models from "./new_model.js";
import * as optimizers from "./optimizers.js";
import * as packing from "./pack.js";
import * as philox from "../formulas/philox.js";
import * as training from "./training_step.js";

export const SIZES = { d_model: 36, n_layers: 2, n_heads: 4, d_ff: 144 };
export const BATCH = { size: 4, length: 32 }; // texts, and the tokens of each
const TEMPERATURE = 0.5; // of samples
const SEEDS = { model: 0, batches: 1, samples: 2 }; // each run has eight of its own

export function makeSession() {
  let run = null; // { text, seed, step, characters, ids, model, optimizer }

  function prepare(text, seed) {
    const known = characters.makeCharacters(text);
    const ids = known.encode(text);
    if (ids.length <= BATCH.length + 1) {
      throw new RangeError(`a text must have more than ${BATCH.length + 1} characters; got ${ids.length}`);
    }
    const sizes = { vocab_size: known.names.length, ...SIZES };
    const model = models.newModel(sizes, 8 * seed + SEEDS.model);
    run = { text, seed, step: 0, characters: known, ids, model, optimizer: optimizers.newAdamW(model) };
  }

  /** Random pieces of the text, each a token longer than what the model reads. */
  function nextBatch() {
    const { ids, seed, step } = run;
    return Array.from({ length: BATCH.size }, (_, i) => {
      const random = philox.randomAt(8 * seed + SEEDS.batches, step * BATCH.size + i);
      const start = Math.floor(random * (ids.length - BATCH.length));
      return ids.slice(start, start + BATCH.length + 1);
    });
  }

  /** All that a run is: what `resume` goes on from. */
  function checkpoint() {
    const { text, seed, step, model, optimizer } = run;
    const copies = (arrays) => new Map(Array.from(arrays, ([name, each]) => [name, (each.data ?? each).slice()]));
    const { updates, m, v } = optimizer;
    const weights = copies(model.tensors);
    return { text, seed, step, weights, optimizer: { updates, m: copies(m), v: copies(v) } };
  }

  return {
    /** Begin a run with random weights: { parameters, vocabulary, checkpoint }, the first two counts. */
    begin({ text, seed }) {
      prepare(text, seed);
      const sizes = Array.from(run.model.tensors.values(), ({ data }) => data.length);
      const parameters = sizes.reduce((sum, each) => sum + each);
      return { parameters, vocabulary: run.characters.names.length, checkpoint: checkpoint() };
    },

    /** Go on from a checkpoint, which may be another worker's. */
    resume({ text, seed, step, weights, optimizer }) {
      prepare(text, seed);
      Object.assign(run, { step, optimizer });
      for (const [name, data] of weights) run.model.tensors.get(name).data.set(data);
    },

    /**
     * Train for some steps, or for as many as fit into some milliseconds: { step, losses, checkpoint }.
     * options: { learningRate, residuals, causal }.
     */
    train({ steps = Infinity, milliseconds = Infinity, options }) {
      const losses = [];
      const end = performance.now() + milliseconds;
      do {
        losses.push(training.trainingStep(run.model, run.optimizer, nextBatch(), options));
        run.step += 1;
      } while (losses.length < steps && performance.now() < end);
      return { step: run.step, losses, checkpoint: checkpoint() };
    },

    /** What the model writes after the text's first character. */
    write({ length, residuals = true }) {
      const { model, characters: known, seed } = run;
      const cache = decoder.newCache(model);
      const written = [run.ids[0]];
      while (written.length < length) {
        const steps = decoder.forward(model, written.slice(-1), { cache, residuals });
        const random = philox.randomAt(8 * seed + SEEDS.samples, written.length);
        written.push(sample(steps.get("logits").data, random));
      }
      return known.decode(written);
    },

    /** Where each of some characters looks, in a layer: { tokens, attention }, (H, T, T). */
    attention({ text, layer, residuals = true, causal = true }) {
      const ids = run.characters.encode(text);
      const steps = decoder.forward(run.model, ids, { residuals, causal });
      return { tokens: Array.from(text), attention: steps.get(`layers.${layer}.attention.weights`) };
    },

    /** The model as it is now, for load.js, and the names of its ids: { bytes, config, names, unknown, step }. */
    pack() {
      const { model, step, characters: { names, unknown } } = run;
      return { bytes: packing.packModel(model), config: model.config, names, unknown, step };
    },
  };
}

/** An id drawn with the probabilities of softmax(logits / temperature); `random` is from 0 to 1. */
function sample(logits, random) {
  const top = logits.reduce((most, each) => Math.max(most, each));
  const shares = Array.from(logits, (each) => Math.exp((each - top) / TEMPERATURE));
  let left = random * shares.reduce((sum, each) => sum + each);
  const id = shares.findIndex((share) => (left -= share) < 0);
  return id < 0 ? logits.length - 1 : id; // rounding; or no number is finite
}

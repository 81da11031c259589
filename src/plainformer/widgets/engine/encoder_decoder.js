// An EncoderDecoder in the page: a source is read once, then a decoder writes with an eye on it.
//
// The names of its steps are those of plainformer.blocks.trace, as in decoder.js. What cross-attention
// needs of the source, keys and values for each layer, is projected once and stays in the cache.

import * as checks from "./checks.js";
import * as decoder from "./decoder.js";
import * as encoder from "./encoder.js";
import * as stack from "./layer.js";

/** An empty cache: for the target's tokens, and for the source, once it was read. */
export const newCache = (model) => ({ ...decoder.newCache(model), source: null });

/**
 * All steps of a forward pass, a Map of names; those of the encoder only where a source is given.
 *
 * ids: T tokens of the target; with a cache, only those that it lacks. options: those of decoder.js,
 * which hold for the decoder, and
 *
 *   source     S tokens that are read first; with a cache, only the first time
 *   patch      { ids, place }: S tokens of another source, from which the vector at this place is taken
 *
 * Throws a RangeError that names what does not fit; the cache is then as it was.
 */
export function forward(model, ids, options = {}) {
  const running = slices(model, ids, options);
  for (;;) {
    const { done, value } = running.next();
    if (done) return value;
  }
}

/** The same as a generator that pauses after each layer. */
export const slices = (model, ids, options = {}) => passing(model, ids, options);

function* passing(model, ids, options) {
  const { cache = null, source = null, patch = null } = options;
  const record = decoder.recorder(options.replace);
  const read = source ? yield* reading(model, source, record.keep, patch) : cache?.source;
  checks.checkSource(read);
  const steps = yield* decoder.withSource(model, ids, options, record, read);
  if (cache) cache.source = read;
  return steps;
}

/** The source, read: its keys and values for each layer of the decoder. */
function* reading(model, source, keep, patch) {
  let stream = yield* encoder.encode(model, source, keep);
  if (patch) stream = yield* patched(model, stream, patch);
  return Array.from({ length: model.config.n_layers }, (_, i) =>
    stack.projectSource(stream, `decoder_layers.${i}`, model),
  );
}

/** The source as it was read, (S, D), but with one row of what another source became. */
function* patched(model, { shape, data }, { ids, place }) {
  checks.checkPatch(ids, place, shape[0]);
  const other = yield* encoder.encode(model, ids, (_, value) => value);
  const [from, to] = [place * shape[1], (place + 1) * shape[1]];
  const mixed = data.slice();
  mixed.set(other.data.subarray(from, to), from);
  return { shape, data: mixed };
}

// A DecoderOnly in the page: its forward pass, every step of it kept by its name.
//
// The names are those of plainformer.blocks.trace, and so are the shapes, without the batch: T
// tokens that are read now, S with those of the cache. Each step is { shape, data }, data a
// Float32Array, row by row.

import * as alibi from "./alibi.js";
import * as checks from "./checks.js";
import * as embedding from "./embedding.js";
import * as stack from "./layer.js";
import * as layers from "./linear.js";
import * as rotary from "./rope.js";

/** An empty cache: what tokens that were read have left behind, layer by layer. */
export function newCache({ config }) {
  const none = () => ({ shape: [config.n_kv_heads, 0, config.d_head], data: new Float32Array(0) });
  const layer = () => ({ keys: none(), values: none() });
  return { length: 0, layers: Array.from({ length: config.n_layers }, layer) };
}

/**
 * All steps of a forward pass, a Map of names.
 *
 * model: as `load` returns it. ids: T whole numbers; with a cache, only those that it lacks.
 *
 * options:
 *   cache      as `newCache` makes it; the tokens are added to it
 *   off        what writes nothing: { heads: [[layer, head], …], layers, attention, feedForward },
 *              the last three lists of layers
 *   positions  false: every token stands at position 0
 *   hidden     tokens, counted from the text's first, that no other token may attend to
 *   replace    { name: Float32Array }: what takes a step's place
 *   causal     false: every token also looks at those after it, as no language model may
 *   residuals  false: what a sublayer writes is not added to the stream but takes its place
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

/** The same as a generator that pauses after each layer, for where a page must not stand still. */
export const slices = (model, ids, options = {}) => passing(model, ids, options);

/** The pass of a translator's decoder: its steps into a record, its source for each layer. */
export const withSource = (model, ids, options, record, source) =>
  passing(model, ids, options, record, source);

/** A place for steps: { steps, keep }. `keep` writes one down, or what `replace` has in its place. */
export function recorder(replace = {}) {
  const steps = new Map();
  const keep = (name, value) => {
    const kept = name in replace ? checks.checkReplacement(name, replace[name], value) : value;
    steps.set(name, kept);
    return kept;
  };
  return { steps, keep };
}

function* passing(model, ids, options, record = recorder(options.replace), source = null) {
  const { config } = model;
  const { cache = null, positions = true, hidden = [], replace = {} } = options;
  const { causal = true, residuals = true } = options;
  const { steps, keep } = record;
  const offset = cache?.length ?? 0;
  checks.checkIds(ids, offset, config);
  const off = checks.checkOff(options.off ?? {}, config);
  checks.checkTokens(hidden);

  const prefix = source ? "decoder_" : "";
  const places = Array.from(ids, (_, t) => (positions ? offset + t : 0));
  const rope = config.positions === "rope";
  const biased = config.positions === "alibi" && positions; // at one position there is no distance
  const context = {
    positions: places,
    omega: rope ? rotary.ropeFrequencies(config.d_head, config) : null,
    slopes: biased ? alibi.alibiSlopes(config.n_heads) : null,
    hidden: new Set(hidden),
    causal,
  };
  const grown = []; // the cache's new layers, which it gets when all is well

  let x = keep("embedding", embedding.embed(Array.from(ids), places, model));
  for (let i = 0; i < config.n_layers; i += 1) {
    const kept = {};
    const append = (name, fresh) => {
      if (!cache) return fresh;
      kept[name] = joined(cache.layers[i][name], fresh);
      return { shape: kept[name].shape, data: kept[name].data.slice() };
    };
    const there = { keep, context: { ...context, append }, off: off[i], source: source?.[i], residuals };
    x = stack.layer(x, `${prefix}layers.${i}`, model, there);
    grown.push(kept);
    yield;
  }
  const norm = `${prefix}norm`;
  if (config.norm_place === "pre") x = keep(norm, embedding.normalize(x, norm, model));
  keep("logits", unembed(x, model.tensors));
  checks.checkNames(Object.keys(replace), steps);
  if (cache) Object.assign(cache, { length: offset + ids.length, layers: grown });
  return steps;
}

/** What the model would say if layer i were the last: (T, V); of layer -1, the embedding. */
export function lens(model, steps, layer) {
  const name = layer === -1 ? "embedding" : `layers.${layer}.residual_2`;
  checks.checkNames([name], steps);
  return readOut(model, steps.get(name));
}

/** The last norm, if the model has one, and the head, applied to any stream: (T, D) to (T, V). */
export function readOut(model, stream) {
  const pre = model.config.norm_place === "pre";
  return unembed(pre ? embedding.normalize(stream, "norm", model) : stream, model.tensors);
}

/** Logits: how much a vector looks like each row of a table, which is the embedding's if tied. */
function unembed(x, tensors) {
  const table = tensors.get("head.table") ?? tensors.get("embedding.tokens");
  return layers.linear(x, table, tensors.get("head.bias") ?? null);
}

/** (G, S, K) and (G, T, K) to (G, S + T, K), in memory of its own. */
function joined(old, fresh) {
  const [G, T, K] = fresh.shape;
  const S = old.shape[1];
  const data = new Float32Array(G * (S + T) * K);
  for (let g = 0; g < G; g += 1) {
    data.set(old.data.subarray(g * S * K, (g + 1) * S * K), g * (S + T) * K);
    data.set(fresh.data.subarray(g * T * K, (g + 1) * T * K), (g * (S + T) + S) * K);
  }
  return { shape: [G, S + T, K], data };
}

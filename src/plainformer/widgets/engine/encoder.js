// The encoder of a translator: every token of the source looks at all others.

import * as checks from "./checks.js";
import * as embedding from "./embedding.js";
import * as stack from "./layer.js";

// Nothing turns with position, and nothing fades with distance: an encoder has neither.
const AROUND = {
  omega: null,
  slopes: null,
  hidden: new Set(),
  causal: false,
  append: (_, fresh) => fresh,
};

/**
 * The source as it was read, (S, D): a generator that pauses after each layer.
 *
 * ids: S whole numbers. `keep` writes steps down, as in layer.js. Throws a RangeError for what is no
 * source.
 */
export const encode = (model, ids, keep) => encoding(model, ids, keep);

function* encoding(model, ids, keep) {
  const { config } = model;
  checks.checkIds(ids, 0, config, "source");
  const places = Array.from(ids, (_, s) => s);
  const context = { ...AROUND, positions: places };
  let x = keep("source_embedding", embedding.embed(Array.from(ids), places, model));
  for (let i = 0; i < config.n_layers; i += 1) {
    x = stack.layer(x, `layers.${i}`, model, { keep, context });
    yield;
  }
  return config.norm_place === "pre" ? keep("norm", embedding.normalize(x, "norm", model)) : x;
}

// One layer, of an encoder or of a decoder: attention, in a translator's decoder also to the source,
// then the feed-forward network. Each only adds to the stream.
//
//   pre     x = x + sublayer(norm(x))
//   post    x = norm(x + sublayer(x))

import * as attending from "./attention.js";
import * as embedding from "./embedding.js";
import * as network from "./feed_forward.js";
import * as layers from "./linear.js";
import * as rotary from "./rope.js";

const NOTHING = { heads: [], attention: false, feedForward: false };
const AROUND = { slopes: null, hidden: new Set(), causal: false }; // attention to all of the source

/**
 * The stream after the layer of this name, such as "layers.0": (T, D) to (T, D).
 *
 * `keep(name, value)` writes a step down and returns it, or what is to take its place. `look` says
 * how tokens attend to their own text: { positions, omega, slopes, hidden, causal, append }, where
 * append(name, new) adds keys or values to those of a cache. `off` says what writes nothing: { heads,
 * attention, feedForward }, a set of heads and two answers. `source`, as projectSource makes it, is
 * what a translator's decoder looks at. Without `residuals`, x + is left out of both lines above.
 */
export function layer(x, at, model, { keep, context, off = NOTHING, source = null, residuals = true }) {
  const { config, tensors } = model;
  const step = (name, value) => keep(`${at}.${name}`, value);
  const partOf = (name) => (weight) => tensors.get(`${at}.${name}.${weight}`) ?? null;

  const norm = (which, y) =>
    step(`norm_${which}`, embedding.normalize(y, `${at}.norm_${which}`, model));
  const joined = (y, written) => (residuals ? layers.add(y, written) : written);
  function add(y, which, sublayer) {
    const sum = config.norm_place === "pre"
      ? joined(y, sublayer(norm(which, y)))
      : norm(which, joined(y, sublayer(y)));
    return step(`residual_${which}`, sum);
  }

  function selfAttention(y) {
    const part = partOf("attention");
    const rotate = (each) => context.omega
      ? rotary.applyRope(each, context.positions, context.omega, config.position_layout)
      : each;
    const q = rotate(project(y, part, "w_q", config.n_heads));
    const k = context.append("keys", rotate(project(y, part, "w_k", config.n_kv_heads)));
    const v = context.append("values", project(y, part, "w_v", config.n_kv_heads));
    return attend("attention", [q, k, v], context, off);
  }

  function crossAttention(y) {
    const q = project(y, partOf("cross_attention"), "w_q", config.n_heads);
    return attend("cross_attention", [q, copy(source.keys), copy(source.values)], AROUND, NOTHING);
  }

  function attend(name, [q, k, v], { slopes, hidden, causal }, without) {
    const part = partOf(name);
    const inside = (which, value) => step(`${name}.${which}`, value);
    const [queries, keys, values] = [inside("queries", q), inside("keys", k), inside("values", v)];
    const scores = inside("scores", attending.attentionScores(queries, keys, slopes));
    const weights = inside("weights", attending.attentionWeights(scores, hidden, causal));
    const found = emptied(attending.mixValues(weights, values), without.heads);
    const heads = attending.mergeHeads(inside("heads", found));
    const output = layers.linear(heads, part("w_o.weight"), part("w_o.bias"));
    return inside("output", without.attention ? zeros(output) : output);
  }

  function feedForward(y) {
    const part = partOf("feed_forward");
    const wide = network.activations(y, config.activation, part);
    const hidden = step("feed_forward.activations", wide);
    const output = layers.linear(hidden, part("w_down.weight"), part("w_down.bias"));
    return step("feed_forward.output", off.feedForward ? zeros(output) : output);
  }

  const own = add(x, "1", selfAttention);
  return add(source ? add(own, "cross", crossAttention) : own, "2", feedForward);
}

/** Keys and values of a source that was read, (S, D), for the decoder's layer of this name. */
export function projectSource(stream, at, { config, tensors }) {
  const part = (weight) => tensors.get(`${at}.cross_attention.${weight}`) ?? null;
  const [keys, values] = ["w_k", "w_v"].map((name) =>
    project(stream, part, name, config.n_kv_heads),
  );
  return { keys, values };
}

/** (T, D) to (heads, T, K), by the weights of this name. */
const project = (y, part, name, heads) =>
  attending.splitHeads(layers.linear(y, part(`${name}.weight`), part(`${name}.bias`)), heads);

const zeros = ({ shape, data }) => ({ shape, data: new Float32Array(data.length) });

/** What is kept for the next token may not be handed over with the steps of this one. */
const copy = ({ shape, data }) => ({ shape, data: data.slice() });

/** (H, T, K) with zeros for what these heads found. */
function emptied(found, heads) {
  const [, T, K] = found.shape;
  for (const head of heads) found.data.fill(0, head * T * K, (head + 1) * T * K);
  return found;
}

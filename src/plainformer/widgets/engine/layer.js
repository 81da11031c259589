// One layer of a decoder: attention, then the feed-forward network, each only adds to the stream.
//
//   pre     x = x + sublayer(norm(x))
//   post    x = norm(x + sublayer(x))

import * as attending from "./attention.js";
import * as embedding from "./embedding.js";
import * as network from "./feed_forward.js";
import * as layers from "./linear.js";
import * as rotary from "./rope.js";

/**
 * The stream after layer i: (T, D) to (T, D).
 *
 * `keep(name, value)` writes a step down and returns it, or what is to take its place. `look` says
 * how tokens look back: { positions, omega, slopes, hidden, append }, where append(name, new) adds
 * keys or values to those of a cache. `off` says what writes nothing: { heads, attention,
 * feedForward }, a set of heads and two answers.
 */
export function decoderLayer(x, i, model, { keep, look, off }) {
  const { config, tensors } = model;
  const step = (name, value) => keep(`layers.${i}.${name}`, value);
  const partOf = (name) => (weight) => tensors.get(`layers.${i}.${name}.${weight}`) ?? null;

  const norm = (which, y) =>
    step(`norm_${which}`, embedding.normalize(y, `layers.${i}.norm_${which}`, model));
  function add(y, which, sublayer) {
    const sum = config.norm_place === "pre"
      ? layers.add(y, sublayer(norm(which, y)))
      : norm(which, layers.add(y, sublayer(y)));
    return step(`residual_${which}`, sum);
  }

  function attention(y) {
    const part = partOf("attention");
    const project = (name, heads) =>
      attending.splitHeads(layers.linear(y, part(`${name}.weight`), part(`${name}.bias`)), heads);
    const turn = (each) => look.omega
      ? rotary.applyRope(each, look.positions, look.omega, config.pair_layout)
      : each;
    const newest = turn(project("w_k", config.n_kv_heads));
    const q = step("attention.queries", turn(project("w_q", config.n_heads)));
    const k = step("attention.keys", look.append("keys", newest));
    const v = step("attention.values", look.append("values", project("w_v", config.n_kv_heads)));
    const scores = step("attention.scores", attending.attentionScores(q, k, look.slopes));
    const weights = step("attention.weights", attending.attentionWeights(scores, look.hidden));
    const found = without(attending.mixValues(weights, v), off.heads);
    const heads = attending.mergeHeads(step("attention.heads", found));
    const output = layers.linear(heads, part("w_o.weight"), part("w_o.bias"));
    return step("attention.output", off.attention ? zeros(output) : output);
  }

  function feedForward(y) {
    const part = partOf("feed_forward");
    const wide = network.activations(y, config.activation, part);
    const bent = step("feed_forward.activations", wide);
    const output = layers.linear(bent, part("w_down.weight"), part("w_down.bias"));
    return step("feed_forward.output", off.feedForward ? zeros(output) : output);
  }

  return add(add(x, 1, attention), 2, feedForward);
}

const zeros = ({ shape, data }) => ({ shape, data: new Float32Array(data.length) });

/** (H, T, K) with zeros for what these heads found. */
function without(found, heads) {
  const [, T, K] = found.shape;
  for (const head of heads) found.data.fill(0, head * T * K, (head + 1) * T * K);
  return found;
}

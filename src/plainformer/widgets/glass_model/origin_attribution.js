// What wrote a logit: the embedding, every head and every feed-forward layer, each with what it adds.
//
// A logit is the dot product of the last stream, after its norm, and the token's row of the table.
// The stream is a sum of all that was written to it, and RMSNorm multiplies it by numbers that are
// the same for all parts of the sum. So the logit is a sum as well, with one part for each writer
// (Elhage et al. 2021, "direct logit attribution"). It holds for models with RMSNorm before each
// sublayer; with LayerNorm and with norms after the sum there are other terms, and no such list.
// Where a token's stream was taken in from another text, that stream is one part, in the place of all
// that this text had written until then.

import * as numbering from "../kit/numbering.js";
import * as parts from "./parts.js";
import * as places from "./selection.js";
const { plain, times } = parts;

const CHAPTER = "blocks/lm_head";
const BY = "blocks.DecoderOnly";

/** Whether a logit is a sum with one part for each writer. */
export const isSum = ({ config: { norm, norm_place } }) => norm === "rms" && norm_place === "pre";

/** The layer after which the stream of token t was taken in from another text; −1: it was not. */
const takenAfter = ({ patch }, t) => (patch?.token === t ? patch.layer : -1);

/** Where a reader sees the same as a probability. */
export const asShare = (t, v) => ({ text: "its probability, by softmax", to: places.numberAt("probabilities", t, v) });

/** Whether a layer is switched off: its heads still find something, but nothing of it is written. */
const isOff = (layer, { off = [] }) => off.includes(String(layer));

function known(tensor, name) {
  const found = tensor(name);
  if (found === undefined) throw parts.COMES;
  return found;
}

/** What each number of the stream of token t is multiplied by on its way to logit v: (D,). */
function directionOf({ config, tensor, made }, t, v) {
  const scale = made("", (variance) => 1 / Math.sqrt(variance), "norm.variance", t).value;
  const gamma = known(tensor, "norm.gamma").data;
  const table = (known(tensor, "head.table") ?? known(tensor, "embedding.tokens")).data;
  return Float64Array.from({ length: config.d_model }, (_, d) => scale * gamma[d] * table[v * config.d_model + d]);
}

/** The writers after a layer (−1: all), in order: [what it is called, its name, its index before t and v]. */
function writers({ n_layers, n_heads }, after) {
  const found = after < 0 ? [["embedding", "embedding.attributions", []]] : [];
  for (let l = after + 1; l < n_layers; l += 1) {
    for (let head = 0; head < n_heads; head += 1) {
      found.push([`${numbering.layerName(l)}, ${numbering.headName(head)}`, `layers.${l}.attention.attributions`, [head]]);
    }
    found.push([`${numbering.layerName(l)}, feed-forward`, `layers.${l}.feed_forward.attributions`, []]);
  }
  return found;
}

/**
 * What no head and no network wrote: the biases of attention, where there are any, and a stream that
 * was taken in.
 */
function others(given, t, v) {
  const { config, tensor, steps } = given;
  const direction = directionOf(given, t, v);
  const along = (data) => data.reduce((sum, each, d) => sum + each * direction[d], 0);
  const [D, after] = [config.d_model, takenAfter(given, t)];
  const stream = after < 0 ? null : steps.get(`layers.${after}.residual_2`).data.subarray(t * D, (t + 1) * D);
  const rows = stream ? [plain({ text: `the second text’s stream after ${numbering.layerName(after)}`, value: along(stream) })] : [];
  for (let l = after + 1; l < config.n_layers; l += 1) {
    const bias = known(tensor, `layers.${l}.attention.w_o.bias`);
    if (bias && !isOff(l, given)) rows.push(plain({ text: `${numbering.layerName(l)}, bias of W_O`, value: along(bias.data) }));
  }
  return rows;
}

/** The token with the largest logit besides v. */
function rival(steps, t, v) {
  const { shape: [, V], data } = steps.get("logits"); // prettier-ignore
  let best = v === 0 ? 1 : 0;
  for (let i = 0; i < V; i += 1) if (i !== v && data[t * V + i] > data[t * V + best]) best = i;
  return best;
}

/** A logit as the sum of what its writers add. */
export function logit(given) {
  const { at, config, factor, parameter, steps, word } = given;
  const [t, v] = at.index;
  const rows = writers(config, takenAfter(given, t)).map(([text, name, index]) => plain(factor(text, name, ...index, t, v)));
  const added = parameter("head.bias", v);
  const all = [...others(given, t, v), ...rows, ...(added ? [plain(added)] : [])];
  const other = rival(steps, t, v);
  const also = [
    asShare(t, v),
    { text: `compare with “${word(other)}”`, to: places.numberAt("logits.difference", t, v, other) },
    { text: `the same as a dot product of ${config.d_model} numbers`, to: places.numberAt("logits.products", t, v) },
  ];
  const says = `the logit of “${word(v)}”, as what the embedding, each head and each feed-forward layer adds to it`;
  return { says, by: BY, chapter: CHAPTER, rows: all, ordered: true, also };
}

/** By how much one logit is ahead of another, writer by writer. */
export function difference(given) {
  const { at, config, factor, made, parameter, word } = given;
  const [t, v, w] = at.index;
  const rows = writers(config, takenAfter(given, t)).map(([text, name, index]) => {
    const less = made("", (x) => x, name, ...index, t, w).value;
    return plain(made(text, (x) => x - less, name, ...index, t, v));
  });
  const two = [v, w].map((id) => others(given, t, id));
  rows.unshift(...two[0].map((row, l) => plain({ text: row.factors[0].text, value: row.value - two[1][l].value })));
  const [mine, theirs] = [parameter("head.bias", v), parameter("head.bias", w)];
  if (mine) rows.push(plain({ text: "bias of the head", value: mine.value - theirs.value }));
  const also = [{ text: `the logit of “${word(w)}” alone`, to: places.numberAt("logits", t, w) }];
  const says = `the logit of “${word(v)}” less that of “${word(w)}”, as what each part of the model adds to the difference`;
  return { says, by: BY, chapter: CHAPTER, rows, ordered: true, also };
}

const PULL = "what its norm and the row of the table make of it";

/** What the embedding, or a feed-forward layer, adds: its numbers, each times its weight. */
const stream = (source) => (given) => {
  const { at, config, factor, word } = given;
  const [t, v] = at.index;
  const name = at.layer === null ? source : `layers.${at.layer}.${source}`;
  const direction = directionOf(given, t, v);
  const rows = Array.from({ length: config.d_model }, (_, d) =>
    times(factor(`number ${d + 1}`, name, t, d), { text: PULL, value: direction[d] }),
  );
  return { says: `what this part adds to the logit of “${word(v)}”`, by: BY, chapter: CHAPTER, rows };
};

/** What a head adds: what it found, each number times what W_O, norm and table make of it. */
function head(given) {
  const { at, config, factor, tensor, word } = given;
  const [h, t, v] = at.index;
  const { d_head: K, n_heads, d_model: D } = config;
  const direction = directionOf(given, t, v);
  const weight = known(tensor, `layers.${at.layer}.attention.w_o.weight`).data; // (D, H K)
  const rows = Array.from({ length: K }, (_, k) => {
    let value = 0;
    for (let d = 0; d < D; d += 1) value += weight[d * n_heads * K + h * K + k] * direction[d];
    const found = factor(`number ${k + 1}`, `layers.${at.layer}.attention.heads`, h, t, k);
    const written = isOff(at.layer, given) ? { text: "layer off", value: 0 } : { text: `W_O, and ${PULL}`, value };
    return times(found, written);
  });
  return { says: `what this head adds to the logit of “${word(v)}”`, by: BY, chapter: CHAPTER, rows };
}

/** The origin of each kind of number, by the name of its step without the layer. */
export const kinds = {
  "logits.difference": difference,
  "embedding.attributions": stream("embedding"),
  "attention.attributions": head,
  "feed_forward.attributions": stream("feed_forward.output"),
};

// What wrote a logit: the embedding, every head and every feed-forward layer, each with what it adds.
//
// A logit is the dot product of the last stream, after its norm, and the token's row of the table.
// The stream is a sum of all that was written to it, and RMSNorm multiplies it by numbers that are
// the same for all parts of the sum. So the logit is a sum as well, with one part for each writer
// (Elhage et al. 2021, "direct logit attribution"). It holds for models with RMSNorm before each
// sublayer; with LayerNorm and with norms after the sum there are other terms, and no such list. Nor
// is there one where a stream was taken in from another text, since nothing in this one wrote it.

import * as numbering from "../kit/numbering.js";
import * as parts from "./parts.js";
import * as places from "./selection.js";
const { plain, times } = parts;

const CHAPTER = "blocks/lm_head";
const BY = "blocks.DecoderOnly";

/** Whether a logit is a sum with one part for each writer. */
export const isSum = ({ config: { norm, norm_place }, patch }) => norm === "rms" && norm_place === "pre" && !patch;

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

/** The writers in their order: [what it is called, its name, its index before t and v]. */
function writers({ n_layers, n_heads }) {
  const found = [["embedding", "embedding.attributions", []]];
  for (let l = 0; l < n_layers; l += 1) {
    for (let head = 0; head < n_heads; head += 1) {
      found.push([`${numbering.layerName(l)}, ${numbering.headName(head)}`, `layers.${l}.attention.attributions`, [head]]);
    }
    found.push([`${numbering.layerName(l)}, feed-forward`, `layers.${l}.feed_forward.attributions`, []]);
  }
  return found;
}

/** What the biases of attention add, which belong to no head; nothing where there are none. */
function biases(given, direction) {
  const { config, tensor } = given;
  return Array.from({ length: config.n_layers }, (_, l) => {
    const bias = known(tensor, `layers.${l}.attention.w_o.bias`);
    if (!bias || isOff(l, given)) return [];
    const value = bias.data.reduce((sum, each, d) => sum + each * direction[d], 0);
    return [plain({ text: `${numbering.layerName(l)}, bias of W_O`, value })];
  }).flat();
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
  const rows = writers(config).map(([text, name, index]) => plain(factor(text, name, ...index, t, v)));
  const added = parameter("head.bias", v);
  const all = [...rows, ...biases(given, directionOf(given, t, v)), ...(added ? [plain(added)] : [])];
  const other = rival(steps, t, v);
  const also = [
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
  if (!isSum(given)) {
    const rows = [plain(factor(`logit of “${word(v)}”`, "logits", t, v)), plain(made(`− logit of “${word(w)}”`, (x) => -x, "logits", t, w))];
    return { says: `the logit of “${word(v)}” less that of “${word(w)}”`, by: BY, chapter: CHAPTER, rows };
  }
  const rows = writers(config).map(([text, name, index]) => {
    const less = made("", (x) => x, name, ...index, t, w).value;
    return plain(made(text, (x) => x - less, name, ...index, t, v));
  });
  const two = [v, w].map((id) => biases(given, directionOf(given, t, id)));
  rows.push(...two[0].map((row, l) => plain({ text: row.factors[0].text, value: row.value - two[1][l].value })));
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
    times(factor(`number ${d}`, name, t, d), { text: PULL, value: direction[d] }),
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
    const found = factor(`number ${k}`, `layers.${at.layer}.attention.heads`, h, t, k);
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

// Where numbers of the residual stream come from: the embedding, the norms, what was written, and the
// logits; and those of the feed-forward layer. See origin.js.

import * as numbering from "../kit/numbering.js";
import * as embeddings from "../engine/embedding.js";
import * as heat from "../formulas/temperature.js";
import * as attributing from "./origin_attribution.js";
import * as parts from "./parts.js";
const { plain, times } = parts;

const NETWORK = "blocks/feed_forward";
const NORMS = "blocks/residual_norm";
const isRms = ({ norm }) => norm === "rms";
const normBy = (config) => `blocks.${isRms(config) ? "rms_norm" : "layer_norm"}`;
const step = ({ layer }, rest) => `layers.${layer}.${rest}`;

/** What a layer reads: the stream after the one before it. */
const streamInto = (layer) => (layer > 0 ? `layers.${layer - 1}.residual_2` : "embedding");

/** The step that a sublayer of a layer reads: 1 is attention, 2 the feed-forward layer. */
export function readBy(which, { layer }, { norm_place }) {
  if (norm_place === "pre") return `layers.${layer}.norm_${which}`;
  return which === 1 ? streamInto(layer) : `layers.${layer}.residual_1`;
}

// The embedding.

/** What a token is, plus where it stands. */
function embedded({ at: { index: [t, d] }, config, ids, positions, parameter }) {
  const place = positions ? t : 0;
  const root = config.scale_embedding ? { text: "√D", value: Math.sqrt(config.d_model) } : null;
  const rows = [times(parameter("embedding.tokens", ids[t], d), root)];
  const wave = config.positions === "sinusoidal" ? embeddings.wave(place, config)[d] : null;
  if (wave !== null) rows.push(plain({ text: `wave ${d + 1} at position ${place}`, value: wave }));
  for (const each of [parameter("embedding.positions", place, d), parameter("embedding.segments", 0, d)]) {
    if (each) rows.push(plain(each));
  }
  const added = rows.length > 1 ? ", plus what stands for its position" : "";
  const says = `the row of the token in the embedding table${added}`;
  return { says, by: "inputs.embed", chapter: "inputs/embedding", rows };
}

const embedding = (given) => (given.config.norm_embedding ? normed({ ...given, norm: "embedding.norm" }) : embedded(given));

// The norms. `norm` is the name of one, such as "layers.1.norm_2".

/** The numbers that a norm reads. With "post" and of the embedding they are no step, but a sum. */
function readByNorm(norm, { norm_place, n_layers }) {
  if (norm === "embedding.norm") return "embedding.sum";
  const [, layer, which] = /^layers\.(\d+)\.norm_(\d)$/.exec(norm) ?? [];
  if (norm_place === "post") return `${norm}.sum`;
  if (which === "2") return `layers.${layer}.residual_1`;
  return streamInto(norm === "norm" ? n_layers : Number(layer));
}

function normed(given) {
  const { at, config, factor, made, parameter, norm = at.name } = given;
  const [t, d] = at.index;
  const scale = made("1 ÷ √variance", (variance) => 1 / Math.sqrt(variance), `${norm}.variance`, t);
  const gain = parameter(`${norm}.gamma`, d);
  const rows = [times(factor("stream", readByNorm(norm, config), t, d), scale, gain)];
  if (!isRms(config)) {
    rows.push(times(made("− mean", (mean) => -mean, `${norm}.mean`, t), scale, gain));
    rows.push(plain(parameter(`${norm}.beta`, d)));
  }
  const less = isRms(config) ? "" : ", less the mean of its row";
  const more = isRms(config) ? "" : ", plus a learned shift";
  const says = `a number of the stream${less}, divided by the size of its row, times a learned gain${more}`;
  return { says, by: normBy(config), chapter: NORMS, rows };
}

const normOf = ({ name }) => name.slice(0, name.lastIndexOf("."));

/** What stands before a norm that comes after a sum. */
function summed({ at, factor }) {
  const attention = at.part.startsWith("norm_1");
  const wrote = step(at, attention ? "attention.output" : "feed_forward.output");
  const source = attention ? streamInto(at.layer) : step(at, "residual_1");
  const rows = [plain(factor("stream", source, ...at.index)), plain(factor("written", wrote, ...at.index))];
  return { says: "what the layer’s part has read, plus what it wrote", by: "blocks.DecoderLayer", chapter: NORMS, rows };
}

const everyNumber = ({ d_model }, row) => Array.from({ length: d_model }, (_, d) => row(d));

function mean({ at, config, factor }) {
  const source = readByNorm(normOf(at), config);
  const share = { text: "1 ÷ D", value: 1 / config.d_model };
  const rows = everyNumber(config, (d) => times(factor(`number ${d + 1}`, source, at.index[0], d), share));
  return { says: "the mean of a token’s numbers", by: normBy(config), chapter: NORMS, rows };
}

function variance(given) {
  const { at, config, made, factor } = given;
  const [t] = at.index;
  const source = readByNorm(normOf(at), config);
  const share = { text: "1 ÷ D", value: 1 / config.d_model };
  const middle = isRms(config) ? 0 : factor("mean", `${normOf(at)}.mean`, t).value;
  const name = (d) => (isRms(config) ? `number ${d + 1}` : `number ${d + 1}, less the mean`);
  const rows = everyNumber(config, (d) => {
    const off = made(name(d), (x) => x - middle, source, t, d);
    return times(off, off, share);
  });
  rows.push(plain({ text: "ε", value: config.norm_eps }));
  const what = isRms(config) ? "squares of a token’s numbers" : "squares of how far a token’s numbers are from their mean";
  return { says: `the mean of the ${what}, plus ε; the norm divides by its root`, by: normBy(config), chapter: NORMS, rows };
}

// What is written to the stream, and what is made of it in the end.

function residual({ at, config, factor, patch }) {
  const [t, d] = at.index;
  const told = { says: "the sum of all that has been written to the stream so far", by: "blocks.DecoderLayer", chapter: NORMS };
  if (config.norm_place === "post") {
    const name = step(at, at.part.replace("residual", "norm"));
    return { ...told, says: "what the norm after this part gives", rows: [plain(factor("the norm", name, t, d))] };
  }
  // Where a stream was taken in, what had been written before it is gone.
  const from = patch?.token === t && at.layer > patch.layer ? patch.layer : -1;
  const rows = [plain(from < 0 ? factor("embedding", "embedding", t, d) : factor("the second text’s stream", `layers.${from}.residual_2`, t, d))];
  for (let l = from + 1; l <= at.layer; l += 1) {
    rows.push(plain(factor(`${numbering.layerName(l)}, attention`, `layers.${l}.attention.output`, t, d)));
    if (l < at.layer || at.part === "residual_2") {
      rows.push(plain(factor(`${numbering.layerName(l)}, feed-forward`, `layers.${l}.feed_forward.output`, t, d)));
    }
  }
  return { ...told, rows, ordered: true };
}

/** A logit by its writers, where it is a sum of what they add; else as a dot product. */
const logits = (given) => (attributing.isSum(given) ? attributing.logit(given) : products(given));

/** A probability, as softmax makes it of all logits of its row. */
function probabilities({ at, steps, factor, word, temperature = 1 }) {
  const [t, v] = at.index;
  const { shape: [, V], data } = steps.get("logits"); // prettier-ignore
  const all = heat.softmax(heat.applyTemperature(Array.from(data.subarray(t * V, (t + 1) * V)), temperature));
  const rows = Array.from(all, (value, i) => ({ factors: [factor(`logit of “${word(i)}”`, "logits", t, i)], value, here: i === v }));
  const less = temperature === 1 ? "" : ` ÷ ${temperature}, the temperature`;
  const says = `softmax: exp of the logit of “${word(v)}”${less}, divided by the sum of the exps of all ${V}`;
  return { value: all[v], says, by: "attention.softmax", chapter: "blocks/lm_head", rows, shares: true };
}

function products({ at, config, parameter, product }) {
  const [t, v] = at.index;
  const also = attributing.isSum({ config }) ? [] : [attributing.asShare(t, v)]; // else the sum has it
  const table = parameter("head.table", 0, 0) ? "head.table" : "embedding.tokens";
  const source = config.norm_place === "pre" ? "norm" : streamInto(config.n_layers);
  const says = "the dot product of the last stream, after its norm, and the token’s row of the table";
  return { says, by: "blocks.DecoderOnly", chapter: "blocks/lm_head", rows: product(table, v, source, t, "head.bias"), also };
}

// The feed-forward layer: activations, and the numbers before the nonlinearity.

const wide = (which) => ({ at, config, product }) => {
  const [t, f] = at.index;
  const part = step(at, `feed_forward.w_${which}`);
  const says = `the dot product of what was read and a row of W_${which}`;
  const by = config.activation === "swiglu" ? "blocks.swiglu" : "blocks.feed_forward";
  return { says, by, chapter: NETWORK, rows: product(`${part}.weight`, f, readBy(2, at, config), t, `${part}.bias`) };
};

const silu = (z) => z / (1 + Math.exp(-z));

function activations({ at, config, get, factor, made }) {
  const up = step(at, "feed_forward.up");
  if (config.activation === "swiglu") {
    const rows = [times(made("silu(gate)", silu, step(at, "feed_forward.gate"), ...at.index), factor("up", up, ...at.index))];
    return { says: "silu of the gate, times what W_up makes of the stream", by: "blocks.swiglu", chapter: NETWORK, rows };
  }
  const activated = made(`${config.activation}(up)`, () => get(at.name, ...at.index), up, ...at.index);
  const says = `${config.activation} of what W_up makes of the stream`;
  return { says, by: "blocks.feed_forward", chapter: NETWORK, rows: [plain(activated)] };
}

function written({ at, product }) {
  const [t, d] = at.index;
  const part = step(at, "feed_forward.w_down");
  const rows = product(`${part}.weight`, d, step(at, "feed_forward.activations"), t, `${part}.bias`);
  return { says: "the activations, times a row of W_down", by: "blocks.feed_forward", chapter: NETWORK, rows };
}

const ofNorm = (name) => ({ [`${name}.mean`]: mean, [`${name}.variance`]: variance, [`${name}.sum`]: summed });

/** The origin of each kind of number, by the name of its step without the layer. */
export const kinds = {
  embedding,
  "embedding.sum": embedded,
  "embedding.norm.mean": mean,
  "embedding.norm.variance": variance,
  norm: normed,
  norm_1: normed,
  norm_2: normed,
  ...ofNorm("norm"),
  ...ofNorm("norm_1"),
  ...ofNorm("norm_2"),
  residual_1: residual,
  residual_2: residual,
  "feed_forward.up": wide("up"),
  "feed_forward.gate": wide("gate"),
  "feed_forward.activations": activations,
  "feed_forward.output": written,
  logits,
  "logits.products": products,
  probabilities,
}; // prettier-ignore

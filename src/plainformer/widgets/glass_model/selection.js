// Where a reader stands, as selection.py has it: "", "compare", "layers.1", "layers.1.heads.2", or a
// number by its name: in a trace, "layers.1.attention.weights[2, 7, 5]", between two of its steps, or
// of a parameter.

import * as numbering from "../kit/numbering.js";

/** Each step of a trace, and the letters of its shape; "layers." stands for "layers.0." and so on. */
export const NUMBERS = {
  embedding: "TD",
  norm: "TD",
  logits: "TV",
  "layers.norm_1": "TD",
  "layers.attention.queries": "HTK",
  "layers.attention.keys": "GTK",
  "layers.attention.values": "GTK",
  "layers.attention.scores": "HTT",
  "layers.attention.weights": "HTT",
  "layers.attention.heads": "HTK",
  "layers.attention.output": "TD",
  "layers.residual_1": "TD",
  "layers.norm_2": "TD",
  "layers.feed_forward.activations": "TF",
  "layers.feed_forward.output": "TD",
  "layers.residual_2": "TD",
};

/** What stands between two steps. */
export const BETWEEN = {
  "embedding.sum": "TD",
  "embedding.norm.mean": "T",
  "embedding.norm.variance": "T",
  "norm.mean": "T",
  "norm.variance": "T",
  angles: "TP",
  "embedding.attributions": "TV",
  "logits.difference": "TVV",
  "logits.products": "TV",
  "probabilities": "TV",
  "layers.attention.attributions": "HTV",
  "layers.feed_forward.attributions": "TV",
  "layers.norm_1.sum": "TD",
  "layers.norm_1.mean": "T",
  "layers.norm_1.variance": "T",
  "layers.attention.queries.unturned": "HTK",
  "layers.attention.keys.unturned": "GTK",
  "layers.norm_2.sum": "TD",
  "layers.norm_2.mean": "T",
  "layers.norm_2.variance": "T",
  "layers.feed_forward.up": "TF",
  "layers.feed_forward.gate": "TF",
};

/** The parameters that a model may have. */
export const PARAMETERS = {
  "embedding.tokens": "VD",
  "embedding.positions": "LD",
  "embedding.segments": "SD",
  "embedding.norm.gamma": "D",
  "embedding.norm.beta": "D",
  "layers.norm_1.gamma": "D",
  "layers.norm_1.beta": "D",
  "layers.attention.w_q.weight": "QD",
  "layers.attention.w_q.bias": "Q",
  "layers.attention.w_k.weight": "RD",
  "layers.attention.w_k.bias": "R",
  "layers.attention.w_v.weight": "RD",
  "layers.attention.w_v.bias": "R",
  "layers.attention.w_o.weight": "DQ",
  "layers.attention.w_o.bias": "D",
  "layers.norm_2.gamma": "D",
  "layers.norm_2.beta": "D",
  "layers.feed_forward.w_up.weight": "FD",
  "layers.feed_forward.w_up.bias": "F",
  "layers.feed_forward.w_gate.weight": "FD",
  "layers.feed_forward.w_gate.bias": "F",
  "layers.feed_forward.w_down.weight": "DF",
  "layers.feed_forward.w_down.bias": "D",
  "norm.gamma": "D",
  "norm.beta": "D",
  "head.table": "VD",
  "head.bias": "V",
};

const ALL = { ...NUMBERS, ...BETWEEN, ...PARAMETERS };

/** The letters of a name's shape, its layer, and the name without it; null where there is no such. */
function lettersOf(name) {
  const [, layer, rest] = /^layers\.(\d{1,3})\.(.+)$/.exec(name) ?? [];
  const general = rest ? `layers.${rest}` : name;
  if (!Object.hasOwn(ALL, general)) return null;
  return { letters: ALL[general], layer: rest ? Number(layer) : null, part: rest ?? name, general };
}

/** The sizes that letters stand for; of a text of T tokens. */
export const sizesOf = (config, T) => ({
  T,
  D: config.d_model,
  H: config.n_heads,
  G: config.n_kv_heads,
  K: config.d_head,
  F: config.d_ff,
  V: config.vocab_size,
  Q: config.n_heads * config.d_head,
  R: config.n_kv_heads * config.d_head,
  P: Math.floor(config.d_head / 2),
  L: config.max_length ?? 128,
  S: config.n_segments,
});

/**
 * What a place means: { level: "model" | "compare" | "layer" | "head" | "number", layer, head, name, part, index,
 * letters }. Null for what is no place of this model. Places beyond the text of T tokens are the
 * nearest that it has.
 */
export function read(text, config, T) {
  if (text === "") return { level: "model" };
  if (text === "compare") return { level: "compare" };
  const part = /^layers\.(\d{1,3})(?:\.heads\.(\d{1,3}))?$/.exec(text);
  if (part) {
    const [layer, head] = [Number(part[1]), part[2] === undefined ? null : Number(part[2])];
    if (layer >= config.n_layers || (head ?? 0) >= config.n_heads) return null;
    return head === null ? { level: "layer", layer } : { level: "head", layer, head };
  }
  const number = /^([a-z_0-9.]+)\[(\d{1,6}(?:, \d{1,6}){0,2})\]$/.exec(text);
  const found = number && lettersOf(number[1]);
  if (!found || found.layer >= config.n_layers) return null;
  if (number[1] === "norm" && config.norm_place === "post") return null;
  const isSum = config.norm === "rms" && config.norm_place === "pre";
  if (!isSum && /attributions|difference/.test(number[1])) return null; // see origin_attribution.js
  const sizes = sizesOf(config, 128);
  const index = number[2].split(", ").map(Number);
  const { letters } = found;
  if (index.length !== letters.length) return null;
  if (index.some((each, i) => each >= sizes[letters[i]])) return null;
  const near = index.map((each, i) => (letters[i] === "T" ? Math.min(each, T - 1) : each));
  const head = "HG".includes(letters[0]) ? near[0] : null;
  return { level: "number", ...found, name: number[1], index: near, head };
}

/** The name of a number. */
export const numberAt = (name, ...index) => `${name}[${index.join(", ")}]`;

/** Where a reader comes from: the model, then what holds the place, the outermost first. */
export function above(at) {
  const trail = [];
  if (at.level !== "model") trail.push({ to: "", text: "Model" });
  const layer = at.layer ?? null;
  if (layer !== null && at.level !== "layer") {
    trail.push({ to: `layers.${layer}`, text: numbering.layerTitle(layer) });
  }
  if (at.level === "number" && at.head !== null && layer !== null) {
    trail.push({ to: `layers.${layer}.heads.${at.head}`, text: numbering.headTitle(at.head) });
  }
  return trail;
}

// Where a number of a forward pass comes from: a sum of products, a share of a row, what was written.
//
// explain() returns { value, says, by, chapter, rows }. A row is { factors, value }: its value is
// what it adds to the number, its factors are what it is made of, each { text, value, to }; `to` is a
// place that can be asked in its turn, and a factor without one is a parameter, or a plain number.
// Sums are kept as they are found; what is printed of them is words.js's business.

import * as places from "./selection.js";

const WEIGHTS = "attention/self_attention";
const FORMULAS = {
  embedding: ["the row of the token in the embedding table", "inputs.embed", "inputs/embedding"],
  norm: ["a number of the stream, divided by the size of its row, times a learned gain", "", "blocks/residual_norm"],
  queries: ["a row of W_Q times what was read, turned by the token’s position", "attention.MultiHeadAttention.project", "attention/multi_head"],
  keys: ["a row of W_K times what was read, turned by the token’s position", "attention.MultiHeadAttention.project", "attention/multi_head"],
  values: ["a row of W_V times what was read", "attention.MultiHeadAttention.project", "attention/multi_head"],
  scores: ["the dot product of a query and a key, divided by √K", "attention.attention_scores", WEIGHTS],
  weights: ["softmax: this score’s exp, as a share of the exps of its row", "attention.softmax", WEIGHTS],
  heads: ["the values of all tokens, each times its weight", "attention.attention", WEIGHTS],
  output: ["what the heads found, times a row of W_O", "attention.MultiHeadAttention", "attention/multi_head"],
  residual: ["the sum of all that has been written to the stream so far", "blocks.DecoderLayer", "blocks/residual_norm"],
  activations: ["silu of the gate, times what W_up makes of the stream", "blocks.swiglu", "blocks/feed_forward"],
  written: ["the activations, times a row of W_down", "blocks.feed_forward", "blocks/feed_forward"],
  logits: ["the dot product of the last stream, after its norm, and the token’s row of the table", "blocks.DecoderOnly", "blocks/lm_head"],
}; // prettier-ignore

const of = (kind) => {
  const [says, by, chapter] = FORMULAS[kind];
  return { says, by: by && `plainformer.${by}`, chapter };
};

/** What a number is made of. steps: a Map; tensor(name): a parameter or null; ids: what was read. */
export function explain(at, { steps, tensor, config, ids }) {
  const { name, index, layer, part } = at;
  const { d_head: K, n_layers } = config;
  const pre = config.norm_place === "pre";
  const groups = config.n_heads / config.n_kv_heads;
  const get = (step, ...place) => {
    const { shape, data } = steps.get(step);
    return data[place.reduce((sum, each, i) => sum * shape[i] + each, 0)];
  };
  const value = get(name, ...index);
  const step = (rest) => `layers.${layer}.${rest}`;
  const factor = (text, which, ...place) => ({
    text,
    value: get(which, ...place),
    to: places.numberAt(which, ...place),
  });
  const parameter = (which, ...place) => {
    const found = tensor(which);
    if (!found) return null;
    const { shape, data } = found;
    const number = data[place.reduce((sum, each, i) => sum * shape[i] + each, 0)];
    return { text: `${which}[${place.join(", ")}]`, value: number };
  };
  const times = (...factors) => ({
    factors,
    value: factors.reduce((product, each) => product * each.value, 1),
  });
  const plain = (each) => ({ factors: [each], value: each.value });

  /** A row of a matrix times a row of a step. */
  function product(weight, row, source, t, bias) {
    const size = steps.get(source).shape.at(-1);
    if (!tensor(weight)) return [];
    const rows = Array.from({ length: size }, (_, i) =>
      times(factor(`number ${i}`, source, t, i), parameter(weight, row, i)),
    );
    const added = tensor(bias) && parameter(bias, row);
    return added ? [...rows, plain(added)] : rows;
  }
  const sum = (rows) => rows.reduce((total, each) => total + each.value, 0);

  /** The stream that a layer's first sublayer reads, and its second. */
  const before = layer > 0 ? `layers.${layer - 1}.residual_2` : "embedding";
  const streams = { norm_1: before, norm_2: step("residual_1"), norm: `layers.${n_layers - 1}.residual_2` };
  const written = { norm_1: step("attention.output"), norm_2: step("feed_forward.output") };
  const input = { 1: pre ? step("norm_1") : before, 2: pre ? step("norm_2") : step("residual_1") };

  function normed() {
    const [t, d] = index;
    const source = streams[part];
    const rows = [factor("stream", source, t, d)];
    if (!pre && written[part]) rows.push(factor("written", written[part], t, d));
    const D = config.d_model;
    const stretch = Array.from({ length: D }, (_, i) =>
      get(source, t, i) + (!pre && written[part] ? get(written[part], t, i) : 0),
    );
    const mean = config.norm === "rms" ? 0 : stretch.reduce((a, b) => a + b, 0) / D;
    const spread = stretch.reduce((a, b) => a + (b - mean) ** 2, 0) / D;
    const size = { text: "1 ÷ size", value: 1 / Math.sqrt(spread + config.norm_eps) };
    const gain = parameter(`${name}.gamma`, d);
    const by = `plainformer.blocks.${config.norm === "rms" ? "rms_norm" : "layer_norm"}`;
    if (config.norm !== "rms" || !pre) {
      return { ...of("norm"), by, rows: rows.map(plain), loose: true };
    }
    return { ...of("norm"), by, rows: [times(...rows, size, ...(gain ? [gain] : []))] };
  }

  /** Two numbers that the position turns into one, or the number itself. */
  function projected(which) {
    const [h, t, k] = index;
    const found = of(which);
    const weight = step(`attention.w_${which[0]}.weight`);
    const bias = step(`attention.w_${which[0]}.bias`);
    if (!tensor(weight)) return { ...found, rows: [] }; // it comes
    const turned = config.positions === "rope" && which !== "values" && t > 0;
    if (!turned) return { ...found, rows: product(weight, h * K + k, input[1], t, bias) };
    const half = config.pair_layout === "half";
    const first = half ? k < K / 2 : k % 2 === 0;
    const other = half ? (k + K / 2) % K : first ? k + 1 : k - 1;
    const parts = [k, other].map((row) => sum(product(weight, h * K + row, input[1], t, bias)));
    const [a, b] = parts;
    // value = a cos ∓ b sin: with one equation and cos² + sin² = 1 the angle follows from the pair.
    const mate = get(name, h, t, other);
    const norm = a * a + b * b || 1e-12;
    const cos = (a * value + b * mate) / norm;
    const sin = (b * value - a * mate) / norm;
    const single = which === "keys" ? "key" : "query";
    const strongest = (row) =>
      product(weight, h * K + row, input[1], t, bias)
        .reduce((most, each) => (Math.abs(each.value) > Math.abs(most.value) ? each : most));
    // The sum before the turn is no step of the trace: a press leads to what adds most to it.
    const unturned = (row, total) => {
      const { text, to } = strongest(row).factors[0];
      return { text: `${single} ${row} unturned, most from ${text}`, value: total, to };
    };
    return {
      ...found,
      rows: [
        times(unturned(k, a), { text: "cosine", value: cos }),
        times(unturned(other, b), { text: "± sine", value: sin }),
      ],
    };
  }

  function residual() {
    const [t, d] = index;
    if (!pre) return { ...of("residual"), rows: [plain(factor("the norm", step(part.replace("residual", "norm")), t, d))] };
    const rows = [plain(factor("embedding", "embedding", t, d))];
    for (let l = 0; l <= layer; l += 1) {
      rows.push(plain(factor(`layer ${l}, attention`, `layers.${l}.attention.output`, t, d)));
      if (l < layer || part === "residual_2") {
        rows.push(plain(factor(`layer ${l}, feed-forward`, `layers.${l}.feed_forward.output`, t, d)));
      }
    }
    return { ...of("residual"), rows, ordered: true };
  }

  const kinds = {
    embedding() {
      const [t, d] = index;
      const found = parameter("embedding.tokens", ids[t], d);
      return { ...of("embedding"), rows: found ? [plain(found)] : [], loose: true };
    },
    norm: normed,
    norm_1: normed,
    norm_2: normed,
    "attention.queries": () => projected("queries"),
    "attention.keys": () => projected("keys"),
    "attention.values": () => projected("values"),
    "attention.scores"() {
      const [h, t, s] = index;
      const g = Math.floor(h / groups);
      const root = { text: "1 ÷ √K", value: 1 / Math.sqrt(K) };
      const rows = Array.from({ length: K }, (_, k) =>
        times(factor(`query ${k}`, step("attention.queries"), h, t, k), factor(`key ${k}`, step("attention.keys"), g, s, k), root),
      );
      if (config.positions === "alibi") {
        rows.push(plain({ text: "bias for the distance", value: value - sum(rows) }));
      }
      return { ...of("scores"), rows, later: s > t };
    },
    "attention.weights"() {
      const [h, t, s] = index;
      const T = steps.get(name).shape[2];
      const rows = Array.from({ length: T }, (_, i) => ({
        factors: [{ ...factor(`score for token ${i}`, step("attention.scores"), h, t, i), token: i }],
        value: get(name, h, t, i),
        here: i === s,
      })).filter((row, i) => i <= t);
      return { ...of("weights"), rows, ordered: true, shares: true, later: s > t };
    },
    "attention.heads"() {
      const [h, t, k] = index;
      const g = Math.floor(h / groups);
      const T = steps.get(step("attention.weights")).shape[2];
      const rows = Array.from({ length: T }, (_, s) =>
        times({ ...factor(`weight of token ${s}`, step("attention.weights"), h, t, s), token: s }, factor(`its value ${k}`, step("attention.values"), g, s, k)),
      );
      return { ...of("heads"), rows };
    },
    "attention.output"() {
      const [t, d] = index;
      const weight = step("attention.w_o.weight");
      if (!tensor(weight)) return { ...of("output"), rows: [] };
      const rows = Array.from({ length: config.n_heads * K }, (_, i) =>
        times(factor(`head ${Math.floor(i / K)}, number ${i % K}`, step("attention.heads"), Math.floor(i / K), t, i % K), parameter(weight, d, i)),
      );
      const bias = parameter(step("attention.w_o.bias"), d);
      return { ...of("output"), rows: bias ? [...rows, plain(bias)] : rows };
    },
    residual_1: residual,
    residual_2: residual,
    "feed_forward.activations"() {
      const [t, f] = index;
      const made = (which) => product(step(`feed_forward.${which}.weight`), f, input[2], t, step(`feed_forward.${which}.bias`));
      const up = made("w_up");
      const found = of("activations");
      if (!up.length) return { ...found, rows: [] };
      const lead = (rows) => rows.reduce((most, each) => (Math.abs(each.value) > Math.abs(most.value) ? each : most)).factors[0];
      const mostly = (text, total, rows) => ({ text: `${text}, most from ${lead(rows).text}`, value: total, to: lead(rows).to });
      if (config.activation !== "swiglu") {
        return { ...found, says: `${config.activation} of what W_up makes of the stream`, by: `plainformer.blocks.${config.activation}`, rows: [plain(mostly("W_up · stream", sum(up), up))], loose: true };
      }
      const gates = made("w_gate");
      if (!gates.length) return { ...found, rows: [] };
      const gate = sum(gates);
      return { ...found, rows: [times(mostly("silu(gate)", gate / (1 + Math.exp(-gate)), gates), mostly("W_up · stream", sum(up), up))] };
    },
    "feed_forward.output"() {
      const [t, d] = index;
      return { ...of("written"), rows: product(step("feed_forward.w_down.weight"), d, step("feed_forward.activations"), t, step("feed_forward.w_down.bias")) };
    },
    logits() {
      const [t, v] = index;
      const table = tensor("head.table") ? "head.table" : "embedding.tokens";
      return { ...of("logits"), rows: product(table, v, pre ? "norm" : streams.norm, t, "head.bias") };
    },
  };
  return { value, ...kinds[part]() };
} // prettier-ignore

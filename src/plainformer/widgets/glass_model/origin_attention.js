// Where the numbers of attention come from: queries, keys and values, scores, weights, what the heads
// find and what is written of it. See origin.js.

import * as numbering from "../kit/numbering.js";
import * as alibi from "../engine/alibi.js";
import * as rope from "../engine/rope.js";
import * as streams from "./origin_stream.js";
import * as parts from "./parts.js";
const { plain, times } = parts;

const CHAPTER = "attention/self_attention";
const HEADS = "attention/multi_head";
const TURNS = "attention/relative_positions";
const step = ({ layer }, rest) => `layers.${layer}.attention.${rest}`;
const groupOf = (h, { n_heads, n_kv_heads }) => Math.floor((h * n_kv_heads) / n_heads);

/** A row of W_Q, W_K or W_V times what was read: before the turn, where there is one. */
const projected = (which) => ({ at, config, product }) => {
  const [h, t, k] = at.index;
  const part = step(at, `w_${which[0]}`);
  const rows = product(`${part}.weight`, h * config.d_head + k, streams.readBy(1, at, config), t, `${part}.bias`);
  const says = `a row of W_${which[0].toUpperCase()} times what was read`;
  return { says, by: "attention.MultiHeadAttention.project", chapter: HEADS, rows };
};

/** Two numbers that the position turns: the one that is asked about comes from both. */
const turned = (which) => (given) => {
  const { at, config, positions, factor, made } = given;
  const [h, t, k] = at.index;
  if (config.positions !== "rope" || !positions || t === 0) return projected(which)(given);
  const half = config.d_head / 2;
  const [pair, isFirst, other] = config.position_layout === "half"
    ? [k % half, k < half, (k + half) % config.d_head]
    : [k >> 1, k % 2 === 0, k % 2 === 0 ? k + 1 : k - 1];
  const unturned = (number) => factor(`number ${number + 1}, before rotation`, `${at.name}.unturned`, h, t, number);
  const [name, sine] = isFirst ? ["− sine", (x) => -Math.sin(x)] : ["sine", Math.sin];
  const rows = [
    times(unturned(k), made("cosine", Math.cos, "angles", t, pair)),
    times(unturned(other), made(name, sine, "angles", t, pair)),
  ];
  const says = "one of a pair of numbers, rotated by an angle that depends on the token’s position";
  return { says, by: "inputs.apply_rope", chapter: TURNS, rows };
};

function angles({ at, config, positions }) {
  const [t, i] = at.index;
  const place = { text: "position", value: positions ? t : 0 };
  const speed = { text: `rotation of pair ${i + 1} at each step`, value: rope.ropeFrequencies(config.d_head, config)[i] };
  const says = "the token’s position, which counts from 0, times how far this pair is rotated at each step, in radians";
  return { says, by: "inputs.rope_angles", chapter: TURNS, rows: [times(place, speed)] };
}

function scores({ at, config, positions, factor }) {
  const [h, t, s] = at.index;
  const g = groupOf(h, config);
  const root = { text: "1 ÷ √K", value: 1 / Math.sqrt(config.d_head) };
  const rows = Array.from({ length: config.d_head }, (_, k) =>
    times(factor(`query ${k + 1}`, step(at, "queries"), h, t, k), factor(`key ${k + 1}`, step(at, "keys"), g, s, k), root),
  );
  const biased = config.positions === "alibi" && positions;
  if (biased) {
    const slope = { text: `− slope of ${numbering.headName(h)}`, value: -alibi.alibiSlopes(config.n_heads)[h] };
    rows.push(times(slope, { text: "distance", value: Math.abs(t - s) }));
  }
  const less = biased ? ", less a penalty for the distance" : "";
  const says = `the dot product of a query and a key, divided by √K${less}`;
  return { says, by: "attention.attention_scores", chapter: CHAPTER, rows, later: s > t };
}

function weights({ at, get, factor }) {
  const [h, t, s] = at.index;
  const rows = Array.from({ length: t + 1 }, (_, i) => ({
    factors: [{ ...factor(`score for token ${i + 1}`, step(at, "scores"), h, t, i), token: i }],
    value: get(at.name, h, t, i),
    here: i === s,
  }));
  const says = "softmax: exp of this score, divided by the sum of the exps in its row";
  return { says, by: "attention.softmax", chapter: CHAPTER, rows, ordered: true, shares: true, later: s > t };
}

function heads({ at, config, factor }) {
  const [h, t, k] = at.index;
  const g = groupOf(h, config);
  const rows = Array.from({ length: t + 1 }, (_, s) =>
    times({ ...factor(`weight of token ${s + 1}`, step(at, "weights"), h, t, s), token: s }, factor(`its value ${k + 1}`, step(at, "values"), g, s, k)),
  );
  const says = "the values of all tokens up to this one, each times its weight";
  return { says, by: "attention.attention", chapter: CHAPTER, rows };
}

function output({ at, config, factor, parameter }) {
  const [t, d] = at.index;
  const { n_heads, d_head: K } = config;
  const rows = Array.from({ length: n_heads * K }, (_, i) => {
    const [head, k] = [Math.floor(i / K), i % K];
    return times(factor(`${numbering.headName(head)}, number ${k + 1}`, step(at, "heads"), head, t, k), parameter(step(at, "w_o.weight"), d, i));
  });
  const bias = parameter(step(at, "w_o.bias"), d);
  const says = "what the heads found, times a row of W_O";
  return { says, by: "attention.MultiHeadAttention", chapter: HEADS, rows: bias ? [...rows, plain(bias)] : rows };
}

/** The origin of each kind of number, by the name of its step without the layer. */
export const kinds = {
  angles,
  "attention.queries": turned("queries"),
  "attention.queries.unturned": projected("queries"),
  "attention.keys": turned("keys"),
  "attention.keys.unturned": projected("keys"),
  "attention.values": projected("values"),
  "attention.scores": scores,
  "attention.weights": weights,
  "attention.heads": heads,
  "attention.output": output,
}; // prettier-ignore

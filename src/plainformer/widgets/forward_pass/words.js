// What ForwardPass says: the name of a stop, its chapter, and a sentence with the pass's own numbers.

import * as kit from "../kit/kit.js";
import * as numbering from "../kit/numbering.js";
import * as written from "../kit/token_words.js";

const STOPS = {
  ids: ["IDs", "Text becomes IDs", "inputs/tokenization", "Tokenization", "T,"],
  rows: ["embedding", "Rows of the table", "inputs/embedding", "Embedding", "T, D"],
  norm_1: ["attention", "Norm", "blocks/residual_norm", "Residual and norm", "T, D"],
  heads: ["attention", "Heads", "attention/multi_head", "Multi-head", "H, T, T"],
  add_1: ["attention", "Addition", "blocks/residual_norm", "Residual and norm", "T, D"],
  norm_2: ["feed-forward", "Norm", "blocks/residual_norm", "Residual and norm", "T, D"],
  units: ["feed-forward", "Units", "blocks/feed_forward", "Feed-forward", "T, F"],
  add_2: ["feed-forward", "Addition", "blocks/residual_norm", "Residual and norm", "T, D"],
  norm: ["last norm", "The last norm", "blocks/residual_norm", "Residual and norm", "T, D"],
  logits: ["logits", "Logits", "blocks/lm_head", "The head", "T, V"],
  softmax: ["logits", "Probabilities", "decoding/next_token", "Next token", "T, V"],
};
const LAYERED = ["norm_1", "heads", "add_1", "norm_2", "units", "add_2"];

/** A token without the space in front of it, which most words have. */
export const shown = (token) => written.label(token.trimStart() || token);

/** Whether a stop leaves a new vector in the stream. */
export const isStream = (kind) => ["rows", "add_1", "add_2", "norm"].includes(kind);

/** The name of a row of the tower, by its first stop. */
export function floor({ kind, layer }) {
  if (kind === "ids") return "embedding";
  return LAYERED.includes(kind) ? `${numbering.ordinal(layer)} ${STOPS[kind][0]}` : STOPS[kind][0];
}

/** "Layer 3, attention: heads" */
export function title({ kind, layer }) {
  const [part, name] = STOPS[kind];
  return LAYERED.includes(kind) ? `${numbering.layerTitle(layer)}, ${part}: ${name.toLowerCase()}` : name;
}

/** "(T, D) = (6, 128)" */
export function shape({ kind, shape: sizes }) {
  const numbers = sizes.length === 1 ? `${sizes[0]},` : sizes.join(", ");
  return `(${STOPS[kind][4]}) = (${numbers})`;
}

/** What the vector of a stop is called. */
export const called = (kind) =>
  ({ units: "Units", norm_1: "Copy", norm_2: "Copy", norm: "Result" })[kind] ?? "Stream";

/** The chapter that explains a stop: a link where the page knows the way to it. */
export function link(kind, chapters) {
  const [, , page, name] = STOPS[kind];
  const words = `Explained in ${name}`;
  return chapters === null ? words : kit.h("a", { href: `${chapters}/${page}.html` }, words);
}

/** The last depth whose stream is complete at a stop, or null while there is none. */
export function depthOf(stops, stop) {
  const ends = stops.slice(0, stop + 1).filter(({ kind }) => ["rows", "add_1", "add_2"].includes(kind));
  return ends.length ? ends.length - 1 : null;
}

/** The words above the likeliest tokens. */
export function heading(kind) {
  if (kind === "ids") return "No vector yet, so nothing to say.";
  return kind === "softmax" ? "The next token" : "If it stopped here, it would say";
}

const two = (number) => kit.format(number, 2).replace("-", "−");

/** A sentence or two about a stop. */
export function sentence(data, tokens, { stop, token }) {
  const { stops, lengths, sizes, ids } = data;
  const { kind, layer } = stops[stop];
  const name = `“${tokens[token]}”`;
  const depth = depthOf(stops, stop);
  const [word, share] = depth === null ? [] : first(data, depth, token);
  const before = lengths.slice(0, stop).findLast((each, s) => each && isStream(stops[s].kind))?.[token];
  const length = lengths[stop] && two(lengths[stop][token]);
  const grows = `from ${two(before ?? 0)} to ${length}`;
  switch (kind) {
    case "ids": {
      const count = kit.many(tokens.length, "whole number");
      return `The text is now ${count}. ${name} has ID ${kit.format(ids[token])}, out of ${kit.format(sizes.V)}.`;
    }
    case "rows":
      return `Row ${kit.format(ids[token])} of the table is the vector of ${name}: ${sizes.D} numbers, of length ${length}.`;
    case "norm_1":
    case "norm_2": {
      const reader = kind === "norm_1" ? "The heads read" : "The feed-forward network reads";
      return `${reader} a normalised copy of the stream. The copy’s length goes ${grows}, and the stream stays.`;
    }
    case "heads": {
      const wrote = data.wrote[layer].map((each) => each[token]);
      const head = wrote.indexOf(Math.max(...wrote));
      const row = data.weights[layer][head][token];
      const most = row.indexOf(Math.max(...row));
      const where = most === token ? `${name} itself` : `“${tokens[most]}”`;
      return `Each head looks back with weights of its own. ${numbering.headTitle(head)} will write most, and it gives ${written.share(row[most])} to ${where}.`;
    }
    case "units": {
      const [unit, value] = data.units[layer][token];
      return `${kit.many(sizes.F, "unit")} now work on ${name} alone. The strongest is unit ${unit}, at ${two(value)}.`;
    }
    case "add_1":
    case "add_2": {
      const [old] = first(data, depth - 1, token);
      const what = kind === "add_1" ? "What the heads found" : "What the units found";
      const still = old === word ? "It would still say" : `Not “${old}” any more, it would say`;
      return `${what} is added, and the stream’s length goes ${grows}. ${still} “${word}”, ${share}.`;
    }
    case "norm":
      return `One last norm takes the length ${grows}. From here on, nothing more is added.`;
    case "logits": {
      const same = data.tied ? "the same table" : "the output table";
      return `The dot product with each of the ${kit.format(sizes.V)} rows of ${same}: the largest logit is that of “${word}”, ${two(data.logits[token])}.`;
    }
    default:
      return `Softmax turns the logits into probabilities. After ${name} comes “${word}” with ${share}.`;
  }
}

/** The likeliest token at a depth, and its probability as it is written. */
function first(data, depth, token) {
  return [shown(data.words[depth][token][0]), written.share(data.shares[depth][token][0])];
}

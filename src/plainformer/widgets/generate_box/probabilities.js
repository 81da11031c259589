// What the settings of a GenerateBox make of a model's logits, and what is worth showing of it.

import * as heat from "../formulas/temperature.js";
import * as penalties from "../formulas/penalties.js";
import * as sampling from "../formulas/sampling.js";
import * as philox from "../formulas/philox.js";

/** Rows that the panel shows. */
export const SHOWN = 8;

/** The logits that a token is drawn from: penalties, temperature, top-k, top-p, min-p. */
export function filtered(logits, prompt, output, settings) {
  const { frequency_penalty, presence_penalty, repetition_penalty } = settings;
  const { temperature, top_k, top_p, min_p } = settings;
  const size = logits.length;
  const written = penalties.countTokens(output, size);
  let z = logits;
  if (frequency_penalty !== 0) z = penalties.frequencyPenalty(z, written, frequency_penalty);
  if (presence_penalty !== 0) z = penalties.presencePenalty(z, written, presence_penalty);
  if (repetition_penalty !== 1) {
    const all = penalties.countTokens([...prompt, ...output], size);
    z = penalties.repetitionPenalty(z, all, repetition_penalty);
  }
  z = heat.applyTemperature(z, temperature);
  if (top_k !== null) z = sampling.topK(z, top_k);
  if (top_p !== null) z = sampling.topP(z, top_p);
  if (min_p !== null) z = sampling.minP(z, min_p);
  return z;
}

/** The number, at least 0 and below 1, that draws token n of a continuation. */
export const luck = (seed, n) => philox.randomAt(seed, n);

/**
 * One place of the text: { logits, before, after, next, left, cut }. logits are those to draw from;
 * before and after are the probabilities of all tokens, without and with the settings; next is what
 * this place's number draws; left says how many tokens can be drawn, and cut how much of the model's
 * probability the others had.
 */
export function outcome(given, prompt, output, settings) {
  const logits = filtered(given, prompt, output, settings);
  const before = heat.softmax(given);
  const after = heat.softmax(logits);
  const next = sampling.draw(after, luck(settings.seed, output.length));
  let left = 0;
  let cut = 0;
  logits.forEach((each, id) => {
    if (each > -Infinity) left += 1;
    else cut += before[id];
  });
  return { logits, before, after, next, left, cut };
}

/** A token of an outcome: cut says that it cannot be drawn. */
export function rowOf({ logits, before, after }, id) {
  return { id, before: before[id], after: after[id], cut: logits[id] === -Infinity };
}

/** The most probable tokens of an outcome, after the settings and then before them. */
export function best(seen, count) {
  const { before, after } = seen;
  const ahead = (a, b) => after[a] - after[b] || before[a] - before[b] || b - a;
  const found = [];
  for (let id = 0; id < after.length; id += 1) {
    if (found.length === count && ahead(id, found[count - 1]) <= 0) continue;
    let at = found.length;
    while (at > 0 && ahead(id, found[at - 1]) > 0) at -= 1;
    found.splice(at, 0, id);
    if (found.length > count) found.pop();
  }
  return found.map((id) => rowOf(seen, id));
}

// What a GlassModel says in a sentence: what the model would write, and what an experiment changed.

import * as kit from "../kit/kit.js";
import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";
import * as comparing from "./compare.js";
import * as numbers from "./number.js";

/** "layer 2" of "1", "head 3 of layer 2" of "1.2". */
export function partName(each) {
  const [layer, head] = each.split(".");
  const name = numbering.layerName(layer);
  return head === undefined ? name : `${numbering.headName(head)} of ${name}`;
}

/** "head 3 of layer 2, layer 4, positions off, “(” hidden"; "" where nothing is. */
export function changes({ off, hidden, positions, patch }, tokens) {
  const parts = off.map(partName);
  if (!positions) parts.push("positions");
  const said = parts.length ? [`${parts.join(", ")} off`] : [];
  const names = hidden.filter((t) => t < tokens.length).map((t) => numbering.tokenName(tokens, t));
  if (names.length) said.push(`${names.join(", ")} hidden`);
  if (patch) said.push(`the second text’s stream taken in after ${numbering.layerName(patch.layer)} at ${numbering.tokenName(tokens, patch.token)}`);
  return said.join(", ");
}

const best = ([first], word) => `“${word(first.id)}” ${written.share(first.share)}`;

/** The sentence of the model as it stands; plain is what it says without experiments, or null. */
export function outcome({ isTwo, tokens, place, temperature, list, plain, word, experiments, left, full, step }) {
  const where = `${isTwo ? "in the first text after" : "after"} ${numbering.tokenName(tokens, place)}`;
  const heat = temperature === 1 ? "" : ` at temperature ${Number(temperature.toPrecision(2))}`;
  const none = left ? ` The first ${kit.many(left, "token")} had no room, so they are not read.` : "";
  const told = full ? `${none} The box is full: no letter finds room after these.` : none;
  const young = step === null ? "" : `After ${kit.many(step, "step")} of training, `;
  if (!list) return `The next token ${where}${heat}: the model is being asked.${told}`;
  if (experiments && plain) {
    return `${young}${young ? "with" : "With"} ${experiments}: after ${numbering.tokenName(tokens, place)}${heat}, before ${best(plain, word)} → now ${best(list, word)}.${told}`;
  }
  const second = list[1] ? `, then ${best(list.slice(1), word)}` : "";
  const first = experiments ? `With ${experiments}: the` : "The";
  return `${young}${young ? first[0].toLowerCase() + first.slice(1) : first} most likely next token ${where}${heat} is ${best(list, word)}${second}.${told}`;
}

/** The sentence of a layer, a head, a number or the second text, which a reader has opened. */
export function opened(at, { tokens, place, made, second, temperature, word }) {
  if (at.level === "compare") {
    const there = comparing.partner(place, tokens.length, second.ids.length);
    const list = there === null ? null : second.summary?.next(there, temperature);
    return list ? `In the second text, the most likely token after “${second.tokens[there]}” is ${best(list, word)}.` : "";
  }
  if (at.level === "layer") return `${numbering.layerTitle(at.layer)}: its heads, and the stream of ${numbering.tokenName(tokens, place)}.`;
  if (at.level === "head") return `${numbering.headTitle(at.head)} of ${numbering.layerName(at.layer)}: where each token looks; the row of “${tokens[place]}” is chosen.`;
  const name = `${at.name}[${at.index.join(", ")}]`;
  return made ? `${name} is ${numbers.figure(made.value)}: ${made.says}.` : `${name}: its value comes with the weights.`;
}

/** What happens to characters that the vocabulary does not have. */
export function strange(all) {
  if (!all.length) return "";
  const name = all.slice(0, 3).map((each) => `“${each}”`).join(", ");
  return ` The vocabulary has no token for ${name}, so the model reads bytes instead. If it has seldom seen them in training, it may go on with nonsense.`;
}

/** What is said of the weights: that they come, or why they do not. */
export function arrival({ state, share, failure }) {
  if (state === "loading") return ` The weights are being fetched: ${Math.round(100 * share)}%.`;
  return state === "failed" ? ` ${failure}` : "";
}

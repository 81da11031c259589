// What a Translator says: of a step, of a look, of words that it does not know.

import * as written from "../kit/token_words.js";
import * as numbering from "../kit/numbering.js";

/** Words in quotation marks, as a list in a sentence. */
export function listed(words) {
  const quoted = words.map((word) => `“${word}”`);
  const last = quoted.pop();
  return quoted.length ? `${quoted.join(", ")} and ${last}` : last;
}

export const how = (beams) => (beams === 1 ? "by greedy search" : `with ${beams} beams`);
export const headName = (head) => (head === null ? "all heads" : numbering.headName(head));

/** Why a text cannot be translated; "" if it can. */
export function complaint(text, count, most) {
  if (/\p{Cs}/u.test(text)) return "This text holds half of a character, which nobody can read.";
  return count > most ? `This has ${count} words; the model reads ${most} at most.` : "";
}

/** What the model reads as <unk>; "" where it knows all. */
export const strangers = (words) =>
  words.length ? ` It does not know ${listed(words)}: it reads <unk> there, and guesses.` : "";

/** What is said of the weights: that they come, or why they do not. */
export function arrival({ state, share, failure }) {
  if (state === "loading") return ` The model is being fetched: ${Math.round(100 * share)}%.`;
  return state === "failed" ? ` ${failure}` : "";
}

/** How a text stands: whole, or after so many words. */
export function stand({ english, italian, step, total, done, beams }) {
  if (step === 0) return `“${english}” is read, ${how(beams)}. Nothing is written yet.`;
  if (done && step >= total) return `“${english}” becomes “${italian}”, ${how(beams)}.`;
  return `Step ${step}${done ? ` of ${total}` : ""}, ${how(beams)}: “${italian}”.`;
}

/** What another text of the same step is, that does not lead: rank is 1 for the second. */
export const other = ({ italian, step, beams }, rank, chance) =>
  `Text ${rank + 1} after step ${step}, ${how(beams)}, probability ${written.share(chance)}: “${italian}”.`;

/** What is said before the first step. */
export const waiting = (english, beams, { state }) =>
  `“${english}”, ${how(beams)}.${state === "ready" ? " The model reads." : ""}`;

/** Where a word looked: at the one with most weight, and at the one that is chosen, if it is another. */
export function attended({ word, most, chosen, layer, head }) {
  const where = `(${numbering.layerName(layer)}, ${headName(head)})`;
  const first = `${most.text}: ${written.share(most.share)}`;
  const other = chosen ? `; at ${chosen.text}: ${written.share(chosen.share)}` : "";
  return `To write ${word} it looks most at ${first} ${where}${other}.`;
}

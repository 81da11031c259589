// Words and their ids, as plainformer.training.vocabulary has them: an apostrophe parts two words.

const SPECIAL = ["<pad>", "<unk>", "<sos>", "<eos>"];
const INSIDE = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}"; // Python's \w
const LETTER = `[${INSIDE}]`;
const ENGLISH = `['’](?:s|t|d|m|re|ve|ll)(?!${LETTER})`; // 's belongs to the right, l' to the left
const WORD = `${LETTER}+(?=${ENGLISH})|${ENGLISH}|${LETTER}+['’](?=${LETTER})|${LETTER}+`;
const PATTERN = new RegExp(`${WORD}|[^${INSIDE}\\p{White_Space}]`, "gu");
const CLOSES = new RegExp(`^(?:[.,;:!?…)\\]»]|${ENGLISH})$`, "u");
const ELIDED = new RegExp(`${LETTER}['’]$`, "u");

export const ids = { pad: 0, unk: 1, sos: 2, eos: 3 };

/** The words of a text, whether known or not. */
export const split = (text) => text.match(PATTERN) ?? [];

/** Words as they are written: no space at an apostrophe, and none before a comma. */
export function join(words) {
  return words.reduce((text, word) => {
    const close = !text || CLOSES.test(word) || ELIDED.test(text);
    return close ? text + word : `${text} ${word}`;
  }, "");
}

/** A vocabulary of these words, in the order of their ids: { encode, decode, nameOf }. */
export function makeVocabulary(words) {
  const names = [...SPECIAL, ...words];
  const known = new Map(names.map((name, id) => [name, id]));
  const encode = (text) => split(text).map((word) => known.get(word) ?? ids.unk);
  function decode(list) {
    const end = list.indexOf(ids.eos);
    const whole = end < 0 ? list : list.slice(0, end);
    return join(whole.filter((id) => id !== ids.pad && id !== ids.sos).map((id) => names[id]));
  }
  return { encode, decode, nameOf: (id) => names[id] };
}

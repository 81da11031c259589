// A vocabulary of characters, for a text that is too short for a tokenizer to be trained on.

const MOST = 160; // of the most frequent; all others share a place
const OTHER = "�";

/**
 * The characters of a text: { names, unknown, encode, decode }; unknown is the id of all that have no
 * place of their own, null where each has one. Characters are what a reader counts, not bytes.
 */
export function makeCharacters(text) {
  const counts = new Map();
  for (const each of text) counts.set(each, (counts.get(each) ?? 0) + 1);
  const kept = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)).slice(0, MOST);
  const names = kept.sort();
  if (counts.size > MOST) names.push(OTHER);
  const places = new Map(names.map((name, id) => [name, id]));
  return {
    names,
    unknown: counts.size > MOST ? MOST : null,
    encode: (part) => Array.from(part, (each) => places.get(each) ?? names.length - 1),
    decode: (ids) => ids.map((id) => names[id]).join(""),
  };
}

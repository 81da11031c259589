// The words of a question and of the book: which are one word, which mean the same, which say nothing.
//
// The index holds words as they were written; everything that is known of English stands here.
"use strict";

/** What the scripts of the search share: index.js fills `index`, the files beside it fill `texts`. */
const pfSearch = { texts: [] };

/** The words of a text, small, and a joined one by its parts as well. As `words` in search_index.py. */
pfSearch.words = (text) => {
  const plain = text.replaceAll("√", " sqrt ").replaceAll("’", "'").normalize("NFKC").toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? []).map((word) => {
    const parts = word.split(/[-_]/);
    return parts.length > 1 ? [parts.join(""), ...parts] : parts;
  });
};

// What ends a word without changing what it is about; the first that leaves three letters goes.
const ENDINGS = [
  /(at(ions?|ional|ing|ed|es?|ors?|ive))$/,
  /(ion(s|al)?)$/,
  /(ies|ied|y)$/,
  /(ings?|ers?|ors?|ed|es|ly)$/,
  /[se]$/,
];
const WHOLE = /[saiu]s$/; // class, analysis: this s is the word's own

/** The stem of a word: "masks", "masked" and "masking" have the same. */
pfSearch.stem = (word) => {
  if (word.length < 4 || /\d/.test(word)) return word;
  let left = word.replace(/is(?=(e[sd]?|ers?|ing|ations?)$)/, "iz"); // normalise, normalize
  for (const ending of WHOLE.test(left) ? [] : ENDINGS) {
    const shorter = left.replace(ending, "");
    if (shorter !== left && shorter.length >= 3) {
      left = shorter;
      break;
    }
  }
  return left.length > 3 ? left.replace(/([^aeiou])\1$/, "$1") : left; // padding, pad; but adding, add
};

/** Words that a question is asked with, and that say nothing of what is sought. */
pfSearch.idle = new Set(
  `a about all am an and any are as at be but by can could did do does for from get gets had has have
  go how i if in into is it its itself just let many me mean means much must my need needs not of on one or
  our out really s should so some stand than that the their them then there they this to us use used uses using versus vs
  was we were what when where which who why will with without work works would you your`.split(/\s+/),
);

// What readers say, and what else the book may call it. Several words: all of them.
const ALIKE = [
  "sqrt; square root; root", "divide; division; scale", "nan; not a number; infinity", "memory; bytes",
  "fast; faster; speed; time", "slow; time; cost", "kv; key value", "ffn; mlp; feed forward",
  "rope; rotary", "nucleus; top p", "bpe; byte pair; merges", "lm; language model", "greedy; argmax",
  "mha; multi head", "mqa; multi query", "gqa; grouped query", "order; position", "pad; padding; filler",
  "future; causal; ahead", "look; see", "parameters; weights", "word; token", "shortcut; skip; residual",
  "layernorm; layer norm", "learning rate; schedule; warm up", "repeat; repetition", "gpu; device; machine",
  "randomness; random; sample", "explode; vanish; gradient", "crash; stop; resume",
  "difference; compare; against", "big; large; size", "split; cut", "down; fall; decrease; learn",
  "letter; symbol; notation", "dimension; size", "load; read", "count; number",
].map((line) => line.split("; ")); // prettier-ignore

const key = (words) => words.map(pfSearch.stem).join(" ");
const others = new Map();
for (const group of ALIKE) {
  for (const one of group) {
    const rest = group.filter((each) => each !== one).map((each) => key(each.split(" ")).split(" "));
    others.set(key(one.split(" ")), [...(others.get(key(one.split(" "))) ?? []), ...rest]);
  }
}

/** What else a word, or some words in a row, may be called: lists of stems. */
pfSearch.alike = (stems) => others.get(stems.join(" ")) ?? [];

// Byte-pair encoding in the page: what BPETokenizer.encode does, kept as steps, and how a token
// reads.
//
// The trick that makes scrubbing cheap: a merge only ever removes the boundary between two symbols,
// so a pre-token is stored as its symbols and the step at which each boundary goes. Its tokens at
// any step are what lies between the boundaries that are still there.

/** More than any rank or step. */
export const NEVER = 0x7fffffff;

/** The tokenizer from its packed state. Bytes are kept as strings with one character a byte. */
export function makeTokenizer(packed) {
  const { byteLevel, pattern, alphabet, unknown, pairs, made, counts, prefixSpace, start } = packed;
  const names = []; // id -> the symbol's bytes or characters
  const singles = byteLevel
    ? alphabet.map((id, byte) => [String.fromCharCode(byte), id])
    : Array.from(alphabet[0], (character, i) => [character, alphabet[1][i]]);
  for (const [name, id] of singles) if (id >= 0) names[id] = name;
  const idOfSingle = new Map(singles);
  const results = Int32Array.from({ length: pairs.length / 2 }, (_, rank) =>
    typeof made === "number" ? made + rank : made[rank],
  ); // rank -> id that the merge makes
  // One pass names every token of a trained list; a hand-made one may have its merges in any order.
  for (let named = true; named; ) {
    named = false;
    results.forEach((id, rank) => {
      const left = names[pairs[2 * rank]];
      const right = names[pairs[2 * rank + 1]];
      if (id in names || left === undefined || right === undefined) return;
      names[id] = left + right;
      named = true;
    });
  }
  const size = names.length;
  const ranks = new Map(); // left * size + right -> rank
  for (let rank = results.length - 1; rank >= 0; rank -= 1) {
    ranks.set(pairs[2 * rank] * size + pairs[2 * rank + 1], rank);
  }
  const idOf = new Map();
  names.forEach((name, id) => idOf.set(name, id));
  const idOfName = (name) => idOf.get(name) ?? unknown; // null: the tokenizer refuses such a text
  const rankOf = (left, right) => ranks.get(left * size + right) ?? NEVER;
  const split = new RegExp(`(${pattern})`, "u");
  const utf8 = new TextEncoder();
  const spell = (piece) =>
    byteLevel
      ? Array.from(utf8.encode(piece), (byte) => String.fromCharCode(byte))
      : Array.from(piece);
  const known = new Map(); // pre-token -> its word, kept while the reader types

  /** A pre-token: its symbols, and at which of its own merges each boundary between them goes. */
  function makeWord(piece) {
    const symbols = spell(piece);
    const size = symbols.length;
    const ids = Int32Array.from(symbols, (symbol) => idOfSingle.get(symbol) ?? -1);
    const starts = Int32Array.from(symbols, (_, i) => i);
    const next = new Int32Array(size).fill(NEVER); // rank of the pair that starts here
    const fresh = new Uint8Array(size + 1);
    const gone = new Int32Array(size).fill(NEVER); // boundary before symbol i -> own merge
    const merges = []; // own merges in order: { rank, places }
    for (let i = 0; i + 1 < size; i += 1) next[i] = rankOf(ids[i], ids[i + 1]);
    for (let length = size; ; ) {
      let rank = NEVER;
      for (let i = 0; i + 1 < length; i += 1) if (next[i] < rank) rank = next[i];
      if (rank === NEVER) break;
      let kept = 0;
      let places = 0;
      let overtaken = false; // a merge can make a pair of lower rank, which then comes first
      fresh.fill(0, 0, length + 1);
      for (let i = 0; i < length; kept += 1) {
        const merge = i + 1 < length && next[i] === rank && !overtaken;
        const id = merge ? results[rank] : ids[i];
        if (merge) {
          gone[starts[i + 1]] = merges.length;
          fresh[kept] = 1;
          places += 1;
          overtaken =
            (kept > 0 && rankOf(ids[kept - 1], id) < rank) ||
            (i + 2 < length && rankOf(id, ids[i + 2]) < rank);
        }
        starts[kept] = starts[i];
        next[kept] = next[i];
        ids[kept] = id;
        i += merge ? 2 : 1;
      }
      length = kept;
      for (let i = 0; i + 1 < length; i += 1) {
        if (fresh[i] || fresh[i + 1]) next[i] = rankOf(ids[i], ids[i + 1]);
      }
      merges.push({ rank, places });
    }
    return { piece, symbols, gone, merges };
  }

  /** All steps of a text: its pre-tokens in order, and the merges, each applied everywhere. */
  function trace(given) {
    const text = prefixSpace && given && !given.startsWith(" ") ? ` ${given}` : given;
    if (known.size > 4000) known.clear();
    const used = new Map(); // pre-token -> { word, at: its own merge -> step, times }
    const pieces = text.split(split).filter(Boolean); // what matches, and what lies between
    let tokens = 0;
    const parts = pieces.map((piece) => {
      let part = used.get(piece);
      if (!part) {
        if (!known.has(piece)) known.set(piece, makeWord(piece));
        used.set(piece, (part = { word: known.get(piece), at: [], times: 0 }));
      }
      part.times += 1;
      tokens += part.word.symbols.length;
      return part;
    });
    const first = tokens;
    const steps = []; // { rank, tokens }
    let open = [...used.values()].filter((part) => part.word.merges.length > 0);
    while (open.length > 0) {
      let rank = NEVER;
      for (const { word, at } of open) rank = Math.min(rank, word.merges[at.length].rank);
      let finished = false;
      for (const { word, at, times } of open) {
        const merge = word.merges[at.length];
        if (merge.rank !== rank) continue;
        tokens -= merge.places * times;
        at.push(steps.length);
        finished ||= at.length === word.merges.length;
      }
      steps.push({ rank, tokens });
      if (finished) open = open.filter(({ word, at }) => at.length < word.merges.length);
    }
    return { parts, steps, first };
  }

  /** How many of its own merges a pre-token has seen after so many steps of the text. */
  function progress({ at }, step) {
    let own = 0;
    while (own < at.length && at[own] < step) own += 1;
    return own;
  }

  /**
   * The tokens of a pre-token after so many of its own merges: { id, name, seam, fresh }, where
   * seam says that the boundary after the token goes with the next one, fresh that the last one
   * made the token.
   */
  function tokensAt({ word: { symbols, gone } }, own) {
    const tokens = [];
    let name = symbols[0];
    let fresh = false;
    for (let i = 1; i <= symbols.length; i += 1) {
      if (i < symbols.length && gone[i] < own) {
        name += symbols[i];
        fresh ||= gone[i] === own - 1;
      } else {
        tokens.push({ id: idOfName(name), name, fresh, seam: gone[i] === own });
        name = symbols[i];
        fresh = false;
      }
    }
    return tokens;
  }

  /** The ids that a model reads: the start token, if there is one, and those of the text. */
  function encode(text) {
    const tokens = trace(text).parts.flatMap((part) => tokensAt(part, part.word.merges.length));
    return [...(start === null ? [] : [start]), ...tokens.map(({ id }) => id)];
  }

  /** The first character or byte that the tokenizer has no token for, or undefined. */
  function missing(text) {
    if (unknown !== null || (byteLevel && !alphabet.includes(-1))) return undefined;
    return spell(text).find((symbol) => !(idOfSingle.get(symbol) >= 0));
  }

  const pairOf = (rank) => [names[pairs[2 * rank]], names[pairs[2 * rank + 1]]];
  const nameOf = (id) => names[id];
  /** The text of some ids; half a character becomes U+FFFD, as in Python. */
  function decode(ids) {
    const name = ids.map((id) => nameOf(id) ?? "").join("");
    return byteLevel ? new TextDecoder().decode(bytesOf(name)) : name;
  }
  return { byteLevel, encode, decode, trace, progress, tokensAt, missing, pairOf, nameOf, results, counts };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** Two hexadecimal digits: how the view of bytes writes a byte. */
const hex = (byte) => byte.toString(16).toUpperCase().padStart(2, "0");
const bytesOf = (name) => Uint8Array.from(name, (character) => character.charCodeAt(0));
const SIGNS = { " ": "·", "\n": "↵", "\t": "⇥", "\r": "␍", "\x7f": "␡" };
const SOLID = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** A character that has no picture of its own gets one: a sign, or its code point. */
function sign(character) {
  if (character in SIGNS) return SIGNS[character];
  const code = character.codePointAt(0);
  if (code < 32) return String.fromCodePoint(0x2400 + code);
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${code.toString(16).toUpperCase()}` : character;
}

/** What a token shows: { text, hex } in one of the two views. */
export function reading(name, byteLevel, view) {
  let text = name;
  if (view === "bytes") {
    const bytes = byteLevel ? bytesOf(name) : new TextEncoder().encode(name);
    return { text: Array.from(bytes, hex).join(" "), hex: true };
  }
  if (byteLevel) {
    try {
      text = strict.decode(bytesOf(name));
    } catch {
      return { text: Array.from(bytesOf(name), (byte) => `<0x${hex(byte)}>`).join(""), hex: true };
    }
  }
  if (SOLID.test(text)) return { text: text.replace(/[\p{Cc} ]/gu, sign), hex: false };
  const shown = Array.from(text, sign).join("");
  return { text: /^\p{M}/u.test(shown) ? `◌${shown}` : shown, hex: false };
}

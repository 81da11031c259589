// An n-gram model in the page: what NGramModel does, from the text that it was fitted on.
//
// No table of counts travels. All places of the text are sorted by the token before them, then by
// the one before that, and so on. So the places that follow a history, however long, stand in a row,
// and counting what stands there is all that a model does.

/** The characters that packed ids are written in: the same as ALPHABET in generate_box/pack.py. */
const DIGITS = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter(
  (sign) => !'"\\<'.includes(sign),
);
const GAP = -1; // stands between two texts: no history reaches across

/** The ids in a packed text, with GAP before each of the texts in it. */
export function unpack(packed, digits, gap) {
  const values = new Int32Array(128);
  DIGITS.forEach((sign, value) => (values[sign.charCodeAt(0)] = value));
  const ids = new Int32Array(packed.length / digits);
  for (let i = 0; i < ids.length; i += 1) {
    let id = 0;
    for (let d = 0; d < digits; d += 1) {
      id = id * DIGITS.length + values[packed.charCodeAt(i * digits + d)];
    }
    ids[i] = id === gap ? GAP : id;
  }
  return ids;
}

/** Sort places by the token that stands `back` before each; equal ones keep their order. */
function sortBy(places, ids, back, size) {
  const key = (place) => (place < back ? 0 : ids[place - back] + 1);
  const starts = new Int32Array(size + 2);
  for (const place of places) starts[key(place) + 1] += 1;
  for (let i = 1; i < starts.length; i += 1) starts[i] += starts[i - 1];
  const sorted = new Int32Array(places.length);
  for (const place of places) sorted[starts[key(place)]++] = place;
  return sorted;
}

/** The model: logits(history) are the logarithms of the V probabilities of the next token. */
export function makeModel({ order, size, digits, packed }) {
  let ids;
  let places; // of all tokens, sorted by what stands before them
  let shortest; // the row after the empty history: the same at every step
  const tally = new Int32Array(size); // all 0 between two uses

  function start() {
    ids = unpack(packed, digits, size);
    places = ids.map((id, place) => (id === GAP ? -1 : place)).filter((place) => place >= 0);
    for (let back = order - 1; back >= 1; back -= 1) places = sortBy(places, ids, back, size);
    shortest = interpolate(new Float64Array(size).fill(1 / size), 0, places.length);
  }

  /** The first of places[from..to] whose token `back` before it is not below a limit. */
  function lowerBound(from, to, back, limit) {
    while (from < to) {
      const middle = (from + to) >> 1;
      const place = places[middle];
      if ((place < back ? GAP : ids[place - back]) < limit) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  /** Witten-Bell: what stands at places[from..to], mixed with the row of a shorter history. */
  function interpolate(shorter, from, to) {
    const kinds = []; // the different tokens that stand there
    for (let i = from; i < to; i += 1) {
      const id = ids[places[i]];
      if (tally[id] === 0) kinds.push(id);
      tally[id] += 1;
    }
    const all = to - from + kinds.length;
    const row = shorter.map((p) => p * (kinds.length / all));
    for (const id of kinds) {
      row[id] += tally[id] / all;
      tally[id] = 0;
    }
    return row;
  }

  function logits(history) {
    if (!ids) start();
    let row = shortest;
    let [from, to] = [0, places.length];
    for (let back = 1; back < order && back <= history.length; back += 1) {
      const token = history[history.length - back];
      from = lowerBound(from, to, back, token);
      to = lowerBound(from, to, back, token + 1);
      if (from === to) break; // never seen: the row of the shorter history stands
      row = interpolate(row, from, to);
    }
    return row.map(Math.log);
  }
  return { logits };
}

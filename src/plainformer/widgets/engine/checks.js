// What the engine refuses, each in a sentence that names what was given.

const whole = (value, below) => Number.isInteger(value) && value >= 0 && value < below;

export function checkIds(ids, offset, { vocab_size, max_length }, name = "ids") {
  if (!ids?.length) throw new RangeError(`${name} must have a token or more; got none`);
  const odd = Array.from(ids).find((id) => !whole(id, vocab_size));
  if (odd !== undefined) throw new RangeError(`${name} must be from 0 to ${vocab_size - 1}; got ${odd}`);
  const end = offset + ids.length;
  if (max_length !== null && end > max_length) {
    throw new RangeError(`a text must have at most ${max_length} tokens; got ${end}`);
  }
}

/** For each layer, what of it is off: { heads, attention, feedForward }. */
export function checkOff(off, { n_layers, n_heads }) {
  const { heads = [], layers = [], attention = [], feedForward = [] } = off;
  for (const layer of [...heads.map(([each]) => each), ...layers, ...attention, ...feedForward]) {
    if (!whole(layer, n_layers)) {
      throw new RangeError(`a layer must be from 0 to ${n_layers - 1}; got ${layer}`);
    }
  }
  const odd = heads.find(([, head]) => !whole(head, n_heads));
  if (odd) throw new RangeError(`a head must be from 0 to ${n_heads - 1}; got ${odd[1]}`);
  return Array.from({ length: n_layers }, (_, i) => ({
    heads: heads.filter(([layer]) => layer === i).map(([, head]) => head),
    attention: layers.includes(i) || attention.includes(i),
    feedForward: layers.includes(i) || feedForward.includes(i),
  }));
}

/** A translator's decoder looks at something: a source given with the first tokens, or read before. */
export function checkSource(read) {
  if (!read) throw new RangeError("source must be given with the first tokens; got none");
}

/** A row of another source, which must have as many tokens. */
export function checkPatch(ids, place, S) {
  if (ids.length !== S) throw new RangeError(`patch must have ${S} tokens, like the source; got ${ids.length}`);
  if (!whole(place, S)) throw new RangeError(`patch must have a place from 0 to ${S - 1}; got ${place}`);
}

export function checkTokens(hidden) {
  const odd = hidden.find((each) => !whole(each, Infinity));
  if (odd !== undefined) throw new RangeError(`hidden must be places from 0 on; got ${odd}`);
}

/** What takes the place of a step, which must be as large. */
export function checkReplacement(name, data, { shape, data: there }) {
  if (!(data instanceof Float32Array) || data.length !== there.length) {
    const got = data instanceof Float32Array ? data.length : typeof data;
    throw new RangeError(`${name} must be a Float32Array of ${there.length} numbers; got ${got}`);
  }
  return { shape, data };
}

export function checkNames(names, steps) {
  const odd = names.find((name) => !steps.has(name));
  if (odd !== undefined) throw new RangeError(`this model has no step "${odd}"`);
}

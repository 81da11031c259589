// Where a number of a forward pass comes from: a sum of products, a share of a row, what was written.
//
// explain() returns { value, says, by, chapter, rows }. A row is { factors, value }: its value is
// what it adds to the number, its factors are what it is made of, see parts.js. Every factor that
// the model computes can be asked in its turn, until a parameter, which has no rows. `also` are other
// places at which a reader may look at the same number, { text, to }. Sums are kept as
// they are found; what is printed of them is number.js's business.

import * as attending from "./origin_attention.js";
import * as attributing from "./origin_attribution.js";
import * as streams from "./origin_stream.js";
import * as places from "./selection.js";
import * as parts from "./parts.js";

const PARAMETER = {
  says: "a parameter: it was learned in training, and is the same for every text",
  by: "plainformer.blocks.DecoderOnly",
  chapter: "training/language_model",
};

/**
 * What a number is made of; null while parameters that it needs are on their way.
 *
 * at: a place as selection.js reads it. given: { steps, tensor, config, ids, positions }, see
 * parts.js; ids are what was read, and positions is false where all tokens stand at position 0.
 * word(id) is how a token reads; off are the layers and heads that are switched off, and patch is what
 * was taken in from another text, if anything was.
 */
export function explain(at, given) {
  try {
    return found(at, given);
  } catch (error) {
    if (error === parts.COMES) return null;
    throw error;
  }
}

function found(at, given) {
  const { steps, config, ids } = given;
  const inner = (name, place) =>
    found(places.read(places.numberAt(name, ...place), config, ids.length), given).value;
  const reader = parts.reader(given, inner);
  if (Object.hasOwn(places.PARAMETERS, at.general)) {
    const is = reader.parameter(at.name, ...at.index);
    if (is) return { ...PARAMETER, value: is.value, rows: [] };
    return { ...PARAMETER, says: "no parameter of this model", value: 0, rows: [] };
  }
  const make = attending.kinds[at.part] ?? attributing.kinds[at.part] ?? streams.kinds[at.part];
  const made = make({ word: (id) => `token ${id}`, ...given, ...reader, at });
  const value = steps.has(at.name) ? reader.get(at.name, ...at.index) : parts.total(made.rows);
  return { value, ...made, by: `plainformer.${made.by}` };
}
